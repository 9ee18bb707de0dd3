"""The end of a survey's data: erased by a command, or when its retention day has passed.

Only the fingerprint and the day stay, so that the site can say what became of the survey.
"""

import json
from datetime import date

from deniable.channel.design import Design
from deniable.collect.database import Database
from deniable.collect.schema import reply_table
from deniable.collect.state import today
from deniable.errors import BadRequest

OWN = ("models", "invitations", "follow_ups", "issuers", "trades", "waiting", "closed")  # tables with a column survey
SHARED = ("surveys", *OWN)


def erase(database: Database, survey: str) -> None:
    """Erase a survey, inside a transaction."""
    database.run(f"drop table if exists {reply_table(survey)}")
    for table in OWN:
        database.run(f"delete from {table} where survey = ?", (survey,))
    database.run("delete from surveys where fingerprint = ?", (survey,))
    statement = "insert into erased (survey, day) values (?, ?) on conflict do nothing"
    database.run(statement, (survey, today().isoformat()))


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
            "retention", expected, str(design.survey.retention), "its data have been erased; set a later day"
        )
