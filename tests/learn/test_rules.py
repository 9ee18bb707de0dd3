"""Frequent itemsets and association rules of the true answers, whatever the disguise."""

from functools import cache, partial
from itertools import combinations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mlxtend.frequent_patterns import apriori, association_rules

import deniable as dn
from deniable.count.bits import Bits
from deniable.count.counts import Distinct
from deniable.count.replies import counts_of
from deniable.inference.invert.stacks import disguised, stacks_of
from deniable.mine.supports import combination_counts
from sizes import in_short

A, B, C, D = (dn.yes_no(name) for name in "abcd")
COLOR = dn.Question("color", ("red", "green", "blue"))
DIET = dn.Question("diet", ("meat", "fish"), optional=True)
HALVES = dn.number("age", 18, 80, cuts=[40])
BANDS = dn.number("income", 0, 100, cells=4)
RULES = 100  # of a design that are held against estimates of their own
CARDS = dn.lookup(A, [[0.5, 0.2], [0.3, 0.3], [0.2, 0.5]], ["red", "black", "joker"])

DESIGNS = {
    "clear": [dn.clear(A, B, COLOR)],
    "warner, one by one": [dn.warner(0.9, A), dn.warner(0.7, B), dn.warner(0.2, C)],
    "warner, one group": [dn.warner(0.7, A, B, C, HALVES)],
    "warner, two groups": [dn.warner(0.8, A, B), dn.warner(0.65, C, D)],
    "k-ary, one by one": [dn.k_ary(0.7, COLOR), dn.k_ary(0.55, DIET), dn.k_ary(0.6, BANDS)],
    "k-ary, one group": [dn.k_ary(0.7, A, COLOR, DIET)],
    "draw": [dn.draw(0.4, A, COLOR, B), dn.draw(0.5, C)],
    "unrelated, chances": [dn.unrelated(0.6, A, COLOR, chances={"a": (0.8, 0.2), "color": (0.5, 0.2, 0.3)})],
    "unrelated, joint": [dn.unrelated(0.6, A, B, joint=[0.1, 0.2, 0.3, 0.4]), dn.unrelated(0.5, COLOR)],
    "forced": [dn.forced(0.1, 0.2, A), dn.forced(0.05, 0.15, B, C)],
    "lookup": [dn.lookup(A, [[0.8, 0.3], [0.2, 0.7]]), dn.lookup(B, [[0.4, 0.9], [0.6, 0.1]], ["heads", "tails"])],
    "lookup, any chances": [
        dn.lookup(COLOR, [[0.7, 0.2, 0.1], [0.2, 0.6, 0.3], [0.1, 0.2, 0.6]]),
        dn.warner(0.8, A, B),
    ],
    "lookup, cards": [CARDS, dn.k_ary(0.7, COLOR), dn.clear(B)],
    "interval": [dn.interval(dn.number("rent", 0, 100), width=30), dn.warner(0.8, A, HALVES)],
    "mixed": [dn.clear(A, COLOR), dn.warner(0.8, B, C), dn.k_ary(0.7, DIET)],
}
DESIGNS = {name: dn.Design(channels) for name, channels in DESIGNS.items()}
every_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
any_replies = pytest.mark.filterwarnings(
    "ignore:.*(whatever the truth|chance does not explain)"
)  # what must hold for any replies at all
MANY = 2**46  # replies: enough for each to occur as often as is to be expected, to 1e-12


def expected_replies(design, true):
    """Every possible reply, as often as it is to be expected of people with this true table of shares."""
    reported = disguised(true, stacks_of(design, design.questions))
    cells = np.indices(reported.shape).reshape(reported.ndim, -1)
    return Distinct(dict(zip(design.names, cells, strict=True)), np.rint(MANY * reported.ravel()))


def some_replies(design, count=300, seed=1):
    """Replies that nobody in particular gave: estimates must agree on these, too."""
    rng = np.random.default_rng(seed)
    reported = [design.reported(name) for name in design.names]
    return pd.DataFrame({each.name: rng.choice(each.answers, count, p=skewed(len(each))) for each in reported})


def skewed(cells):
    shares = np.arange(1, cells + 1) ** 1.5
    return shares / shares.sum()


