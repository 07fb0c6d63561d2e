"""Predictions of many rows, from files to files, by one process or many machines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from ..errors import MXNetError
from ..formats.files import PathLike
from ..parity.progress import counted
from .job import Job, ShardResult
from .local import in_processes
from .pixels import Pixels
from .prediction import Predictor
from .ray import in_ray
from .report import Report
from .sources import Source, sources_of
from .spark import in_spark

__all__ = ["predict"]

Engine: TypeAlias = Callable[[Job, Sequence[int], int], Iterator[ShardResult]]
"""Does the shards of these numbers with so many workers."""
_ON_ERROR = ("stop", "skip")
_ENGINES: Mapping[str, Engine] = {"local": in_processes, "ray": in_ray, "spark": in_spark}


def predict(
    model: Predictor | PathLike,
    inputs: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    engine: str = "local",
    workers: int = 0,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    batch: int = 32,
    shard_rows: int = 1024,
    on_error: str = "stop",
    pixels: Pixels = Pixels(),  # noqa: B008
    overwrite: bool = False,
) -> Report:
    """Predict all rows of files, each once, and write the outputs to Parquet files.

    The output folder has a file for each shard of rows, with a column for each output, `source` and `row`,
    which say where each row comes from, and what `keep` names. A call that was ended, by a kill too, is made
    again as it was, does what is not done, and gives the same files.

    Args:
        model: A predictor, or a model's file; each worker then has one thread.
        inputs: Files, folders or patterns: Parquet, .npz, .npy, .rec or images.
        output: The folder that receives the results.
        engine: "local" for processes of this machine, "ray" or "spark" for a cluster.
        workers: How many; 0 for as many as there are processors, or the cluster gives.
        columns: By input the column that it is, unless it is called as the input. Images of records and
            folders are the column `image`, which is the only input's unless said otherwise.
        keep: Columns that are written too; images and records have a `label`. A predictor has its own.
        batch: The rows that the model gets at once.
        shard_rows: The rows of a file of results.
        on_error: "stop" at a row that cannot be predicted, or "skip" it, to be told of in the folder `_bad`.
        pixels: What becomes of images, unless the predictor has a transform for them.
        overwrite: Whether the results of another job in the folder may go.

    Returns:
        What was done.

    Raises:
        MXNetError: If the model does not take such rows, a file is damaged, or the folder has something else.
        RequirementError: If the engine, or pyarrow, is not installed.
    """
    _require_options(engine, on_error, batch, shard_rows, workers)
    predictor = model if isinstance(model, Predictor) else Predictor(model, keep=keep, threads=1)
    sources, folder = sources_of(inputs), Path(output).absolute()
    named = {**_columns(predictor, sources), **(columns or {})}
    job = Job(predictor, sources, folder, named, pixels, batch, shard_rows, on_error == "skip")
    count = workers or (os.cpu_count() or 1 if engine == "local" else 0)
    return _done(job, _ENGINES[engine], count, overwrite)


def _require_options(engine: str, on_error: str, batch: int, shard_rows: int, workers: int) -> None:
    if engine not in _ENGINES or on_error not in _ON_ERROR:
        raise MXNetError(
            f"predict: an engine of {', '.join(_ENGINES)} and on_error of {', '.join(_ON_ERROR)} are "
            f"required, got {engine!r} and {on_error!r}."
        )
    if min(batch, shard_rows) < 1 or workers < 0:
        raise MXNetError(
            "predict: batch and shard_rows from 1 on and workers from 0 on are required, got "
            f"{batch}, {shard_rows} and {workers}."
        )


def _done(job: Job, engine: Engine, workers: int, overwrite: bool) -> Report:
    """Do what is not done yet of a job."""
    known = job.begin(overwrite)
    numbers = {result.number for result in known}
    left = [shard.number for shard in job.shards if shard.number not in numbers]
    begin = monotonic()
    rows = job.rows - sum(result.rows + result.bad for result in known)
    told = partial(_told, rows)
    work = engine(job, left, workers) if left else iter(())
    results = [*counted(work, told, lambda result: result.rows + result.bad)]
    seconds = monotonic() - begin if left else 0.0
    everything = [*known, *results]
    return Report(
        job.folder,
        sum(result.rows for result in everything),
        sum(result.bad for result in everything),
        len(everything),
        len(known),
        seconds,
        rows / seconds if seconds else 0.0,
    )


def _told(rows: int, count: int, seconds: float) -> str:
    """How far a job is."""
    rate = count / max(seconds, 1e-9)
    left = (rows - count) / max(rate, 1e-9)
    return f"predicting: {count:,} of {rows:,} rows, {rate:,.0f} rows/s, {_duration(left)} left"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _columns(predictor: Predictor, sources: Sequence[Source]) -> dict[str, str]:
    """The column of a model's only input, where the sources have no other for it."""
    if len(predictor.inputs) != 1:
        return {}
    name = predictor.inputs[0].name
    for source in sources:
        known = source.names()
        if known is not None and name not in known:
            others = [other for other in known if other not in predictor.keep]
            if "image" in others or len(others) == 1:
                return {name: "image" if "image" in others else others[0]}
    return {}
