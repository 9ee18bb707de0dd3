"""Write the designs and replies of the golden figures, or the figures themselves.

PYTHONPATH=tests python -m golden.write replies     made-up people, disguised once and for all
PYTHONPATH=tests python -m golden.write figures     what the present code says of them

The figures are written anew only where one changes on purpose.
"""

import json
import sys

import numpy as np
import pandas as pd

import deniable as dn
from golden.figures import DESIGNS, FEW, HERE, figures

PEOPLE = 1500
LEVELS = ("never", "weekly", "daily")
REGIONS = ("north", "east", "south", "west")


def people() -> pd.DataFrame:
    """Made-up people whose answers hang together."""
    rng = np.random.default_rng(20)
    age = np.clip(rng.normal(45, 14, PEOPLE).round(), 18, 80).astype(int)
    smokes = rng.random(PEOPLE) < np.where(age > 50, 0.2, 0.45)
    gym = rng.random(PEOPLE) < np.where(smokes, 0.25, 0.6)
    night = rng.random(PEOPLE) < np.where(gym, 0.2, 0.5)
    leave = rng.random(PEOPLE) < 0.1 + 0.45 * smokes + 0.2 * (age > 55)
    words = np.array(["no", "yes"])
    return pd.DataFrame(
        {
            "smokes": words[smokes.astype(int)],
            "gym": words[gym.astype(int)],
            "night": words[night.astype(int)],
            "drinks": rng.choice(LEVELS, PEOPLE, p=[0.3, 0.5, 0.2]),
            "region": rng.choice(REGIONS, PEOPLE),
            "age": age,
            "income": rng.gamma(4, 700, PEOPLE).clip(0, 10_000).round(),
            "leave": words[leave.astype(int)],
        }
    )


def designs() -> dict[str, dn.Design]:
    """One design of every kind."""
    smokes, gym, night, leave = map(dn.yes_no, ("smokes", "gym", "night", "leave"))
    drinks = dn.Question("drinks", LEVELS, ordered=True)
    region = dn.Question("region", REGIONS)
    bands = dn.number("age", 18, 80, cuts=[35, 55], integer=True)
    age = dn.number("age", 18, 80, integer=True, cells=21)
    income = dn.number("income", 0, 10_000)
    channels = {
        "separate": [
            dn.warner(0.85, smokes),
            dn.warner(0.8, gym),
            dn.k_ary(0.8, drinks),
            dn.clear(region),
            dn.k_ary(0.8, bands),
            dn.warner(0.85, leave),
        ],
        "groups": [dn.warner(0.8, smokes, leave), dn.warner(0.7, gym, night)],
        "drawn": [dn.draw(0.6, smokes, drinks, leave)],
        "mixed": [
            dn.unrelated(0.7, smokes, chances=[0.6, 0.4]),
            dn.forced(0.1, 0.15, leave),
            dn.k_ary(0.8, drinks, gym),
            dn.lookup(night, [[0.8, 0.3], [0.2, 0.7]], ["red", "black"]),
            dn.clear(region),
            dn.interval(age, cuts=[35, 55]),
        ],
        "noise": [
            dn.gaussian(age, privacy=0.5),
            dn.uniform(income, privacy=0.5),
            dn.warner(0.85, smokes),
            dn.clear(leave),
        ],
        "clear": [dn.clear(smokes, gym, night, drinks, age, leave)],
    }
    return {name: dn.Design(some, target="leave", title=f"The {name} design") for name, some in channels.items()}


def write_replies() -> None:
    """Designs and replies, once and for all."""
    truth = people()
    truth[:FEW].to_csv(HERE / "people.csv", index=False)
    for index, (name, design) in enumerate(designs().items()):
        design.save(HERE / f"{name}.toml")
        dn.disguise(design, truth, seed=index).to_csv(HERE / f"{name}.csv", index=False)


def write_figures() -> None:
    """What the present code says."""
    found = {name: {what: figure for what, _, figure in figures(name)} for name in DESIGNS}
    text = json.dumps(found, indent=0, sort_keys=True, default=float)
    (HERE / "figures.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    {"replies": write_replies, "figures": write_figures}[sys.argv[1]]()
