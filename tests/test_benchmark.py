"""What is made of times, in numbers, texts and pictures. No test depends on how long anything takes."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import sym
from hybridonnx.errors import AttributeValueError
from hybridonnx.onnx import benchmark
from hybridonnx.onnx.benchmark import Benchmark, summary

SVG = "{http://www.w3.org/2000/svg}"


def timing(name="m", threads=1, rows=1, times=(0.001, 0.002), received=1.0):
    return summary(name, threads, rows, [times, times], received)


def test_percentiles():
    rng = np.random.default_rng(0)
    times = rng.permutation(np.arange(1, 101)) / 1000
    known = summary("m", 2, 4, np.split(times, 4))
    assert (known.p50, known.p90, known.p99) == pytest.approx((50.5, 90.1, 99.01))
    assert (known.mean, known.least, known.runs) == pytest.approx((50.5, 1, 100))
    assert known.throughput == pytest.approx(4 * 100 / 5.05)
    assert known.rounds == pytest.approx([np.median(part) * 1000 for part in np.split(times, 4)])


def test_doubts():
    steady = timing()
    assert not Benchmark((steady,), 1).doubts
    assert not Benchmark((replace(steady, rounds=(0.01, 0.05), p50=0.03),), 1).doubts, "a clock's precision"
    (busy,) = Benchmark((steady, timing(threads=2, received=0.6)), 1).doubts
    assert busy.startswith("with 2 threads, 60% of the processors' time was there")
    (apart,) = Benchmark((steady, replace(steady, model="x", rounds=(10.0, 14.0), p50=12.0)), 1).doubts
    assert apart.startswith(
        "1 of 2 medians differ between rounds, most of all x with 1 thread and 1 row, from 10"
    )


def test_text():
    both = Benchmark((timing("a"), timing("b", times=(0.004, 0.005))), 1)
    lines = str(both).splitlines()
    assert lines[0].split() == "model threads rows runs p50 ms p90 ms p99 ms rows/s to first".split()
    assert lines[1].split() == ["a", "1", "1", "4", "1.500", "2.000", "2.000", "666.7", "1.00"]
    assert lines[2].split()[-1] == "3.00"
    assert "to first" not in str(Benchmark((timing(),), 1))


def test_json():
    data = json.loads(Benchmark((timing(received=0.1),), 1).to_json())
    assert data["timings"][0]["p50"] == 1.5
    assert len(data["doubts"]) == 1


def test_picture(tmp_path):
    names = "a<b", 'c&"d'
    rows = [timing(name, t, 1, [0.001 * (i + t)] * 3) for t in (1, 2) for i, name in enumerate(names)]
    path = tmp_path / "times.svg"
    text = Benchmark(tuple(rows), 1).to_svg(path)
    assert path.read_text(encoding="utf-8") == text
    root = ElementTree.fromstring(text)
    heights = [float(bar.get("height")) for bar in root.iter(f"{SVG}rect") if bar.get("class") == "bar"]
    assert np.array(heights) / heights[0] == pytest.approx([1, 2, 2, 3], rel=1e-2)
    texts = [item.text for item in root.iter(f"{SVG}text")]
    assert {*names, "1 thread, 1 row", "2 threads, 1 row"} <= set(texts)
    assert "a<b, 2 threads, 1 row: 2.000 ms, 99 % within 2.000 ms" in [
        t.text for t in root.iter(f"{SVG}title")
    ]
    width, height = float(root.get("width")), float(root.get("height"))
    for bar in root.iter(f"{SVG}rect"):
        assert 0 <= float(bar.get("x", 0)) <= float(bar.get("x", 0)) + float(bar.get("width")) <= width
        assert 0 <= float(bar.get("y", 0)) <= float(bar.get("y", 0)) + float(bar.get("height")) <= height


class Call:
    """Writes down what is asked of it."""

    def __init__(self, name, log):
        self.name, self.log = name, log

    def warm_up(self, count):
        self.log.append((self.name, "warm", count))

    def round(self, count):
        self.log.append((self.name, count))


def test_models_run_in_turns_and_back(monkeypatch):
    monkeypatch.setattr(benchmark, "share_received", lambda threads: threads / 8)
    log: list[tuple] = []
    calls = {name: Call(name, log) for name in "ab"}
    received = benchmark._Plan([2], None, runs=7, rounds=3, warmup=2, seconds=1e9).run(calls, 2, "2 threads")
    assert received == 0.25
    assert log[:2] == [("a", "warm", 2), ("b", "warm", 2)]
    assert log[2:] == [("a", 3), ("b", 3), ("b", 2), ("a", 2), ("a", 2), ("b", 2)]


def test_no_more_rounds_begin_when_the_time_is_up(monkeypatch):
    monkeypatch.setattr(benchmark, "share_received", lambda threads: 1.0)
    log: list[tuple] = []
    benchmark._Plan([1], None, runs=10, rounds=5, warmup=0, seconds=0).run({"a": Call("a", log)}, 1, "")
    assert log[1:] == [("a", 2)]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    y = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    params = {"fc_weight": mx.nd.ones((3, 4)), "fc_bias": mx.nd.zeros(3)}
    folder = tmp_path_factory.mktemp("bench")
    free = mx.onnx.export_model(y, params, [("batch", 4)], onnx_file_path=str(folder / "free.onnx"))
    fixed = mx.onnx.export_model(y, params, [(2, 4)], onnx_file_path=str(folder / "fixed.onnx"))
    return (y, params), free, fixed


def test_every_combination_is_there(path):
    symbol, free, _ = path
    known = mx.onnx.bench(
        {"file": free, "symbol": symbol}, shapes=("batch", 4), batch_sizes=(1, 3), runs=2, rounds=2, warmup=0
    )
    assert [(t.threads, t.batch_size, t.model) for t in known.timings] == [
        (threads, rows, name) for threads in (1, 2) for rows in (1, 3) for name in ("file", "symbol")
    ]
    assert all(t.runs == 2 and len(t.rounds) == 2 and 0 < t.p50 <= t.p90 <= t.p99 for t in known.timings)
    assert known.environment["ONNX Runtime"]


def test_models_of_one_name(path):
    _, free, fixed = path
    known = mx.onnx.bench([free, fixed, free], threads=1, runs=1, rounds=1, warmup=0)
    assert [(t.model, t.batch_size) for t in known.timings] == [(free, 1), (fixed, 2), (f"{free} (2)", 1)]
    pair = mx.onnx.bench((free, fixed), threads=1, runs=1, rounds=1, warmup=0)
    assert len(pair.timings) == 2
    given = mx.onnx.bench(free, mx.nd.ones((5, 4)), threads=1, runs=1, rounds=1, warmup=0)
    assert given.timings[0].batch_size == 5


def test_what_is_refused(path):
    _, free, fixed = path
    with pytest.raises(
        AttributeValueError, match=r"a free first size is required of .*fixed\.onnx for batch_sizes"
    ):
        mx.onnx.bench(fixed, batch_sizes=(1, 2))
    with pytest.raises(AttributeValueError, match="inputs or batch_sizes are required, got both"):
        mx.onnx.bench(free, mx.nd.ones((5, 4)), batch_sizes=2)
    with pytest.raises(AttributeValueError, match="batch_sizes of at least 1 is required, got 0"):
        mx.onnx.bench(free, batch_sizes=0)
    with pytest.raises(AttributeValueError, match="at least one of threads"):
        mx.onnx.bench(free, threads=())
    with pytest.raises(AttributeValueError, match="at least one model is required"):
        mx.onnx.bench([])


def test_processors_time_is_asked_for_by_every_thread(monkeypatch):
    from hybridonnx.runtime import contention

    threads = set()

    def worked(seconds):
        threads.add(threading.get_ident())
        both.wait()
        return 0.5 + len(threads) / 10

    both = threading.Barrier(2, timeout=10)
    monkeypatch.setattr(contention, "_worked", worked)
    assert contention.share_received(2) == 0.7
    assert len(threads) == 2
