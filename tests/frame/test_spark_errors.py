"""What Spark says of a path, in one line of our own."""

import pytest

from deniable.frame.spark_errors import reason_of

SAID = {
    "java.io.FileNotFoundException: /data/r.csv (Permission denied)": "may not be read or counted by Spark",
    "java.io.FileNotFoundException: /data/r.csv (No such file or directory)": "is not there",
    "[PATH_NOT_FOUND] Path does not exist: file:/data/r.csv": "is not there",
    "[MALFORMED_CSV_RECORD] Malformed CSV record: yes,Permission denied": "has a row that does not fit its header",
}


@pytest.mark.parametrize("text", SAID)
def test_each_message_has_its_own_reason(text):
    assert reason_of(RuntimeError(text))[0].startswith(SAID[text])
