"""Every store keeps replies alike: once, whole, and without a trace of who sent them."""

import hashlib
from datetime import date, timedelta
from secrets import token_bytes

import pytest

import deniable as dn
from deniable.collect.database import Database
from deniable.collect.invitation import new_invitation
from deniable.collect.places import open_store
from deniable.collect.reply import FollowUp, Reply
from deniable.collect.schema import MIGRATIONS
from deniable.collect.second_round import lottery_of, with_lottery
from deniable.collect.state import State, today
from deniable.collect.store import Arrival, Outcome
from deniable.errors import BadRequest, NewerStore, UnknownSurvey

DESIGN = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.clear(dn.number("age", 0, 99, omit=True))], title="Health")
SURVEY = DESIGN.fingerprint
TESTED = with_lottery('{"kind": "tree"}', lottery_of(1))


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        opened.enrol(DESIGN)
        yield opened


def reply(values=(1, 30.0), name=None):
    name = name or token_bytes(16)
    return Reply(name, hashlib.sha256(repr((name, values)).encode()).digest(), values)


def arrival(told=None, invitation=None, survey=SURVEY):
    return Arrival(survey, told or reply(), invitation)


def test_a_reply_is_stored_once_however_often_it_comes(store):
    once = arrival()
    assert store.keep([once]) == [Outcome.STORED]
    assert store.keep([once, once]) == [Outcome.KNOWN, Outcome.KNOWN]
    assert store.count(SURVEY) == 1


def test_twins_in_one_batch_are_one_reply(store):
    twin = arrival()
    outcomes = store.keep([twin, arrival(), twin, twin])
    assert sorted(outcomes, key=str) == [Outcome.KNOWN] * 2 + [Outcome.STORED] * 2
    assert store.count(SURVEY) == 2


def test_what_is_met_again_in_a_large_batch_is_told_apart(store):
    """Many rows go into one statement; one that was there before must not spoil the others."""
    batch = [arrival(reply()) for _ in range(150)]
    assert store.keep([batch[100], batch[3]]) == [Outcome.STORED] * 2
    outcomes = store.keep([*batch, batch[70]])
    assert [index for index, outcome in enumerate(outcomes[:150]) if outcome is Outcome.KNOWN] in (
        [3, 100],
        [3, 70, 100],
    )
    assert sorted([outcomes[70].name, outcomes[150].name]) == ["KNOWN", "STORED"]
    assert store.count(SURVEY) == 150


def test_other_bytes_under_the_same_id_are_refused_and_change_nothing(store):
    first = reply((1, 30.0))
    store.keep([arrival(first)])
    assert store.keep([arrival(reply((0, 31.0), first.id))]) == [Outcome.DIFFERENT]
    assert list(store.grouped(SURVEY, [0, 1])) == [(1, 30.0, 1)]


def test_what_was_stored_comes_back_grouped(store):
    store.keep([arrival(reply(values)) for values in [(1, 30.0), (1, 30.0), (0, None), (0, 12.5)]])
    assert sorted(store.grouped(SURVEY, [0])) == [(0, 2), (1, 2)]
    assert sorted(store.grouped(SURVEY, [1, 0]), key=str) == [(12.5, 0, 1), (30.0, 1, 2), (None, 0, 1)]


def test_two_surveys_keep_to_themselves(store):
    other = dn.Design([dn.forced(0.1, 0.2, dn.yes_no("x"))])
    store.enrol(other)
    store.enrol(other)
    store.keep([arrival(), arrival(reply((0,)), survey=other.fingerprint)])
    assert (store.count(SURVEY), store.count(other.fingerprint)) == (1, 1)
    assert store.surveys() == sorted([SURVEY, other.fingerprint])


def test_a_survey_that_is_not_there_is_named(store):
    assert store.keep([arrival(survey="f" * 64)]) == [Outcome.NO_SURVEY]
    with pytest.raises(UnknownSurvey, match=f"no survey ffffffffffffffff in this store, it has {SURVEY[:16]}"):
        store.count("f" * 64)


# ---------------------------------------------------------------- days


@pytest.mark.parametrize(
    ("opens", "closes", "is_open"),
    [(None, None, True), (0, 0, True), (1, None, False), (None, -1, False), (-3, 3, True)],
)
def test_replies_are_taken_between_the_days(store, opens, closes, is_open):
    opens, closes = (None if days is None else (today() + timedelta(days)).isoformat() for days in (opens, closes))
    store.schedule(SURVEY, opens, closes)
    assert store.keep([arrival()]) == [Outcome.STORED if is_open else Outcome.CLOSED]
    assert store.state(SURVEY).to_json()["open"] is is_open


