"""Design: what is asked and how it is disguised, the promise made to respondents.

A design says what is asked and through which channels the answers pass, in blocks of one version or several. It is
immutable and has a fingerprint, the SHA-256 of its published JSON, so that nobody can change it after respondents
agreed.

>>> from deniable.survey.question import yes_no
>>> from deniable.channel.schemes import warner
>>> design = Design([warner(0.8, yes_no("smokes"), yes_no("leave"))], target="leave")
>>> [question.name for question in design.questions]
['smokes', 'leave']
>>> len(design.fingerprint)
64
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from os import PathLike
from typing import Any

from deniable.channel import files
from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.issuer import Issuer
from deniable.channel.page_file import questionnaire
from deniable.channel.published import Canonical
from deniable.channel.readable import check_readable
from deniable.channel.skips import check_skips
from deniable.errors import BadQuestion, BadRequest, NotInOneChannel, UnknownQuestion
from deniable.errors.refusal import found_in
from deniable.notebook import notebook_html, shortened
from deniable.survey.question import Question
from deniable.survey.questionnaire import Texts
from deniable.survey.survey import Survey


@dataclass(frozen=True, init=False)
class Design:
    """A survey and its blocks; every question is in exactly one."""

    blocks: tuple[Block, ...]
    survey: Survey
    promised_target: str | None = field(default=None, compare=False)  # that version 0.1 published, if it published this
    others: tuple[Question, ...] = field(default=(), compare=False)  # columns of replies that nobody is asked about
    issuer: Issuer | None = field(default=None, compare=False)  # of invitations, if the survey needs them

    def __init__(
        self,
        channels: Iterable[Channel | Block] | Channel | Block,
        *,
        target: str | None = None,
        title: str = "",
        order: Sequence[str] | None = None,
        unsent: Iterable[Question] = (),
        wave: int = 1,
        retention: date | str | None = None,
        issuer: Issuer | None = None,
        text: Mapping[str, str] | Texts | None = None,
        translation: Mapping[str, Any] | None = None,
        show_draw: bool = False,
        draw_order: bool = False,
        language: str = "en",
        check_text: bool = True,
    ) -> None:
        """Questions are asked in the order of the channels, or in `order` where that is given.

        `unsent` are questions in no channel, whose answers the device only needs to compute others. `wave` 2 asks
        the same people again on purpose; after the day of `retention` replies are erased; `issuer` holds the public
        keys of a survey that needs invitations. `text`, `translation`, `show_draw`, `draw_order` and `language` are
        those of the design file.
        Characters that nobody sees are refused in all texts. `check_text=False` takes texts as they are, for a design
        that people have answered already, or that nobody reads.
        """
        blocks, unsent = _blocks(channels), _questions(unsent)
        disguised = [question for block in blocks for question in block.questions]
        names = [question.name for question in disguised]
        for name in dict.fromkeys([*(order or []), *names]):
            if names.count(name) != 1:
                raise NotInOneChannel(name, names.count(name))
        if order is not None:
            if unknown := sorted(set(names) - set(order)):
                raise UnknownQuestion(unknown[0], order)
            disguised.sort(key=lambda question: order.index(question.name))
        _check_columns(blocks, [part.name for question in disguised for part in question.parts])
        object.__setattr__(self, "blocks", blocks)
        page = questionnaire(text, translation, show_draw, draw_order, language)
        asked = Survey(tuple(disguised), title, target, unsent, wave, _day(retention), page)
        object.__setattr__(self, "survey", asked)
        object.__setattr__(self, "promised_target", None)
        object.__setattr__(self, "others", ())
        object.__setattr__(self, "issuer", issuer)
        check_skips(self.survey, blocks)
        if check_text:
            self.check_text()

    def __repr__(self) -> str:
        title = f" {shortened(self.title, 40)!r}" if self.title else ""
        target = f", target {self.target}" if self.target else ""
        return f"<Design{title} of {len(self.names)} questions: {shortened(', '.join(self.names))}{target}>"

    def _repr_html_(self) -> str:
        return notebook_html("design", self)

    @classmethod
    def load(cls, path: str | PathLike[str], *, check_text: bool = True) -> "Design":
        """The design in a TOML file; `check_text=False` reads one that people have answered already as it is."""
        with found_in(path):
            read = files.load(path)
            survey, page = read.survey, read.survey.page
            return cls(
                read.blocks,
                target=survey.target,
                title=survey.title,
                order=survey.names,
                unsent=survey.unsent,
                wave=survey.wave,
                retention=survey.retention,
                issuer=read.issuer,
                text=page.text,
                translation={each.language: each for each in page.translations},
                show_draw=page.show_draw,
                draw_order=page.draw_order,
                language=page.language,
                check_text=check_text,
            )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the design as a TOML file."""
        files.save(files.Document(self.survey, self.blocks, self.issuer), path)

    def check_text(self) -> None:
        """Refuse texts with characters that nobody sees."""
        check_readable(self.survey, self.blocks)

    @property
    def questions(self) -> tuple[Question, ...]:
        """Everything that is asked, in order."""
        return self.survey.questions

    @property
    def names(self) -> list[str]:
        """The names of all questions, in order."""
        return self.survey.names

    @cached_property
    def columns(self) -> list[str]:
        """The columns of a reply: which versions it answers, all questions, and what stands beside them."""
        versions = [block.column for block in self.versioned if block.column]
        return [*versions, *self.names, *(each.name for each in self.others)]

    def beside(self, columns: Iterable[Question]) -> "Design":
        """The same promise, where replies have further columns, which nobody is asked about."""
        made = copy(self)
        made.__dict__.pop("columns", None)
        object.__setattr__(made, "others", tuple(columns))
        return made

    def alone(self, block: Block, index: int) -> "Design":
        """The design of those people who were given one version of a block."""
        others = [each for each in self.blocks if each is not block]
        return Design([*block.versions[index].channels, *others], check_text=False).beside(self.others)

    def columns_of(self, names: Iterable[str]) -> list[str]:
        """The columns of a reply that tell about these questions: their versions, and themselves."""
        names = list(names)
        return [*(block.column for block in self.blocks_of(names) if block.column is not None), *names]

    @cached_property
    def versioned(self) -> tuple[Block, ...]:
        """The blocks that have versions."""
        return tuple(block for block in self.blocks if not block.is_plain)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of all versions."""
        return tuple(channel for block in self.blocks for channel in block.channels)

    @property
    def target(self) -> str | None:
        """The question that classifiers should predict."""
        return self.survey.target

    @property
    def title(self) -> str:
        """What the survey is called."""
        return self.survey.title

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical JSON, in hex; it does not depend on the target."""
        return next(self._published.fingerprints([self.promised_target]))

    @cached_property
    def fingerprints(self) -> dict[str, str | None]:
        """All fingerprints under which this design may have been promised, and the targets that they hold."""
        return dict(self._promises())

    def _promises(self) -> Iterator[tuple[str, str | None]]:
        """The same one by one, as its designs are long: the likeliest first."""
        targets = list(dict.fromkeys((self.promised_target, None, *self.names)))
        yield from zip(self._published.fingerprints(targets), targets, strict=True)

    def is_promised(self, digits: str) -> bool:
        """Whether one of its fingerprints begins with these digits; no more of them are worked out than it takes."""
        return any(fingerprint.startswith(digits) for fingerprint, _ in self._promises())

    def as_promised(self, known: Iterable[str]) -> "Design":
        """The same design as it was promised under one of the known fingerprints, if it was."""
        wanted, promised = set(known), self._anew()
        promises = self._promises() if wanted else ()
        target = next((each for found, each in promises if found in wanted), self.promised_target)
        object.__setattr__(promised, "promised_target", target)
        return promised

    def issued_by(self, issuer: Issuer | None) -> "Design":
        """The same design with the public keys of whoever invites its respondents, or without any."""
        made = self._anew()
        object.__setattr__(made, "issuer", issuer)
        return made

    @cached_property
    def without_keys(self) -> "Design":
        """The same design as it is published where nobody is invited."""
        return self if self.issuer is None else self.issued_by(None)

    def _anew(self) -> "Design":
        """A copy that has not computed its fingerprints yet."""
        made = copy(self)
        for known in ("fingerprint", "fingerprints", "without_keys", "_published"):
            made.__dict__.pop(known, None)
        return made

    @cached_property
    def _published(self) -> Canonical:
        return Canonical(self.survey, self.blocks, self.issuer)

    def to_json(self) -> str:
        """The JSON that a respondent's device gets; its SHA-256 is the fingerprint."""
        return self._published.text(self.promised_target)

    def question(self, name: str) -> Question:
        """The question of that name."""
        return self.survey.question(name)

    def holder(self, name: str) -> Question:
        """The question that has this name, or has the question of this name beside it."""
        for question in self.questions:
            if question.beside is not None and question.beside.name == name:
                return question
        return self.question(name)

    def block(self, name: str) -> Block:
        """The block that asks this question."""
        self.question(name)
        return self._block_of[name]

    def blocks_of(self, names: Iterable[str]) -> list[Block]:
        """The blocks that ask these questions, each once; by identity, since thousands of versions are slow to hash."""
        return list({id(block): block for block in map(self.block, names)}.values())

    @cached_property
    def _block_of(self) -> dict[str, Block]:
        return {name: block for block in self.blocks for name in block.names}

    def channel(self, name: str) -> Channel:
        """The channel through which the answers to this question pass, where it is the same for everybody."""
        block = self.block(name)
        if not block.is_plain:
            raise BadRequest(f"question {name!r}", "asked of everybody through one channel", "versions",
                             "use what takes versions")  # fmt: skip
        return block.channels[0]

    def has_noise(self, name: str) -> bool:
        """Whether noise may be added to this number, which then has no stable inverse."""
        return name in self.block(name).noisy

    def says_the_truth(self, name: str) -> bool:
        """Whether replies to this question are true; of a number perhaps only its interval."""
        return all(channel.says_the_truth for channel in self.block(name).channels_of(name))

    def is_clear(self, name: str) -> bool:
        """Whether everybody is asked this in the clear: the truth is said, and in full."""
        block = self.block(name)
        return block.asked_by_all(name) and all(channel.is_clear for channel in block.channels_of(name))

    def is_unchanged(self, name: str) -> bool:
        """Whether everybody's reply to this question is their answer, by whatever lottery."""
        block = self.block(name)
        return block.asked_by_all(name) and all(channel.is_unchanged for channel in block.channels_of(name))

    def reported(self, question: str | Question) -> Question:
        """The question as replies answer it; for the column of a block, its versions."""
        name = question if isinstance(question, str) else question.name
        for block in self.versioned:
            if block.column == name:
                return block.version_question
        for other in self.others:
            if other.name == name:
                return other
        return self.block(name).reported(question)