def all_sets(design, longest=3):
    """Every set of answers to different questions, as cells by question."""
    for size in range(1, longest + 1):
        for questions in combinations(design.questions, size):
            for cells in np.ndindex(*map(len, questions)):
                yield dict(zip([question.name for question in questions], cells, strict=True))


def words(design, cells):
    return frozenset(f"{name}={design.question(name).answers[cell]}" for name, cell in cells.items())


def expression(items):
    return " and ".join("`{}` == '{}'".format(*item.split("=", 1)) for item in items)


# ---------------------------------------------------------------- supports


@every_design
def test_expected_replies_give_back_the_true_supports(design):
    true = np.random.default_rng(5).dirichlet(np.full(40, 0.3), tuple(map(len, design.questions)))[..., 0]
    true /= true.sum()
    found = dn.itemsets(design, expected_replies(design, true), min_support=1e-6, max_length=3)
    supports = dict(zip(map(frozenset, found["itemsets"].to_pylist()), found["support"].to_pylist(), strict=True))
    for cells in all_sets(design):
        share = true[tuple(cells.get(name, slice(None)) for name in design.names)].sum()
        if share > 2e-6:
            assert supports.pop(words(design, cells)) == pytest.approx(share, abs=1e-9)
    assert all(share < 3e-6 for share in supports.values())


@any_replies
@every_design
def test_supports_agree_with_tables_of_the_same_questions(design):
    replies = some_replies(design)
    found = dn.itemsets(design, replies, min_support=0.05)
    assert found["itemsets"].map(len).max() > 1
    tables = cache(lambda *names: dn.table(design, replies, names))
    for row in found.itertuples():
        answers = dict(item.split("=", 1) for item in sorted(row.itemsets))
        table = tables(*answers)
        (cell,) = table[(table[list(answers)] == pd.Series(answers)).all(axis=1)].to_dict("records")
        assert (row.support, row.support_stderr) == pytest.approx((cell["share"], cell["stderr"]), abs=1e-9)
    assert (found["support"] >= 0.05).all()
    assert list(found["borderline"]) == list(abs(found["support"] - 0.05) < 3 * found["support_stderr"])


@any_replies
@every_design
def test_rules_agree_with_estimates_of_the_same_expressions(design):
    replies = some_replies(design)
    words = [question.name for question in design.questions if question.range is None]
    rules = dn.rules(design, replies, min_support=0.02, min_confidence=0.1, items=words)
    assert len(rules) > 1 or len(words) == 1
    told = cache(partial(dn.estimate, design, counts_of(design, replies)))  # many rules have the same sides
    for rule in rules.sample(min(len(rules), RULES), random_state=1).to_dict("records"):
        antecedents, consequents = expression(rule["antecedents"]), expression(rule["consequents"])
        for name, estimate in {
            "confidence": told(consequents, given=antecedents),
            "antecedent support": told(antecedents),
            "consequent support": told(consequents),
            "support": told(expression(sorted(rule["antecedents"] | rule["consequents"]))),
        }.items():
            assert (rule[name], rule[f"{name}_stderr"]) == pytest.approx((estimate.value, estimate.stderr), abs=1e-9)


@given(st.sampled_from([2, 3, 4]), st.integers(0, 3), st.integers(0, 2**32))
def test_counts_of_subsets_come_apart_into_combinations(degrees, length, seed):
    table = np.random.default_rng(seed).integers(0, 99, (3, *[degrees] * length)).astype(float)
    counts = table
    for axis in range(1, length + 1):
        digits = [counts.sum(axis, keepdims=True), np.delete(counts, 0, axis)]  # any degree, then each above 0
        counts = np.concatenate(digits, axis)
    assert np.array_equal(combination_counts(counts.reshape(3, -1), degrees), table.reshape(3, -1))


@given(
    arrays(np.bool_, st.tuples(st.just(4), st.integers(1, 200))),
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 1000, 2**40]),
)
def test_bits_count_each_reply_as_often_as_it_occurs(said, seed, most):
    counts = np.random.default_rng(seed).integers(0, most, said.shape[1], endpoint=True).astype(float)
    bits = Bits.of(iter(said), len(said), counts)
    for size in (1, 2, 3):
        sets = np.array(list(combinations(range(4), size)))
        assert bits.counts(sets).tolist() == [counts[said[some].all(axis=0)].sum() for some in sets]


