"""Disguise of a file of any size, a piece at a time."""

from pathlib import Path

import pyarrow as pa

from deniable.channel.design import Design
from deniable.device.disguise import disguise_columns, needed_columns, people_columns
from deniable.device.memory import Memory
from deniable.device.randomness import secure, seeded
from deniable.errors import MissingColumns
from deniable.errors.refusal import found_in
from deniable.frame import files
from deniable.frame.columns import in_words, missing_counted
from deniable.frame.labelled import labels_of
from deniable.frame.mark import MARK, mark_of, refuse_marked


def disguise_file(
    design: Design,
    source: Path,
    target: Path,
    *,
    seed: int | None = None,
    memory: Memory | None = None,
    progress: files.Progress | None = None,
) -> int:
    """Write the disguised replies to everything in a file, and return how many there were.

    With a memory, the draws are those of the people's ids and answers, the same at every run.
    """
    files.keep_apart(target, source)
    if memory is not None and memory.column not in (names := files.column_names(source)):
        with found_in(source):
            raise MissingColumns([memory.column], names, what="")
    stream = secure() if seed is None else seeded(seed)
    rows = 0
    with files.writer(target, labels_of([design.reported(name) for name in design.columns])) as append:
        with found_in(source):
            columns = needed_columns(design, files.column_names(source))
        columns += [memory.column] if memory and memory.column not in columns else []
        for piece in files.read(source, columns, progress):
            if not rows:
                refuse_marked(source, files.column_names(source))
            every = (*(part for each in design.questions for part in each.parts), *design.survey.unsent)
            asked = [each for each in every if each.name in columns]
            with missing_counted(asked, source):
                arrays = {name: piece.column(name) for name in piece.column_names}
                true = people_columns(design, arrays, piece.column_names)
            if memory is None:
                reported = disguise_columns(design, true, lambda lottery, columns, rows: stream)
            else:
                ids = memory.meet(piece.column(memory.column).cast(pa.string()).to_pylist())
                reported = disguise_columns(
                    design,
                    true,
                    lambda lottery, columns, rows, ids=ids: memory.draws(ids, lottery, columns, rows),  # type: ignore[misc]
                )
            replies = {name: in_words(design.reported(name), reported[name], pa.string()) for name in design.columns}
            replies[MARK] = pa.array([mark_of(design, simulated=seed is not None)] * piece.num_rows)
            append(pa.table(replies))
            rows += piece.num_rows
    return rows
