"""Store: the replies, models and invitations of surveys, in one database.

Each survey has a table of its own: a random id, the digest of the reply's bytes, and a column of cells or numbers per
question. Nothing else is known of a reply: no address, no time, no order, no invitation.

A batch of arrivals is kept in one transaction, so that many respondents share one sync to disk. Whether an arrival is
new is decided by the database's own key, inside that transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from random import SystemRandom
from typing import Any
from urllib.parse import quote

from deniable.channel.design import Design
from deniable.collect import waiting
from deniable.collect.copying import copy_all, seal
from deniable.collect.database import Database
from deniable.collect.erasing import LATER, SHARED, check_not_over, check_retention, due, erase
from deniable.collect.invitation import ROUNDS, Trade, hashed
from deniable.collect.issuers import make_keys, with_keys
from deniable.collect.reading import Reading
from deniable.collect.reply import FollowUp, Reply
from deniable.collect.schema import migrate, reply_columns, reply_table
from deniable.collect.second_round import lottery_in
from deniable.collect.state import State, day_of, today
from deniable.errors import BadDesignFile, BadRequest, StoreDown, UnknownSurvey

shuffle = SystemRandom().shuffle


class Outcome(Enum):
    """What became of an arrival."""

    STORED = "it is stored"
    KNOWN = "the same bytes were stored before"
    DIFFERENT = "other bytes were stored under this id before"
    NOT_INVITED = "its invitation is unknown or spent"
    CLOSED = "the survey does not take replies at the moment"
    OTHER_MODEL = "it is about another model than the one that is tested now"
    NO_SURVEY = "there is no such survey here"
    TRADED = "it may be signed"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A reply or follow-up that wants to be kept, or an invitation to trade; the invitation that came with it.

    `signed` says that its id bears the signature of the survey's issuer for its round.
    """

    survey: str
    body: Reply | FollowUp | Trade
    invitation: str | None = None
    signed: bool = False


