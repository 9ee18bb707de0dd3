"""What a store tells: its surveys, their states, and counts of replies.

Whoever watches the dashboard is told of those that are shown, while the newest wait (waiting.py); commands count all.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from deniable.channel.design import Design
from deniable.collect import waiting
from deniable.collect.database import Database
from deniable.collect.erasing import over_since
from deniable.collect.grouping import GroupingSets
from deniable.collect.invitation import Round, hashed
from deniable.collect.issuers import keys_of
from deniable.collect.issuing import SecretKeys
from deniable.collect.schema import reply_table
from deniable.collect.state import State, day_of, today
from deniable.errors import UnknownSurvey

A_THIRD = bytes.fromhex("55" * 16)  # of all random ids are below this one


class Reading:
    """Surveys, and what is known of their replies."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def surveys(self) -> list[str]:
        """The fingerprints of all surveys."""
        return [row[0] for row in self._database.run("select fingerprint from surveys order by fingerprint")]

    def state(self, fingerprint: str) -> State:
        """Whether a survey is open, needs invitations and has a model."""
        statement = (
            "select opens, closes, invitations, surveys.model, coalesce(tested, 0), issuers.survey, closed.survey "
            "from surveys left join closed on closed.survey = fingerprint "
            "left join models on digest = surveys.model left join issuers on issuers.survey = fingerprint "
            "where fingerprint = ?"
        )
        for opens, closes, invited, model, tested, keys, closed in self._database.run(statement, (fingerprint,)):
            days = (day_of("opens", opens), day_of("closes", closes))
            return State(*days, invited > 0, model, tested > 0, keys is not None, closed is not None)
        raise UnknownSurvey(fingerprint, self.surveys())

    def keys(self, fingerprint: str) -> SecretKeys | None:
        """The keys that sign for a survey's invited people, if it has some."""
        return keys_of(self._database, fingerprint)

    def model(self, fingerprint: str) -> str | None:
        """The published model, as the very text that was published."""
        statement = "select models.model from models join surveys on digest = surveys.model where fingerprint = ?"
        rows = self._database.run(statement, (fingerprint,))
        return rows[0][0] if rows else None

    def is_unspent(self, fingerprint: str, invitation: str) -> bool:
        """Whether an invitation to reply is known, and neither traded nor spent."""
        traded = "select 1 from trades where trades.hash = invitations.hash"
        statement = f"select 1 from invitations where hash = ? and not exists ({traded})"
        return bool(self._database.run(statement, (hashed(invitation, fingerprint, "reply"),)))

    def invited(self, fingerprint: str) -> tuple[int, int]:
        """How many invitations were made, and how many of them were neither traded nor spent on a reply."""
        made = self._database.run("select invitations from surveys where fingerprint = ?", (fingerprint,))
        left, traded = (
            int(
                self._database.run(
                    f"select count(*) from {table} where survey = ? and round = 'reply'", (fingerprint,)
                )[0][0]
            )
            for table in ("invitations", "trades")
        )
        return int(made[0][0]) if made else 0, left - traded

    def count(self, fingerprint: str, *, shown: bool = False) -> int:
        """How many replies there are; or are `shown`, while the newest wait."""
        self.state(fingerprint)
        where, given = self._where(fingerprint, None, shown)
        return int(self._database.run(f"select count(*) from {reply_table(fingerprint)} {where}", given)[0][0])

    def _hides(self, fingerprint: str, for_round: Round) -> bool:
        """Whether replies or digits that wait are hidden from whoever watches."""
        replies = for_round == "reply"
        counted = f"from {reply_table(fingerprint)}" if replies else "from follow_ups where survey = ?"
        rows = self._database.run(f"select count(*) {counted}", () if replies else (fingerprint,))
        is_open = self.state(fingerprint).is_open(today())
        return waiting.are_hidden(self._database, fingerprint, for_round, int(rows[0][0]), is_open)

    def _where(self, fingerprint: str, held_out: bool | None, shown: bool) -> tuple[str, tuple[Any, ...]]:
        """Which replies are meant: their condition, and its values."""
        conditions = {None: [], True: ["id < ?"], False: ["id >= ?"]}[held_out]
        given: tuple[Any, ...] = () if held_out is None else (A_THIRD,)
        if shown and self._hides(fingerprint, "reply"):
            conditions, given = [*conditions, waiting.NOT_WAITING], (*given, fingerprint, "reply")
        return (f"where {' and '.join(conditions)}" if conditions else ""), given

    def grouped(
        self, fingerprint: str, indices: Sequence[int], held_out: bool | None = None, *, shown: bool = False
    ) -> Iterator[tuple[Any, ...]]:
        """The distinct values of some questions, given by their indices in the design, and how often each occurs.

        A third of all replies, by their random ids, can be `held_out` to test models: once held out, always.
        """
        self.state(fingerprint)
        columns = ", ".join(f"q{index}" for index in indices)
        where, given = self._where(fingerprint, held_out, shown)
        counted = f"select {columns}, count(*) from {reply_table(fingerprint)} {where} group by {columns}"
        yield from self._database.stream(counted, given)

    def sampled(
        self, fingerprint: str, indices: Sequence[int], most: int, *, shown: bool = False
    ) -> tuple[int, int, int]:
        """Of some replies, by their random ids: how many there are, how many differ, how many of these occur once."""
        columns = ", ".join(f"q{index}" for index in indices)
        where, given = self._where(fingerprint, None, shown)
        some = f"select {columns} from {reply_table(fingerprint)} {where} order by id limit {most}"
        counted = f"select count(*) as n from ({some}) as drawn group by {columns}"
        found = "select coalesce(sum(n), 0), count(*), coalesce(sum(case when n = 1 then 1 else 0 end), 0)"
        ((rows, distinct, once),) = self._database.run(f"{found} from ({counted}) as counted", given)
        return int(rows), int(distinct), int(once)

    def tables(
        self, fingerprint: str, many: Sequence[Sequence[int]], *, shown: bool = False
    ) -> list[list[tuple[Any, ...]]]:
        """The same of all replies for several sets of questions; in one pass where the database can."""
        if len(many) < 2 or not self._database.has_grouping_sets:
            return [list(self.grouped(fingerprint, indices, shown=shown)) for indices in many]
        self.state(fingerprint)
        columns = [[f"q{index}" for index in indices] for indices in many]
        sets = GroupingSets.of(columns)
        found: dict[tuple[int, ...], list[tuple[Any, ...]]] = {sets.which(names): [] for names in sets.sets}
        where, given = self._where(fingerprint, None, shown)
        for row in self._database.stream(sets.query(f"{reply_table(fingerprint)} {where}", str), given):
            found[row[len(sets.columns) + 1 :]].append(row)
        counts = len(sets.columns)
        return [
            [
                tuple(row[index] for index in (*map(sets.columns.index, names), counts))
                for row in found[sets.which(names)]
            ]
            for names in columns
        ]

    def follow_ups(self, fingerprint: str, model: str, *, shown: bool = False) -> tuple[int, int]:
        """How many digits about a model there are, and how many of them say, disguised, that it was right."""
        statement = "select count(*), coalesce(sum(reported), 0) from follow_ups where survey = ? and model = ?"
        given: tuple[str, ...] = (fingerprint, model)
        if shown and self._hides(fingerprint, "follow-up"):
            statement, given = f"{statement} and {waiting.NOT_WAITING}", (*given, fingerprint, "follow-up")
        ((total, right),) = self._database.run(statement, given)
        return int(total), int(right)

    def erased(self, fingerprint: str) -> str | None:
        """The day on which a survey was erased, if it was."""
        rows = self._database.run("select day from erased where survey = ?", (fingerprint,))
        return rows[0][0] if rows else None

    def over_since(self, design: Design) -> str | None:
        """The day on which a design's survey was erased, if it was, with keys or without."""
        return over_since(self._database, design)
