"""Tables of numbers: cut where the analyst says, and a row for every number only where there are few."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.device.stream import disguise_file
from deniable.errors import DeniableError

AGE, SMOKES = dn.number("age", 18, 80, integer=True), dn.yes_no("smokes")
DESIGN = dn.Design([dn.clear(AGE), dn.warner(0.9, SMOKES)])
RNG = np.random.default_rng(2)
PEOPLE = pd.DataFrame({"age": RNG.integers(18, 81, 900), "smokes": RNG.choice(["no", "yes"], 900)})


@pytest.fixture(scope="module")
def replies() -> pd.DataFrame:
    return dn.disguise(DESIGN, PEOPLE, seed=1)


def test_a_number_is_cut_where_it_is_said(replies):
    found = dn.table(DESIGN, replies, ["age"], cuts={"age": [30, 50]})
    counts = np.histogram(PEOPLE.age, [18, 30, 50, 81])[0]
    assert found.share.tolist() == pytest.approx((counts / 900).tolist())
    assert found.n.tolist() == [900] * 3
    crossed = dn.table(DESIGN, replies, ["age", "smokes"], cuts={"age": [30]}, percent="row")
    assert len(crossed) == 4
    whole = dn.estimate(DESIGN, replies, "smokes == 'yes'", "age >= 30")
    assert crossed.share[3] == pytest.approx(whole.value)
    noisy = dn.Design([dn.gaussian(AGE, privacy=0.3)])
    under = dn.table(noisy, dn.disguise(noisy, PEOPLE, seed=1), ["age"], cuts={"age": [50]})
    assert under.share[0] == pytest.approx((PEOPLE.age < 50).mean(), abs=0.06)


BAD = {
    "say where to cut it": {"names": ["age"]},
    "numbers between 18 and 80": {"names": ["age"], "cuts": {"age": [90]}},
    "of numbers in the table": {"names": ["smokes"], "cuts": {"smokes": [1]}},
}


@pytest.mark.parametrize("words", BAD)
def test_bad_tables_get_one_clear_line(replies, words):
    with pytest.raises(DeniableError, match=re.escape(words)):
        dn.table(DESIGN, replies, **BAD[words])


def test_on_the_command_line(tmp_path, capsys):
    DESIGN.save(tmp_path / "d.toml")
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    disguise_file(DESIGN, tmp_path / "people.csv", tmp_path / "r.csv", seed=1)
    asked = ["table", f"{tmp_path / 'd.toml'}", f"{tmp_path / 'r.csv'}", "age"]
    with pytest.raises(SystemExit):
        run([*asked, "--cuts", "age=30,50", "--json"])
    assert [row["n"] for row in json.loads(capsys.readouterr().out)] == [900] * 3
    for wrong, words in (([], "--cuts age=30,50"), (["--cuts", "age"], "as age=30,50")):
        with pytest.raises(SystemExit) as ended:
            run([*asked, *wrong])
        assert ended.value.code == 2
        assert words in capsys.readouterr().err
