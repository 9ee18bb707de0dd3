"""Disguise of true answers: `dn.disguise`.

>>> import pandas as pd
>>> import deniable as dn
>>> design = dn.Design([dn.warner(0.8, dn.yes_no("smokes"))])
>>> people = pd.DataFrame({"name": ["Ann", "Bob"], "smokes": ["yes", "no"]})
>>> list(dn.disguise(design, people).columns)   # the names are dropped: they would tell who is who
['smokes']
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.design import Design, check_design
from deniable.device.follow import Draws, follow_lottery, follow_versions
from deniable.device.randomness import secure, seeded
from deniable.errors import BadRequest, MissingValues
from deniable.frame.columns import Column, cell_type, in_words, reported_columns, true_columns
from deniable.frame.frames import arrow, eager, like
from deniable.frame.spark import is_spark
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import REFUSAL, Question, sometimes_asked
from deniable.survey.skip import holds

Frame = TypeVar("Frame")


def disguise(design: Design, people: Frame, *, seed: int | None = None) -> Frame:
    """Disguised replies to all questions of the design, as a frame of the same kind.

    Each row draws its own lottery from cryptographic randomness; `seed` makes the draws reproducible, for
    simulations only. Columns that are no question are dropped. Rows and index keep their order. Versions are drawn too,
    or taken from their column where people choose them; questions that a row's version does not ask are null. A Spark
    frame is disguised by Spark, once: the frame that comes back is computed, and looking again draws nothing anew.
    """
    check_design(design)
    if is_spark(people):
        from deniable.device.spark import disguise_spark

        replies: Frame = disguise_spark(design, people, seed)
        return replies
    frame = eager(people, "people")
    stream = secure() if seed is None else seeded(seed)
    arrays = {name: arrow(frame[name]) for name in needed_columns(design, frame.columns) if name in frame.columns}
    true = people_columns(design, arrays, frame.columns)
    reported = disguise_columns(design, true, lambda lottery, columns, rows: stream)
    kinds = {name: arrays[name].type if name in arrays else pa.string() for name in design.columns}
    changed = [
        *(block.version_question for block in design.versioned),
        *(question for question in design.questions if not _unchanged(design, question, arrays.get(question.name))),
    ]
    reported_words = {
        each.name: in_words(design.reported(each), reported[each.name], kinds[each.name]) for each in changed
    }
    made: Frame = like(frame, design.columns, reported_words)
    return made


def _unchanged(design: Design, question: Question, array: pa.Array | None) -> bool:
    """Whether a column stays as it is: in the clear, and nobody preferred not to say."""
    return array is not None and design.is_clear(question.name) and not (question.optional and array.null_count)


def people_columns(design: Design, arrays: Mapping[str, Any], names: Any) -> dict[str, Column]:
    """What people answered, and which versions they chose; what a chosen version does not ask may be missing."""
    chosen = [block for block in design.versioned if block.chosen]
    for block in chosen:
        if lacking := arrays[str(block.column)].null_count:
            raise MissingValues({str(block.column): lacking})
    picked = reported_columns([block.version_question for block in chosen], arrays.__getitem__, names)
    free = {name for block in chosen for name in block.names if not block.asked_by_all(name)}
    given = [each for each in design.questions if each.formula is None or each.name in _own_columns(design, names)]
    alone = [each for each in given if each.beside is None]
    questions = [sometimes_asked(each) if each.name in free or each.ask_if else each for each in alone]
    true = true_columns(questions, arrays.__getitem__, names)
    true |= {each.name: _paired(each, arrays, names) for each in given if each.beside is not None}
    true |= _computed(design, [each for each in design.questions if each not in given], arrays, names)
    true = not_asked(design, true, free)
    for block in chosen:
        _check_answered(block, picked[str(block.column)], true)
    return picked | true


def not_asked(design: Design, true: Mapping[str, Column], free: Iterable[str] = ()) -> dict[str, Column]:
    """True answers as a page has them: who is not asked a question answers what the design says of such people.

    Answers that are missing though their question was asked are refused, but for those in `free`.
    """
    found = dict(true)
    for question in design.questions:
        if (rule := design.survey.rule(question)) is None:
            continue
        column, asked = np.array(found[question.name]), holds(rule, found)
        if question.optional:
            column[asked & _is_missing(column)] = question.cell(REFUSAL)
        column[~asked] = question.plain.otherwise_answer
        found[question.name] = column
        lacking = int(_is_missing(column).sum())
        if lacking and not question.omit and question.name not in free:
            raise MissingValues({question.name: lacking})
    return found


def _paired(question: Question, arrays: Mapping[str, Any], names: Any) -> Column:
    """The cells of a question and another beside it, from a column for each."""
    own, other = true_columns(question.parts, arrays.__getitem__, names).values()
    return (other.astype(np.int64) * len(question.plain) + own).astype(cell_type(len(question)))


def needed_columns(design: Design, names: Iterable[str]) -> list[str]:
    """The columns of a table of people that a disguise reads: versions that were chosen, answers, and what others are
    computed from; a computed question itself where the table has it and lacks what it is computed from."""
    own, wanted = _own_columns(design, names), dict.fromkeys(_chosen_columns(design, names))
    for question in design.questions:
        if question.formula is None or question.name in own:
            wanted |= dict.fromkeys(part.name for part in question.parts)
        else:
            wanted |= dict.fromkeys(question.formula.names)
    return list(wanted)


def _chosen_columns(design: Design, names: Iterable[str]) -> list[str]:
    """The columns of the versions that people chose; a table without them is refused."""
    there, chosen = set(names), [block for block in design.versioned if block.chosen]
    for block in chosen:
        if block.column not in there:
            raise BadRequest(f"the column {block.column!r}", "the version that each respondent chose", "no such column",
                             f"add it, with {' or '.join(map(repr, block.version_names[:4]))}")  # fmt: skip
    return [str(block.column) for block in chosen]


def _own_columns(design: Design, names: Iterable[str]) -> set[str]:
    """Computed questions whose own column is there, and not all that they are computed from."""
    there = set(names)
    return {
        question.name
        for question in design.questions
        if question.formula and question.name in there and not set(question.formula.names) <= there
    }


def _computed(
    design: Design, questions: Sequence[Question], arrays: Mapping[str, Any], names: Any
) -> dict[str, Column]:
    """The answers to computed questions, from those to others."""
    wanted = {name for question in questions if question.formula for name in question.formula.names}
    sources = [question for question in design.survey.unsent if question.name in wanted]
    values: dict[str, NDArray[np.float64]] = {}
    for question, column in zip(sources, true_columns(sources, arrays.__getitem__, names).values(), strict=True):
        values[question.name] = column if question.values is None else np.array(question.values, dtype=float)[column]
    return {each.name: each.formula.holds(values).astype(np.int8) for each in questions if each.formula}


def _check_answered(block: Block, versions: Column, true: Mapping[str, Column]) -> None:
    """Refuse people who chose a version and did not answer what it asks."""
    for index, version in enumerate(block.versions):
        needed = [question.name for question in block.questions if question.name in version.names and not question.omit]
        lacking = {name: int(_is_missing(true[name][versions == index]).sum()) for name in needed}
        if any(lacking.values()):
            raise MissingValues({name: count for name, count in lacking.items() if count})


def _is_missing(column: Column) -> NDArray[np.bool_]:
    return np.isnan(column) if column.dtype.kind == "f" else np.asarray(column == LEFT_OUT)


def disguise_columns(design: Design, true: Mapping[str, Column], draws: Draws) -> dict[str, Column]:
    """Reported columns from true ones; `draws` says where the draws of a block or channel come from."""
    reported: dict[str, Column] = {}
    for block in design.blocks:
        if block.is_plain:
            reported |= follow_lottery(block.channels[0], true, draws(block.channels[0], true, None))
        else:
            reported |= follow_versions(block, true, draws)
    return reported
