"""The second round: one disguised digit tests a published model.

A respondent's device applies the model to true answers, which it neither sends nor keeps, and works out one digit: was
the model right? The digit goes through a lottery of its own (Warner's) before it is sent. The lottery is published
within the model's text, so the hash by which devices know the model covers both.

In other words, the second round is a design of one question. Its digits are estimated like any other reply.
"""

import json

from deniable.channel.chances import SCALE
from deniable.channel.design import Design
from deniable.channel.epsilon import epsilon
from deniable.channel.schemes import clear, warner
from deniable.errors import BadRequest, DeniableError
from deniable.survey.question import Question
from deniable.survey.text import hidden_at

KEY = "round"  # of a model's document
NAME = "name"  # what its collector calls it, in the same document
MAX_NAME = 80  # letters
RIGHT = Question("right", ("no", "yes"), "Was the model right about you?")
MAX_EPSILON = 4.0  # the digit is true in 98 of 100 cases then; with more it would hardly be disguised
UNDISGUISED = Design([clear(RIGHT)])  # the digits of version 0.1


def lottery_of(promised: float) -> Design:
    """The design of a digit with this epsilon."""
    if not promised <= MAX_EPSILON:
        raise BadRequest("epsilon of the second round", f"at most {MAX_EPSILON:g}", promised, "choose a smaller one")
    return Design([warner(epsilon(promised), RIGHT)])


def with_lottery(model: str, lottery: Design) -> str:
    """The text of a model, with the lottery by which it is tested."""
    return json.dumps({**json.loads(model), KEY: json.loads(lottery.to_json())}, allow_nan=False)


def without_lottery(published: str) -> str:
    """The text of the model itself, as it was saved."""
    found = {key: value for key, value in json.loads(published).items() if key not in (KEY, NAME)}
    return json.dumps(found, allow_nan=False)


def named(model: str, name: str) -> str:
    """The text of a model that has a name, if it is given one; respondents see it, so all of it must be seen."""
    name = " ".join(name.split())
    if len(name) > MAX_NAME:
        raise BadRequest("the model's name", f"at most {MAX_NAME} letters long", len(name), "shorten it")
    if (index := hidden_at(name)) is not None:
        hidden = f"U+{ord(name[index]):04X} after {name[:index][-20:]!r}"
        raise BadRequest("the model's name", "without hidden characters", hidden, "take that character out")
    return json.dumps({**json.loads(model), NAME: name}, allow_nan=False) if name else model


def name_in(published: str) -> str:
    """The name in a published text; none in texts of earlier versions."""
    found = json.loads(published).get(NAME, "")
    return found if isinstance(found, str) else ""


def lottery_in(published: str) -> Design | None:
    """The lottery in a published text; None where there is none, or another than `lottery_of` gives."""
    try:
        document = json.loads(published)[KEY]
        theta = document["channels"][0]["lottery"][0]["below"] / SCALE
        found = Design([warner(theta, RIGHT)])
    except (ValueError, LookupError, TypeError, RecursionError, DeniableError):
        return None
    disguised = 0.5 < theta <= lottery_of(MAX_EPSILON).channels[0].theta
    return found if disguised and json.loads(found.to_json()) == document else None
