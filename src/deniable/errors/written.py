"""The refusal of a file that cannot be written."""

from os import PathLike
from pathlib import Path

from deniable.errors.read import BadFile


def not_written(path: str | PathLike[str], error: OSError) -> BadFile:
    """Why a file cannot be written; most often its folder is not there."""
    folder = Path(path).parent
    if not folder.exists():
        return BadFile(
            path, f"cannot be written: the folder {folder} does not exist", "make it first, or choose another place"
        )
    return BadFile(path, f"cannot be written ({error.strerror or error})", "choose another place")