# ---------------------------------------------------------------- undisguised, and the figures of rules

SOME = ["antecedent support", "consequent support", "support", "confidence", "lift", "leverage", "conviction"]
ALL = [*SOME, "zhangs_metric", "jaccard", "certainty", "kulczynski"]


def latent_classes(count, items, seed=1, classes=8, shape=(0.6, 1.6)):
    """People of some hidden classes, each with its own chance of every item: all supports occur."""
    rng = np.random.default_rng(seed)
    chances = rng.beta(*shape, (classes, items))
    who = rng.integers(0, classes, count)
    people = {f"q{index:02}": rng.random(count) < chances[who, index] for index in range(items)}
    return pd.DataFrame(people)


def clear_design(people):
    return dn.Design([dn.clear(*[dn.yes_no(name) for name in people])])


def yes(people):
    return [f"{name}=yes" for name in people]


@pytest.mark.parametrize("split", [False, True], ids=["one channel", "one each"])
def test_undisguised_itemsets_and_rules_are_those_of_mlxtend(split):
    people = latent_classes(2_000, 14)
    people["q01"] = True  # a certain item
    questions = [dn.yes_no(name) for name in people]
    design = dn.Design([dn.clear(each) for each in questions] if split else [dn.clear(*questions)])
    theirs = apriori(people.rename(columns="{}=yes".format), min_support=0.02, max_len=4, use_colnames=True)
    ours = dn.itemsets(design, people, min_support=0.02, max_length=4, items=yes(people))
    assert list(ours.columns) == ["itemsets", "support", "support_stderr", "borderline", "note"]
    assert as_dict(ours, ["itemsets"], ["support"]) == pytest.approx(
        as_dict(theirs, ["itemsets"], ["support"]), abs=1e-12
    )
    with np.errstate(all="ignore"):
        theirs = association_rules(theirs, metric="confidence", min_threshold=0.55)
    ours = dn.rules(design, people, min_support=0.02, min_confidence=0.55, max_length=4, items=yes(people))
    assert set(ours) == {*theirs.columns, *(f"{name}_stderr" for name in ALL), "borderline", "note"} - {
        "representativity"
    }
    assert len(ours) == len(theirs) > 100
    for name in ALL:
        sides = ["antecedents", "consequents"]
        assert as_dict(ours, sides, [name]) == pytest.approx(as_dict(theirs, sides, [name]), rel=1e-9, abs=1e-12), name


def as_dict(frame, keys, values):
    return {tuple(row[key] for key in keys): row[values[0]] for row in frame.to_dict("records")}


def test_items_of_several_answers_are_those_of_dummies():
    rng = np.random.default_rng(2)
    people = pd.DataFrame({"color": rng.choice(COLOR.answers, 500), "a": rng.choice(["no", "yes"], 500)})
    theirs = apriori(pd.get_dummies(people, prefix_sep="="), min_support=0.01, use_colnames=True)
    ours = dn.itemsets(dn.Design([dn.clear(COLOR, A)]), people, min_support=0.01)
    assert as_dict(ours, ["itemsets"], ["support"]) == as_dict(theirs, ["itemsets"], ["support"])


SIMULATED = {
    "warner, one by one": [dn.warner(0.85, A), dn.warner(0.85, B), dn.warner(0.85, C)],
    "warner, one group": [dn.warner(0.8, A, B, C)],
    "mixed": [dn.draw(0.7, A, B), dn.clear(C)],
}