def _blocks(given: Any) -> tuple[Block, ...]:
    """The channels and blocks, if they are some."""
    several = isinstance(given, Iterable) and not isinstance(given, str | Mapping | Set)
    found = tuple(given) if several else (given,)
    for each in found:
        if not isinstance(each, Channel | Block):
            raise BadRequest(
                "channels", "a list of channels", type(each).__name__,
                "write dn.Design([dn.warner(0.8, dn.yes_no('smokes'))]), or read a file with dn.Design.load",
            )  # fmt: skip
    return tuple(Block.of(each) for each in found)


def _day(given: date | str | None) -> date | None:
    """A day, which may be written as a text."""
    try:
        return date.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        raise BadRequest("retention", "a day such as 2027-12-31", given, "correct it") from None


def _questions(given: Any) -> tuple[Question, ...]:
    """The questions, if they are some."""
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for each in found:
        if not isinstance(each, Question):
            raise BadRequest(
                "unsent", "a list of questions", type(each).__name__, "write unsent=[dn.number('hours', 0, 24)]"
            )
    return found


def _check_columns(blocks: Sequence[Block], names: Sequence[str]) -> None:
    """Refuse columns of versions that two blocks have, or a question and a block; and one name for two questions."""
    taken = list(names)
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadQuestion(twice[0], "has the name of a question beside another", "give it another name")
    for block in blocks:
        if block.column is not None and block.column in taken:
            owner = "a question" if block.column in names else "another block of versions"
            raise BadRequest("the column of versions", "a name of its own", f"{block.column!r}, which {owner} has",
                             'give it another, such as column = "arm"')  # fmt: skip
        taken.append(block.column or "")


def check_design(given: object) -> None:
    """Refuse what is no design."""
    if not isinstance(given, Design):
        kind = type(given).__name__
        raise BadRequest("design", "a Design", kind, "make one with dn.Design, or read one with dn.Design.load")
