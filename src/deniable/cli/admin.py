"""`deniable admin --store URL`: the password that opens the collector's dashboard."""

import os
import sys
from getpass import getpass

from deniable.cli.arguments import StoreUrl
from deniable.cli.show import say
from deniable.collect.places import DEFAULT, open_store
from deniable.errors import BadRequest
from deniable.web.password import SECRET, hash_of

PASSWORD = "DENIABLE_PASSWORD"


def command(store: StoreUrl = DEFAULT) -> None:
    """Set the collector's password; all collectors must log in again.

    It is typed, piped in, or in DENIABLE_PASSWORD.
    """
    kept = hash_of(_password())
    with open_store(store) as opened:
        opened.set_secret(SECRET, kept)
    say("the password is set: the dashboard is open under /admin of the survey site")


def _password() -> str:
    """A new password: of the environment, typed twice where somebody types, or the first line of what is piped in."""
    if PASSWORD in os.environ:
        return os.environ[PASSWORD]
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass("New password: ")
    if getpass("Once more: ") != first:
        raise BadRequest("the second password", "the same as the first", "another one", "try again")
    return first