def test_what_was_acknowledged_is_still_known_after_the_last_day(store):
    once = arrival()
    store.keep([once])
    store.schedule(SURVEY, None, "2000-01-01")
    assert store.keep([once]) == [Outcome.KNOWN]


def test_days_that_are_none_are_refused(store):
    with pytest.raises(BadRequest, match="opens must be a day such as 2026-12-31, got 'soon'"):
        store.schedule(SURVEY, "soon", None)
    with pytest.raises(BadRequest, match="closes must be no day before 2026-05-02, got '2026-05-01'"):
        store.schedule(SURVEY, "2026-05-02", "2026-05-01")


def test_both_days_belong_to_the_survey():
    state = State(date(2026, 5, 1), date(2026, 5, 2))
    assert [state.is_open(date(2026, 4, 30) + timedelta(days)) for days in range(4)] == [False, True, True, False]


# ---------------------------------------------------------------- invitations


def test_an_invitation_lets_one_reply_in(store):
    invitation = new_invitation()
    store.invite(SURVEY, [invitation, new_invitation()])
    first = arrival(invitation=invitation)
    assert store.keep([arrival()]) == [Outcome.NOT_INVITED]
    assert store.keep([arrival(invitation="guess")]) == [Outcome.NOT_INVITED]
    assert store.keep([first, arrival(invitation=invitation)]).count(Outcome.STORED) == 1
    assert store.keep([arrival(invitation=invitation)]) == [Outcome.NOT_INVITED]
    assert store.count(SURVEY) == 1
    assert store.invited(SURVEY) == (2, 1)


def test_a_reply_with_a_spent_invitation_is_still_acknowledged_again(store):
    invitation = new_invitation()
    store.invite(SURVEY, [invitation])
    once = arrival(invitation=invitation)
    assert [*store.keep([once]), *store.keep([once])] == [Outcome.STORED, Outcome.KNOWN]


def test_an_invitation_to_one_survey_is_none_to_another(store):
    other = dn.Design([dn.forced(0.1, 0.2, dn.yes_no("x"))])
    store.enrol(other)
    invitation = new_invitation()
    store.invite(SURVEY, [invitation])
    store.invite(other.fingerprint, [new_invitation()])
    assert store.keep([arrival(reply((0,)), invitation, other.fingerprint)]) == [Outcome.NOT_INVITED]


def test_an_invitation_serves_once_per_round(store):
    invitation = new_invitation()
    store.invite(SURVEY, [invitation])
    digest = store.publish(SURVEY, TESTED)
    follow_up = FollowUp(token_bytes(16), b"x", digest, True)
    assert store.keep([arrival(invitation=invitation)]) == [Outcome.STORED]
    assert store.keep([arrival(follow_up, invitation)]) == [Outcome.STORED]
    assert store.keep([arrival(FollowUp(token_bytes(16), b"x", digest, True), invitation)]) == [Outcome.NOT_INVITED]


# ---------------------------------------------------------------- models, secrets, care


def test_a_model_is_published_as_the_very_text_and_taken_back(store):
    text = '{"kind": "tree", "words": "größer"}'
    assert store.publish(SURVEY, text) == hashlib.sha256(text.encode()).hexdigest()
    assert store.model(SURVEY) == text
    store.publish(SURVEY, None)
    assert (store.model(SURVEY), store.state(SURVEY).model) == (None, None)


def test_digits_are_about_the_published_model(store):
    old, new = store.publish(SURVEY, TESTED), store.publish(SURVEY, with_lottery("{}", lottery_of(2)))
    told = [FollowUp(token_bytes(16), b"x", model, right) for model, right in [(old, 1), (new, 1), (new, 0), (new, 1)]]
    assert store.keep([arrival(each) for each in told]) == [Outcome.OTHER_MODEL] + [Outcome.STORED] * 3
    assert (store.follow_ups(SURVEY, new), store.follow_ups(SURVEY, old)) == ((3, 2), (0, 0))


