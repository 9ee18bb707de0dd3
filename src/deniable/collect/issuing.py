"""Issuing: the secret half of a survey's keys, and signing what devices have blinded.

Keys are made when the first people are invited, before the survey opens, and kept in the store. What is signed says
nothing about anybody (channel/blind.py); that an invitation is traded once is the store's to see.
"""

from dataclasses import dataclass
from functools import cached_property
from secrets import randbelow
from typing import Any

from deniable.channel.blind import E, size
from deniable.channel.issuer import BITS, Issuer
from deniable.collect.invitation import Round


@dataclass(frozen=True)
class SecretKey:
    """An RSA key: the primes of its modulus."""

    p: int
    q: int

    @classmethod
    def new(cls) -> "SecretKey":
        """A key that nobody has."""
        from cryptography.hazmat.primitives.asymmetric import rsa

        made = rsa.generate_private_key(E, BITS).private_numbers()
        return cls(made.p, made.q)

    @classmethod
    def read(cls, text: str) -> "SecretKey":
        """The key in a store's text."""
        p, q = text.split()
        return cls(int(p, 16), int(q, 16))

    def __repr__(self) -> str:
        return "SecretKey(...)"

    def text(self) -> str:
        """The key as a store keeps it."""
        return f"{self.p:x} {self.q:x}"

    @property
    def n(self) -> int:
        """The modulus."""
        return self.p * self.q

    def sign(self, blinded: bytes) -> bytes:
        """Sign what a device has blinded, a number below the modulus.

        What is raised to the secret exponent is hidden behind a factor of our own, so that the time it takes tells
        nothing; and the result is checked, since a slip of the processor would reveal the primes.
        """
        from gmpy2 import invert, mpz, powmod, powmod_sec  # powmod_sec takes the same time for all numbers

        p, q, by_p, by_q, inverse = self._parts
        n, number, factor = p * q, mpz(int.from_bytes(blinded)), mpz(1 + randbelow(self.n - 1))
        hidden = number * powmod(factor, E, n) % n
        one, other = powmod_sec(hidden % p, by_p, p), powmod_sec(hidden % q, by_q, q)
        found = (other + q * ((one - other) * inverse % p)) * invert(factor, n) % n
        if powmod(found, E, n) != number:
            raise ArithmeticError("a signature does not fit its key")
        return int(found).to_bytes(size(self.n))

    @cached_property
    def _parts(self) -> tuple[Any, ...]:
        """The primes, the secret exponent for each, and the inverse of the second modulo the first."""
        from gmpy2 import mpz

        p, q = self.p, self.q
        return tuple(map(mpz, (p, q, pow(E, -1, p - 1), pow(E, -1, q - 1), pow(q, -1, p))))


@dataclass(frozen=True)
class SecretKeys:
    """The keys of a survey: one for replies, one for the second round."""

    reply: SecretKey
    follow_up: SecretKey

    @classmethod
    def new(cls) -> "SecretKeys":
        """Keys that nobody has."""
        return cls(SecretKey.new(), SecretKey.new())

    def of(self, for_round: Round) -> SecretKey:
        """The key for a round."""
        return self.reply if for_round == "reply" else self.follow_up

    @property
    def public(self) -> Issuer:
        """What is published of them."""
        return Issuer(f"{self.reply.n:x}", f"{self.follow_up.n:x}")
