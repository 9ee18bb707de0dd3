"""Refusals about channels and designs."""

from collections.abc import Iterable, Sequence

from deniable.errors.refusal import DeniableError


class BadChance(DeniableError):
    """A chance is not a number between 0 and 1."""

    def __init__(self, name: str, value: object, where: str = "") -> None:
        there = f" of the channel on {where}" if where else ""
        super().__init__(f"{name}{there} must be a chance between 0 and 1, got {value!r}", "write 0.8 for 80 %")


class BadLottery(DeniableError):
    """The chances of a lottery are not a probability distribution."""

    def __init__(self, chances: Iterable[float], what: str = "lottery chances") -> None:
        chances = tuple(chances)
        shown = ", ".join(f"{chance:g}" for chance in chances[:8]) + (", ..." if len(chances) > 8 else "")
        super().__init__(
            f"{what} must be non-negative and sum to 1, got {shown} (sum {sum(chances):g})",
            "give the remainder to one of them",
        )


class NotNumbers(DeniableError):
    """A list should hold numbers and does not."""

    def __init__(self, what: str, value: object) -> None:
        super().__init__(f"{what} must be a list of numbers, got {value!r}", "write them as [0.7, 0.3]")


class BadNoise(DeniableError):
    """Noise that hides nothing, is too wide, or is given twice or not at all."""

    def __init__(self, question: str, problem: str, way_out: str) -> None:
        super().__init__(f"the noise on {question!r} {problem}", way_out)


class BadGroup(DeniableError):
    """A question of the group is of a kind that the scheme cannot disguise."""

    def __init__(self, scheme: str, question: str, problem: str, way_out: str) -> None:
        super().__init__(f"{scheme} cannot disguise question {question!r}: {problem}", way_out)


class BadVersion(DeniableError):
    """A version that nobody could draw or answer."""

    def __init__(self, name: object, problem: str, way_out: str) -> None:
        super().__init__(f"version {name!r} {problem}", way_out)


class NothingLeft(DeniableError):
    """A channel hides the answers so completely that nothing can be estimated."""

    def __init__(self, names: Sequence[str], hidden: Sequence[str], recipe: str, keys: str) -> None:
        some = f" to {', '.join(hidden)}" if 0 < len(hidden) < len(names) else ""
        problem = f"the channel on {', '.join(names)} hides the answers{some} completely ({recipe})"
        super().__init__(problem, f"choose another {keys}")


class NotInOneChannel(DeniableError):
    """Every question must be in exactly one channel."""

    def __init__(self, name: str, channels: int) -> None:
        if channels == 0:
            super().__init__(f"question {name!r} is in no channel", 'say scheme = "clear" if it is asked in the clear')
        else:
            super().__init__(f"question {name!r} is in {channels} channels, expected one", "take it out of the others")
