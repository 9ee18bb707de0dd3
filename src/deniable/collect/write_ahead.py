"""PostgreSQL's write-ahead log, which holds every reply in the order of arrival until its files are used again.

A checkpoint lets go of old files, but renames them for later use with all that is in them. So the server is moved on
from file to file, once through all of them: what it leaves is filled with zeros.
"""

from collections.abc import Callable
from typing import Any

from deniable.errors import StoreDown

MAX_FILES = 64  # of 16 MB each, as a rule; more would keep a server busy for long
BEYOND = 2  # the file that is written to, and the one that follows it
HOLDS = "PostgreSQL's live write-ahead log (pg_wal) still holds the replies"
BY_HAND = "run `select pg_switch_wal()` and `checkpoint` in turn, once for each of its files and twice more"
NO_RIGHT = f"{HOLDS} until an administrator has it written over: {BY_HAND}"
TOO_MANY = f"{HOLDS} in more than {MAX_FILES} files, which take long to write over: {BY_HAND}"
HELD = f"{HOLDS} in files that a standby, a replication slot or an archive needs; they go once these let go of them"

Run = Callable[[str], list[tuple[Any, ...]]]


def write_over(run: Run) -> str | None:
    """Write the live log over, where this role may; what is left of what it held and why, in words, or nothing.

    Archives and standbys have copies. Files that they still need are kept as they are.
    """
    try:
        ((files, first),) = run("select count(*), pg_walfile_name(pg_current_wal_lsn()) from pg_ls_waldir()")
        if files > MAX_FILES:
            return TOO_MANY
        for _ in range(files + BEYOND):
            run("select pg_switch_wal()")
            run("checkpoint")
        ((older,),) = run(f"select count(*) from pg_ls_waldir() where name <= '{first}' and length(name) = 24")
    except StoreDown:  # which only its administrators may do
        return NO_RIGHT
    return HELD if older else None
