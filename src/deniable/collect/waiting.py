"""Replies that wait to be shown: the newest 20 to 39 of a survey.

Whoever watches the dashboard and knows when somebody replied would see that reply appear. So replies are shown in
batches of 20 or more: they enter one batch, and are shown when the next one is full. Which batch a reply is in is known
of those that wait, and of no others. When the survey closes, all are shown.

Replies that come after a survey was closed and opened again are not shown by closing it once more, until they are 20:
else closing and opening after every reply would show them one by one.
"""

from collections.abc import Sequence
from random import SystemRandom

from deniable.collect.database import Database
from deniable.collect.invitation import Round

BATCH = 20
shuffle = SystemRandom().shuffle
INSERT = "insert into waiting (id, survey, round, newer) values (?, ?, ?, ?) on conflict do nothing"
OF = "survey = ? and round = ?"
NOT_WAITING = f"id not in (select id from waiting where {OF})"


def enter(database: Database, survey: str, for_round: Round, ids: Sequence[bytes]) -> None:
    """Let new replies wait, inside a transaction; those whose batch is followed by a full one are shown from now on."""
    new, about = list(ids), (survey, for_round)
    shuffle(new)
    ((begun,),) = database.run(f"select count(*) from waiting where {OF} and newer = 1", about)
    if begun + len(new) < BATCH:
        _insert(database, about, [], new)
        return
    full = max(BATCH - begun, 0)
    first, rest = new[:full], new[full:]
    if len(rest) < BATCH:
        database.run(f"delete from waiting where {OF} and newer = 0", about)
        database.run(f"update waiting set newer = 0 where {OF}", about)
        _insert(database, about, first, rest)
        return
    release(database, survey, for_round)
    end = len(rest) - len(rest) % BATCH
    _insert(database, about, rest[end - BATCH : end], rest[end:])


def _insert(database: Database, about: tuple[str, Round], older: Sequence[bytes], newer: Sequence[bytes]) -> None:
    rows = [(each, *about, 0) for each in older] + [(each, *about, 1) for each in newer]
    shuffle(rows)
    if rows:
        database.insert_each(INSERT, rows)


def release(database: Database, survey: str, for_round: Round) -> None:
    """Show all that wait."""
    database.run(f"delete from waiting where {OF}", (survey, for_round))


def are_hidden(database: Database, survey: str, for_round: Round, total: int, is_open: bool) -> bool:
    """Whether those that wait are hidden: while the survey is open; or where they are few, and others were shown."""
    if is_open:
        return True
    ((waiting,),) = database.run(f"select count(*) from waiting where {OF}", (survey, for_round))
    return 0 < int(waiting) < min(BATCH, total)
