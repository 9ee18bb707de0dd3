"""Remembered draws: the same person gets the same disguise in every wave.

Somebody who is asked the same question again and again, with a fresh lottery each time, can be found
out by averaging. So a device may remember: the draw of a group comes from a secret key, the person's
id and the person's answers, and is the same in every wave. A changed answer redraws its own group only, and so
does a changed lottery: the same draw under two thetas would reveal the truth. A version is drawn before any
answer and stays, as long as the versions do.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.published import block_digest, canonical_json, lottery_digest
from deniable.device.follow import Rows, draws_needed
from deniable.device.randomness import Script
from deniable.errors import BadFile, DuplicateId, MissingValues
from deniable.frame.columns import Column
from deniable.survey.coding import LEFT_OUT

KEY_BYTES = 32


class Memory:
    """A secret key, and the ids that were already disguised in this run."""

    def __init__(self, key: bytes, column: str) -> None:
        self._key = key
        self.column = column
        self._seen = np.empty(0, dtype=np.uint64)

    @classmethod
    def at(cls, path: Path, column: str) -> "Memory":
        """The memory whose key is in this file, which is made (readable by its owner alone) if there is none."""
        try:
            if not path.exists():
                with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                    file.write(secrets.token_hex(KEY_BYTES) + "\n")
            key = bytes.fromhex(path.read_text().strip())
        except OSError as error:
            raise BadFile(path, f"cannot be read or made ({error.strerror})", "choose another place") from error
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise BadFile(
                path, f"is not a key file of {KEY_BYTES} bytes in hex", "name a file that holds one, or none yet"
            )
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise BadFile(path, "is open to others, who could undo the disguise", "chmod 600 it, or make a new one")
        return cls(key, column)

    def meet(self, ids: list[str | None]) -> list[str]:
        """The ids of the next people, each met for the first time in this run."""
        known = [person for person in ids if person is not None]
        if len(known) < len(ids):
            raise MissingValues({self.column: len(ids) - len(known)})
        marks = np.array([_mark(person) for person in known], dtype=np.uint64)
        order = np.argsort(marks, kind="stable")
        again = np.zeros(len(marks), dtype=bool)
        again[order[1:]] = marks[order[1:]] == marks[order[:-1]]
        again |= np.isin(marks, self._seen)
        if again.any():
            raise DuplicateId(self.column, known[int(np.argmax(again))])
        self._seen = np.concatenate([self._seen, marks])
        return known

    def draws(self, ids: list[str], lottery: Channel | Block, columns: Mapping[str, Column], rows: Rows) -> Script:
        """The draws of some of these people for a group, or for the version of a block."""
        if rows is not None:
            ids = [ids[row] for row in rows.tolist()]
        return self._versions(ids, lottery) if isinstance(lottery, Block) else self._group(ids, lottery, columns)

    def _versions(self, ids: list[str], block: Block) -> Script:
        """The draw of a version, which depends on no answer."""
        head, digest = "version", block_digest(block)
        drawn = [self._words(canonical_json([head, person, block.column, digest]), 1) for person in ids]
        return Script(np.ascontiguousarray(np.array(drawn, dtype=np.uint32).reshape(-1, 1).T))

    def _group(self, ids: list[str], channel: Channel, columns: Mapping[str, Column]) -> Script:
        needed = draws_needed(channel)
        true = np.column_stack([_settled(channel, name, columns[name]) for name in channel.names]).tolist()
        lottery = lottery_digest(channel)
        draws = np.empty((len(ids), needed), dtype=np.uint32)
        for row, (person, cells) in enumerate(zip(ids, true, strict=True)):
            draws[row] = self._words(canonical_json([person, channel.names, cells, lottery]), needed)
        return Script(np.ascontiguousarray(draws.T))

    def _words(self, message: str, count: int) -> NDArray[np.uint32]:
        """So many draws, the same for the same message."""
        digest = hmac.digest(self._key, message.encode(), "sha256")
        return np.frombuffer(hashlib.shake_256(digest).digest(4 * count), dtype="<u4")


def _settled(channel: Channel, name: str, column: Column) -> NDArray[np.int64]:
    """True cells, or grid points of a number (-1 where it was skipped)."""
    question = channel.question(name)
    if not question.is_number:
        return column.astype(np.int64)
    assert question.range is not None
    answered = ~np.isnan(column)
    points = question.range.points(np.where(answered, column, question.range.low))
    return np.where(answered, points, LEFT_OUT)


def _mark(person: str) -> int:
    return int.from_bytes(hashlib.blake2b(person.encode(), digest_size=8).digest(), "little")