@pytest.mark.parametrize("kind", in_short(SIMULATED, "mixed"))
def test_standard_errors_are_the_spread_of_figures_over_surveys(kind, figure):
    design, shares = dn.Design(SIMULATED[kind]), [0.25, 0.05, 0.08, 0.02, 0.05, 0.15, 0.1, 0.3]
    found = {name: [] for each in ALL for name in (each, f"{each}_stderr")}
    run, cells = np.repeat(np.arange(200), 4_000), np.random.default_rng(0).choice(8, 200 * 4_000, p=shares)
    people = pd.DataFrame({name: cells & bit > 0 for name, bit in (("a", 4), ("b", 2), ("c", 1))})
    replies = dn.disguise(design, people, seed=0).to_numpy(dtype=np.intp)  # of all surveys
    tables = np.bincount(8 * run + replies @ [4, 2, 1], minlength=200 * 8).reshape(200, 8).astype(float)
    columns = dict(zip("abc", np.indices((2, 2, 2), dtype=np.int8).reshape(3, 8), strict=True))
    for table in tables:
        survey = Distinct(columns, table)
        rules = dn.rules(design, survey, min_support=0.1, min_confidence=0.1, items=["a=yes", "b=yes", "c=yes"])
        (rule,) = [each for each in rules.to_pylist() if {*each["antecedents"]} == {"a=yes", "b=yes"}]
        assert rule["consequents"] == ["c=yes"]
        for name, values in found.items():
            values.append(rule[name])
    ratios = {name: np.mean(found[f"{name}_stderr"]) / np.std(found[name]) for name in ALL}
    for name in ("support", "confidence", "lift", "leverage"):
        figure(f"standard error of {name} over its spread in 200 surveys, {kind}", f"{ratios[name]:.3f}")
    assert {name: ratio for name, ratio in ratios.items() if not 0.85 < ratio < 1.15} == {}


# ---------------------------------------------------------------- mining


@pytest.mark.studies
def test_hardly_an_itemset_is_missed_or_made_up(figure):
    people = latent_classes(100_000, 50, seed=4, shape=(0.6, 1.2))
    design = dn.Design([dn.warner(0.9, dn.yes_no(name)) for name in people])
    replies = dn.disguise(design, people, seed=7)
    true = dn.itemsets(clear_design(people), people, min_support=0.02, max_length=4, items=yes(people))
    true = dict(zip(true["itemsets"], true["support"], strict=True))
    wide = dn.itemsets(design, replies, min_support=0.02, max_length=4, items=yes(people))
    stderr = dict(zip(wide["itemsets"], wide["support_stderr"], strict=True))
    found = dn.itemsets(design, replies, min_support=0.05, max_length=4, items=yes(people))
    told = set(found["itemsets"])
    far = {each for each, share in true.items() if abs(share - 0.05) > 3 * stderr.get(each, 0)}
    frequent = {each for each in far if true[each] >= 0.05}
    missing = len(frequent - told) / len(frequent)
    extra = len([each for each in told if each not in true or (each in far and true[each] < 0.05)]) / len(told)
    near = {each for each, share in true.items() if share < 0.05 and each in told}
    figure("itemsets of 100,000 x 50 at support .05, theta .9", f"{len(frequent):,} far from it, {len(told):,} found")
    figure("share of them missing", f"{missing:.5f}")
    figure("share of them extra", f"{extra:.5f}")
    assert len(frequent) > 2_000
    assert missing < 0.02
    assert extra < 0.02
    borderline = set(found["itemsets"][found["borderline"]])
    assert len(near - borderline) <= 0.01 * len(near)  # what is wrongly in is marked


def test_a_set_is_found_though_a_part_of_it_seems_too_rare():
    people = pd.DataFrame({"a": ["yes"] * 30 + ["no"] * 70, "b": ["yes"] * 30 + ["no"] * 70})
    design = dn.Design([dn.warner(0.7, A), dn.warner(0.7, B)])
    for seed in range(200):
        replies = dn.disguise(design, people, seed=seed)
        alone = dn.estimate(design, replies, "a == 'yes'").value
        both = dn.estimate(design, replies, "a == 'yes' and b == 'yes'").value
        if both > alone + 0.02 > 0:
            found = dn.itemsets(design, replies, min_support=(alone + both) / 2, items=["a=yes", "b=yes"])
            assert {"a=yes"} not in list(found["itemsets"])
            assert {"a=yes", "b=yes"} in list(found["itemsets"])
            return
    raise AssertionError("no such replies")


@any_replies
def test_items_of_one_question_never_join():
    found = dn.itemsets(DESIGNS["k-ary, one group"], some_replies(DESIGNS["k-ary, one group"]), min_support=0.001)
    for items in found["itemsets"]:
        assert len({item.split("=")[0] for item in items}) == len(items)


