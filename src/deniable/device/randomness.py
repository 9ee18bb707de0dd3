"""Random numbers for a disguise: secure by default, seeded for simulations.

Every draw is a whole number u of 32 bits, compared with thresholds (u < T). By default it comes from
AES in counter mode under a key of the operating system; a seeded stream exists for simulations only.

Where few outcomes are possible the first byte of u nearly always decides; only where it ties with a
threshold are the other three drawn. That is the same u, at a quarter of the price.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from deniable.channel.chances import SCALE
from deniable.errors import BadRequest
from deniable.survey.whole import is_whole

Bytes = NDArray[np.uint8]
FEW = 16  # outcomes up to which the first byte is worth a look


class Randomness(Protocol):
    """Where draws come from."""

    def words(self, count: int) -> NDArray[np.uint32]:
        """So many draws."""
        ...

    def pick(self, thresholds: Sequence[int], count: int) -> NDArray[Any]:
        """So many outcomes: each the first whose threshold lies above its draw."""
        ...


class Stream:
    """Draws from a source of random bytes."""

    def __init__(self, source: Callable[[int], Bytes]) -> None:
        self._source = source

    def words(self, count: int) -> NDArray[np.uint32]:
        return self._source(4 * count).view("<u4")

    def pick(self, thresholds: Sequence[int], count: int) -> NDArray[Any]:
        if len(thresholds) > FEW:
            return outcomes(thresholds, self.words(count))
        first = self._source(count)
        picked, tied = np.zeros(count, dtype=np.uint8), np.zeros(count, dtype=bool)
        for threshold in thresholds[:-1]:
            byte = threshold >> 24
            picked += first > byte
            tied |= first == byte
        ties = np.flatnonzero(tied)
        rest = self._source(3 * len(ties)).reshape(-1, 3)
        draws = np.column_stack([rest, first[ties]]).copy().view("<u4").ravel()
        picked[ties] = outcomes(thresholds, draws)
        return picked


class Script:
    """Draws that are known beforehand, one row of `draws` after the other."""

    def __init__(self, draws: NDArray[np.uint32]) -> None:
        self._rows = iter(draws)

    def words(self, count: int) -> NDArray[np.uint32]:
        return next(self._rows)

    def pick(self, thresholds: Sequence[int], count: int) -> NDArray[Any]:
        return outcomes(thresholds, self.words(count))


def outcomes(thresholds: Sequence[int], draws: NDArray[np.uint32]) -> NDArray[np.intp]:
    """For each draw, the first outcome whose threshold lies above it."""
    below_top = [threshold for threshold in thresholds[:-1] if threshold < SCALE]
    return np.searchsorted(np.array(below_top, dtype=np.uint32), draws, side="right")


def secure() -> Stream:
    """Cryptographic randomness under a fresh key."""
    cipher = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()

    def source(count: int) -> Bytes:
        stream = np.empty(count + 16, dtype=np.uint8)  # the cipher asks for a spare block
        cipher.update_into(bytes(count), stream.data)
        return stream[:count]

    return Stream(source)


def seeded(seed: int) -> Stream:
    """Reproducible randomness, for simulations only."""
    if not is_whole(seed, 0):
        raise BadRequest("seed", "a whole number from 0 on", seed, "choose another")
    generator = np.random.Generator(np.random.PCG64(seed))
    return Stream(lambda count: np.frombuffer(generator.bytes(count), dtype=np.uint8).copy())
