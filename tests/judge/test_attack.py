"""What a clever collector finds out, against closed forms and the bound of epsilon."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import deniable as dn
from deniable.deniability.epsilon import reply_epsilon
from deniable.judge.attack import Bounds
from deniable.judge.believed import Population
from deniable.judge.simulate import simulated_replies
from deniable.papers.data import adult, binary
from deniable.report.judged import attack_page
from laws.versions_family import DRAWN

A = dn.yes_no("a")


def people(n, seed):
    """Six answers that go together."""
    rng = np.random.default_rng(seed)  # which a generator goes through as it is
    kind = rng.random(n) < 0.35
    return pd.DataFrame({f"q{i}": np.where(rng.random(n) < np.where(kind, 0.85, 0.1), "yes", "no") for i in range(6)})


QUESTIONS = [dn.yes_no(f"q{i}") for i in range(6)]
FINITE = {
    "a lottery each": lambda p: dn.Design([dn.warner(0.5 + p / 3, each) for each in QUESTIONS]),
    "one joint draw": lambda p: dn.Design([dn.draw(p, *QUESTIONS)]),
    "versions": lambda p: dn.Design([dn.draw(dn.epsilon(2), *QUESTIONS, always=["q0"], ask=2)]),
    "cards": lambda p: dn.Design([dn.hadamard(dn.epsilon(1), each) for each in QUESTIONS[:3]]),
}


@pytest.mark.parametrize("name", FINITE)
def test_no_reply_moves_odds_by_more_than_epsilon_allows(name):
    """Every pair of records, every reply: posterior odds at most e^epsilon times the prior odds."""
    design = FINITE[name](0.6)
    names = design.names
    rng = np.random.default_rng(0)
    cells = np.array(list(np.ndindex(*[2] * len(names)))).T
    population = Population(tuple(design.questions), cells, rng.dirichlet(np.ones(cells.shape[1])))
    replies = simulated_replies(design, population.drawn(400, rng), rng)
    found = population.beliefs(design, [replies]).chances / population.shares
    ratios = np.log(found.max(axis=1) / found.min(axis=1))
    assert ratios.max() <= reply_epsilon(design) + 1e-9
    assert ratios.max() > 0.5 * reply_epsilon(design)
    assert population.beliefs(design, [replies]).odds_moved == pytest.approx(np.exp(ratios.max()))


WITH_CERTAINTIES = {
    "one Warner draw for all": dn.Design([dn.warner(0.7, *QUESTIONS)]),
    "forced yes, and a draw for two": dn.Design(
        [dn.forced(0.0, 0.3, QUESTIONS[0]), dn.draw(0.4, *QUESTIONS[1:3]), dn.clear(*QUESTIONS[3:])]
    ),
}


@pytest.mark.parametrize("design", [*(make(0.6) for make in FINITE.values()), *WITH_CERTAINTIES.values()])
def test_beliefs_are_bayes_rule_record_by_record(design):
    """Against products of chances, one reply and one record at a time; a quarter of the records do not exist."""
    rng = np.random.default_rng(3)
    cells = np.array(list(np.ndindex(*[2] * len(design.names)))).T
    cells = cells[:, rng.random(cells.shape[1]) < 0.75]
    population = Population(tuple(design.questions), cells, rng.dirichlet(np.ones(cells.shape[1])))
    waves = [simulated_replies(design, population.drawn(12, rng), rng) for _ in range(2)]
    found = population.beliefs(design, waves).chances
    for reply in range(12):
        chances = population.shares.copy()
        for wave in waves:
            for block in design.blocks:
                version = block.versions[0 if block.column is None else wave.columns[block.column][reply]]
                for channel in version.channels:
                    reported = [int(wave.columns[name][reply]) for name in channel.names]
                    true = [cells[design.names.index(name)] for name in channel.names]
                    chances *= sum(
                        chance * np.prod([channel.kernels(name)[a, r, x] for name, r, x in
                                          zip(channel.names, reported, true, strict=True)], axis=0)
                        for a, chance in enumerate(channel.chances)
                    )  # fmt: skip
        expected = chances / chances.sum() if chances.sum() > 0 else population.shares
        assert found[reply] == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", FINITE)
def test_the_attack_shows_odds_within_its_bounds(name, figure):
    """What is guessed, what the odds moved by, and what epsilon lets through; guesses counted on 1,000 people."""
    truth, design = people(4000, 8), FINITE[name](0.6)
    found = dn.attack(design, dn.disguise(design, truth, seed=4), truth)
    assert found.odds_moved <= np.exp(reply_epsilon(design)) * (1 + 1e-9)
    chance = 4.5 * np.sqrt(0.25 / 1000)
    figure(f"{name}: records guessed, at most", (round(found.records.guessed, 3), round(found.bounds.records, 3)))
    assert found.answers.guessed <= found.bounds.answers + chance
    assert found.records.guessed <= found.bounds.records + chance
    assert set(found.to_json()) >= {"answers", "records", "waves", "fakes"}
    assert set(found.to_json()["answers"]) == set(found.to_json()["records"]) == {"guessed", "from_margins"}
    told = float(re.search(r"more than ([\d,.]+) times", str(found))[1].replace(",", ""))
    assert np.exp(reply_epsilon(design)) * (1 - 1e-6) <= told < np.exp(reply_epsilon(design)) + 0.2


@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
@pytest.mark.parametrize("likeliest", [0.3, 0.6])
def test_bounds_are_reached_by_a_question_of_two_answers(epsilon, likeliest):
    """A Warner question is guessed by its report or its share, whichever is more often right; never above the bound."""
    population = Population((A,), np.array([[0, 1]]), np.array([1 - likeliest, likeliest]))
    bound = Bounds.of(population, epsilon)
    most = max(likeliest, 1 - likeliest)
    assert bound.answers == bound.records == pytest.approx(np.exp(epsilon) * most / (1 + np.expm1(epsilon) * most))
    theta = np.exp(epsilon) / (1 + np.exp(epsilon))
    assert max(theta, most) <= bound.answers
    assert Bounds.of(population, np.inf) == Bounds(1.0, 1.0)


HARD = {
    "answers that go together": lambda rng, n: people(n, rng),
    "answers that do not": lambda rng, n: pd.DataFrame(
        {f"q{i}": np.where(rng.random(n) < 0.1 + 0.08 * i, "yes", "no") for i in range(6)}
    ),
    "nearly all alike": lambda rng, n: pd.DataFrame(
        {f"q{i}": np.where(rng.random(n) < 0.12, "yes", "no") for i in range(6)}
    ),
}
NOISY = {
    "a lottery each, theta .6": dn.Design([dn.warner(0.6, each) for each in QUESTIONS]),
    "a lottery each, epsilon 1 in all": dn.Design([dn.warner(dn.epsilon(1 / 6), each) for each in QUESTIONS]),
    "versions, epsilon 1": dn.Design([dn.draw(dn.epsilon(1), *QUESTIONS, always=["q0"], ask=2)]),
}


@pytest.mark.parametrize("truth", HARD)
@pytest.mark.parametrize("name", NOISY)
def test_a_clever_collector_never_guesses_worse_than_from_shares(name, truth, figure):
    """Over 20 surveys of 2,000 people, where noise exceeds what there is to learn; one in 10,000 fails by chance."""
    design, found = NOISY[name], []
    for seed in range(20):
        true = HARD[truth](np.random.default_rng(seed), 2000)
        found.append(dn.attack(design, dn.disguise(design, true, seed=seed), true))
    for kind in ("answers", "records"):
        ahead = np.array([getattr(each, kind).guessed - getattr(each, kind).from_margins for each in found])
        figure(f"{name}, {truth}: {kind} ahead of guessing from shares", round(float(ahead.mean()), 3))
        assert ahead.mean() > -3.7 * max(ahead.std() / np.sqrt(len(ahead)), 0.002)
        assert max(each.records.guessed - each.bounds.records for each in found) < 4.5 * np.sqrt(0.25 / 1000)


@pytest.mark.studies
def test_adult_is_never_guessed_worse_than_from_shares(figure):
    """Four to seven questions of the census, ten surveys of 5,000, one lottery per question at theta .6."""
    census, ahead = binary(adult(), "med").astype(str), []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        names = rng.choice(census.columns, int(rng.integers(4, 8)), replace=False)
        truth = census[names].sample(5000, random_state=seed)
        design = dn.Design([dn.warner(0.6, dn.Question(name, sorted(truth[name].unique()))) for name in names])
        found = dn.attack(design, dn.disguise(design, truth, seed=seed), truth).records
        ahead.append(found.guessed - found.from_margins)
    figure("Adult, theta .6: whole records guessed, less those from margins", round(float(np.mean(ahead)), 3))
    assert np.mean(ahead) > 0


@pytest.mark.studies
def test_adult_under_attack(figure):
    """One Warner group gives all away at theta .6; a lottery each, and versions, at epsilon 2 keep the bound."""
    truth = binary(adult(), "med").astype(str).sample(20_000, random_state=3)
    asked = [dn.Question(name, sorted(truth[name].unique())) for name in truth.columns]
    designs = {
        "one Warner group, theta .6": dn.Design([dn.warner(0.6, *asked)]),
        "a lottery each, epsilon 2": dn.Design([dn.warner(dn.epsilon(2 / len(asked)), each) for each in asked]),
        "versions, epsilon 2": dn.Design([dn.draw(dn.epsilon(2), *asked, always=["income"], ask=2)]),
    }
    found = {name: dn.attack(design, dn.disguise(design, truth, seed=2), truth) for name, design in designs.items()}
    for name, each in found.items():
        reached = (each.records.guessed, each.records.from_margins, each.bounds.records)
        figure(
            f"Adult, {name}: whole records guessed, from margins, at most", tuple(round(value, 3) for value in reached)
        )
        assert each.records.guessed <= each.bounds.records + 4.5 * np.sqrt(0.25 / 1000)
        assert each.answers.guessed <= each.bounds.answers + 0.02
    assert found["one Warner group, theta .6"].records.guessed >= 0.99


@pytest.mark.parametrize("make", DRAWN.values(), ids=DRAWN)
def test_beliefs_are_right_as_often_as_they_say(make, figure):
    """Calibration: of answers believed with some chance, that share is true (people drawn from the model itself)."""
    design, rng = make(0.6), np.random.default_rng(3)
    cells = np.array(list(np.ndindex(*[len(each) for each in design.questions]))).T
    population = Population(tuple(design.questions), cells, rng.dirichlet(np.ones(cells.shape[1])))
    drawn = population.drawn(4000, rng)
    beliefs = population.beliefs(design, [simulated_replies(design, drawn, rng)])
    for name in population.names:
        chances = beliefs.of(name)
        assert chances.sum(axis=1) == pytest.approx(np.ones(4000))
        right = chances.argmax(axis=1) == drawn[name]
        assert abs(right.mean() - chances.max(axis=1).mean()) < 4.5 * np.sqrt(0.25 / 4000)


def test_nine_fresh_draws_against_memory():
    """The majority of nine draws at theta .75 is right in 95.1 of 100, whatever the share; one draw in 75."""
    design = dn.Design([dn.warner(0.75, A)])
    truth = pd.DataFrame({"a": ["no", "yes"] * 2000})
    found = dn.attack(design, dn.disguise(design, truth, seed=1), truth, waves=9)
    majority = binom.sf(4, 9, 0.75)
    assert found.waves.fresh.guessed == pytest.approx(majority, abs=4.5 * np.sqrt(majority * (1 - majority) / 1000))
    assert found.waves.remembered == found.answers  # the same reply again
    assert f"still {found.answers.guessed:.1%}" in str(found)
    assert found.answers.guessed == pytest.approx(0.75, abs=0.06)
    assert found.answers.from_margins == pytest.approx(0.5, abs=0.06)


def test_one_draw_for_all_gives_records_away_and_versions_do_not(figure):
    truth = people(6000, 5)
    one = dn.Design([dn.warner(0.7, *QUESTIONS)])
    whole = dn.Design([dn.draw(dn.epsilon(1), *QUESTIONS, always=["q0"], ask=1)])
    given = dn.attack(one, dn.disguise(one, truth, seed=1), truth)
    kept = dn.attack(whole, dn.disguise(whole, truth, seed=2), truth)
    figure("one draw for six questions, theta .7: whole records guessed", round(given.records.guessed, 3))
    figure("versions at epsilon 1: whole records guessed", round(kept.records.guessed, 3))
    assert given.records.guessed > 0.65
    assert given.known is not None
    assert given.known[1] == pytest.approx(1)  # one known answer says which way the draw fell
    assert kept.records.guessed < given.records.guessed - 0.2
    assert kept.answers.guessed < kept.answers.from_margins + 0.08


def test_expectations_are_labelled_and_near_the_truth():
    truth = people(6000, 6)
    design = dn.Design([dn.warner(0.75, each) for each in QUESTIONS])
    replies = dn.disguise(design, truth, seed=3)
    counted, expected = dn.attack(design, replies, truth), dn.attack(design, replies)
    assert counted.counted
    assert not expected.counted
    assert "model" in str(expected)
    assert expected.answers.guessed == pytest.approx(counted.answers.guessed, abs=0.05)


def test_numbers_are_not_attacked_and_named():
    truth = people(500, 7).assign(age=np.arange(500) % 60 + 18)
    age = dn.gaussian(dn.number("age", 18, 80), privacy=0.5)
    design = dn.Design([age, *(dn.warner(0.8, each) for each in QUESTIONS[:2])])
    found = dn.attack(design, dn.disguise(design, truth, seed=1), truth, waves=2)
    assert found.left_out == ("age",)
    assert "Not attacked: age." in str(found)
    assert "All answers but age of one person" in str(found)
    assert "all answers but age of a person, knowing the reply" in attack_page(found, "Health")
    assert found.to_json()["epsilon"] == "infinity"
    alone = dn.Design([age])
    replies = dn.disguise(alone, truth, seed=1)
    with pytest.raises(dn.DeniableError, match="numbers alone"):
        dn.attack(alone, replies)


@pytest.mark.parametrize("waves", [0, -1, 2.5, True])
def test_waves_must_be_some(waves):
    design = dn.Design([dn.warner(0.75, A)])
    with pytest.raises(dn.DeniableError, match="waves"):
        dn.attack(design, pd.DataFrame({"a": ["no", "yes"]}), waves=waves)


def test_the_truth_must_be_of_the_same_people():
    design = dn.Design([dn.warner(0.75, A)])
    with pytest.raises(dn.DeniableError, match="one row for each"):
        dn.attack(design, pd.DataFrame({"a": ["no", "yes"] * 20}), pd.DataFrame({"a": ["no"]}))


def test_the_truth_needs_replies_one_by_one(tmp_path):
    """Replies in a file are counted, so nobody knows which is whose."""
    design, replies = dn.Design([dn.warner(0.75, A)]), pd.DataFrame({"a": ["no", "yes"] * 20, "_design": ""})
    replies["_design"] = design.fingerprint[:16]
    replies.to_csv(tmp_path / "replies.csv", index=False)
    with pytest.raises(dn.DeniableError, match="a frame in memory where the truth is given, row by row"):
        dn.attack(design, tmp_path / "replies.csv", replies[["a"]])
    with pytest.raises(dn.DeniableError, match="one row for each of the 40 replies, got '39 rows'"):
        dn.attack(design, tmp_path / "replies.csv", replies[["a"]][1:])


def test_answers_in_the_clear_are_not_counted_among_the_guesses():
    """They help to guess the others: a question that always has the answer of a clear one is guessed always."""
    truth = people(3000, 9)
    truth["open"] = truth[QUESTIONS[0].name]
    clear = dn.Question("open", QUESTIONS[0].answers)
    design = dn.Design([dn.warner(0.75, QUESTIONS[0]), dn.clear(clear)])
    replies = dn.disguise(design, truth, seed=2)
    for found in (dn.attack(design, replies, truth), dn.attack(design, replies)):
        assert found.in_the_clear == ("open",)
        assert found.known is None
        assert found.answers == found.records
        assert found.answers.guessed > 0.95
        assert "Sent as they are, and not counted: open." in str(found)
    alone = dn.Design([dn.warner(0.75, QUESTIONS[0])])
    assert found.answers.from_margins == pytest.approx(dn.attack(alone, replies).answers.from_margins, abs=0.05)
