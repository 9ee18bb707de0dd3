"""The collector's password: kept as an argon2id hash in the store, and nowhere else."""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from deniable.errors import BadRequest

SECRET = "collector's password"  # its name in the store
SHORTEST, LONGEST = 10, 1000  # letters

_HASHER = PasswordHasher()  # argon2id, with the parameters that RFC 9106 recommends where memory is scarce


def hash_of(password: str) -> str:
    """What the store keeps of a password."""
    if not SHORTEST <= len(password) <= LONGEST:
        expected = f"a text of {SHORTEST} letters or more"
        raise BadRequest("the password", expected, f"{len(password)} letters", "choose a longer one, several words say")
    return _HASHER.hash(password)


def is_right(kept: str, password: str) -> bool:
    """Whether a password is the one that is kept."""
    if len(password) > LONGEST:
        return False
    try:
        return _HASHER.verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False
