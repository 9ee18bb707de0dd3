"""A Spark session on one processor of this machine, for tests that need no cluster."""

import os
import sys
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
}


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    found = SparkSession.builder.master("local[1]").config(map=SETTINGS).getOrCreate()
    yield found
    found.stop()
