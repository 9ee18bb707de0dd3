"""What version 0.1 wrote stays readable: its design file, its replies, its store and its model.

The files here were written by that version. Its fingerprint held the target, which is no part of the promise any more.
"""

from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from shutil import copy

import apsw
import pytest

import deniable as dn
from deniable.collect.places import open_store
from deniable.collect.reply import FollowUp, Reply
from deniable.collect.second_round import lottery_of, with_lottery
from deniable.collect.store import Arrival, Outcome
from deniable.count.replies import counts_of
from deniable.web.digits import digits_about
from deniable.web.site import Site

HERE = Path(__file__).parent
PROMISED = "1f49d35307a523f125251c87feee474b3c737decc357484aece25412ca6089ec"
SMOKERS = "0.4792 ± 0.0417, 95 % interval 0.3981 to 0.5606, n = 400"  # as that version told it


@pytest.fixture
def design():
    return dn.Design.load(HERE / "survey.toml")


@pytest.fixture
def store(tmp_path):
    copy(HERE / "store.sqlite", tmp_path)
    return f"sqlite:///{tmp_path}/store.sqlite"


def aimed_at(design, target):
    return dn.Design(design.channels, target=target, title=design.title)


def test_the_target_is_no_part_of_the_promise(design):
    others = [aimed_at(design, target) for target in (None, "smokes", "drinks")]
    assert {each.fingerprint for each in others} == {design.fingerprint}
    assert design.fingerprint != PROMISED
    assert all(PROMISED in each.fingerprints for each in (design, *others))
    assert aimed_at(design, None).to_json() == design.to_json()


def test_its_store_and_its_replies_are_read_whatever_the_target(design, store):
    for each in (design, aimed_at(design, "drinks"), aimed_at(design, None)):
        for replies in (store, HERE / "replies.csv"):
            assert str(dn.estimate(each, replies, "smokes == 'yes'")) == SMOKERS
    fitted = dn.NaiveBayes(design).fit(store)
    assert fitted.priors_.tolist() == dn.NaiveBayes(design).fit(HERE / "replies.csv").priors_.tolist()


def test_its_model_is_scored(design, store):
    tree = dn.load_model(HERE / "tree.json")
    assert str(dn.score(tree, design, store)) == str(dn.score(tree, design, HERE / "replies.csv"))


def test_its_survey_is_served_as_it_was_promised(design, store):
    site = Site([aimed_at(design, None)], store, "http://127.0.0.1:8000")
    survey = site.surveys[PROMISED]
    assert list(site.surveys) == [PROMISED]
    assert sha256(survey.published).hexdigest() == PROMISED
    with open_store(store) as opened:
        assert opened.surveys() == [PROMISED]
        assert opened.enrol(design).fingerprint == PROMISED
        assert opened.keep([Arrival(PROMISED, Reply(token_bytes(16), b"", (0, 1, 1)))]) == [Outcome.STORED]
    assert counts_of(design, store).n == 401


def test_its_digits_are_read_as_they_were_undisguised(design, store):
    connection = apsw.Connection(store.removeprefix("sqlite:///"))
    ((digest,),) = connection.execute("select model from surveys")
    rows = [(token_bytes(16), b"", PROMISED, digest, int(index < 30)) for index in range(40)]
    connection.executemany("insert into follow_ups values (?, ?, ?, ?, ?)", rows)
    connection.close()
    with open_store(store) as opened:
        assert not opened.state(PROMISED).tested
        assert opened.keep([Arrival(PROMISED, FollowUp(token_bytes(16), b"", digest, True))]) == [Outcome.OTHER_MODEL]
        model, digits = opened.model(PROMISED), opened.follow_ups(PROMISED, digest)
        found = digits_about(design, model, digits)
        assert (digits, found.lottery, found.accuracy.value) == ((40, 30), None, 0.75)
        assert "harmless personal answers" in found.accuracy.note
        again = opened.publish(PROMISED, with_lottery(model, lottery_of(1)))
        assert opened.keep([Arrival(PROMISED, FollowUp(token_bytes(16), b"", again, True))]) == [Outcome.STORED]
        assert (opened.follow_ups(PROMISED, again), opened.follow_ups(PROMISED, digest)) == ((1, 1), (40, 30))


def test_a_new_survey_is_promised_in_the_new_way(design, tmp_path):
    with open_store(f"sqlite:///{tmp_path}/new.sqlite") as opened:
        assert opened.enrol(design).fingerprint == design.fingerprint
        assert opened.surveys() == [design.fingerprint]
        assert opened.enrol(aimed_at(design, "drinks")).fingerprint == design.fingerprint


def test_another_design_does_not_pass_for_it(design, store):
    other = dn.Design([dn.warner(0.81, dn.yes_no("smokes")), *design.channels[1:]], target="leave", title=design.title)
    with pytest.raises(dn.DeniableError, match="no survey"):
        dn.estimate(other, store, "smokes == 'yes'")
    with pytest.raises(dn.DeniableError, match="design"):
        dn.estimate(other, HERE / "replies.csv", "smokes == 'yes'")
