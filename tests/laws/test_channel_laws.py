"""What every channel obeys, whatever its scheme."""

import json
from hashlib import sha256
from math import prod

import numpy as np
from hypothesis import given

import deniable as dn
from deniable.channel.files import READERS
from laws.family import FAMILY, A, chance, chances_of_each, drawn, every_member, ordered_subsets, seeds
from laws.versions_family import LITERATURE


def test_the_family_is_what_design_files_know():
    assert {*FAMILY, *LITERATURE} == set(READERS)


@every_member
@given(chance, chance)
@chances_of_each(100, 30)
def test_each_truth_is_reported_as_something(member, p, q):
    matrix = drawn(member, p, q).matrix()
    assert (matrix >= 0).all()
    assert np.allclose(matrix.sum(axis=0), 1, rtol=0, atol=1e-12)


@every_member
@given(chance, chance, seeds)
@chances_of_each(100, 30)
def test_matrix_of_some_questions_is_the_margin_of_all(member, p, q, seed):
    channel = drawn(member, p, q)
    shape = [len(question) for question in channel.group]
    true = np.random.default_rng(seed).random(shape)
    told = [len(channel.reported(question)) for question in channel.group]
    reported = (channel.matrix() @ true.ravel()).reshape(told)
    for names in ordered_subsets(channel.names):
        axes = [channel.names.index(name) for name in names]
        assert np.allclose(channel.matrix(names) @ margin(true, axes), margin(reported, axes))


def margin(table, axes):
    """The cross-tabulation of these axes, in this order, as one column."""
    front = np.moveaxis(table, axes, range(len(axes)))
    return front.reshape(prod(front.shape[: len(axes)]), -1).sum(axis=1)


@every_member
@given(chance, chance)
@chances_of_each(100, 30)
def test_a_design_file_gives_back_the_design(member, tmp_path_factory, p, q):
    path = tmp_path_factory.mktemp("designs") / "design.toml"
    design = dn.Design([drawn(member, p, q)], title='A "title"\n', target=None)
    design.save(path)
    again = dn.Design.load(path)
    assert again == design
    assert again.fingerprint == design.fingerprint


@every_member
@given(chance, chance, chance)
@chances_of_each(100, 30)
def test_another_chance_is_another_fingerprint(member, p, q, other):
    one, two = drawn(member, p, q), drawn(member, other, q)
    alike = one.recipe.settings == two.recipe.settings or np.array_equal(one.matrix(), two.matrix())
    assert alike or dn.Design([one]).fingerprint != dn.Design([two]).fingerprint


@given(chance)
def test_a_draw_is_an_unrelated_question_with_a_uniform_answer(theta):
    group = (A, dn.Question("color", ("red", "green", "blue")))
    assert np.array_equal(dn.draw(theta, *group).matrix(), dn.unrelated(theta, *group).matrix())


@given(chance)
def test_grouped_warner_inverts_all_or_none(theta):
    if abs(theta - 0.5) > 1e-3:
        matrix = dn.warner(theta, A, dn.yes_no("b")).matrix()
        assert np.allclose(matrix, theta * np.eye(4) + (1 - theta) * np.eye(4)[::-1], atol=1e-9)


def test_a_large_group_needs_no_large_matrix():
    group = [dn.yes_no(f"q{index}") for index in range(200)]
    assert np.allclose(dn.warner(0.7, *group).matrix(["q7", "q150"])[0], [0.7, 0, 0, 0.3], atol=1e-9)


def test_a_question_that_is_called_target_leaves_the_targets_place_alone():
    personal = {"target": "Were you born before July?"}
    asked = dn.unrelated(0.7, dn.yes_no("target"), chances=[0.5, 0.5], personal=personal)
    words = {"de": {"question": {"target": {"wording": "Ziel?", "personal": "Vor Juli geboren?"}}}}
    design = dn.Design([asked, dn.warner(0.8, dn.yes_no("title"))], translation=words)
    for fingerprint, target in design.fingerprints.items():
        text = design.as_promised([fingerprint]).to_json()
        assert sha256(text.encode()).hexdigest() == fingerprint
        assert json.loads(text)["target"] == target
        assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
