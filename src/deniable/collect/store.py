"""Store: the replies, models and invitations of surveys, in one database.

Each survey has a table of its own: a random id, the digest of the reply's bytes, and a column of cells or numbers per
question. Nothing else is known of a reply: no address, no time, no order, no invitation.

A batch of arrivals is kept in one transaction, so that many respondents share one sync to disk. Whether an arrival is
new is decided by the database's own key, inside that transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from random import SystemRandom
from typing import Any, BinaryIO

from deniable.channel.design import Design
from deniable.collect.database import Database
from deniable.collect.grouping import GroupingSets
from deniable.collect.invitation import ROUNDS, hashed
from deniable.collect.reply import FollowUp, Reply
from deniable.collect.schema import migrate, reply_columns, reply_table
from deniable.collect.second_round import lottery_in
from deniable.collect.state import State, day_of, today
from deniable.errors import BadRequest, UnknownSurvey

shuffle = SystemRandom().shuffle
A_THIRD = bytes.fromhex("55" * 16)  # of all random ids are below this one


class Outcome(Enum):
    """What became of an arrival."""

    STORED = "it is stored"
    KNOWN = "the same bytes were stored before"
    DIFFERENT = "other bytes were stored under this id before"
    NOT_INVITED = "its invitation is unknown or spent"
    CLOSED = "the survey does not take replies at the moment"
    OTHER_MODEL = "it is about another model than the one that is tested now"
    NO_SURVEY = "there is no such survey here"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A reply or follow-up that wants to be kept, and the invitation that came with it."""

    survey: str
    body: Reply | FollowUp
    invitation: str | None = None


