"""Predictions of many rows: what they take beside a bare loop of ONNX Runtime's, and by two processes.

    python benchmarks/predict.py [--rows N] [--rounds N] [--network NAME] [--engine local|ray|spark]

All read rows of an .npz file. The bare loop has them in memory, runs them in the same batches with one
thread, and drops what comes out. One process and two write Parquet files, with all that is done to write
each row once. They take turns; shown are medians, and of the turns' ratios. The start of a process, its
imports and its session, is measured by a job of one shard.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort

import hybridonnx as mx

NETWORKS = {"mobilenet0.25": 64, "resnet18_v1": 64}
"""By name the size of the images."""
BATCH, SHARD = 32, 256


def exported(name, folder):
    """A network of the model zoo as a file."""
    path = folder / f"{name}.onnx"
    net = mx.gluon.model_zoo.vision.get_model(name, classes=10)
    net.initialize(mx.init.Xavier())
    mx.onnx.export_model(net, path, input_shapes=[("batch", 3, NETWORKS[name], NETWORKS[name])])
    return path


def bare(model, data):
    """Seconds of a loop of a session."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(model), options)
    start = time.perf_counter()
    for first in range(0, len(data), SHARD):
        shard = data[first : first + SHARD]
        for i in range(0, len(shard), BATCH):
            session.run(None, {"data": shard[i : i + BATCH]})
    return time.perf_counter() - start


def job(model, rows, workers, engine):
    """Seconds of a job, by the report, and of the whole call."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        report = mx.deploy.predict(
            mx.deploy.Predictor(model, threads=1),
            rows,
            folder,
            engine=engine,
            workers=workers,
            batch=BATCH,
            shard_rows=SHARD,
        )
        return report.seconds, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--network", choices=NETWORKS, action="append")
    parser.add_argument("--engine", default="local")
    options = parser.parse_args()
    print(f"{'seconds':16}{'bare':>8}{'one':>8}{'two':>8}{'one/bare':>10}{'two/one':>10}")
    for name in options.network or NETWORKS:
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            model, rows = exported(name, folder), folder / "rows.npz"
            size = NETWORKS[name]
            data = np.random.default_rng(0).standard_normal((options.rows, 3, size, size)).astype("float32")
            np.savez(rows, data=data)
            turns = []
            for _ in range(options.rounds):
                alone = bare(model, data)
                turns.append((alone, *[job(model, rows, n, options.engine)[0] for n in (1, 2)]))
            times = [statistics.median(column) for column in zip(*turns, strict=True)]
            ratios = [
                statistics.median(b / a for a, b, _ in turns),
                statistics.median(c / b for _, b, c in turns),
            ]
            print(
                f"{name:16}" + "".join(f"{t:8.2f}" for t in times) + "".join(f"{r:10.3f}" for r in ratios),
                flush=True,
            )


if __name__ == "__main__":
    main()
