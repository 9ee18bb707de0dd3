"""A remembered draw stays the same as long as person, answers and lottery do, and tells nothing across lotteries."""

import numpy as np

import deniable as dn
from deniable.device.disguise import disguise_columns
from deniable.device.memory import Memory

KEY = bytes(range(32))
IDS = [f"person {index}" for index in range(4000)]
YES, INCOME = dn.yes_no("s"), dn.number("income", 0, 100)


def replies(design, true):
    memory = Memory(KEY, "id")
    return disguise_columns(design, true, lambda lottery, columns, rows: memory.draws(IDS, lottery, columns, rows))


def everybody(cell, number):
    return {"s": np.full(len(IDS), cell, dtype=np.int8), "income": np.full(len(IDS), float(number))}


def design(theta, sd):
    return dn.Design([dn.warner(theta, YES), dn.gaussian(INCOME, sd=sd)])


def test_the_same_wave_again_is_the_same():
    one, two = (replies(design(0.8, 5), everybody(1, 50)) for _ in range(2))
    assert np.array_equal(one["s"], two["s"])
    assert np.array_equal(one["income"], two["income"])


def test_a_changed_answer_redraws_its_own_group_only():
    one, two = replies(design(0.8, 5), everybody(1, 50)), replies(design(0.8, 5), everybody(1, 60))
    assert np.array_equal(one["s"], two["s"])
    assert abs(np.corrcoef(one["income"], two["income"])[0, 1]) < 0.1


def test_another_lottery_is_another_draw():
    """With the same draw, a report that differs between thetas would be the truth under the larger one."""
    one, two = replies(design(0.8, 5), everybody(1, 50)), replies(design(0.7, 8), everybody(1, 50))
    differ = one["s"] != two["s"]
    assert 0.3 < np.mean(differ) < 0.46  # .8 * .3 + .2 * .7 = .38 for independent draws
    assert 0.5 < np.mean(one["s"][differ] == 1) < 0.75  # not always the truth
    assert abs(np.corrcoef(one["income"], two["income"])[0, 1]) < 0.1


def test_a_new_question_elsewhere_leaves_the_draws_alone():
    more = dn.Design([*design(0.8, 5).channels, dn.clear(dn.yes_no("other"))])
    true = everybody(1, 50)
    again = replies(more, {**true, "other": true["s"]})
    assert np.array_equal(replies(design(0.8, 5), true)["s"], again["s"])


def test_the_share_of_truths_is_that_of_the_lottery():
    told = replies(design(0.8, 5), everybody(1, 50))["s"]
    assert abs(np.mean(told) - 0.8) < 5 * np.sqrt(0.16 / len(IDS))


def test_key_and_ids_undo_the_disguise():
    """Whoever holds both tries every answer: what the docs say of that (68 % at theta .8) is so."""
    told = [replies(design(0.8, 5), everybody(cell, 50))["s"] for cell in (0, 1)]
    certain = told[0] != told[1]  # what each answer would have sent: only the true one could have sent this
    assert abs(certain.mean() - 0.68) < 4 * (0.68 * 0.32 / len(IDS)) ** 0.5
