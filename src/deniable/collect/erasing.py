"""The end of a survey's data: erased by a command, or when its retention day has passed.

Only the fingerprint and the day stay, so that the site can say what became of the survey, and never opens it again:
people were told that it is over. The same questions under another title or wave are another survey.
"""

import json
from datetime import date

from deniable.channel.design import Design
from deniable.collect.database import Database
from deniable.collect.schema import reply_table
from deniable.collect.state import today
from deniable.errors import BadRequest, SurveyOver

OWN = ("models", "invitations", "follow_ups", "issuers", "trades", "waiting", "closed")  # tables with a column survey
SHARED = ("surveys", *OWN)
LATER = "somebody reads the store, so traces of it stay in the database's files until the site settles, within a day"


def erase(database: Database, survey: str) -> None:
    """Erase a survey, inside a transaction; what stays names it with its keys, and as it was before it had some."""
    without_keys = database.run("select design from issuers where survey = ?", (survey,))
    database.run(f"drop table if exists {reply_table(survey)}")
    for table in OWN:
        database.run(f"delete from {table} where survey = ?", (survey,))
    database.run("delete from surveys where fingerprint = ?", (survey,))
    statement = "insert into erased (survey, day) values (?, ?) on conflict do nothing"
    for name in (survey, *(row[0] for row in without_keys)):
        database.run(statement, (name, today().isoformat()))


def over_since(database: Database, design: Design) -> str | None:
    """The day on which a design's survey was erased here, if it was, with keys or without."""
    days: dict[str, str] = dict(database.run("select survey, day from erased"))
    if not days:
        return None
    names = {*design.fingerprints, *design.without_keys.fingerprints}
    return next((days[name] for name in sorted(names & set(days))), None)


def check_not_over(database: Database, design: Design) -> None:
    """Refuse to open a survey again that was erased."""
    if (day := over_since(database, design)) is not None:
        raise SurveyOver(design.title, day)


def due(database: Database, day: date) -> list[str]:
    """The surveys whose retention day lies before this day."""
    found = database.run("select fingerprint, design from surveys order by fingerprint")
    return [survey for survey, design in found if (json.loads(design).get("retention") or "9999") < day.isoformat()]


def is_over(design: Design, day: date) -> bool:
    """Whether a design's replies have to be erased by that day."""
    return design.survey.retention is not None and design.survey.retention < day


def check_retention(design: Design, day: date) -> None:
    """Refuse to collect what would have to be erased at once."""
    if is_over(design, day):
        expected = f"a day from {day} on, for a survey that is to be served"
        raise BadRequest(
            "retention", expected, str(design.survey.retention), "its data would be erased at once; set a later day"
        )
