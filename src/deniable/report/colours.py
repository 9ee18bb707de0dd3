"""Colours of every chart and page: one for what is estimated here, one for what replies report, some for the rest.

All are told apart by colour-blind readers (Okabe and Ito 2008). Pages have them as the variables --ours and --reported,
whose dark shades lie on dark paper; the dashboard's own style sheet repeats them, which a test compares.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle

OURS, OURS_DARK = "#0072b2", "#56b4e9"  # estimated here, from disguised replies
REPORTED, REPORTED_DARK = "#d55e00", "#f0a35a"  # what replies say, or what others published
OTHERS = ("#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")  # further lines of a chart, in this order
GREY = "#7f7f7f"
CLASSES = (OURS, "#e69f00", "#009e73", REPORTED, "#56b4e9", "#cc79a7")  # of a target, side by side in a bar
WORDS_OURS = ("ours", "reconstructed", "estimate", "share", "here", "confidence", "accuracy", "margin", "power")
WORDS_REPORTED = ("reported", "published")
STYLE = f"""
:root {{ --ours: {OURS}; --reported: {REPORTED}; }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ --ours: {OURS_DARK}; --reported: {REPORTED_DARK}; }} }}
"""


def palette(names: Iterable[str]) -> list[str]:
    """The colour of each line of a chart: ours and reported by their names, the others in turn.

    Where no line is named so, all are ours, and the first has our colour.
    """
    names = list(names)
    others = OTHERS if any(_is(name, WORDS_OURS + WORDS_REPORTED) for name in names) else (OURS, *OTHERS)
    rest = cycle(others)
    return [OURS if _is(name, WORDS_OURS) else REPORTED if _is(name, WORDS_REPORTED) else next(rest) for name in names]


def _is(name: str, words: Sequence[str]) -> bool:
    """Whether a line is one of these: "default (ours)" is, "original, default (ours)" is not."""
    return name in words or ("," not in name and any(name.endswith(f"({word})") for word in words))
