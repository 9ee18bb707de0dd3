"""What commands read and write: kinds of files, the mark of the design, first designs, and remembered disguises."""

import json
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import deniable as dn
from deniable.channel.design import Design

NAMES = ["smokes", "leave", "drinks", "age", "region"]
KINDS = ("csv", "parquet", "jsonl")
every_kind = pytest.mark.parametrize("kind", KINDS)
REMEMBER = "disguise health.toml people.csv --remember key --id id -o"


def read(path):
    """Any file as a frame; in csv only the empty field is missing."""
    match Path(path).suffix:
        case ".csv":
            return pd.read_csv(path, keep_default_na=False, na_values=[""])
        case ".parquet":
            return pd.read_parquet(path)
        case _:
            return pd.DataFrame(map(json.loads, Path(path).read_text().splitlines()))


def write(frame, path):
    {".csv": lambda: frame.to_csv(path, index=False), ".parquet": lambda: frame.to_parquet(path),
     ".jsonl": lambda: frame.to_json(path, orient="records", lines=True)}[Path(path).suffix]()  # fmt: skip


def smokers(deniable, replies):
    """The estimated share of smokers, or the refusal."""
    outcome = deniable(f"""estimate health.toml {replies} "smokes == 'yes'" --json""")
    return outcome.json[0]["value"] if outcome.code == 0 else outcome.err


@every_kind
@pytest.mark.parametrize("source", KINDS)
def test_every_kind_of_file_tells_the_same(health, deniable, source, kind):
    write(read("people.csv"), f"people.{source}")
    deniable("disguise health.toml people.csv -o expected.csv --seed 7")
    outcome = deniable(f"disguise health.toml people.{source} -o replies.{kind} --seed 7")
    assert (outcome.code, outcome.err) == (0, "")
    pd.testing.assert_frame_equal(read(f"replies.{kind}"), read("expected.csv"))
    assert smokers(deniable, f"replies.{kind}") == smokers(deniable, "expected.csv")


def test_a_folder_of_parquet_counts_as_one_file(health, deniable):
    deniable("disguise health.toml people.csv -o replies.csv")
    Path("replies").mkdir()
    write(read("replies.csv")[:50], "replies/1.parquet")
    write(read("replies.csv")[50:], "replies/2.parquet")
    assert smokers(deniable, "replies") == smokers(deniable, "replies.csv")


def test_replies_hold_the_questions_in_design_order_and_nothing_else(health, deniable):
    deniable("disguise health.toml people.csv -o replies.csv")
    replies = read("replies.csv")
    assert list(replies) == [*NAMES, "_design"]
    assert list(replies["region"]) == list(read("people.csv")["region"])  # asked in the clear: rows keep their order


@pytest.mark.parametrize(("options", "suffix"), [("", ""), ("--seed 7", "-simulated"), ("--remember key --id id", "")])
def test_the_mark_is_the_fingerprint_and_tells_simulations(health, deniable, options, suffix):
    deniable(f"disguise health.toml people.csv -o replies.csv {options}")
    assert set(read("replies.csv")["_design"]) == {Design.load("health.toml").fingerprint[:16] + suffix}


def test_a_seed_repeats_itself_and_only_itself(health, deniable):
    for name, seed in {"a": 7, "b": 7, "c": 8}.items():
        deniable(f"disguise health.toml people.csv -o {name}.csv --seed {seed}")
    assert read("a.csv").equals(read("b.csv"))
    assert not read("a.csv")[NAMES].equals(read("c.csv")[NAMES])


@every_kind
def test_replies_without_a_mark_give_one_warning(health, deniable, kind):
    deniable("disguise health.toml people.csv -o replies.csv")
    write(read("replies.csv")[NAMES], f"unmarked.{kind}")
    outcome = deniable(f"""estimate health.toml unmarked.{kind} "smokes == 'yes'" "region == 'NA'" """)
    (warning,) = outcome.err.splitlines()
    assert outcome.code == 0
    assert warning.startswith(f"deniable: warning: unmarked.{kind} ")
    assert "_design" in warning


@every_kind
@pytest.mark.parametrize("mark", ["0123456789abcdef", "0123456789abcdef-simulated", None])
def test_one_reply_with_another_mark_is_refused(health, deniable, kind, mark):
    deniable("disguise health.toml people.csv -o replies.csv")
    replies = read("replies.csv")
    replies.loc[119, "_design"] = mark
    write(replies, f"other.{kind}")
    assert "use the design they were collected with" in smokers(deniable, f"other.{kind}")


