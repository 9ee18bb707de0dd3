"""The accuracy that disguised digits tell is unbiased and its error is honest; no version need ask everything."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.collect.second_round import lottery_of, with_lottery
from deniable.web.digits import digits_about

ROUNDS, DIGITS = 400, 600


@pytest.mark.parametrize(("epsilon", "accuracy"), [(0.5, 0.7), (1, 0.9), (4, 0.6)])
def test_accuracy_is_unbiased_and_its_interval_covers(epsilon, accuracy, figure):
    """Each bound is missed by chance in fewer than one of 300 seeds."""
    rng, lottery = np.random.default_rng(1), lottery_of(epsilon)
    right = pd.DataFrame({"right": np.where(rng.random(ROUNDS * DIGITS) < accuracy, "yes", "no")})
    reported = (dn.disguise(lottery, right, seed=2)["right"] == "yes").to_numpy().reshape(ROUNDS, DIGITS).sum(axis=1)
    published = with_lottery("{}", lottery)
    found = [digits_about(lottery, published, (DIGITS, int(each))).accuracy for each in reported]
    values, errors = (np.array([getattr(each, name) for each in found]) for name in ("value", "stderr"))
    covered = np.mean([each.low <= accuracy <= each.high for each in found])
    figure(f"second round, epsilon {epsilon}", f"bias {values.mean() - accuracy:+.4f}, coverage {covered:.3f}")
    assert abs(values.mean() - accuracy) < 3 * values.std() / np.sqrt(ROUNDS)
    assert 0.9 < errors.mean() / values.std() < 1.1
    assert 0.915 <= covered <= 0.985


def test_later_respondents_test_a_model_that_no_version_could():
    questions = [dn.yes_no(name) for name in ("late", "a", "b", "c")]
    design = dn.Design([dn.draw(dn.epsilon(2), *questions, always=["late"], ask=2)], target="late")
    rng = np.random.default_rng(3)

    def people(count):
        late = rng.random(count) < 0.4
        others = {name: rng.random(count) < 0.2 + 0.6 * late for name in "abc"}
        return pd.DataFrame({"late": late, **others}).replace({True: "yes", False: "no"})

    replies = dn.disguise(design, people(4_000), seed=4)
    model = dn.NaiveBayes(design).fit(replies.drop(columns="late"), replies["late"])
    with pytest.raises(dn.DeniableError, match="second round of a published model is one disguised digit"):
        dn.score(model, design, replies)
    later, lottery = people(20_000), lottery_of(1)
    right = model.predict(later[["a", "b", "c"]]) == later["late"].to_numpy()
    reported = dn.disguise(lottery, pd.DataFrame({"right": np.where(right, "yes", "no")}), seed=5)["right"] == "yes"
    found = digits_about(design, with_lottery("{}", lottery), (len(later), int(reported.sum()))).accuracy
    assert right.mean() > 0.75
    assert abs(found.value - right.mean()) < 3 * found.stderr < 0.05
