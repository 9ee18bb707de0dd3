"""Predictions as columns: the class of each person, and the chance of each class."""

from typing import Any

import pyarrow as pa

from deniable.learn.base import Learner
from deniable.learn.majority import majorities

PREDICTION = "prediction"


def predictions(model: Learner, people: Any) -> pa.Table:
    """The prediction for each person of a frame of true answers, and the chances from which it comes."""
    schema, chances = prediction_schema(model), model.predict_proba(people)
    answers = model.classes_[majorities(chances)].tolist()
    return pa.table([pa.array(answers, schema.types[0]), *map(pa.array, chances.T)], schema=schema)


def prediction_schema(model: Learner) -> pa.Schema:
    """The columns of a model's predictions."""
    answers = pa.field(PREDICTION, pa.array(model.classes_.tolist()).type)
    return pa.schema([answers, *(pa.field(_chance_column(answer), pa.float64()) for answer in model.classes_)])


def _chance_column(answer: object) -> str:
    return f"p_{answer}"