def test_without_a_lottery_no_digits_are_taken(store):
    hardly = with_lottery("{}", dn.Design([dn.warner(0.99, dn.yes_no("right", "Was the model right about you?"))]))
    for text in ('{"kind": "tree"}', '{"round": {}}', "no JSON", hardly):
        digest = store.publish(SURVEY, text)
        assert store.keep([arrival(FollowUp(token_bytes(16), b"x", digest, True))]) == [Outcome.OTHER_MODEL]
        assert not store.state(SURVEY).tested
    digest = store.publish(SURVEY, TESTED)
    assert store.state(SURVEY) == State(model=digest, tested=True)
    assert store.keep([arrival(FollowUp(token_bytes(16), b"x", digest, True))]) == [Outcome.STORED]


def test_a_lottery_cannot_be_changed_under_the_same_hash(store):
    texts = [with_lottery("{}", lottery_of(epsilon)) for epsilon in (0.5, 1, 1.0000001, 4)]
    digests = [store.publish(SURVEY, text) for text in texts]
    assert digests == [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    assert len(set(digests)) == len(texts)


def test_a_digit_is_stored_once_however_often_it_comes(store):
    digest = store.publish(SURVEY, TESTED)
    once = FollowUp(token_bytes(16), b"x", digest, True)
    assert [*store.keep([arrival(once)]), *store.keep([arrival(once)])] == [Outcome.STORED, Outcome.KNOWN]
    assert store.keep([arrival(FollowUp(once.id, b"y", digest, False))]) == [Outcome.DIFFERENT]
    assert store.follow_ups(SURVEY, digest) == (1, 1)


def test_the_digits_of_version_0_1_stay_readable_and_get_no_others(store, store_url):
    old = store.publish(SURVEY, '{"kind": "tree"}')
    database: Database = store._database
    for statement in (  # back to what that version had
        "alter table models drop column tested",
        "alter table follow_ups rename column reported to correct",
        "update deniable_schema set version = 1",
    ):
        database.run(statement)
    rows = [(token_bytes(16), b"x", SURVEY, old, right) for right in (1, 0, 1)]
    database.insert_each("insert into follow_ups values (?, ?, ?, ?, ?) on conflict do nothing", rows)
    with open_store(store_url) as opened:
        assert opened._database.run("select version from deniable_schema") == [(len(MIGRATIONS),)]
        assert opened.follow_ups(SURVEY, old) == (3, 2)
        assert opened.keep([arrival(FollowUp(token_bytes(16), b"x", old, True))]) == [Outcome.OTHER_MODEL]
        assert opened.keep([arrival(FollowUp(token_bytes(16), b"x", opened.publish(SURVEY, TESTED), True))]) == [
            Outcome.STORED
        ]
        assert opened.follow_ups(SURVEY, old) == (3, 2)


def test_secrets_are_kept_and_changed(store):
    assert store.secret("password") is None
    store.set_secret("password", "a")
    store.set_secret("password", "b")
    assert store.secret("password") == "b"


def test_settling_changes_no_reply(store):
    kept = [arrival(reply((place % 2, float(place % 7)))) for place in range(50)]
    store.keep(kept)
    before = sorted(store.grouped(SURVEY, [0, 1]))
    store.settle()
    assert sorted(store.grouped(SURVEY, [0, 1])) == before
    assert store.keep(kept) == [Outcome.KNOWN] * 50


def test_a_store_opens_again_and_a_newer_one_is_refused(store_url):
    for _ in range(2):
        open_store(store_url).close()
    store = open_store(store_url)
    database: Database = store._database
    database.run("update deniable_schema set version = ?", (len(MIGRATIONS) + 1,))
    store.close()
    with pytest.raises(NewerStore, match="use a newer version of deniable"):
        open_store(store_url)


def test_a_backup_is_a_store(store, tmp_path):
    store.keep([arrival()])
    store.backup(tmp_path / "copy.sqlite")
    with open_store(f"sqlite:///{tmp_path}/copy.sqlite") as copy:
        assert copy.count(SURVEY) == 1


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("mysql://here", "the store must be sqlite:///FILE or postgresql"),
        ("sqlite://file", "sqlite:///FILE"),
        ("sqlite:///", "sqlite:///FILE"),
        ("sqlite:////no/such/folder/store", "its folder does not exist"),
        ("postgresql://nobody@127.0.0.1:1/none", "the store postgresql://127.0.0.1/none does not answer"),
    ],
)
def test_urls_that_lead_nowhere_are_refused_in_one_line(url, problem):
    with pytest.raises(dn.DeniableError, match=problem) as refused:
        open_store(url)
    assert "\n" not in str(refused.value)
