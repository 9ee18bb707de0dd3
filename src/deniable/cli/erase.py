"""`deniable erase DESIGN --store URL`: the end of a survey's data."""

from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, StoreUrl
from deniable.cli.show import complain, say
from deniable.collect.places import DEFAULT, open_store
from deniable.errors import UnknownSurvey

REMAIN = (
    "what was copied before is not erased: backups, exports, a file system's snapshots, PostgreSQL's archived "
    "write-ahead log and its standbys; erase or overwrite those yourself"
)


def command(
    path: DesignFile,
    store: StoreUrl = DEFAULT,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase a survey and all its replies from a store, for good.

    Invitations, keys, models and digits of the second round go with it. Only its fingerprint and the day stay.
    """
    design = Design.load(path, check_text=False)
    with open_store(store, must_exist=True) as opened:
        fingerprint = opened.promised(design).fingerprint
        if fingerprint not in opened.surveys():
            raise UnknownSurvey(fingerprint, opened.surveys())
        replies = opened.count(fingerprint)
        if not yes:
            typer.confirm(
                f"Erase {replies:,} replies to {design.title or 'the survey'} for good?", abort=True, err=True
            )
        left = opened.erase(fingerprint)
    say(f"erased {replies:,} replies and all that belonged to survey {fingerprint[:16]}")
    complain("; ".join([*left, REMAIN]))
