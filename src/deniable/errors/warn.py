"""Warnings that point at the line outside this package which led to them, however deep in it they arise."""

import os
import sys
import warnings
from pathlib import Path

PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"


def warn(message: str) -> None:
    """Warn whoever called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
