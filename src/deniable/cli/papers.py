"""`deniable papers NAME`: reproduce a paper's experiments, and hold its claims against the results."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.show import print_table, progress, say
from deniable.errors import BadFile
from deniable.extras import needed_for
from deniable.report.page import write


class Name(StrEnum):
    """The papers that can be reproduced."""

    DU_ZHAN = "du-zhan"
    FOUR_GROUPS = "four-groups"
    ZHAN_MATWIN = "zhan-matwin"
    AGRAWAL_SRIKANT = "agrawal-srikant"
    STUDIES = "studies"


def command(
    name: Annotated[Name, typer.Argument(metavar="NAME", help=f"The paper: {', '.join(Name)}.")],
    quick: Annotated[bool, typer.Option("--quick", help="Few runs: under a minute instead of several.")] = False,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The folder that gets the results.")] = None,
    rows: Annotated[
        Path | None,
        typer.Option("--rows", envvar="DENIABLE_STUDIES", help="Of studies: the folder that holds their rows."),
    ] = None,
) -> None:
    """Run a paper's experiments; write every run and the means as csv, and one page of charts and claims."""
    with needed_for("papers", "papers"):
        from deniable.papers.experiment import perform, summary
        from deniable.papers.page import page
        from deniable.papers.published import study as published_studies
        from deniable.papers.studies import STUDIES
    study = published_studies(rows) if name is Name.STUDIES else STUDIES[name]
    folder = out or Path(f"papers-{name}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").touch()
    except OSError as error:
        raise BadFile(folder, f"cannot be written ({error.strerror})", "choose another place") from error
    with progress(study.title.split(":")[0]) as bar:
        results = perform(study.jobs(quick), bar)
    averages, claims = summary(results, study.settings), study.claims(results)
    results.to_csv(folder / "results.csv", index=False)
    averages.to_csv(folder / "summary.csv", index=False)
    write(page(study, results, averages, claims), folder / "index.html")
    print_table(study.title, ["claim", "here", "figure"], [(each.says, each.verdict, each.figure) for each in claims])
    say(f"{folder}: results.csv ({len(results):,} rows), summary.csv, index.html")
