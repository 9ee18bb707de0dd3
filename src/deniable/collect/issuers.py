"""Issuers of a store: surveys whose invitations are traded for signatures, and their keys.

A design file knows nothing of keys; they are made in the store, and with them the design has another fingerprint. So
the store remembers which design has which keys, and finds the survey that a file means.
"""

from deniable.channel.design import Design
from deniable.collect.database import Database
from deniable.collect.issuing import SecretKey, SecretKeys
from deniable.collect.schema import reply_columns, reply_table
from deniable.errors import BadRequest


def keys_of(database: Database, survey: str) -> SecretKeys | None:
    """The secret keys of a survey, if it has some."""
    for reply, follow_up in database.run("select reply, follow_up from issuers where survey = ?", (survey,)):
        return SecretKeys(SecretKey.read(reply), SecretKey.read(follow_up))
    return None


def with_keys(database: Database, design: Design) -> Design:
    """A design with the public keys that this store has made for it, if it has."""
    if design.issuer is None:
        for (survey,) in database.run("select survey from issuers where design = ?", (design.fingerprint,)):
            keys = keys_of(database, survey)
            assert keys is not None
            return design.issued_by(keys.public)
    elif keys_of(database, design.fingerprint) is None:
        expected = "the one in which the keys of this design were made"
        raise BadRequest("the store", expected, "another", "name that store, or take [issuer] out of the design")
    return design


def make_keys(database: Database, design: Design) -> Design:
    """Make a design's keys, inside a transaction; a survey of it without keys, which nobody answered, makes room."""
    keys = SecretKeys.new()
    made = design.issued_by(keys.public)
    row = (made.fingerprint, design.fingerprint, keys.reply.text(), keys.follow_up.text())
    database.run("insert into issuers (survey, design, reply, follow_up) values (?, ?, ?, ?)", row)
    statement = "update surveys set fingerprint = ?, design = ? where fingerprint = ?"
    if database.changed(statement, (made.fingerprint, made.to_json(), design.fingerprint)):
        database.run(f"drop table {reply_table(design.fingerprint)}")
        database.run(reply_columns(made).format(**database.dialect))
    return made
