"""Randomized response and local differential privacy: sensitive answers, mined without ever being held.

>>> import deniable as dn
>>> design = dn.Design([dn.warner(0.8, dn.yes_no("smokes"))])
>>> dn.privacy(design).epsilon
1.386295
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Advice": "deniable.judge.advice",
    "Association": "deniable.inference.association",
    "Attack": "deniable.judge.attack",
    "Channel": "deniable.channel.channel",
    "Confusion": "deniable.evaluate.score",
    "Curve": "deniable.judge.curve",
    "DeniableError": "deniable.errors",
    "Design": "deniable.channel.design",
    "Difference": "deniable.inference.difference",
    "Estimate": "deniable.inference.estimates",
    "Evaluation": "deniable.evaluate.score",
    "Ledger": "deniable.deniability.ledger",
    "NaiveBayes": "deniable.learn.naive_bayes",
    "PairwiseClassifier": "deniable.learn.pairwise",
    "Plan": "deniable.inference.plan",
    "Privacy": "deniable.deniability.privacy",
    "Question": "deniable.survey.question",
    "Regression": "deniable.regression.regression",
    "TreeClassifier": "deniable.learn.decision_tree",
    "advise": "deniable.judge.advise",
    "association": "deniable.inference.association",
    "crosswise": "deniable.channel.literature",
    "matrix": "deniable.survey.question",
    "multiple": "deniable.survey.question",
    "triangular": "deniable.channel.literature",
    "mangat": "deniable.channel.literature",
    "mangat_singh": "deniable.channel.literature",
    "kuk": "deniable.channel.literature",
    "extended_crosswise": "deniable.channel.literature",
    "cheating_detection": "deniable.channel.literature",
    "lie_detector": "deniable.channel.literature",
    "two_samples": "deniable.channel.literature",
    "item_count": "deniable.channel.literature",
    "attack": "deniable.judge.attack",
    "multiply": "deniable.channel.literature",
    "clear": "deniable.channel.schemes",
    "computed": "deniable.survey.question",
    "confusion": "deniable.evaluate.score",
    "correlation": "deniable.inference.correlation",
    "cross_val_score": "deniable.evaluate.folds",
    "difference": "deniable.inference.difference",
    "disguise": "deniable.device.disguise",
    "draw": "deniable.channel.schemes",
    "epsilon": "deniable.channel.epsilon",
    "estimate": "deniable.inference.shares",
    "evaluation": "deniable.evaluate.score",
    "fit_test": "deniable.inference.fit",
    "forced": "deniable.channel.schemes",
    "gaussian": "deniable.channel.schemes",
    "hadamard": "deniable.channel.schemes",
    "interval": "deniable.channel.schemes",
    "itemsets": "deniable.mine.rules",
    "k_ary": "deniable.channel.schemes",
    "ledger": "deniable.deniability.ledger",
    "load_model": "deniable.learn.load",
    "lookup": "deniable.channel.schemes",
    "mean": "deniable.inference.numbers",
    "number": "deniable.survey.question",
    "plan": "deniable.judge.plan",
    "posterior": "deniable.deniability.posterior",
    "privacy": "deniable.deniability.privacy",
    "quantile": "deniable.inference.numbers",
    "rake": "deniable.inference.sampling.rake",
    "reconstruct": "deniable.inference.reconstruct",
    "regress": "deniable.regression.regress",
    "rules": "deniable.mine.rules",
    "score": "deniable.evaluate.score",
    "scorer": "deniable.evaluate.scorer",
    "table": "deniable.inference.shares",
    "theta_for": "deniable.inference.plan",
    "total": "deniable.inference.sampling.totals",
    "uniform": "deniable.channel.schemes",
    "unrelated": "deniable.channel.schemes",
    "versions": "deniable.channel.versions",
    "warner": "deniable.channel.schemes",
    "weights": "deniable.inference.sampling.readings",
    "yes_no": "deniable.survey.question",
}
__all__ = [
    "Advice",
    "Association",
    "Attack",
    "Channel",
    "Confusion",
    "Curve",
    "DeniableError",
    "Design",
    "Difference",
    "Estimate",
    "Evaluation",
    "Ledger",
    "NaiveBayes",
    "PairwiseClassifier",
    "Plan",
    "Privacy",
    "Question",
    "Regression",
    "TreeClassifier",
    "advise",
    "association",
    "attack",
    "cheating_detection",
    "clear",
    "computed",
    "confusion",
    "correlation",
    "cross_val_score",
    "crosswise",
    "difference",
    "disguise",
    "draw",
    "epsilon",
    "estimate",
    "evaluation",
    "extended_crosswise",
    "fit_test",
    "forced",
    "gaussian",
    "hadamard",
    "interval",
    "item_count",
    "itemsets",
    "k_ary",
    "kuk",
    "ledger",
    "lie_detector",
    "load_model",
    "lookup",
    "mangat",
    "mangat_singh",
    "matrix",
    "mean",
    "multiple",
    "multiply",
    "number",
    "plan",
    "posterior",
    "privacy",
    "quantile",
    "rake",
    "reconstruct",
    "regress",
    "rules",
    "score",
    "scorer",
    "table",
    "theta_for",
    "total",
    "triangular",
    "two_samples",
    "uniform",
    "unrelated",
    "versions",
    "warner",
    "weights",
    "yes_no",
]


def __getattr__(name: str) -> Any:
    """Each name is fetched from its home when it is first used."""
    if name == "__version__":
        return import_module("importlib.metadata").version("deniable")
    if name == "papers":
        with import_module("deniable.extras").needed_for("dn.papers", "papers"):
            return import_module("deniable.papers")
    if name == "plot":
        with import_module("deniable.extras").needed_for("dn.plot", "charts"):
            return import_module("deniable.report.plot")
    if name not in _HOMES:
        raise AttributeError(f"module 'deniable' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__


if TYPE_CHECKING:
    __version__: str

    from deniable.channel.channel import Channel
    from deniable.channel.design import Design
    from deniable.channel.epsilon import epsilon
    from deniable.channel.literature import (
        cheating_detection,
        crosswise,
        extended_crosswise,
        item_count,
        kuk,
        lie_detector,
        mangat,
        mangat_singh,
        multiply,
        triangular,
        two_samples,
    )
    from deniable.channel.schemes import (
        clear,
        draw,
        forced,
        gaussian,
        hadamard,
        interval,
        k_ary,
        lookup,
        uniform,
        unrelated,
        warner,
    )
    from deniable.channel.versions import versions
    from deniable.deniability.ledger import Ledger, ledger
    from deniable.deniability.posterior import posterior
    from deniable.deniability.privacy import Privacy, privacy
    from deniable.device.disguise import disguise
    from deniable.errors import DeniableError
    from deniable.evaluate.folds import cross_val_score
    from deniable.evaluate.score import Confusion, Evaluation, confusion, evaluation, score
    from deniable.evaluate.scorer import scorer
    from deniable.inference.association import Association, association
    from deniable.inference.correlation import correlation
    from deniable.inference.difference import Difference, difference
    from deniable.inference.estimates import Estimate
    from deniable.inference.fit import fit_test
    from deniable.inference.numbers import mean, quantile
    from deniable.inference.plan import Plan, theta_for
    from deniable.inference.reconstruct import reconstruct
    from deniable.inference.sampling.rake import rake
    from deniable.inference.sampling.readings import weights
    from deniable.inference.sampling.totals import total
    from deniable.inference.shares import estimate, table
    from deniable.judge.advice import Advice
    from deniable.judge.advise import advise
    from deniable.judge.attack import Attack, attack
    from deniable.judge.curve import Curve
    from deniable.judge.plan import plan
    from deniable.learn.decision_tree import TreeClassifier
    from deniable.learn.load import load_model
    from deniable.learn.naive_bayes import NaiveBayes
    from deniable.learn.pairwise import PairwiseClassifier
    from deniable.mine.rules import itemsets, rules
    from deniable.regression.regress import regress
    from deniable.regression.regression import Regression
    from deniable.survey.question import Question, computed, matrix, multiple, number, yes_no
