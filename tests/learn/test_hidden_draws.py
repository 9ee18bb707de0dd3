"""Guessed draws agree with the unbiased estimates, or trees say that they do not and are learnt in another way."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.inference.inverse import InverseEstimates
from deniable.inference.records import Records
from deniable.inference.unbiased import UnbiasedMoments
from deniable.learn.replies import RecordCounts
from deniable.report.show import tree_text


def two_parties(count, seed, questions=9):
    """Votes of which one party's are the other's complement; 40 % are of the second, most keep to their party's line."""
    rng = np.random.default_rng(seed)
    party = rng.random(count) < 0.4
    loyal = np.where(rng.random(count) < 0.7, 0.97, 0.6)
    votes = {f"v{place}": party ^ (rng.random(count) > loyal) ^ (place % 2 == 1) for place in range(questions)}
    return pd.DataFrame({**votes, "t": party}).astype("uint8")


def in_groups(people, groups, theta):
    dealt = [[dn.Question(name, ["0", "1"]) for name in people.columns[group::groups]] for group in range(groups)]
    return dn.Design([dn.warner(theta, *group) for group in dealt], target="t")


def learnt(people, groups, theta, seed, **settings):
    design = in_groups(people, groups, theta)
    replies = dn.disguise(design, people, seed=seed)
    tree = dn.TreeClassifier(design, **settings).fit(replies.drop(columns="t"), replies["t"])
    test = two_parties(4000, 1000, len(people.columns) - 1)
    return tree, float(np.mean(tree.predict(test.drop(columns="t")) == test["t"].to_numpy()))