class Store:
    """Surveys, their replies, invitations and models, in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        try:
            migrate(database)
        except BaseException:
            database.close()
            raise

    # ------------------------------------------------------------ surveys

    def promised(self, design: Design) -> Design:
        """A design under the fingerprint by which its respondents know it, if it was served from here."""
        return design.as_promised(self.surveys())

    def enrol(self, design: Design) -> Design:
        """Make room for a design's replies, unless there is; what is new must be readable to the eye.

        Gives back the design as it is promised here.
        """
        design = self.promised(design)
        fingerprint, types = design.fingerprint, self._database.dialect
        if fingerprint not in self.surveys():
            design.check_text()
        with self._database.transaction():
            statement = "insert into surveys (fingerprint, title, design) values (?, ?, ?) on conflict do nothing"
            self._database.run(statement, (fingerprint, design.title, design.to_json()))
            self._database.run(reply_columns(design).format(**types))
        return design

    def surveys(self) -> list[str]:
        """The fingerprints of all surveys."""
        return [row[0] for row in self._database.run("select fingerprint from surveys order by fingerprint")]

    def state(self, fingerprint: str) -> State:
        """Whether a survey is open, needs invitations and has a model."""
        statement = (
            "select opens, closes, invitations, surveys.model, coalesce(tested, 0) from surveys "
            "left join models on digest = surveys.model where fingerprint = ?"
        )
        for opens, closes, invitations, model, tested in self._database.run(statement, (fingerprint,)):
            return State(day_of("opens", opens), day_of("closes", closes), invitations > 0, model, tested > 0)
        raise UnknownSurvey(fingerprint, self.surveys())

    def schedule(self, fingerprint: str, opens: str | None, closes: str | None) -> None:
        """Set the first and the last day of a survey."""
        first, last = day_of("opens", opens), day_of("closes", closes)
        if first is not None and last is not None and last < first:
            raise BadRequest("closes", f"no day before {opens}", closes, "correct it")
        statement = "update surveys set opens = ?, closes = ? where fingerprint = ?"
        self._database.run(statement, (opens or None, closes or None, fingerprint))

    # ------------------------------------------------------------ keeping

    def keep(self, arrivals: Sequence[Arrival]) -> list[Outcome]:
        """Keep what may be kept, all in one transaction; when this returns it is on disk."""
        outcomes: dict[int, Outcome] = {}
        alike: dict[tuple[str, type], list[int]] = {}
        for index, arrival in enumerate(arrivals):
            alike.setdefault((arrival.survey, type(arrival.body)), []).append(index)
        with self._database.transaction():
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
        welcome = [is_open and _is_about(state, arrival) for arrival in arrivals]
        fresh = iter(self._insert([each for each, wanted in zip(arrivals, welcome, strict=True) if wanted]))
        return [
            self._admit(state, arrival) if wanted and next(fresh) else self._met(arrival, is_open, wanted)
            for arrival, wanted in zip(arrivals, welcome, strict=True)
        ]

    def _insert(self, arrivals: list[Arrival]) -> list[bool]:
        if not arrivals:
            return []
        rows = [_row(arrival) for arrival in arrivals]
        marks = ", ".join("?" * len(rows[0]))
        statement = f"insert into {_table(arrivals[0])} values ({marks}) on conflict do nothing"
        return self._database.insert_each(statement, rows)

    def _admit(self, state: State, arrival: Arrival) -> Outcome:
        """A new arrival stays if it needs no invitation, or has one, which is spent."""
        if not state.invitations:
            return Outcome.STORED
        key = hashed(arrival.invitation or "", arrival.survey, arrival.body.round)
        if self._database.changed("delete from invitations where hash = ?", (key,)) == 1:
            return Outcome.STORED
        self._database.run(f"delete from {_table(arrival)} where id = ?", (arrival.body.id,))
        return Outcome.NOT_INVITED

    def _met(self, arrival: Arrival, is_open: bool, wanted: bool) -> Outcome:
        """What an arrival is that was not inserted: one met before, or one that may not come in."""
        statement = f"select digest from {_table(arrival)} where id = ?"
        for (digest,) in self._database.run(statement, (arrival.body.id,)):
            return Outcome.KNOWN if bytes(digest) == arrival.body.digest else Outcome.DIFFERENT
        if not is_open:
            return Outcome.CLOSED
        return Outcome.NOT_INVITED if wanted else Outcome.OTHER_MODEL

    def expects(self, arrival: Arrival) -> bool:
        """Whether an arrival brings an invitation that is not spent, or has come before; nothing is kept."""
        key = hashed(arrival.invitation or "", arrival.survey, arrival.body.round)
        invited = self._database.run("select 1 from invitations where hash = ?", (key,))
        return bool(invited or self._database.run(f"select 1 from {_table(arrival)} where id = ?", (arrival.body.id,)))

    # ------------------------------------------------------------ reading

    def count(self, fingerprint: str) -> int:
        """How many replies there are."""
        self.state(fingerprint)
        return int(self._database.run(f"select count(*) from {reply_table(fingerprint)}")[0][0])

    def grouped(
        self, fingerprint: str, indices: Sequence[int], held_out: bool | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """The distinct values of some questions, given by their indices in the design, and how often each occurs.

        A third of all replies, by their random ids, can be `held_out` to test models: once held out, always.
        """
        self.state(fingerprint)
        columns = ", ".join(f"q{index}" for index in indices)
        where = {None: "", True: "where id < ?", False: "where id >= ?"}[held_out]
        yield from self._database.stream(
            f"select {columns}, count(*) from {reply_table(fingerprint)} {where} group by {columns}",
            () if held_out is None else (A_THIRD,),
        )

    def tables(self, fingerprint: str, many: Sequence[Sequence[int]]) -> list[list[tuple[Any, ...]]]:
        """The same of all replies for several sets of questions; in one pass where the database can."""
        if len(many) < 2 or not self._database.has_grouping_sets:
            return [list(self.grouped(fingerprint, indices)) for indices in many]
        self.state(fingerprint)
        columns = [[f"q{index}" for index in indices] for indices in many]
        sets = GroupingSets.of(columns)
        found: dict[tuple[int, ...], list[tuple[Any, ...]]] = {sets.which(names): [] for names in sets.sets}
        for row in self._database.stream(sets.query(reply_table(fingerprint), str)):
            found[row[len(sets.columns) + 1 :]].append(row)
        counts = len(sets.columns)
        return [
            [
                tuple(row[index] for index in (*map(sets.columns.index, names), counts))
                for row in found[sets.which(names)]
            ]
            for names in columns
        ]

    def follow_ups(self, fingerprint: str, model: str) -> tuple[int, int]:
        """How many digits about a model there are, and how many of them say, disguised, that it was right."""
        statement = "select count(*), coalesce(sum(reported), 0) from follow_ups where survey = ? and model = ?"
        ((total, right),) = self._database.run(statement, (fingerprint, model))
        return int(total), int(right)

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

    def model(self, fingerprint: str) -> str | None:
        """The published model, as the very text that was published."""
        statement = "select models.model from models join surveys on digest = surveys.model where fingerprint = ?"
        rows = self._database.run(statement, (fingerprint,))
        return rows[0][0] if rows else None

    def invite(self, fingerprint: str, invitations: Iterable[str]) -> None:
        """Let people in by these invitations; from now on the survey needs one."""
        rows = [(hashed(each, fingerprint, step), fingerprint, step) for each in invitations for step in ROUNDS]
        shuffle(rows)
        with self._database.transaction():
            statement = "insert into invitations (hash, survey, round) values (?, ?, ?) on conflict do nothing"
            self._database.insert_each(statement, rows)
            statement = "update surveys set invitations = invitations + ? where fingerprint = ?"
            self._database.run(statement, (len(rows) // len(ROUNDS), fingerprint))

    def invited(self, fingerprint: str) -> tuple[int, int]:
        """How many invitations were made, and how many of them have not been spent on a reply."""
        made = self._database.run("select invitations from surveys where fingerprint = ?", (fingerprint,))
        statement = "select count(*) from invitations where survey = ? and round = 'reply'"
        return int(made[0][0]) if made else 0, int(self._database.run(statement, (fingerprint,))[0][0])

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
        self._database.settle([*tables, "follow_ups", "invitations"])

    def backup(self, target: Path) -> None:
        """Copy everything to a file, also while the site runs."""
        self._database.backup(str(target))

    def copy(self) -> BinaryIO:
        """Copy everything to a file without a name, of which nothing is left when the process ends."""
        return self._database.copy()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()


def _is_about(state: State, arrival: Arrival) -> bool:
    return isinstance(arrival.body, Reply) or (state.tested and arrival.body.model == state.model)


def _table(arrival: Arrival) -> str:
    return reply_table(arrival.survey) if isinstance(arrival.body, Reply) else "follow_ups"


def _row(arrival: Arrival) -> tuple[Any, ...]:
    body = arrival.body
    if isinstance(body, Reply):
        return (body.id, body.digest, *body.values)
    return (body.id, body.digest, arrival.survey, body.model, int(body.reported))
