"""Peers of local differential privacy: disguising answers, and estimating their shares, one question of 16 answers.

multi-freq-ldpy and pure-ldp answer value by value in Python; OpenDP's randomized response takes one value at a time. So
they get fewer values, and seconds are per million. Neither disguises a group of questions in one draw, nor gives
standard errors: only what all of them do is compared.
"""

from collections.abc import Callable
from math import exp

import numpy as np
import pandas as pd

import deniable as dn
from timing import Ratio, seconds

ANSWERS, EPSILON = 16, 2.0
OURS, THEIRS = 1_000_000, 10_000
WANTED = "< 0.1"


def local_privacy() -> list[Ratio]:
    """Generalised randomised response of one question: disguise, then estimate all shares."""
    rng = np.random.default_rng(1)
    true = np.minimum(rng.geometric(0.3, OURS) - 1, ANSWERS - 1)
    words = [str(answer) for answer in range(ANSWERS)]
    theta = exp(EPSILON) / (exp(EPSILON) + ANSWERS - 1)
    design = dn.Design([dn.k_ary(theta, dn.Question("a", words))])
    people = pd.DataFrame({"a": true})

    def ours() -> object:
        return dn.estimate(design, dn.disguise(design, people))

    each = seconds(ours, 3) / OURS
    return [
        Ratio("disguise and estimate one question of 16", each / (seconds(peer) / count), f"{name}, per value", WANTED)
        for name, (peer, count) in _peers(true.tolist()).items()
    ]


def _peers(true: list[int]) -> dict[str, tuple[Callable[[], object], int]]:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
    from opendp.measurements import make_randomized_response
    from opendp.mod import enable_features
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer

    some = true[:THEIRS]

    def multi_freq() -> object:
        return GRR_Aggregator_MI([GRR_Client(value, ANSWERS, EPSILON) for value in some], ANSWERS, EPSILON)

    def pure() -> object:
        client, server = DEClient(EPSILON, ANSWERS), DEServer(EPSILON, ANSWERS)
        for value in some:
            server.aggregate(client.privatise(value + 1))
        return [server.estimate(value + 1) for value in range(ANSWERS)]

    def opendp() -> object:
        enable_features("contrib")
        told = make_randomized_response(list(range(ANSWERS)), 1 / ANSWERS + 0.4)
        return [told(value) for value in some]

    return {
        "multi-freq-ldpy's GRR": (multi_freq, len(some)),
        "pure-ldp's direct encoding": (pure, len(some)),
        "OpenDP's randomized response, without estimates": (opendp, len(some)),
    }
