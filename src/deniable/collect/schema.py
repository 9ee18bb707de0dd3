"""The tables of a store, and how an older store becomes a newer one.

Migrations are numbered, run once each, in one transaction with the number they lead to. A store of a newer version
of the program is refused rather than guessed at.
"""

from deniable.channel.design import Design
from deniable.collect.database import Database
from deniable.errors import BadRequest, NewerStore

MAX_QUESTIONS = 1_500  # columns of a table, in every database we use
MARK_DIGITS = 16

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "create table surveys (fingerprint text primary key, title text not null, design text not null, opens text, "
        "closes text, invitations integer not null default 0, model text)",
        "create table models (digest text primary key, survey text not null, model text not null)",
        "create table invitations (hash {bytes} primary key, survey text not null, round text not null) {keyed}",
        "create table follow_ups (id {bytes} primary key, digest {bytes} not null, survey text not null, "
        "model text not null, correct integer not null) {keyed}",
        "create table secrets (name text primary key, value text not null)",
    ),
    (  # digits are disguised by a lottery that their model names; those about older models were not
        "alter table models add column tested integer not null default 0",
        "alter table follow_ups rename column correct to reported",
    ),
    (  # invitations are traded for blind signatures; a survey's keys belong to its design, which is known without them
        "create table if not exists issuers (survey text primary key, design text not null unique, "
        "reply text not null, follow_up text not null)",
        "create table if not exists trades (hash {bytes} primary key, survey text not null, round text not null, "
        "blinded {bytes} not null) {keyed}",
        "create table if not exists waiting (id {bytes} primary key, survey text not null, round text not null, "
        "newer integer not null) {keyed}",
        "create table if not exists closed (survey text primary key)",
        "create table if not exists erased (survey text primary key, day text not null)",
    ),
)


def migrate(database: Database) -> None:
    """Bring a store up to this version; one that is, is only read."""
    if database.has_table("deniable_schema") and _version(database) == len(MIGRATIONS):
        return
    with database.transaction():
        database.run("create table if not exists deniable_schema (version integer not null)")
        version = _version(database)
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                database.run(statement.format(**database.dialect))
        database.run("delete from deniable_schema")
        database.run("insert into deniable_schema values (?)", (len(MIGRATIONS),))


def _version(database: Database) -> int:
    rows = database.run("select version from deniable_schema")
    version = int(rows[0][0]) if rows else 0
    if version > len(MIGRATIONS):
        raise NewerStore(version, len(MIGRATIONS))
    return version


def reply_table(fingerprint: str) -> str:
    """The name of a survey's table of replies."""
    return f"replies_{fingerprint[:MARK_DIGITS]}"


def reply_columns(design: Design) -> str:
    """The statement that makes room for a design's replies."""
    if len(design.columns) > MAX_QUESTIONS:
        count = f"{len(design.columns):,}"
        raise BadRequest("a stored design", f"one of at most {MAX_QUESTIONS:,} questions", count, "split the survey")
    kinds = ["{double}" if design.reported(name).is_number else "smallint not null" for name in design.columns]
    columns = ", ".join(f"q{index} {kind}" for index, kind in enumerate(kinds))
    keys = "id {bytes} primary key, digest {bytes} not null"
    return f"create table if not exists {reply_table(design.fingerprint)} ({keys}, {columns}) {{keyed}}"
