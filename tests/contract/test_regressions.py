"""Regressions never see an engine: the same replies give the same coefficients, wherever they are."""

from secrets import token_hex

import numpy as np
import pyarrow as pa
import pytest

import deniable as dn
from contract.test_counts import spark, stored
from contract.test_learners import in_this_process, people

FORMULAS = ("leave ~ q0 + mood", "q0 ~ leave", "leave ~ age", "age ~ q0 + leave")
BESIDE = "leave ~ q0 + hours + region"


@pytest.fixture(scope="module")
def session():
    """Spark, which starts again if it was stopped."""
    found = spark.__wrapped__()
    yield found
    found.stop()


def collected():
    """A design, and replies beside which stand columns that nobody was asked about."""
    design, true = people(noise=True)
    rng = np.random.default_rng(1)
    beside = {
        "hours": rng.normal(40, 5, len(true)).round(3),
        "region": rng.choice(["east", "north", "west"], len(true)),
    }
    beside["weight"] = rng.choice([0.5, 1.0, 2.0], len(true))
    return design, dn.disguise(design, true, seed=11), beside


def figures(design, given, formulas, **sample):
    """All figures of some regressions."""
    found = [dn.regress(design, given, formula, **sample) for formula in formulas]
    return np.concatenate([[each.estimate, each.stderr] for one in found for each in one.coefficients])


@pytest.mark.filterwarnings("ignore:.*does not say under which design")
def test_every_engine_gives_the_same_regressions(tmp_path, figure):
    design, replies, _ = collected()
    expected, names = figures(design, replies, FORMULAS), []
    for name, given in in_this_process(design, replies, tmp_path):
        np.testing.assert_allclose(figures(design, given, FORMULAS), expected, rtol=1e-8, err_msg=name)
        names.append(name)
    figure("one regression from", "; ".join(names))


@pytest.mark.filterwarnings("ignore:.*does not say under which design")
def test_columns_beside_the_questions_come_from_every_frame_and_file(tmp_path):
    design, replies, beside = collected()
    replies = replies.assign(**beside)
    expected = figures(design, replies, [BESIDE], weights="weight", strata="region")
    for name, given in in_this_process(design, replies, tmp_path):
        if name == "counts":
            with pytest.raises(dn.DeniableError, match="names 'hours', which is no question or column"):
                dn.regress(design, given, BESIDE)
            break
        found = figures(design, given, [BESIDE], weights="weight", strata="region")
        np.testing.assert_allclose(found, expected, rtol=1e-8, err_msg=name)


def test_a_store_holds_what_was_asked_and_nothing_else(tmp_path):
    design, replies, _ = collected()
    url = stored(design, pa.Table.from_pandas(replies, preserve_index=False), f"sqlite:///{tmp_path}/store.sqlite")
    with pytest.raises(dn.DeniableError, match="names 'hours', which is no question or column"):
        dn.regress(design, url, BESIDE)
    with pytest.raises(dn.DeniableError, match="no column 'weight'"):
        dn.regress(design, url, FORMULAS[0], weights="weight")


@pytest.mark.engines
def test_servers_give_the_same_regressions(postgres, session):
    design, replies, beside = collected()
    table = pa.Table.from_pandas(replies.sample(frac=1, random_state=3), preserve_index=False)
    expected = figures(design, replies, FORMULAS)
    np.testing.assert_allclose(figures(design, session.createDataFrame(table), FORMULAS), expected, rtol=1e-8)
    url = stored(design, table, postgres.database(f"d{token_hex(6)}"))
    np.testing.assert_allclose(figures(design, url, FORMULAS), expected, rtol=1e-8)
    wide = pa.Table.from_pandas(replies.assign(**beside), preserve_index=False)
    found = figures(design, session.createDataFrame(wide), [BESIDE], weights="weight")
    np.testing.assert_allclose(found, figures(design, wide, [BESIDE], weights="weight"), rtol=1e-8)
