"""Versions of a design that people and programs can read: how many there are, and what each asks."""

from typing import Any

from deniable.channel.block import Block, Version
from deniable.channel.design import Design
from deniable.notebook import shortened

MAX_SHOWN = 4  # versions that are listed one by one


def version_lines(design: Design) -> list[str]:
    """A line for each block that has versions; for a few versions, a line for each of them as well."""
    lines = []
    for block in design.versioned:
        lines.append(f"{block.column}: {summary(block)}")
        if are_named(block) and len(block.versions) <= MAX_SHOWN:
            lines += [f"  {version.name}{_share(block, version)}: {_asked(version)}" for version in block.versions]
    return lines


def version_documents(design: Design) -> list[dict[str, Any]]:
    """The blocks with versions as JSON."""
    return [
        {
            "column": block.column,
            "chosen": block.chosen,
            "count": len(block.versions),
            "summary": summary(block),
            "versions": [
                {"name": version.name, "share": None if block.chosen else version.share, "asks": version.names}
                for version in block.versions
            ],
        }
        for block in design.versioned
    ]


def summary(block: Block) -> str:
    """A block's versions in a few words: 28 versions, each asks income and 2 of 8 others."""
    count = "1 version" if len(block.versions) == 1 else f"{len(block.versions):,} versions"
    how = "chosen by the respondent" if block.chosen else "drawn in the open"
    return f"{count}, {how}: {_asks_some(block) or _asks_any(block)}"


def are_named(block: Block) -> bool:
    """Whether a block has versions that were named one by one, not all choices of some questions."""
    return not block.is_plain and _asks_some(block) is None


def disguise(block: Block, name: str) -> str:
    """The schemes and settings by which a question is disguised, with the versions that use them."""
    found: dict[str, list[str]] = {}
    for version in block.versions:
        if (channel := version.channel(name)) is not None:
            found.setdefault(_recipe(channel.recipe.scheme, str(channel.recipe)), []).append(version.name)
    return "; ".join(f"{shortened(', '.join(versions), 30)}: {recipe}" for recipe, versions in found.items())


def note(block: Block, name: str) -> str:
    """Which versions ask a question, where not all do; which ask it in the clear, and where respondents draw."""
    channels = {version.name: version.channel(name) for version in block.versions}
    asked = [each for each, channel in channels.items() if channel is not None]
    clear = [each for each, channel in channels.items() if channel is not None and channel.is_clear]
    notes = [f"asked in {len(asked):,} of {len(channels):,} versions"] if len(asked) < len(channels) else []
    if clear:
        where = "" if len(clear) == len(asked) else f" in {shortened(', '.join(clear), 40)}"
        notes.append(f"asked in the clear{where}: it cannot be denied{' there' if where else ''}")
    if by_hand := block.drawn_by_respondents(name):
        where = "" if len(by_hand) == len(asked) else f" in {shortened(', '.join(by_hand), 40)}"
        notes.append(f"drawn by respondents themselves{where}")
    return "; ".join(notes)


def _asks_some(block: Block) -> str | None:
    """What each version asks, where they are all choices of so many questions of a group."""
    ask = block.recipe.settings.get("ask")
    if ask is None:
        return None
    always = list(block.recipe.settings.get("always", []))
    others = len(block.names) - len(always)
    return f"each asks {', '.join(always)} and {ask} of {others} others" if always else f"each asks {ask} of {others}"


def _asks_any(block: Block) -> str:
    every = [name for name in block.names if block.asked_by_all(name)]
    if len(every) == len(block.names):
        return f"each asks {shortened(', '.join(every))}"
    some = shortened(", ".join(name for name in block.names if name not in every))
    return f"each asks {shortened(', '.join(every))}, some ask {some}" if every else f"some ask {some}"


def _share(block: Block, version: Version) -> str:
    return "" if block.chosen else f" ({version.share:.3g})"


def _asked(version: Version) -> str:
    return "; ".join(
        f"{', '.join(channel.names)} by {_recipe(channel.recipe.scheme, str(channel.recipe))}"
        for channel in version.channels
    )


def _recipe(scheme: str, settings: str) -> str:
    return scheme if settings == scheme else f"{scheme}, {shortened(settings)}"
