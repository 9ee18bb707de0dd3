"""Silence about a pandas newer than Spark or Dask know: what they say of it is nothing that our readers can act on."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

SAID = ("PySpark does not yet fully support pandas", r"The inplace keyword in \w+\.\w+ is deprecated")


@contextmanager
def newer_pandas() -> Iterator[None]:
    """Around a call of Spark or Dask, or as a decorator of what calls them: these warnings are not passed on."""
    with warnings.catch_warnings():
        for message in SAID:
            warnings.filterwarnings("ignore", message)
        yield