@every_kind
def test_na_none_and_null_are_answers(health, deniable, kind):
    deniable(f"disguise health.toml people.csv -o replies.{kind}")
    rows = deniable(f"table health.toml replies.{kind} region --json").json
    assert {row["region"]: row["share"] for row in rows} == pytest.approx(
        {"NA": 0.25, "None": 0.25, "null": 0.25, "north": 0.25}
    )


@every_kind
def test_missing_values_are_a_refusal_or_stay_missing_where_the_design_says_so(health, deniable, kind):
    text = Path("health.toml").read_text().replace("integer = true", "integer = true\nomit = true")
    Path("health.toml").write_text(text.replace('"north"]', '"north"]\noptional = true'))
    people = read("people.csv").astype({"age": "Int64"})
    people.loc[:9, ["age", "region"]] = None
    write(people, f"people.{kind}")
    assert deniable(f"disguise health.toml people.{kind} -o replies.{kind}").code == 0
    replies = read(f"replies.{kind}")
    assert list(replies["region"] == "prefer not to say") == list(replies["age"].isna()) == [True] * 10 + [False] * 110
    assert deniable(f"estimate health.toml replies.{kind} 'age > 40' --json").json[0]["n"] == 110


@every_kind
def test_a_run_that_fails_half_way_leaves_the_older_file(tmp_path, deniable, kind):
    design, source, target = tmp_path / "one.toml", tmp_path / "many.parquet", tmp_path / f"replies.{kind}"
    design.write_text("""question = [{name = "smokes", answers = ["no", "yes"]}]
                         channel = [{scheme = "warner", theta = 0.8, group = ["smokes"]}]""")
    write(pd.DataFrame({"smokes": ["no"] * 70_000 + ["perhaps"]}), source)
    target.write_text("older")
    assert deniable(f"disguise {design} {source} -o {target}").code == 2
    assert target.read_text() == "older"
    assert {path.name for path in tmp_path.iterdir()} == {design.name, source.name, target.name}


# ---------------------------------------------------------------- a first design


def test_new_writes_a_careful_channel_for_each_column(health, deniable):
    outcome = deniable("new people.csv -o first.toml")
    assert (outcome.code, outcome.err) == (0, "")
    written = tomllib.loads(Path("first.toml").read_text())
    assert {channel["group"][0]: channel["scheme"] for channel in written["channel"]} == {
        "smokes": "warner", "leave": "warner", "drinks": "k_ary", "region": "k_ary", "age": "gaussian",
    }  # fmt: skip
    assert {channel.get("theta", channel.get("privacy")) for channel in written["channel"]} == {0.8, 0.66, 0.57, 0.5}
    assert {"name": "age", "range": [18, 80], "integer": True} in written["question"]
    assert "id" not in [question["name"] for question in written["question"]]
    assert "left out: id" in outcome.out


@pytest.mark.parametrize(("cut", "least_of_the_upper_half"), [("median", 21), ("midrange", 50)])
def test_new_cuts_numbers_in_two(tmp_path, deniable, cut, least_of_the_upper_half):
    data, design = tmp_path / "ages.csv", tmp_path / "first.toml"
    data.write_text("age\n" + "\n".join(map(str, [18, 19, 20, 21, 51, 80])))
    assert deniable(f"new {data} -o {design} --binary {cut}").code == 0
    (channel,) = dn.Design.load(design).channels
    assert channel.group[0].range.edges[1] == least_of_the_upper_half - 0.5
    assert channel.recipe.scheme == "warner"


@pytest.mark.parametrize("options", ["", "--binary median", "--binary midrange"])
def test_a_new_design_fits_its_own_data(health, deniable, options):
    assert deniable(f"new people.csv -o first.toml {options}").code == 0
    assert deniable("check first.toml").code == 0
    assert deniable("disguise first.toml people.csv -o replies.csv").code == 0
    assert deniable("estimate first.toml replies.csv --json").code == 0


def test_a_median_at_the_top_of_the_range_still_cuts_in_two(tmp_path, deniable):
    (tmp_path / "pay.csv").write_text("pay\n0.5\n3.5\n5.5\n5.5\n5.5\n")
    outcome = deniable(f"new {tmp_path / 'pay.csv'} -o {tmp_path / 'first.toml'} --binary median")
    assert (outcome.code, outcome.err) == (0, "")


def test_new_says_why_a_column_of_many_words_is_left_out(tmp_path, deniable):
    rows = [f"town {row % 60},person {row},{['never', 'weekly', 'daily'][row % 3]}" for row in range(300)]
    (tmp_path / "people.csv").write_text("\n".join(["town,name,drinks", *rows]))
    outcome = deniable(f"new {tmp_path / 'people.csv'} -o {tmp_path / 'first.toml'}")
    assert "left out: town (more than 50 different words: merge some of them" in outcome.out
    assert "left out: name (words that are different for everybody)" in outcome.out


