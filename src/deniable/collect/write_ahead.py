"""PostgreSQL's write-ahead log, which holds every reply in the order of arrival until its files are used again.

A checkpoint lets go of old files, but renames them for later use with all that is in them. So the server is moved on
from file to file, once through all of them: what it leaves is filled with zeros.
"""

from collections.abc import Callable
from typing import Any

from deniable.errors import StoreDown

MOST_FILES = 64  # of 16 MB each, as a rule; more would keep a server busy for long
BEYOND = 2  # the file that is written to, and the one that follows it

Run = Callable[[str], list[tuple[Any, ...]]]


def write_over(run: Run) -> bool:
    """Write the live log over, where this role may; whether nothing is left of what it held.

    Archives and standbys have copies. Files that they still need are kept as they are.
    """
    try:
        ((files, first),) = run("select count(*), pg_walfile_name(pg_current_wal_lsn()) from pg_ls_waldir()")
        for _ in range(files + BEYOND if files <= MOST_FILES else 1):
            run("select pg_switch_wal()")
            run("checkpoint")
        ((older,),) = run(f"select count(*) from pg_ls_waldir() where name <= '{first}' and length(name) = 24")
    except StoreDown:  # which only its administrators may do
        return False
    return bool(files <= MOST_FILES and older == 0)
