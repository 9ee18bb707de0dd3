"""Mistakes that people make once: each gets one line that names the way out."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn

SMOKES, DRINKS, LEAVE = dn.yes_no("smokes"), dn.Question("drinks", ["never", "weekly", "daily"]), dn.yes_no("leave")
AGE = dn.number("age", 18, 80)
DESIGN = dn.Design([dn.warner(0.8, SMOKES), dn.k_ary(0.7, DRINKS), dn.warner(0.8, LEAVE)], target="leave")
RNG = np.random.default_rng(1)
REPLIES = pd.DataFrame({question.name: RNG.choice(question.answers, 300) for question in DESIGN.questions})
ONE_HOT = pd.get_dummies(REPLIES[["smokes", "drinks"]]).assign(leave=REPLIES["leave"])
TWO_ANSWERS = [dn.yes_no(name) for name in "abc"]


def fitted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dn.NaiveBayes(DESIGN).fit(REPLIES[["smokes", "drinks"]], REPLIES["leave"])


def refusal(call):
    with pytest.raises(dn.DeniableError) as refused:
        call()
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"smokes": 0.8}, "dict"),
        ("survey.toml", "str"),
        ([SMOKES], "Question"),
        (SMOKES, "Question"),
        ([{"scheme": "warner"}], "dict"),
        ({dn.warner(0.8, SMOKES), dn.warner(0.7, LEAVE)}, "set"),  # its order, and so the fingerprint, is chance
        (None, "NoneType"),
    ],
)
def test_a_design_of_anything_but_channels_says_how_to_make_one(given, kind):
    told = refusal(lambda: dn.Design(given))
    assert f"must be a list of channels, got '{kind}'" in told
    assert "dn.Design([dn.warner(0.8, dn.yes_no('smokes'))])" in told
    assert "dn.Design.load" in told


@pytest.mark.parametrize(
    "call",
    [
        lambda: dn.estimate(DESIGN, ONE_HOT, "smokes == 'yes'"),
        lambda: dn.table(DESIGN, ONE_HOT, ["leave", "smokes"]),
        lambda: dn.estimate(DESIGN, pl.from_pandas(ONE_HOT).lazy(), "smokes == 'yes'"),
        lambda: dn.disguise(DESIGN, ONE_HOT),
        lambda: dn.TreeClassifier(DESIGN).fit(ONE_HOT.drop(columns="leave"), ONE_HOT["leave"]),
        lambda: dn.NaiveBayes(DESIGN).fit(ONE_HOT),
        lambda: dn.NaiveBayes(DESIGN).fit(pd.get_dummies(REPLIES, columns=["smokes"])),  # drinks alone would do
        lambda: dn.TreeClassifier(DESIGN).fit(pl.from_pandas(ONE_HOT).lazy(), "leave"),
        lambda: dn.score(fitted(), DESIGN, ONE_HOT),
        lambda: dn.score(fitted(), DESIGN, pd.get_dummies(REPLIES)),  # no question has a column
        lambda: fitted().predict(ONE_HOT),
    ],
)
def test_one_hot_columns_are_known_as_such(call):
    told = refusal(call)
    assert "smokes_no" in told
    assert "smokes_yes" in told
    assert "one-hot" in told
    assert "pandas.from_dummies" in told
    assert "one column 'smokes'" in told


def test_questions_without_a_column_are_not_learnt_from():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = dn.NaiveBayes(DESIGN).fit(REPLIES[["smokes", "leave"]].assign(drinks_at=1))
    assert found.columns_.names == ("smokes",)


@pytest.mark.parametrize("target", [pd.get_dummies(REPLIES["leave"]), pd.get_dummies(REPLIES["leave"]).to_numpy()])
def test_a_one_hot_target_is_known_as_such(target):
    told = refusal(lambda: dn.TreeClassifier(DESIGN).fit(REPLIES[["smokes", "drinks"]], target))
    assert "y must be one column with the answers to leave, got '2 columns'" in told
    assert "pandas.from_dummies(y)" in told


@pytest.mark.parametrize("amount", [[0.5], "0.5", float("nan"), float("inf"), True])
@pytest.mark.parametrize("key", ["privacy", "sd"])
def test_noise_of_no_amount_is_refused_in_one_line(key, amount):
    told = refusal(lambda: dn.gaussian(dn.number("age", 18, 80), **{key: amount}))
    assert "the noise on 'age'" in told
    assert "%" not in told  # nobody meant a percentage


@pytest.mark.parametrize(
    "call",
    [
        lambda replies: dn.attack(DESIGN, replies),
        lambda replies: dn.estimate(DESIGN, replies),
        lambda replies: dn.TreeClassifier(DESIGN).fit(replies, "leave"),
        lambda replies: dn.rules(DESIGN, replies, min_support=0.1),
        lambda replies: dn.score(fitted(), DESIGN, replies),
    ],
)
@pytest.mark.parametrize("kind", ["frame", "lazy", "csv", "parquet"])
@pytest.mark.filterwarnings("ignore:.* does not say under which design")
def test_replies_to_other_questions_are_refused_by_name(call, kind, tmp_path):
    other = pl.DataFrame({"voted": ["yes", "no"] * 20, "party": ["a", "b"] * 20})
    other.write_csv(tmp_path / "other.csv")
    other.write_parquet(tmp_path / "other.parquet")
    replies = {"frame": other, "lazy": other.lazy()}.get(kind, tmp_path / f"other.{kind}")
    told = refusal(lambda: call(replies))
    assert "no column for question" in told
    assert "the columns are voted, party" in told


def test_what_the_way_out_of_one_hot_columns_says_works():
    back = pd.from_dummies(ONE_HOT[["smokes_no", "smokes_yes"]], sep="_")
    assert (back["smokes"] == REPLIES["smokes"]).all()


@pytest.mark.parametrize("columns", [["age_group", "smoker"], ["smokes_", "smok"], ["leave_yes"]])
def test_other_columns_are_not_taken_for_one_hot(columns):
    data = pd.DataFrame(dict.fromkeys(columns, ["yes"] * 5))
    assert "one-hot" not in refusal(lambda: dn.estimate(DESIGN, data, "smokes == 'yes'"))


@pytest.mark.parametrize("noise", [dn.gaussian, dn.uniform])
@pytest.mark.parametrize("privacy", [40, 50, 95])
def test_privacy_as_a_percentage_is_refused_in_its_own_words(noise, privacy):
    told = refusal(lambda: noise(AGE, privacy=privacy))
    assert f"privacy = {privacy}" in told
    assert f"write {privacy / 100:g} for {privacy} %" in told


@pytest.mark.parametrize("noise", [dn.gaussian, dn.uniform])
def test_privacy_that_could_be_a_percentage_is_doubted(noise):
    with pytest.warns(UserWarning, match=r"privacy = 10, which is 10 times its range.*write 0\.1 for 10 %"):
        noise(AGE, privacy=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        noise(AGE, privacy=2)  # as far as the papers go
        noise(AGE, privacy=4)


@pytest.mark.parametrize("group", [TWO_ANSWERS[:2], TWO_ANSWERS])
def test_k_ary_of_two_answers_at_one_half_says_what_it_is_and_offers_draw(group):
    told = refusal(lambda: dn.k_ary(0.5, *group))
    assert "hides the answers completely" not in told
    assert "Warner" in told
    assert "draw" in told
    assert dn.draw(0.5, *group).theta == pytest.approx(0.5)


def test_k_ary_elsewhere_is_what_it_was():
    assert np.allclose(dn.k_ary(0.6, *TWO_ANSWERS).matrix(), dn.warner(0.6, *TWO_ANSWERS).matrix())
    told = [dn.privacy(dn.Design([scheme(0.6, *TWO_ANSWERS)])) for scheme in (dn.k_ary, dn.warner)]
    assert "Whoever knows one true answer learns the others" in str(told[0])
    assert str(told[0]) == str(told[1])
    assert "hides the answers completely" in refusal(lambda: dn.k_ary(0.5, SMOKES))
    assert "hides the answers completely" in refusal(lambda: dn.k_ary(1 / 3, DRINKS))


@pytest.mark.parametrize(("theta", "hidden"), [(0.5, "smokes"), (1 / 3, "drinks")])
def test_k_ary_of_unlike_questions_names_the_one_it_hides(theta, hidden):
    """Every answer to it is reported alike, whatever is true; the other's shares are told."""
    told = refusal(lambda: dn.k_ary(theta, SMOKES, DRINKS))
    assert f"the channel on smokes, drinks hides the answers to {hidden} completely" in told
