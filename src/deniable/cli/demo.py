"""`deniable demo`: the whole story on a made-up population."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import typer
from numpy.typing import NDArray

from deniable.channel import schemes
from deniable.channel.design import Design
from deniable.cli.show import print_table, say
from deniable.count.replies import counts_of_file
from deniable.deniability.privacy import privacy
from deniable.device.stream import disguise_file
from deniable.errors import BadFile
from deniable.inference.shares import estimate
from deniable.survey.question import Question, number

PEOPLE = 20_000
People = dict[str, NDArray[Any]]
ASKED: dict[str, Callable[[People], NDArray[np.bool_]]] = {
    "smokes == 'yes'": lambda p: p["smokes"] == "yes",
    "leave == 'yes'": lambda p: p["leave"] == "yes",
    "smokes == 'yes' and leave == 'yes'": lambda p: (p["smokes"] == "yes") & (p["leave"] == "yes"),
    "drinks in ('weekly', 'daily')": lambda p: np.isin(p["drinks"], ["weekly", "daily"]),
    "age > 50": lambda p: p["age"] > 50,
    "smokes == 'yes' and age > 50": lambda p: (p["smokes"] == "yes") & (p["age"] > 50),
}


def command(
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder that gets all files.")] = Path("demo"),
) -> None:
    """Make up a population, disguise it, and hold the estimates against the truth."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(out, f"cannot be made a folder ({error.strerror})", "choose another place") from error
    people = population(np.random.default_rng(2003))
    design = health()
    design.save(out / "health.toml")
    pa_csv.write_csv(pa.table(people), out / "people.csv")
    rows = disguise_file(design, out / "people.csv", out / "replies.csv")
    say(f"{rows:,} people were asked; all that was kept of their answers is in {out / 'replies.csv'}")
    counts = counts_of_file(design, out / "replies.csv")
    reported = _words(out / "replies.csv")
    table = []
    for text, holds in ASKED.items():
        found = estimate(design, counts, text)
        table.append((text, float(np.mean(holds(people))), float(np.mean(holds(reported))), found.value, found.stderr,
                      f"{found.low:.4f} to {found.high:.4f}"))  # fmt: skip
    print_table("What is true, what was said, and what we estimate", ["share of", "truth", "reported", "estimate",
                "stderr", "95 % interval"], table)  # fmt: skip
    say("And what each respondent can deny:")
    say(str(privacy(design)))


def health() -> Design:
    """A small survey on health at work, one lottery per question."""
    smokes = Question("smokes", ("no", "yes"), "Do you smoke?")
    leave = Question("leave", ("no", "yes"), "Were you on sick leave this year?")
    drinks = Question("drinks", ("never", "weekly", "daily"), "How often do you drink?")
    age = number("age", 18, 80, "How old are you?", integer=True)
    channels = [
        schemes.warner(0.8, smokes),
        schemes.warner(0.8, leave),
        schemes.k_ary(0.7, drinks),
        schemes.gaussian(age, privacy=0.5),
    ]
    return Design(channels, target="leave", title="Health at work")


def population(rng: np.random.Generator) -> People:
    """People whose answers hang together: smokers drink more and are ill more often."""
    age = np.clip(rng.normal(45, 13, PEOPLE).round(), 18, 80).astype(int)
    smokes = rng.random(PEOPLE) < np.where(age > 50, 0.2, 0.35)
    drinks = rng.choice(["never", "weekly", "daily"], PEOPLE, p=[0.3, 0.55, 0.15])
    leave = rng.random(PEOPLE) < 0.15 + 0.25 * smokes + 0.1 * (age > 50)
    words = np.array(["no", "yes"])
    return {"smokes": words[smokes.astype(int)], "leave": words[leave.astype(int)], "drinks": drinks, "age": age}


def _words(path: Path) -> People:
    table = pa_csv.read_csv(path)
    return {name: table[name].to_numpy() for name in table.column_names}
