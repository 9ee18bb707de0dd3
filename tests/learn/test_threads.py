"""Numpy and scipy bring threads of their own, which wait busily for each other where both compute in turn."""

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info, threadpool_limits

import deniable as dn
from deniable.inference.truth import pairs


def threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_where_they_take_turns_one_thread_computes(monkeypatch):
    minimize, seen = pairs.minimize, []
    monkeypatch.setattr(pairs, "minimize", lambda *given, **more: seen.append(threads()) or minimize(*given, **more))
    design = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in "abt"], target="t")
    replies = pd.DataFrame(np.random.default_rng(1).choice(["no", "yes"], (500, 3), p=[0.7, 0.3]), columns=list("abt"))
    with threadpool_limits(2, "blas"):
        before = threads()
        dn.TreeClassifier(design, method="pairs").fit(replies[["a", "b"]], replies["t"])
        assert threads() == before
    assert seen == [{1}]
