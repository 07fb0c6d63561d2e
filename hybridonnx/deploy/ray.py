"""Shards done by actors of Ray, on this machine or a cluster."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import Any

from ..errors import MXNetError, RequirementError
from .job import Job, ShardResult
from .worker import ShardWorker

__all__ = ["in_ray"]


def in_ray(job: Job, shards: Sequence[int], count: int) -> Iterator[ShardResult]:
    """Do shards in so many actors of Ray Data, in any order; 0 for one less than the cluster's processors.

    Ray starts actors that die again, and gives their shards to others. All machines need the model's file and
    the folders of sources and results under the same names. Without a cluster one is started here.

    Raises:
        RequirementError: If Ray is not installed.
        MXNetError: What a worker raised.
    """
    ray = _ray()
    if ray.is_initialized():
        yield from _results(ray, job, shards, count)
        return
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    with redirect_stdout(sys.stderr):  # where Ray tells of what died, whatever it is asked
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        try:
            yield from _results(ray, job, shards, count)
        finally:
            ray.shutdown()


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ModuleNotFoundError:
        raise RequirementError(
            'predict: the package ray is required for the engine ray. pip install "hybridonnx[ray]".'
        ) from None
    return ray


def _results(ray: Any, job: Job, shards: Sequence[int], count: int) -> Iterator[ShardResult]:
    processors = ray.cluster_resources().get("CPU", 1)
    count = min(count or max(int(processors) - 1, 1), len(shards))
    # Actors that take all processors leave none for the tasks that feed them, and nothing ever begins.
    share = min(1.0, max(processors - 1, processors / 2) / count)
    ray.data.DataContext.get_current().enable_progress_bars = False
    pool = ray.data.ActorPoolStrategy(size=count)
    items = ray.data.from_items([{"shard": shard} for shard in shards], override_num_blocks=len(shards))
    results = items.map(_Actor, fn_constructor_args=(job,), compute=pool, num_cpus=share)
    try:
        for row in results.iter_rows():
            yield ShardResult(**json.loads(row["result"]))
    except ray.exceptions.RayError as exc:
        raise _cause(exc) from None


class _Actor:
    """A worker as Ray Data calls it."""

    def __init__(self, job: Job) -> None:
        self._worker = ShardWorker(job)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"result": json.dumps(asdict(self._worker(int(row["shard"]))))}


def _cause(exc: BaseException) -> MXNetError:
    """What a worker raised, within what Ray makes of it."""
    inner: BaseException | None = exc
    while inner is not None:
        if isinstance(inner, MXNetError):
            return MXNetError(str(inner))
        inner = getattr(inner, "cause", None) or inner.__cause__
    return MXNetError(f"predict: Ray could not do a shard: {exc}")