@pytest.mark.parametrize("theta", [0.55, 0.9, 1.0])
def test_certain_impossible_and_unlikely_items_break_nothing(theta):
    people = pd.DataFrame({"a": ["yes"] * 50, "b": ["no"] * 50, "c": ["no"] * 49 + ["yes"], "color": ["red"] * 50})
    design = dn.Design([dn.warner(theta, A), dn.warner(theta, B), dn.warner(theta, C), dn.k_ary(theta, COLOR)])
    replies = dn.disguise(design, people, seed=3)
    rules = dn.rules(design, replies, min_support=0.01, min_confidence=0, max_length=4)
    assert (rules["antecedent support"] > 0).all()
    assert (rules["consequent support"] > 0).all()
    assert np.isfinite(rules[["confidence", "confidence_stderr", "lift_stderr", "leverage_stderr"]]).all(axis=None)


def test_a_single_reply_is_enough():
    found = dn.itemsets(DESIGNS["clear"], pd.DataFrame({"a": ["yes"], "b": ["no"], "color": ["red"]}))
    assert set(found["support"]) == {1.0}
    assert len(found) == 7


# ---------------------------------------------------------------- numbers, frames, requests


def test_a_number_is_an_item_by_its_interval_and_who_leaves_it_out_has_none():
    rent = dn.number("rent", 0, 90, cells=3, omit=True)
    people = pd.DataFrame({"a": ["yes"] * 6 + ["no"] * 4, "rent": [10, 30, 45, 89, 90, None, 5, 10, None, None]})
    for channel in (dn.clear(rent), dn.interval(rent, width=30)):
        design = dn.Design([dn.warner(1.0, A), channel])
        replies = dn.disguise(design, people, seed=1)
        found = as_dict(dn.itemsets(design, replies, min_support=0.05), ["itemsets"], ["support"])
        assert found[(frozenset({"rent=60 to 90"}),)] == pytest.approx(0.2)
        assert found[(frozenset({"rent=0 to 30", "a=no"}),)] == pytest.approx(0.2)
        assert sum(share for (items,), share in found.items() if len(items) == 1) == pytest.approx(1.7)


def test_leaving_a_disguised_number_out_says_nothing_for_its_items():
    design = dn.Design([dn.k_ary(0.7, dn.number("rent", 0, 90, cells=3, omit=True), A)])
    told = [*design.question("rent").answers, None]
    replies = pd.DataFrame({"rent": (told * 20)[:70], "a": (["yes", "no", "no"] * 24)[:70]})
    found = as_dict(dn.itemsets(design, replies, min_support=0.01), ["itemsets"], ["support"])
    answered = replies["rent"].notna().mean()
    for names in (["rent"], ["rent", "a"]):
        for row in dn.table(design, replies, names).to_dict("records"):
            if row["share"] > 0.02:
                items = frozenset(f"{name}={row[name]}" for name in names)
                assert found[(items,)] == pytest.approx(answered * row["share"], abs=1e-9)


KINDS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb": lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame_is_mined_alike(kind):
    design = DESIGNS["mixed"]
    replies = some_replies(design)
    expected = dn.rules(design, replies, min_support=0.05)
    native = KINDS[kind](replies)
    found = dn.rules(design, native, min_support=0.05)
    assert type(found) is (pa.Table if kind in ("duckdb", "polars lazy") else type(native))
    if isinstance(found, pa.Table):
        found = found.to_pandas()
        for side in ("antecedents", "consequents"):
            assert all(list(items) == sorted(items) for items in found[side])
            found[side] = found[side].map(frozenset)
    elif isinstance(found, pl.DataFrame):
        found = pd.DataFrame({name: found[name].to_list() for name in found.columns})
    assert list(found["antecedents"]) == list(expected["antecedents"])
    assert list(found["consequents"]) == list(expected["consequents"])
    assert list(found["note"]) == list(expected["note"])
    numbers = [name for name in expected if name not in ("antecedents", "consequents", "note")]
    assert np.allclose(found[numbers].astype(float), expected[numbers].astype(float), equal_nan=True, atol=1e-12)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_no_itemset_and_no_rule_is_an_empty_frame_with_all_columns(kind):
    replies = KINDS[kind](some_replies(DESIGNS["clear"]))
    found = dn.rules(DESIGNS["clear"], replies, min_support=1.0)
    assert len(found) == 0
    assert "lift_stderr" in (found.column_names if kind == "pyarrow" else found.columns)
    assert len(dn.itemsets(DESIGNS["clear"], replies, min_support=1.0)) == 0


