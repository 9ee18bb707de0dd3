"""Commands as a shell would run them, in this process."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from deniable.cli.main import run


def command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """The code with which `deniable ...` ends, and what it writes to either stream."""
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    assert isinstance(ended.value.code, int)
    return ended.value.code, *capsys.readouterr()


def deniable_says(*words: object, code: int = 0) -> str:
    """What `deniable ...` prints and complains about; it must end with this code."""
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said), pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    assert ended.value.code == code, said.getvalue()
    return said.getvalue()
