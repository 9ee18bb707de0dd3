"""Guessed draws agree with the unbiased estimates, or trees say that they do not and are learnt in another way."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.inference.invert.inverse import InverseEstimates
from deniable.inference.population.records import Records
from deniable.inference.truth.dependence import cell_products
from deniable.inference.truth.unbiased import UnbiasedMoments
from deniable.report.tree_text import tree_text


def two_parties(count, seed, questions=9, loyal=None):
    """Votes of which one party's are the other's complement; 40 % are of the second.

    Everybody votes with the party with the same chance; without one, most nearly always and some hardly ever.
    """
    rng = np.random.default_rng(seed)
    party = rng.random(count) < 0.4
    loyal = np.where(rng.random(count) < 0.7, 0.97, 0.6) if loyal is None else loyal
    votes = {f"v{index}": party ^ (rng.random(count) > loyal) ^ (index % 2 == 1) for index in range(questions)}
    return pd.DataFrame({**votes, "t": party}).astype("uint8")


def one_party(count, seed, questions=9):
    """Answers that hang on each other in a chain, as the model of hidden draws supposes; the last is the target."""
    rng = np.random.default_rng(seed)
    answers = [rng.random(count) < 0.3]
    for _ in range(questions):
        answers.append(np.where(rng.random(count) < 0.8, answers[-1], rng.random(count) < 0.3))
    names = [*(f"v{index}" for index in range(questions)), "t"]
    return pd.DataFrame(dict(zip(names, answers, strict=True))).astype("uint8")


def in_groups(people, groups, theta):
    dealt = [[dn.Question(name, ["0", "1"]) for name in people.columns[group::groups]] for group in range(groups)]
    return dn.Design([dn.warner(theta, *group) for group in dealt], target="t")


def learnt(people, groups, theta, seed, learner=dn.TreeClassifier, **settings):
    design = in_groups(people, groups, theta)
    replies = dn.disguise(design, people, seed=seed)
    return learner(design, **settings).fit(replies.drop(columns="t"), replies["t"])


def accuracy(tree, *population):
    test = two_parties(4000, 1000, *population)
    return float(np.mean(tree.predict(test.drop(columns="t")) == test["t"].to_numpy()))


@pytest.mark.filterwarnings("ignore:the guessed draws contradict")
@pytest.mark.parametrize(
    ("questions", "groups", "theta", "seed"), [(9, 2, 0.6, 0), (9, 2, 0.6, 4), (9, 3, 0.7, 0), (7, 2, 0.7, 2)]
)
def test_a_party_is_not_taken_for_the_other_one_inverted(questions, groups, theta, seed, figure):
    """Three of them gave the majority (.596), one less than that (.542), while the likelihood alone chose."""
    tree = learnt(two_parties(2000, seed, questions), groups, theta, seed)
    found = accuracy(tree, questions)
    figure(f"two parties, {questions} votes, {groups} groups, theta {theta}", f"{found:.3f} by {tree.method_}")
    assert found > 0.85


@pytest.mark.parametrize("seed", [6, 7])
def test_the_model_that_agrees_with_the_unbiased_estimates_tells_both_parties(seed, figure):
    """Both gave the majority (.596) while the likelihood alone chose."""
    tree = learnt(two_parties(2000, seed, 11, 0.85), 3, 0.6, seed)
    found = accuracy(tree, 11, 0.85)
    figure(f"two equally loyal parties, seed {seed}", f"{found:.3f} by {tree.method_}")
    assert tree.method_ == "latent"
    assert found > 0.9


DOUBT = r"the guessed draws contradict the unbiased estimates of \w+( and \w+)?; "


def test_a_tree_says_that_it_was_learnt_in_another_way():
    with pytest.warns(UserWarning, match=f"{DOUBT}learnt by shrunk instead"):
        tree = learnt(two_parties(2000, 0), 2, 0.6, 0)
    assert tree.method_ == "shrunk"
    assert "learnt by shrunk instead" in tree.tree_.note
    assert "learnt by shrunk instead" in tree_text(tree).splitlines()[0]


@pytest.mark.parametrize("learner", [dn.TreeClassifier, dn.NaiveBayes])
def test_who_asks_for_latent_gets_it_with_a_warning(learner):
    with pytest.warns(UserWarning, match=f"{DOUBT}try method="):
        found = learnt(two_parties(2000, 0), 2, 0.6, 0, learner, method="latent")
    assert found.method_ == "latent"


@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_where_the_model_fits_its_draws_are_believed(groups, seed):
    tree = learnt(one_party(3000, seed), groups, 0.7, seed)
    assert tree.method_ == "latent"
    assert tree.tree_.note == ""


def replies_of_all_kinds():
    """Two Warner groups, and a clear question of three answers: the design, and 500 replies."""
    people = two_parties(500, 5, 3).assign(c=np.random.default_rng(6).choice(["low", "mid", "high"], 500))
    names = [["v0", "v1"], ["v2", "t"]]
    draws = [dn.warner(theta, *[dn.Question(name, ["0", "1"]) for name in group])
             for theta, group in zip((0.8, 0.3), names, strict=True)]  # fmt: skip
    design = dn.Design([*draws, dn.clear(dn.Question("c", ["low", "mid", "high"]))], target="t")
    told = dn.disguise(design, people, seed=7)
    order = ["v0", "v1", "v2", "c", "t"]
    cells = [told[name].astype("category").cat.codes.to_numpy() if name != "c"
             else told[name].map({"low": 0, "mid": 1, "high": 2}).to_numpy() for name in order]  # fmt: skip
    return design, order, Records.of(cells, (2, 2, 2, 3, 2))


def test_unbiased_moments_are_those_of_the_inverse_tables():
    design, names, replies = replies_of_all_kinds()
    moments = UnbiasedMoments.of(replies, [[0, 1], [2, 4]], [0.8, 0.3])
    inverse = InverseEstimates(design, replies.named(names))
    signs = np.array([-1.0, 1.0])
    cells = {"c": [np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])]}
    features = [(name, each) for name in names for each in cells.get(name, [signs])]
    for row, (one, first) in enumerate(features, 1):
        share = inverse.table([one]).counts / 500
        assert moments.means[0, row] == pytest.approx(share @ first)
        for column, (two, second) in enumerate(features, 1):
            if one != two:
                table = inverse.table([one, two])
                assert moments.means[row, column] == pytest.approx(first @ table.counts @ second / 500)
    margin = inverse.table(["t"])  # a sign is twice a share, less one
    assert moments.stderrs[0, -1] == pytest.approx(2 * np.sqrt(margin.variance[1]) / 500)


def test_what_contradicts_the_unbiased_estimates_is_named():
    people = one_party(5000, 8)
    design = in_groups(people, 2, 0.7)
    told = dn.disguise(design, people, seed=9)
    sizes = (2,) * len(people.columns)
    replies = Records.of([told[name].to_numpy() for name in people.columns], sizes)
    groups = [list(range(group, len(sizes), 2)) for group in range(2)]
    unbiased = UnbiasedMoments.of(replies, groups, [0.7, 0.7])
    true = people.to_numpy().T.copy()

    def products(cells):
        return cell_products(cells, np.ones(len(people)), sizes)

    assert unbiased.contradicted(products(true)) == ()
    mirrored = true.copy()
    mirrored[-1] ^= 1
    assert unbiased.contradicted(products(mirrored)) == (len(sizes) - 1,)
    assert unbiased.contradicted(unbiased.held(products(mirrored))) == ()
    shuffled = true.copy()  # all shares as they were, but nothing hangs on v0's group any more
    shuffled[groups[0]] = shuffled[groups[0]][:, np.random.default_rng(1).permutation(len(people))]
    assert len(unbiased.contradicted(products(shuffled))) == 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("groups", "seed"), [(2, 0), (2, 5), (3, 2), (3, 7)])
def test_even_parties_are_not_taken_for_each_other(groups, seed, figure):
    """Nothing but pairs from two groups tells which way round these stand; the likelihood alone gave .27 to .84."""
    rng = np.random.default_rng(seed)
    party = rng.random(3000) < 0.5
    votes = {f"v{index}": party ^ (rng.random(3000) < 0.15) for index in range(9)}
    people = pd.DataFrame({**votes, "t": party}).astype("uint8")
    order = rng.permutation(10)
    dealt = [
        [dn.Question(people.columns[each], ["0", "1"]) for each in order[group::groups]] for group in range(groups)
    ]
    design = dn.Design([dn.warner(0.6, *group) for group in dealt], target="t")
    replies = dn.disguise(design, people, seed=seed)
    tree = dn.TreeClassifier(design).fit(replies.drop(columns="t"), replies["t"])
    found = float(np.mean(tree.predict(people.drop(columns="t")) == people["t"].to_numpy()))
    figure(f"two even parties, {groups} groups, seed {seed}", f"{found:.3f} by {tree.method_}")
    assert found > 0.85
