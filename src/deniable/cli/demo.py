"""`deniable demo`: the whole story on people whose truth is known, ending in one page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import typer

from deniable.cli.show import print_table, progress, say
from deniable.demo.chapters import page
from deniable.demo.samples import census, made_up
from deniable.demo.story import Sample, Share, Story, all_guessed
from deniable.deniability.privacy import privacy
from deniable.device.stream import disguise_file
from deniable.errors import BadFile
from deniable.report.ethics import ethics_page
from deniable.report.page import write

SEED = 2003  # of the made-up people; their lotteries are drawn anew every time


def command(
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder that gets all files.")] = Path("demo"),
    invented: Annotated[
        bool, typer.Option("--made-up", help="A small survey of made-up people instead of the Adult census.")
    ] = False,
) -> None:
    """Disguise the Adult census, learn from the replies alone, and hold all of it against the truth."""
    sample = made_up(np.random.default_rng(SEED)) if invented else census()
    story = Story(sample, sent(sample, out))
    with progress("learning from disguised replies") as bar:
        write(page(story, bar), out / "index.html")
    write(ethics_page(sample.design), out / "board.html")
    story.tree.save(out / "tree.json")
    print_table(
        shares_heading(story.shares),
        ["share of", "truth", "reported", "estimate", "stderr", "95 % interval", "note"],
        [
            (
                text,
                true,
                "" if reported is None else reported,
                found.value,
                found.stderr,
                f"{found.low:.4f} to {found.high:.4f}",
                found.note,
            )
            for text, true, reported, found in story.shares
        ],
    )
    print_table(
        f"How often {sample.target} is predicted rightly",
        ["classifier", "accuracy", "as disguised replies tell it"],
        [
            (name, right, "" if found is None else f"{found.value:.4f} ± {found.stderr:.4f}")
            for name, right, found in story.accuracies
        ],
    )
    print_table(
        "All answers of a person guessed rightly by a clever collector",
        ["way of asking", "with the reply", "without it"],
        [
            (name + all_guessed(found), found.records.guessed, found.records.from_margins)
            for name, found in story.attacks.items()
        ],
    )
    say("What each respondent can deny:")
    say(str(privacy(sample.design)))
    say(f"{out}: survey.toml, people.csv, replies.csv, tree.json, and board.html for an ethics board")
    say(f"the whole story is in {out / 'index.html'}")


def shares_heading(shares: Sequence[Share]) -> str:
    """What the table of shares compares; where people answer several questions in one draw, no report is a share."""
    reported = any(each.reported is not None for each in shares)
    return f"What is true{', what was reported,' if reported else ''} and what we estimate"


def sent(sample: Sample, out: Path, seed: int | None = None) -> pa.Table:
    """What people send; the design, the truth and the replies as files."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(out, f"cannot be made a folder ({error.strerror})", "choose another place") from error
    sample.design.save(out / "survey.toml")
    pa_csv.write_csv(sample.people, out / "people.csv")
    disguise_file(sample.design, out / "people.csv", out / "replies.csv", seed=seed)
    questions = {name: sample.design.reported(name) for name in sample.design.names}
    numbers = {name for name, each in questions.items() if each.is_number}
    kinds = {name: pa.float64() if name in numbers else pa.string() for name in sample.design.columns}
    options = pa_csv.ConvertOptions(column_types=kinds, include_columns=list(kinds), strings_can_be_null=True)
    return pa_csv.read_csv(out / "replies.csv", convert_options=options)
