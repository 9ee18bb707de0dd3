"""Bodies of requests, bounded in length and in time."""

import asyncio

from starlette.requests import ClientDisconnect, Request

BODY_SECONDS = 20.0


async def body_of(request: Request, most: int) -> bytes | None:
    """What was sent; None if it is too long (the rest is not even read) or if the visitor has gone.

    Whoever sends it drop by drop is not waited for: TimeoutError.
    """
    taken = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                taken += piece
                if len(taken) > most:
                    return None
    except ClientDisconnect:
        return None
    return bytes(taken)
