"""Rows of published studies, read from a folder that its owner names; they do not ship with the package."""

from functools import cache
from pathlib import Path

import pandas as pd

from deniable.errors import BadFile


@cache
def rows_of(path: Path) -> pd.DataFrame:
    """The rows of one study."""
    if not path.is_file():
        raise BadFile(path, "is not there", "give the folder that holds the rows of all studies, or leave --rows out")
    return pd.read_csv(path)