class Store(Reading):
    """Surveys, their replies, invitations and models, in a database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        try:
            migrate(database)
        except BaseException:
            database.close()
            raise

    # ------------------------------------------------------------ surveys

    def promised(self, design: Design) -> Design:
        """A design under the fingerprint by which its respondents know it, if it was served from here."""
        return with_keys(self._database, design).as_promised(self.surveys())

    def enrol(self, design: Design) -> Design:
        """Make room for a design's replies, unless there is; what is new must be readable to the eye.

        Gives back the design as it is promised here. One that was erased here stays over.
        """
        check_not_over(self._database, design)
        design = self.promised(design)
        fingerprint, types = design.fingerprint, self._database.dialect
        if fingerprint not in self.surveys():
            design.check_text()
            check_retention(design, today())
        with self._database.transaction():
            statement = "insert into surveys (fingerprint, title, design) values (?, ?, ?) on conflict do nothing"
            self._database.run(statement, (fingerprint, design.title, design.to_json()))
            self._database.run(reply_columns(design).format(**types))
        return design

    def issue(self, design: Design) -> Design:
        """Make keys that sign for invited people, unless there are, and room for their replies; the design with them.

        A survey that has opened without keys goes on without: what its respondents agreed to cannot change.
        """
        check_not_over(self._database, design)
        known = self.promised(design)
        if known.issuer is None and not self._has_opened(known):
            known.check_text()
            check_retention(known, today())
            with self._database.transaction():
                known = make_keys(self._database, known)
        return self.enrol(known)

    def _has_opened(self, design: Design) -> bool:
        """Whether anybody has replied or was invited; or it is held with texts that no new design may have."""
        fingerprint = design.fingerprint
        if fingerprint not in self.surveys():
            return False
        return bool(self.count(fingerprint) or self.invited(fingerprint)[0]) or not _is_readable(design)

    def schedule(self, fingerprint: str, opens: str | None, closes: str | None) -> None:
        """Set the first and the last day of a survey."""
        first, last = day_of("opens", opens), day_of("closes", closes)
        if first is not None and last is not None and last < first:
            raise BadRequest("closes", f"no day before {opens}", closes, "correct it")
        with self._database.transaction():
            for each in ROUNDS:
                if not self._hides(fingerprint, each):  # what was shown while it was closed stays so
                    waiting.release(self._database, fingerprint, each)
            statement = "update surveys set opens = ?, closes = ? where fingerprint = ?"
            self._database.run(statement, (opens or None, closes or None, fingerprint))
            self._database.run("delete from closed where survey = ?", (fingerprint,))

    def close_now(self, fingerprint: str) -> None:
        """Take no more replies, from this moment on; setting days opens the survey again."""
        self.state(fingerprint)
        self._database.run("insert into closed (survey) values (?) on conflict do nothing", (fingerprint,))

    def erase(self, fingerprint: str) -> list[str]:
        """Erase a survey and all that belongs to it; where the database still holds traces of it, in words."""
        self.state(fingerprint)
        return [*filter(None, [self._erase([fingerprint]), self.forget_log()])]

    def erase_due(self) -> list[str]:
        """Erase the surveys whose retention day has passed; their fingerprints. The database's log is left as it is."""
        found = due(self._database, today())
        if found:
            self._erase(found)
        return found

    def _erase(self, fingerprints: Sequence[str]) -> str | None:
        with self._database.transaction():
            for fingerprint in fingerprints:
                erase(self._database, fingerprint)
        try:
            self._database.settle(SHARED)
        except StoreDown:
            return LATER
        return None

    def forget_log(self) -> str | None:
        """Have the database write over what its own log holds of erased replies; what is left and why, in words."""
        return self._database.forget_log()

    # ------------------------------------------------------------ keeping

    def keep(self, arrivals: Sequence[Arrival]) -> list[Outcome]:
        """Keep what may be kept, all in one transaction; when this returns it is on disk."""
        outcomes: dict[int, Outcome] = {}
        alike: dict[tuple[str, type], list[int]] = {}
        for index, arrival in enumerate(arrivals):
            alike.setdefault((arrival.survey, type(arrival.body)), []).append(index)
        with self._database.transaction():
            for survey in sorted({survey for survey, _ in alike}):
                self._database.lock(survey)
            for (survey, _), some in alike.items():
                shuffle(some)
                outcomes |= zip(some, self._keep_some(survey, [arrivals[index] for index in some]), strict=True)
        return [outcomes[index] for index in range(len(arrivals))]

    def _keep_some(self, survey: str, arrivals: list[Arrival]) -> list[Outcome]:
        """Arrivals of one survey and kind, inside a transaction."""
        try:
            state = self.state(survey)
        except UnknownSurvey:
            return [Outcome.NO_SURVEY] * len(arrivals)
        is_open = state.is_open(today())
        if isinstance(arrivals[0].body, Trade):
            return [self._trade(state, arrival) if is_open else Outcome.CLOSED for arrival in arrivals]
        welcome = [is_open and _is_about(state, arrival) for arrival in arrivals]
        fresh = iter(self._insert([each for each, wanted in zip(arrivals, welcome, strict=True) if wanted]))
        outcomes = [
            self._admit(state, arrival) if wanted and next(fresh) else self._met(arrival, is_open, wanted)
            for arrival, wanted in zip(arrivals, welcome, strict=True)
        ]
        stored = zip(arrivals, outcomes, strict=True)
        new = [_body(arrival).id for arrival, outcome in stored if outcome is Outcome.STORED]
        waiting.enter(self._database, survey, arrivals[0].body.round, new)
        return outcomes

    def _insert(self, arrivals: list[Arrival]) -> list[bool]:
        if not arrivals:
            return []
        rows = [_row(arrival) for arrival in arrivals]
        marks = ", ".join("?" * len(rows[0]))
        statement = f"insert into {_table(arrivals[0])} values ({marks}) on conflict do nothing"
        return self._database.insert_each(statement, rows)

    def _trade(self, state: State, arrival: Arrival) -> Outcome:
        """An invitation is traded once, or again for the very same."""
        assert isinstance(arrival.body, Trade)
        key, database = hashed(arrival.invitation or "", arrival.survey, arrival.body.round), self._database
        if not state.signed or not database.run("select 1 from invitations where hash = ?", (key,)):
            return Outcome.NOT_INVITED
        statement = "insert into trades (hash, survey, round, blinded) values (?, ?, ?, ?) on conflict do nothing"
        database.insert_each(statement, [(key, arrival.survey, arrival.body.round, arrival.body.blinded)])
        ((blinded,),) = database.run("select blinded from trades where hash = ?", (key,))
        return Outcome.TRADED if bytes(blinded) == arrival.body.blinded else Outcome.NOT_INVITED

    def _admit(self, state: State, arrival: Arrival) -> Outcome:
        """A new arrival stays if it needs no invitation, if it is signed, or if its invitation is spent on it."""
        if arrival.signed or not (state.signed or state.invitations):
            return Outcome.STORED
        key = hashed(arrival.invitation or "", arrival.survey, arrival.body.round)
        if not state.signed and self._database.changed("delete from invitations where hash = ?", (key,)) == 1:
            return Outcome.STORED
        self._database.run(f"delete from {_table(arrival)} where id = ?", (_body(arrival).id,))
        return Outcome.NOT_INVITED

    def _met(self, arrival: Arrival, is_open: bool, wanted: bool) -> Outcome:
        """What an arrival is that was not inserted: one met before, or one that may not come in."""
        statement = f"select digest from {_table(arrival)} where id = ?"
        body = _body(arrival)
        for (digest,) in self._database.run(statement, (body.id,)):
            return Outcome.KNOWN if bytes(digest) == body.digest else Outcome.DIFFERENT
        if not is_open:
            return Outcome.CLOSED
        return Outcome.NOT_INVITED if wanted else Outcome.OTHER_MODEL

    def expects(self, arrival: Arrival) -> bool:
        """Whether an arrival is signed, brings an invitation that is not spent, or has come before; nothing is kept."""
        key = hashed(arrival.invitation or "", arrival.survey, arrival.body.round)
        if arrival.signed or self._database.run("select 1 from invitations where hash = ?", (key,)):
            return True
        if isinstance(arrival.body, Trade):
            return False
        return bool(self._database.run(f"select 1 from {_table(arrival)} where id = ?", (_body(arrival).id,)))

    # ------------------------------------------------------------ models, invitations, secrets

    def publish(self, fingerprint: str, model: str | None) -> str | None:
        """Publish a model to a survey's respondents, or take it back; its digest.

        Respondents test it by the lottery in its text; without one, no digits about it are taken.
        """
        digest = None if model is None else sha256(model.encode()).hexdigest()
        with self._database.transaction():
            if model is not None:
                tested = int(lottery_in(model) is not None)
                statement = "insert into models (digest, survey, model, tested) values (?, ?, ?, ?)"
                self._database.run(f"{statement} on conflict do nothing", (digest, fingerprint, model, tested))
            self._database.run("update surveys set model = ? where fingerprint = ?", (digest, fingerprint))
        return digest

    def invite(self, fingerprint: str, invitations: Iterable[str]) -> None:
        """Let people in by these invitations; from now on the survey needs one."""
        rows = [(hashed(each, fingerprint, step), fingerprint, step) for each in invitations for step in ROUNDS]
        shuffle(rows)
        with self._database.transaction():
            statement = "insert into invitations (hash, survey, round) values (?, ?, ?) on conflict do nothing"
            self._database.insert_each(statement, rows)
            statement = "update surveys set invitations = invitations + ? where fingerprint = ?"
            self._database.run(statement, (len(rows) // len(ROUNDS), fingerprint))

    def secret(self, name: str) -> str | None:
        """A secret of the site, such as the hash of the collector's password."""
        rows = self._database.run("select value from secrets where name = ?", (name,))
        return rows[0][0] if rows else None

    def set_secret(self, name: str, value: str) -> None:
        """Set a secret of the site."""
        statement = "insert into secrets (name, value) values (?, ?) on conflict (name) do update set value = ?"
        self._database.run(statement, (name, value, value))

    def secrets(self, prefix: str) -> dict[str, str]:
        """All secrets whose names begin so, by name."""
        statement = "select name, value from secrets where substr(name, 1, ?) = ?"
        return dict(self._database.run(statement, (len(prefix), prefix)))

    def forget_secret(self, name: str) -> None:
        """Forget a secret of the site."""
        self._database.run("delete from secrets where name = ?", (name,))

    # ------------------------------------------------------------ care

    def settle(self) -> None:
        """Wipe out what the database itself remembers of the order in which replies came."""
        tables = [reply_table(fingerprint) for fingerprint in self.surveys()]
        self._database.settle([*tables, "follow_ups", "invitations", "trades", "waiting"])

    def backup(self, target: Path) -> int:
        """Copy everything, as of this moment, into a new file, which is a SQLite store; how many replies there were."""
        from deniable.collect.places import open_store  # which opens stores, as its name says

        with open_store(f"sqlite:///{quote(str(target.absolute()))}") as copy:
            replies = self.copy_to(copy)
            seal(copy._database)
            return replies

    def copy_to(self, empty: "Store") -> int:
        """Copy everything, as of this moment, into a store that has no survey; how many replies there were."""
        return copy_all(self._database, empty._database)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()


def _is_readable(design: Design) -> bool:
    try:
        design.check_text()
    except BadDesignFile:
        return False
    return True


def _is_about(state: State, arrival: Arrival) -> bool:
    return not isinstance(arrival.body, FollowUp) or (state.tested and arrival.body.model == state.model)


def _table(arrival: Arrival) -> str:
    return reply_table(arrival.survey) if isinstance(arrival.body, Reply) else "follow_ups"


def _body(arrival: Arrival) -> Reply | FollowUp:
    assert not isinstance(arrival.body, Trade)
    return arrival.body


def _row(arrival: Arrival) -> tuple[Any, ...]:
    body = _body(arrival)
    if isinstance(body, Reply):
        return (body.id, body.digest, *body.values)
    return (body.id, body.digest, arrival.survey, body.model, int(body.reported))
