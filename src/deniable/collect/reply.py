"""Reply: one respondent's disguised answers, as they are sent.

A reply is JSON of at most 16 KB:

    {"id": "<32 hex digits>", "design": "<fingerprint>", "answers": {"smokes": "yes", "age": 43.25}}

Where the design has versions, the answers also name the version of each block, and are null for what it does not ask.
Spaces may follow: devices pad all replies of a design to one length. The id is drawn by the respondent's device; it
lets a device send the same reply again until it is acknowledged, and tells nothing else. Whatever is not exactly such a
reply is refused here, so that nothing but cells and numbers of the design is ever stored. Refusals name the question,
never what was sent.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, TypeVar

import msgspec

from deniable.channel.design import Design
from deniable.channel.length import ID_DIGITS, reply_length
from deniable.collect.invitation import Round
from deniable.collect.values import Reported, Value, value_readers
from deniable.errors import BadReply, BadRequest

MAX_BYTES = 16 * 1024
HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Reply:
    """What is stored: a random id, the digest of the bytes that came, and a cell or number per question."""

    id: bytes
    digest: bytes
    values: tuple[Value, ...]
    round: ClassVar[Round] = "reply"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Whether a published model was right about a respondent, disguised: all that the second round reveals."""

    id: bytes
    digest: bytes
    model: str
    reported: bool
    round: ClassVar[Round] = "follow-up"


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    design: str
    answers: dict[str, Reported]


class _FollowUpMessage(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    design: str
    model: str
    reported: int


Message = TypeVar("Message", _Message, _FollowUpMessage)


class ReplyReader:
    """Reads the replies to one design."""

    def __init__(self, design: Design) -> None:
        self._fingerprint = design.fingerprint
        self._columns = set(design.columns)
        self._values = value_readers(design)
        self._decoder = msgspec.json.Decoder(_Message)
        self._follow_ups = msgspec.json.Decoder(_FollowUpMessage)
        if (longest := reply_length(design, escaped=True)) > MAX_BYTES:
            expected = f"one whose replies fit into {MAX_BYTES:,} bytes"
            raise BadRequest("a served design", expected, f"{longest:,} bytes", "shorten names and answers")

    def read(self, body: bytes) -> Reply:
        """The reply in these bytes, if it is one to this design."""
        message = self._decode(self._decoder, body, "an id, a design and answers")
        if message.answers.keys() != self._columns:
            raise BadReply("answers every question of the design and no other", "other names")
        values = tuple(value(message.answers) for value in self._values)
        return Reply(bytes.fromhex(message.id), sha256(body).digest(), values)

    def read_follow_up(self, body: bytes) -> FollowUp:
        """The follow-up in these bytes, if it is one to this design."""
        message = self._decode(self._follow_ups, body, "an id, a design, a model and a disguised digit (reported)")
        if len(message.model) != sha256().digest_size * 2 or not HEX.issuperset(message.model):
            raise BadReply("names a model by its digest", "something else")
        if message.reported not in (0, 1):
            raise BadReply("reports 0 or 1", "another number")
        return FollowUp(bytes.fromhex(message.id), sha256(body).digest(), message.model, bool(message.reported))

    def _decode(self, decoder: "msgspec.json.Decoder[Message]", body: bytes, parts: str) -> Message:
        try:
            message = decoder.decode(body)
            STRICT.decode(body.decode())
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise BadReply(f"is JSON with {parts}", "something else") from None
        if len(message.id) != ID_DIGITS or not HEX.issuperset(message.id):
            raise BadReply(f"has an id of {ID_DIGITS} hex digits", "something else")
        if message.design != self._fingerprint:
            raise BadReply("names the fingerprint of this survey's design", "another one")
        return message


def _no_duplicates(pairs: list[tuple[str, object]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name comes twice")


STRICT = json.JSONDecoder(object_pairs_hook=_no_duplicates)
