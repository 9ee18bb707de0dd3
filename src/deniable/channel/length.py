"""Length of replies: one for all replies to a design.

Encryption hides what is sent, not how much: "yes" is a byte longer than "no". So devices pad every reply with spaces to
the length of the longest one that the design allows. Spaces after JSON mean nothing, and unpadded replies are read too.
"""

import json
from collections.abc import Mapping

from deniable.channel.design import Design
from deniable.survey.question import Question

ID_DIGITS = 32
LONGEST_NUMBER = 25  # bytes of a number in JSON; JavaScript writes -0.0000012345678901234567
LEFT_OUT = "null"


def reply_text(reply_id: str, fingerprint: str, answers: Mapping[str, str], *, escaped: bool = False) -> str:
    """A reply in JSON, as all devices spell it; answers are given as JSON already."""
    pairs = ",".join(f"{_spelled(name, escaped)}:{answer}" for name, answer in answers.items())
    return f'{{"id":"{reply_id}","design":"{fingerprint}","answers":{{{pairs}}}}}'


def reply_length(design: Design, *, escaped: bool = False) -> int:
    """Bytes of the longest reply to a design in UTF-8; `escaped` where letters beyond ASCII are spelled \\u1234."""
    longest = {name: _longest(design.reported(name), escaped) for name in design.columns}
    return len(reply_text("0" * ID_DIGITS, design.fingerprint, longest, escaped=escaped).encode())


def _longest(reported: Question, escaped: bool) -> str:
    """The longest answer that can be reported, as JSON; any number as long as the longest of all."""
    if reported.is_number:
        return "0" * LONGEST_NUMBER
    spelled = [_spelled(answer, escaped) for answer in reported.answers]
    return max([*spelled, LEFT_OUT] if reported.omit else spelled, key=lambda word: len(word.encode()))


def _spelled(word: str, escaped: bool) -> str:
    return json.dumps(word, ensure_ascii=escaped)
