"""Spark sessions: on one processor of this machine, for tests that need no cluster, and at a real one."""

import os
import sys
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import cluster

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def clustered(folder):
    """A session at a standalone master with one worker, whose events are written down."""
    (folder / "events").mkdir()
    with pytest.MonkeyPatch.context() as patch, cluster.running(folder) as url:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        found = SparkSession.builder.config(map=cluster.settings(url, folder / "events")).getOrCreate()
        yield found
        found.stop()