def test_items_may_be_words_or_questions():
    design = DESIGNS["mixed"]
    found = dn.itemsets(design, some_replies(design), 0.01, 2, items=["a", "color=red"])
    assert {item for items in found["itemsets"] for item in items} == {"a=no", "a=yes", "color=red"}
    (alone,) = dn.itemsets(design, some_replies(design), 0.01, 2, items="color=red")["itemsets"]
    assert alone == {"color=red"}


MANY_CARDS = np.random.default_rng(1).dirichlet(np.ones(17), 3).T.tolist()
REFUSED = {
    "no support": ({"min_support": 0}, "min_support must be above 0 and at most 1, got 0"),
    "more than all": ({"min_support": 1.2}, "min_support must be .* got 1.2"),
    "not a number": ({"min_support": float("nan")}, "min_support must be .* got nan"),
    "a word": ({"min_support": "all"}, "min_support must be .* got 'all'"),
    "no length": ({"max_length": 0}, "max_length must be a whole number from 1 to 20, got 0"),
    "half a length": ({"max_length": 2.5}, "max_length must be .* got 2.5"),
    "an unknown item": ({"items": ["color=gren"]}, "no item 'color=gren' here; did you mean 'color=green'?"),
    "no item": ({"items": []}, 'items must be words like "smokes=yes"'),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_mined_is_refused(case):
    settings, message = REFUSED[case]
    for ask in (dn.itemsets, dn.rules):
        with pytest.raises(dn.DeniableError, match=message):
            ask(DESIGNS["mixed"], some_replies(DESIGNS["mixed"]), **settings)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, None, True])
def test_a_confidence_is_a_share(confidence):
    with pytest.raises(dn.DeniableError, match="min_confidence must be from 0 to 1"):
        dn.rules(DESIGNS["clear"], some_replies(DESIGNS["clear"]), min_confidence=confidence)


@pytest.mark.parametrize(
    ("channel", "reason"),
    [
        (dn.lookup(COLOR, MANY_CARDS, [str(row) for row in range(17)]), "its reports speak .* more than 16 degrees"),
        (dn.gaussian(dn.number("age", 18, 80), privacy=0.5), "it is a number under noise"),
        (dn.k_ary(0.8, *[dn.Question(f"x{index}", ["a", "b", "c"]) for index in range(7)]), "too large"),
    ],
)
def test_a_question_whose_reports_do_not_simply_speak_for_an_answer_is_refused_by_name(channel, reason):
    design = dn.Design([channel, dn.warner(0.8, B)])
    replies = pd.DataFrame({"b": ["yes", "no"]})
    with pytest.raises(dn.DeniableError, match=f"the answers to '{channel.names[0]}.*{reason}.*leave the question out"):
        dn.itemsets(design, replies)
    assert len(dn.itemsets(design, replies, items=["b"])) > 0


def test_no_replies_are_refused():
    empty = some_replies(DESIGNS["clear"], count=0)
    with pytest.raises(dn.DeniableError, match="no rows"):
        dn.rules(DESIGNS["clear"], empty)
    with pytest.raises(dn.DeniableError, match="no rows"):
        dn.rules(DESIGNS["clear"], pl.from_pandas(empty).lazy())


def test_more_candidates_than_anybody_could_look_at_are_refused():
    questions = [dn.Question(f"q{index}", [str(answer) for answer in range(40)]) for index in range(60)]
    replies = pd.DataFrame(
        np.random.default_rng(1).integers(0, 40, (800, 60)), columns=[each.name for each in questions]
    )
    with pytest.raises(
        dn.DeniableError, match=r"there are [\d,]+ candidates .* 2 items, .* 2,000,000; raise min_support"
    ):
        dn.itemsets(dn.Design([dn.clear(*questions)]), replies, min_support=0.001)