def test_new_keeps_the_order_of_answers(tmp_path, deniable):
    words = {
        "drinks": ["daily", "never", "weekly"],
        "band": ["10 to 19", "20 or more", "5 to 9"],
        "colour": ["red", "blue", "green"],
    }
    people = pd.DataFrame({name: each * 20 for name, each in words.items()})
    people["grade"] = pd.Categorical(["low"] * 30 + ["top"] * 30, categories=["top", "low"], ordered=True)
    people.to_parquet(tmp_path / "people.parquet", row_group_size=20)
    assert deniable(f"new {tmp_path / 'people.parquet'} -o {tmp_path / 'first.toml'}").code == 0
    design = dn.Design.load(tmp_path / "first.toml")
    assert design.question("drinks").answers == ("never", "weekly", "daily")
    assert design.question("band").answers == ("5 to 9", "10 to 19", "20 or more")
    assert design.question("colour").answers == ("blue", "green", "red")
    assert design.question("grade").answers == ("top", "low")
    assert [design.question(name).ordered for name in design.names] == [True, True, False, True]


def test_check_names_the_other_questions_of_a_draw(tmp_path, deniable):
    together = dn.warner(0.8, dn.yes_no("sex"), dn.yes_no("dept"))
    dn.Design([together, dn.warner(0.8, dn.yes_no("smokes"))]).save(tmp_path / "pair.toml")
    rows = deniable(f"check {tmp_path / 'pair.toml'}").out.splitlines()
    last = {row.split()[0]: row.split()[-1] for row in rows if row.strip().startswith(("sex", "dept", "smokes"))}
    assert last == {"sex": "dept", "dept": "sex", "smokes": "alone"}


def test_reconstruct_prints_what_people_can_read(survey, deniable):
    shown = deniable("reconstruct health.toml replies.csv age --by leave")
    assert "in 12 bands; --json has all 63 intervals" in shown.out
    assert len(shown.out.splitlines()) < 40
    every = json.loads(deniable("reconstruct health.toml replies.csv age --by leave --json").out)
    assert len(every) == 2 * 63


# ---------------------------------------------------------------- the same person, the same disguise


def test_the_key_file_is_made_for_its_owner_alone(health, deniable):
    assert deniable("disguise health.toml people.csv -o a.csv --remember mine --id id").code == 0
    assert Path("mine").stat().st_mode & 0o777 == 0o600
    key = Path("mine").read_text()
    assert deniable("disguise health.toml people.csv -o b.csv --remember mine --id id").code == 0
    assert Path("mine").read_text() == key
    assert read("a.csv").equals(read("b.csv"))


@every_kind
def test_the_same_people_get_the_same_disguise_in_any_order_and_file(health, deniable, kind):
    deniable(f"{REMEMBER} first.csv")
    write(read("people.csv")[::-1], f"backwards.{kind}")
    deniable(f"disguise health.toml backwards.{kind} --remember key --id id -o second.csv")
    assert read("second.csv")[::-1].reset_index(drop=True).equals(read("first.csv"))


def test_another_key_or_person_draws_anew(health, deniable):
    deniable(f"{REMEMBER} first.csv")
    deniable("disguise health.toml people.csv --remember other --id id -o second.csv")
    write(read("people.csv").assign(id=range(120)), "people.csv")
    deniable(f"{REMEMBER} third.csv")
    assert not read("second.csv")[NAMES].equals(read("first.csv")[NAMES])
    assert not read("third.csv")[NAMES].equals(read("first.csv")[NAMES])


def test_a_changed_answer_redraws_its_own_group_only(health, deniable):
    deniable(f"{REMEMBER} first.csv")
    people = read("people.csv")
    people.loc[:99, "smokes"] = people.loc[:99, "smokes"].map({"no": "yes", "yes": "no"})
    write(people, "people.csv")
    deniable(f"{REMEMBER} second.csv")
    first, second = read("first.csv"), read("second.csv")
    assert second[["drinks", "age", "region"]].equals(first[["drinks", "age", "region"]])
    assert second[100:].equals(first[100:])  # those whose answers stayed
    assert 0 < sum(second["leave"] != first["leave"]) < 100  # drawn with smokes, so drawn again
    assert 0 < sum(second["smokes"][:100] == first["smokes"][:100]) < 100  # not just the old draw, turned over
