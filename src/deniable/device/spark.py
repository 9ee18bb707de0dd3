"""Disguise of a Spark frame: every task draws for its own rows, and no row's draw is made twice.

Each task makes a key of its own from the operating system, so no two tasks share a stream. Spark computes a frame again
whenever it is looked at, or when a machine is lost. Fresh draws for the same people would reveal them by averaging. So
draws are fixed: the disguised rows are computed once and kept (a checkpoint, whose loss is an error and no second
draw), or written once, or they are remembered ones, which are the same however often they are computed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.channel.design import Design
from deniable.device.disguise import disguise_columns, needed_columns, people_columns
from deniable.device.memory import Memory
from deniable.device.randomness import Stream, secure, seeded
from deniable.errors import DuplicateId, MissingColumns, MissingValues, NoReplies
from deniable.frame.columns import cell_type, check_missing, in_words
from deniable.frame.mark import MARK, mark_of
from deniable.frame.spark import column_named, refusals_of_tasks
from deniable.frame.spark_tasks import Batches, mapped
from deniable.frame.spark_written import write_once


def disguise_spark(design: Design, people: Any, seed: int | None = None) -> Any:
    """Disguised replies as a Spark frame whose draws are made: it is computed now, and kept by Spark."""
    made = disguised(design, people, seed)
    with refusals_of_tasks():
        durable = people.sparkSession.sparkContext.getCheckpointDir() is not None
        kept = made.checkpoint(eager=True) if durable else made.localCheckpoint(eager=True)
    if not kept.limit(1).count():
        raise NoReplies("the data frame")
    return kept


def write_disguised(
    design: Design, people: Any, path: str, seed: int | None = None, memory: Memory | None = None
) -> int:
    """Write disguised replies as parquet files, computed once, and return how many there are."""
    mark = mark_of(design, simulated=seed is not None)
    return write_once(people.sparkSession, path, lambda: disguised(design, people, seed, memory, mark))


def disguised(
    design: Design, people: Any, seed: int | None = None, memory: Memory | None = None, mark: str | None = None
) -> Any:
    """The frame of disguised replies, not computed yet: only with a memory may it be computed more than once."""
    from pyspark.sql.pandas.types import to_arrow_schema

    if seed is not None:
        seeded(seed)  # which refuses what is none
    columns = needed_columns(design, people.columns)
    if lacking := [name for name in columns if name not in people.columns]:
        raise MissingColumns(lacking, people.columns)
    if memory is not None:
        _check_ids(people, memory)
        columns += [memory.column] if memory.column not in columns else []
    wanted = people.select([column_named(name) for name in columns])
    _check_complete(design, wanted)
    kinds = {field.name: field.type for field in to_arrow_schema(wanted.schema)}
    schema = _reply_schema(design, kinds, mark)
    return mapped(wanted, schema, _Task(design, schema, seed, memory, mark))


@dataclass(frozen=True)
class _Task:
    """What a task does with its rows."""

    design: Design
    schema: pa.Schema
    seed: int | None
    memory: Memory | None
    mark: str | None

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        stream = _stream(self.seed)
        for batch in batches:
            yield self._replies(batch, stream)

    def _replies(self, batch: pa.RecordBatch, stream: Stream) -> pa.RecordBatch:
        names = batch.schema.names
        arrays = dict(zip(names, batch.columns, strict=True))
        true = people_columns(self.design, arrays, names)
        memory = self.memory
        if memory is None:
            reported = disguise_columns(self.design, true, lambda lottery, columns, rows: stream)
        else:
            ids = memory.meet(arrays[memory.column].cast(pa.string()).to_pylist())
            reported = disguise_columns(
                self.design, true, lambda lottery, columns, rows: memory.draws(ids, lottery, columns, rows)
            )
        made = []
        for field in self.schema:
            if field.name == MARK:
                made.append(pa.array([self.mark] * batch.num_rows))
            else:
                question = self.design.reported(field.name)
                made.append(in_words(question, reported[field.name], field.type).cast(field.type))
        return pa.RecordBatch.from_arrays(made, schema=self.schema)


def _stream(seed: int | None) -> Stream:
    """A task's own draws: under a key of its own, or, in simulations, those of the seed and the partition."""
    if seed is None:
        return secure()
    from pyspark import TaskContext

    context = TaskContext.get()
    partition = 0 if context is None else int(context.partitionId())
    return seeded(int(np.random.SeedSequence([seed, partition]).generate_state(2, np.uint64)[0]))


def _reply_schema(design: Design, kinds: dict[str, pa.DataType], mark: str | None) -> pa.Schema:
    """The columns of replies, of the same kinds as people's where those can say what is reported."""
    fields = []
    for name in design.columns:
        reported = design.reported(name)
        empty = np.empty(0) if reported.is_number else np.empty(0, cell_type(len(reported)))
        fields.append((name, in_words(reported, empty, kinds.get(name, pa.string())).type))
    return pa.schema([*fields, *([(MARK, pa.string())] if mark else [])])


def _check_complete(design: Design, people: Any) -> None:
    """Refuse missing answers, counted in all rows at once; tasks know who was not asked, and refuse the others."""
    from pyspark.sql import functions

    chosen = {name for block in design.versioned if block.chosen for name in block.names}
    skipped = {each.name for each in design.questions if each.ask_if and each.beside is None}
    every = (*(part for each in design.questions for part in each.parts), *design.survey.unsent)
    asked = [each for each in every if each.name in people.columns and each.name not in chosen | skipped]
    needed = [each for each in asked if not (each.optional or each.omit)]
    if needed:
        counts = [
            functions.count(functions.when(column_named(each.name).isNull(), 1)).alias(f"c{index}")
            for index, each in enumerate(needed)
        ]
        found = people.agg(*counts).first()
        check_missing(needed, {each.name: found[index] for index, each in enumerate(needed)})


def _check_ids(people: Any, memory: Memory) -> None:
    """Refuse people without an id, and ids that two people have."""
    if memory.column not in people.columns:
        raise MissingColumns([memory.column], people.columns, what="")
    column = column_named(memory.column)
    if lacking := people.filter(column.isNull()).count():
        raise MissingValues({memory.column: lacking})
    twice = people.groupBy(column.alias("id")).count().filter("count > 1").limit(1).collect()
    if twice:
        raise DuplicateId(memory.column, str(twice[0][0]))
