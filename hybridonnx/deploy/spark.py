"""Shards done by executors of Apache Spark."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import MXNetError, RequirementError
from .job import Job, ShardResult
from .worker import ShardWorker

__all__ = ["in_spark"]

_POLL = 0.5
"""Seconds between looks at what is done."""
_TRIES = 4
"""How often a task may fail."""


def in_spark(job: Job, shards: Sequence[int], count: int) -> Iterator[ShardResult]:
    """Do shards as tasks of a Spark job, in any order.

    The session that there is is used; else one of so many threads is started here. Spark does a task again
    whose executor dies. All machines need hybridonnx, the model's file, and the folders of sources and
    results under the same names.

    Raises:
        RequirementError: If PySpark or Java is not installed.
        MXNetError: What a worker raised.
    """
    session, ours = _session(count)
    known: set[int] = set()
    failure: list[BaseException] = []

    def run() -> None:
        try:
            session.sparkContext.parallelize(shards, len(shards)).mapPartitions(_Partition(job)).count()
        except Exception as exc:  # noqa: BLE001  (raised below, in the caller's thread)
            failure.append(exc)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive() or len(known) < len(shards):
            thread.join(_POLL)
            for shard in shards:
                result = None if shard in known else job.result(job.shards[shard])
                if result is not None:
                    known.add(shard)
                    yield result
            if failure:
                raise _cause(failure[0])
            if not thread.is_alive() and len(known) < len(shards):
                time.sleep(_POLL)
    finally:
        if ours:
            session.stop()


def _session(count: int) -> tuple[Any, bool]:
    """Spark's session, and whether it was started here."""
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise RequirementError(
            'predict: the package pyspark is required for the engine spark. pip install "hybridonnx[spark]".'
        ) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active, False
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{count or '*'},{_TRIES}]").appName("hybridonnx predict")
    for option in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(option, "false")
    try:
        session = builder.getOrCreate()
    except Exception as exc:  # noqa: BLE001  (PySpark has no class for it)
        raise RequirementError(f"predict: Java is required for the engine spark: {exc}") from None
    session.sparkContext.setLogLevel("OFF")  # what fails is raised
    return session, True


class _Partition:
    """A worker as Spark calls it, for the shards of a partition."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, shards: Iterator[int]) -> Iterator[int]:
        worker = ShardWorker(self._job)
        for shard in shards:
            worker(shard)
            yield shard


def _cause(exc: BaseException) -> MXNetError:
    """What a worker raised, of what Spark tells of it."""
    text = str(exc)
    for line in text.splitlines():
        name, colon, rest = line.strip().partition(": ")
        if colon and name.rpartition(".")[2].endswith("Error") and "hybridonnx" in name:
            return MXNetError(rest)
    return MXNetError(f"predict: Spark could not do a shard: {text.splitlines()[0] if text else exc!r}")
