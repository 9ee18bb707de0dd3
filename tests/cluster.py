"""A real Spark cluster of the tests' own: a standalone master and a worker on loopback, each a process."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyspark

SOURCE = Path(__file__).parents[1] / "src"
AGGREGATES = ("HashAggregate", "ObjectHashAggregate", "SortAggregate")
QUICK = ["-XX:TieredStopAtLevel=1", "-Xmx512m"]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(folder: Path, cores: int = 2) -> Iterator[str]:
    """The URL of a master that has a worker."""
    port, jars = free_port(), Path(pyspark.__file__).parent / "jars"
    paths = [str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_HOME": str(jars.parent),
        "SPARK_SCALA_VERSION": "2.13",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(paths),
    }

    def started(kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        head = ["java", *QUICK, "-cp", f"{jars}/*", f"org.apache.spark.deploy.{kind.lower()}.{kind}"]
        with open(folder / f"{kind}.log", "wb") as log:
            return subprocess.Popen(
                [*head, "--host", "127.0.0.1", "--webui-port", str(free_port()), *arguments],
                env=environment, stdout=log, stderr=log, cwd=folder,
            )  # fmt: skip

    url = f"spark://127.0.0.1:{port}"
    master = started("Master", "--port", str(port))
    worker = None
    try:
        _wait(folder / "Master.log", "I have been elected leader")
        worker = started("Worker", "--cores", str(cores), "--memory", "1g", "--work-dir", str(folder / "work"), url)
        _wait(folder / "Worker.log", "Successfully registered with master")
        yield url
    finally:
        for each in filter(None, [worker, master]):
            each.terminate()
            each.wait(30)


def _wait(log: Path, words: str) -> None:
    for _ in range(600):
        if words in log.read_text(errors="replace"):
            return
        time.sleep(0.1)
    raise TimeoutError(log.read_text(errors="replace"))


def settings(url: str, folder: Path) -> dict[str, str]:
    """Of a session at this master whose events are written down."""
    return {
        "spark.master": url,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.cores.max": "2",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": folder.as_uri(),
    }


def events(folder: Path) -> list[dict]:
    """All that Spark wrote down of its sessions in this folder."""
    found = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".crc")]
    return [json.loads(line) for path in found for line in path.read_text().splitlines() if line.startswith("{")]


def on(session, frame, partitions=3):
    return session.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False)).repartition(partitions)


def settled_events(folder):
    """All events, when those of every job that was started have arrived."""
    for _ in range(200):
        found = events(folder / "events")
        kinds = [event["Event"] for event in found]
        if kinds.count("SparkListenerJobStart") == kinds.count("SparkListenerJobEnd"):
            return found
        time.sleep(0.1)
    raise TimeoutError


def plans(found):
    """The uppermost step of every query that Spark ran."""
    texts = [event["physicalPlanDescription"] for event in found if event["Event"].endswith("SQLExecutionStart")]
    steps = [re.findall(r"^[\s+\-:*]*(?:\(\d+\) )?([A-Z]\w+(?: \w+)?) \(\d+\)", text, re.MULTILINE) for text in texts]
    return [next(step for step in found if step != "AdaptiveSparkPlan") for found in steps]


def bytes_collected(events):
    return sum(
        event["Task Metrics"]["Result Size"]
        for event in events
        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics")
    )


def largest_result(events):
    """The bytes that the task with the largest result sent to the driver."""
    return max(
        event["Task Metrics"]["Result Size"]
        for event in events
        if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics")
    )
