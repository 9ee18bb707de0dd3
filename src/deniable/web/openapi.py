"""OpenAPI description of what programs may ask of the site."""

from importlib.metadata import version
from typing import Any

from deniable.channel.length import ID_DIGITS
from deniable.collect.reply import MAX_BYTES

Schema = dict[str, Any]

_HEX = {"type": "string", "pattern": f"^[0-9a-f]{{{ID_DIGITS}}}$", "description": "128 random bits, in hex"}
_DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_FINGERPRINT = {
    "name": "fingerprint",
    "in": "path",
    "required": True,
    "schema": _DIGEST,
    "description": "SHA-256 of the design's canonical JSON",
}
_INVITATION = {
    "name": "Invitation",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 64},
    "description": "needed where the survey's status says invitations",
}
_SIGNATURE = {
    "name": "Signature",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 384},
    "description": "where the design has an issuer: 32 random bytes and the signature on them and the id, in base64url",
}
_TRADE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["invitation", "round", "blinded"],
    "properties": {
        "invitation": {"type": "string", "maxLength": 64},
        "round": {"type": "string", "enum": ["reply", "follow-up"]},
        "blinded": {"type": "string", "pattern": "^[0-9a-f]{512}$", "description": "the blinded id (RFC 9474), in hex"},
    },
}
_REPLY = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "design", "answers"],
    "properties": {
        "id": _HEX,
        "design": _DIGEST,
        "answers": {
            "type": "object",
            "description": "for every question the reported word or number, or null; and the name of each version",
            "additionalProperties": {"type": ["string", "number", "null"]},
        },
    },
}
_FOLLOW_UP = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "design", "model", "reported"],
    "properties": {
        "id": _HEX,
        "design": _DIGEST,
        "model": {**_DIGEST, "description": "SHA-256 of the published model and the digit's lottery, as in model.json"},
        "reported": {"type": "integer", "enum": [0, 1], "description": "1 if it was right, disguised by that lottery"},
    },
}
_STATE = {
    "type": "object",
    "required": ["open", "opens", "closes", "invitations", "model"],
    "properties": {
        "open": {"type": "boolean"},
        "opens": {"type": ["string", "null"], "format": "date"},
        "closes": {"type": ["string", "null"], "format": "date"},
        "invitations": {"type": "boolean"},
        "model": {"type": ["string", "null"]},
    },
}
_REFUSALS = {
    400: "these bytes are no reply to this design",
    403: "the invitation is unknown or spent, or there is none and the survey is for invited people",
    408: "the bytes came too slowly",
    409: "other bytes were stored under this id, or the follow-up is about another model",
    410: "the survey does not take replies at the moment",
    413: f"more than {MAX_BYTES:,} bytes",
    429: "too many wrong invitations; Retry-After says how long to wait",
}


def _json(words: str, schema: Schema | None = None) -> Schema:
    return {"description": words, "content": {"application/json": {"schema": schema or {"type": "object"}}}}


def _refusal(words: str) -> Schema:
    line = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
    return _json(words, line)


def _door(what: str, schema: Schema) -> Schema:
    received = {"type": "object", "required": ["received"], "properties": {"received": {"const": True}}}
    answers = {"201": _json("stored, and on disk", received), "200": _json("the same bytes were there", received)}
    answers |= {str(status): _refusal(words) for status, words in _REFUSALS.items()}
    answers |= _everywhere()
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    return {"summary": what, "parameters": [_INVITATION, _SIGNATURE], "requestBody": body, "responses": answers}


def _trade() -> Schema:
    signed = {"type": "object", "required": ["signature"], "properties": {"signature": {"type": "string"}}}
    answers = {"200": _json("the blind signature, in hex; the same again for the same", signed)}
    answers |= {str(status): _refusal(words) for status, words in _REFUSALS.items() if status != 409}
    body = {"required": True, "content": {"application/json": {"schema": _TRADE}}}
    what = "Trade an invitation for a blind signature on a reply's id"
    return {"summary": what, "requestBody": body, "responses": answers | _everywhere()}


def _expected() -> Schema:
    answers: Schema = {"204": {"description": "it would let a reply in; nothing is spent"}}
    answers |= {str(status): _refusal(words) for status, words in _REFUSALS.items() if status in (403, 408, 413, 429)}
    what = "Ask whether an invitation is known and not spent, before anything is asked"
    return {"summary": what, "parameters": [_INVITATION], "responses": answers | _everywhere()}


def _page(what: str, schema: Schema | None = None) -> Schema:
    return {"summary": what, "responses": {"200": _json(what, schema), **_everywhere()}}


def _everywhere() -> Schema:
    return {"404": _refusal("there is no such thing here"), "503": _refusal("the store does not answer; Retry-After")}


def _survey(path: str, methods: Schema) -> tuple[str, Schema]:
    return f"/survey/{{fingerprint}}/{path}", {
        "parameters": [{"$ref": "#/components/parameters/fingerprint"}],
        **methods,
    }


def description(fingerprints: list[str]) -> Schema:
    """The description of a site with these surveys."""
    known = {**_FINGERPRINT, "schema": {**_DIGEST, "enum": fingerprints}}
    return {**_DESCRIPTION, "components": {"parameters": {"fingerprint": known}}}


_DESCRIPTION: Schema = {
    "openapi": "3.1.0",
    "info": {
        "title": "A survey whose respondents can deny",
        "version": version("deniable"),
        "description": "Replies are disguised on the respondent's device. Sending the same bytes again is safe. "
        "Spaces may follow a reply; devices use them to give all replies of a design one length.",
    },
    "paths": dict(
        [
            _survey("design.json", {"get": _page("The design; its SHA-256 is the fingerprint")}),
            _survey("privacy.json", {"get": _page("What each respondent can deny")}),
            _survey("status.json", {"get": _page("Whether replies are taken", _STATE)}),
            _survey("model.json", {"get": _page("The model that is given back to respondents")}),
            _survey("replies", {"post": _door("Send a disguised reply", _REPLY)}),
            _survey(
                "follow-ups",
                {"post": _door("Tell whether the model was right, disguised, and nothing else", _FOLLOW_UP)},
            ),
            _survey("signatures", {"post": _trade()}),
            _survey("invitations", {"post": _expected()}),
            ("/health", {"get": _page("Whether the site is well")}),
            ("/openapi.json", {"get": _page("This description")}),
        ]
    ),
}
