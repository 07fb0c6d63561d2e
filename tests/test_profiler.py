"""The profiler: what it records, its tables in the form of MXNet 1.9.1's, and its traces in Chrome's."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import profiler
from hybridonnx._profile import Profile, Statistic, profile

TITLES = """\
Name                          Total Count        Time (ms)    Min Time (ms)    Max Time (ms)    Avg Time (ms)
----                          -----------        ---------    -------------    -------------    -------------
"""
ROW = "               2           0.4600           0.0630           0.3970           0.2300"
MXNETS = f"""
Profile Statistics:
\tNote the difference in units for different entries.
D
=================
{TITLES}\
t1                                      1          10.1820          10.1820          10.1820          10.1820

MXNET_C_API
=================
{TITLES}\
MXNDArrayWaitToRead                     2          14.6550           0.0000          14.6550           7.3275
MXAggregateProfileStatsPrintEx{ROW}

"""
"""What MXNet printed, from some of its statistics."""


@pytest.fixture(autouse=True)
def trace(tmp_path, monkeypatch):
    """The file of the trace; the profiler is as at the start of a process."""
    monkeypatch.setattr(profiler, "_config", dict(profiler._DEFAULTS))
    path = tmp_path / "trace.json"
    profiler.set_config(profile_all=True, aggregate_stats=True, filename=str(path))
    yield path
    profiler.set_state("stop")
    profile.__dict__.update(Profile().__dict__)
    profiler._written[0] = True


def events(path, category=None):
    listed = json.loads(path.read_text())["traceEvents"]
    return [e for e in listed if e["ph"] != "M" and category in (None, e["cat"])]


def test_tables_look_like_mxnets():
    for category, name, times in (
        ("MXNET_C_API", "MXAggregateProfileStatsPrintEx", (63.0, 397.0)),
        ("MXNET_C_API", "MXNDArrayWaitToRead", (0.0, 14655.0)),
        ("D", "t1", (10182.0,)),
    ):
        for duration in times:
            profile.statistics.setdefault((category, name), Statistic()).add(duration)
    profiler.set_state("run")
    assert profiler.dumps() == MXNETS


def test_operators_and_sessions(trace):
    net = mx.gluon.nn.Dense(3, in_units=4)
    net.initialize()
    net.hybridize()
    x = mx.nd.ones((2, 4))
    net(x)
    profiler.set_state("run")
    y = mx.nd.dot(x, x.T) + 1
    with mx.autograd.record():
        loss = net(x)
    loss.backward()
    net(x)
    profiler.pause()
    mx.nd.exp(y)
    profiler.resume()
    mx.nd.log(y)
    profiler.set_state("stop")
    mx.nd.sin(y)
    counts = {key: s.count for key, s in profile.statistics.items()}
    assert counts["operator", "dot"] == counts["operator", "log"] == 1
    assert {("operator", "exp"), ("operator", "sin")}.isdisjoint(counts)
    sessions = {name: count for (category, name), count in counts.items() if category == "session"}
    assert sum(sessions.values()) == 3  # forward, backward, and the prediction
    assert sessions["predict: Gemm 1"] == 1
    profiler.dump()
    recorded = events(trace, "operator")
    assert [e["ph"] for e in recorded if e["name"] == "dot"] == ["B", "E"]
    assert all(e["tid"] == threading.get_ident() for e in recorded)
    assert abs(recorded[0]["ts"] / 1e6 - time.time()) < 60


def layers():
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(4, activation="relu", in_units=3), mx.gluon.nn.Dense(2, in_units=4))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


MXNETS_COUNTS = {
    "FullyConnected": 2,
    "Activation": 1,
    "_backward_FullyConnected": 2,
    "_backward_Activation": 1,
    "_power_scalar": 1,
    "sum": 1,
    "relu": 1,
}
"""What MXNet counted of the operators of a step of `layers`, a sum of squares, and relu of the input.

Here the relu of a layer is a part of that: ONNX Runtime computes both as one node.
"""


@pytest.mark.parametrize("again", [False, True])
def test_operators_inside_of_hybridized_blocks(trace, again):
    net, x = layers(), mx.nd.ones((2, 3))
    if again:  # with sessions that are there already
        net(x)
    files = set(Path(tempfile.gettempdir()).glob("hybridonnx*"))
    for _ in range(2):
        profiler.set_state("run")
        with mx.autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        mx.nd.relu(x)
        counts = {
            n: s["Count"] for n, s in json.loads(profiler.dumps(True, "json"))["Time"]["operator"].items()
        }
        assert {name: counts.get(name, 0) for name in MXNETS_COUNTS} == MXNETS_COUNTS | {"Activation": 0}
        profiler.set_state("stop")
        net(x)
        assert "operator" not in json.loads(profiler.dumps(format="json"))["Time"]
        profiler.dump()
        nodes = {e["args"]["node"]: e for e in events(trace, "operator") if "args" in e}
        assert nodes["net_dense0_fwd"]["name"] == "FullyConnected"
        assert nodes["net_dense0_relu_fwd_backward"]["name"] == "_backward_Activation"
        inside = [e for e in events(trace, "operator") if "args" in e]
        whole = [e["ts"] for e in events(trace, "session")]
        assert {e["tid"] for e in inside} == {threading.get_ident()}
        assert (
            min(whole) - 2000
            < min(e["ts"] for e in inside)
            < max(e["ts"] for e in inside)
            < max(whole) + 2000
        )
    assert set(Path(tempfile.gettempdir()).glob("hybridonnx*")) == files


def test_names_of_what_onnxruntime_computes_as_one():
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu", in_channels=2), nn.BatchNorm(), nn.MaxPool2D())
        net.add(nn.Dense(4, activation="tanh"))
    net.initialize()
    net.hybridize(static_alloc=True)
    x = mx.nd.ones((1, 2, 8, 8))
    expected = net(x).asnumpy()
    profiler.set_state("run")
    np.testing.assert_array_equal(net(x).asnumpy(), expected)
    assert profile.sources
    profiler.pause()
    net(x)
    profiler.resume()
    net(x)
    profiler.set_state("stop")
    assert not profile.sources
    counts = {name: s.count for (category, name), s in profile.statistics.items() if category == "operator"}
    assert {n: counts[n] for n in ("Convolution", "BatchNorm", "Pooling", "FullyConnected")} == {
        "Convolution": 2,
        "BatchNorm": 2,
        "Pooling": 2,
        "FullyConnected": 2,
    }


def test_networks_that_share_a_session_have_their_own_names(trace):
    """They differ in the names of operators, which do not tell sessions apart."""
    for name in ("first", "second"):
        x, w = mx.sym.var("x"), mx.sym.var("w")
        block = mx.gluon.SymbolBlock(mx.sym.FullyConnected(x, w, no_bias=True, num_hidden=2, name=name), [x])
        block.initialize()
        block.hybridize()
        profiler.set_state("run")
        with mx.autograd.record():
            block(mx.nd.ones((1, 3))).backward()
        profiler.set_state("stop")
        profiler.dump()
        assert {e["args"]["node"] for e in events(trace, "operator") if "args" in e} >= {
            name,
            f"{name}_backward",
        }


def test_no_session_is_measured_while_nothing_is_recorded(monkeypatch):
    def begin(self, operators):
        raise AssertionError("measured")

    monkeypatch.setattr("hybridonnx.runtime.measured.MeasuredSession.begin", begin)
    net, x = layers(), mx.nd.ones((2, 3))
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    net(x)


@pytest.mark.parametrize(
    ("setting", "seen"),
    [("profile_imperative", {"operator"}), ("profile_symbolic", {"session", "operator"})],
)
def test_settings(setting, seen):
    off = dict.fromkeys(("profile_all", "profile_imperative", "profile_symbolic"), False)
    profiler.set_config(**{**off, setting: True})
    net = mx.gluon.nn.Dense(3, in_units=4)
    net.initialize()
    net.hybridize()
    profiler.set_state("run")
    net(mx.nd.ones((2, 4)) * 2)
    profiler.set_state("stop")
    assert {category for category, _ in profile.statistics} == seen
    kernels = [e.name for e in profile.events if e.category == "operator" and "args" not in e.extra]
    assert bool(kernels) == (setting == "profile_imperative")


def test_results_are_the_same():
    x = mx.nd.array(np.linspace(-1, 1, 12).reshape(3, 4))
    before = [mx.nd.softmax(x).asnumpy(), *[y.asnumpy() for y in mx.nd.split(x, 2)]]
    profiler.set_state("run")
    after = [mx.nd.softmax(x).asnumpy(), *[y.asnumpy() for y in mx.nd.split(x, 2)]]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(mx.MXNetError):
        mx.nd.dot(x, x)


def test_own_objects(trace):
    profiler.set_state("run")
    domain = profiler.Domain("D")
    counter = domain.new_counter("c", 5)
    counter += 3
    counter.increment(2)
    counter.decrement()
    counter -= 1
    counter.set_value(2)
    silent = domain.new_counter("silent")
    marker = domain.new_marker("m")
    for scope in ("global", "process", "thread", "task", "marker"):
        marker.mark(scope)
    with domain.new_task("t"):
        pass
    domain.new_task("never").stop()
    assert [str(x) for x in (domain, counter, silent, domain.new_task("t"))] == ["D", "c", "silent", "t"]
    profiler.set_state("stop")
    counter += 1
    with domain.new_task("off"):
        pass
    profiler.dump()
    assert [e["args"]["c"] for e in events(trace) if e["ph"] == "C"] == [5, 8, 10, 9, 8, 2]
    assert [e["s"] for e in events(trace, "D,instant_marker")] == ["g", "p", "t", "p", "p"]
    assert [e["ph"] for e in events(trace) if e["name"] == "t"] == ["B", "E"]
    assert {"off", "never", "silent"}.isdisjoint(e["name"] for e in events(trace))
    statistics = json.loads(profiler.dumps(format="json"))
    assert statistics["Unit"] == {"Time": "ms", "Memory": "kB"}
    assert statistics["Time"]["D"]["c"] == {"Count": 6, "Total": 2, "Min": 2, "Max": 10, "Avg": 7}


def test_counters_take_numbers_of_any_kind(trace):
    profiler.set_state("run")
    counter = profiler.Domain("D").new_counter("c", np.int64(5))
    counter += mx.nd.array([1.5])
    counter.set_value(np.float32(0.25))
    with pytest.raises(ValueError, match="could not convert"):
        counter.set_value("much")
    profiler.dump()
    assert [e["args"]["c"] for e in events(trace) if e["ph"] == "C"] == [5, 6.5, 0.25]


def test_pauses_are_within_a_run():
    def records():
        with profiler.Event("a"):
            mx.nd.exp(mx.nd.ones((2,)))
        events, profile.events = profile.events, []
        return bool(events)

    profiler.resume()
    assert not records()
    profiler.set_state("run")
    assert records()
    for _ in range(2):
        profiler.pause()
        assert not records()
    profiler.resume()
    assert records()
    profiler.pause()
    profiler.set_state("stop")
    profiler.resume()
    assert not records()


def test_orders_and_resets():
    for name, times in (("a", [4000.0]), ("b", [1000.0, 1000.0, 3000.0])):
        for duration in times:
            profile.statistics.setdefault(("X", name), Statistic()).add(duration)
    profiler.set_state("run")

    def order(**kwargs):
        return list(json.loads(profiler.dumps(format="json", **kwargs))["Time"]["X"])

    for key, expected in (("total", "ba"), ("avg", "ab"), ("min", "ab"), ("max", "ab"), ("count", "ba")):
        assert order(sort_by=key) == list(expected)
        assert order(sort_by=key, ascending=True) == list(expected[::-1])
    assert order(reset=True) == ["b", "a"]
    assert json.loads(profiler.dumps(format="json"))["Time"] == {}
    profiler.set_config(aggregate_stats=False)
    assert profiler.dumps() == ""


def test_traces_are_written_once(trace):
    with pytest.raises(mx.MXNetError, match="a run is required"):
        profiler.dump()
    profiler.set_state("run")
    with profiler.Event("a"):
        pass
    profiler.dump(finished=False)
    with profiler.Event("b"):
        pass
    profiler.dump()
    assert [e["name"] for e in events(trace)] == ["a", "a", "b", "b"]
    with pytest.raises(mx.MXNetError, match="a run is required"):
        profiler.dump()
    profiler.set_state("run")
    with profiler.Event("c"):
        pass
    profiler.set_state("stop")
    profiler.dump()
    assert [e["name"] for e in events(trace)] == ["c", "c"]


def test_what_is_left_is_written_at_the_end(tmp_path):
    code = (
        "import hybridonnx as mx; mx.profiler.set_config(filename='t.json', continuous_dump={}); "
        "mx.profiler.set_state('run'); mx.nd.exp(mx.nd.ones((2,)))"
    )
    path = Path(mx.__file__).parents[1]
    for dumps in (False, True):
        command = [sys.executable, "-c", code.format(dumps)]
        subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(path)}, check=True)
        assert (tmp_path / "t.json").exists() == dumps
    assert "exp" in {e["name"] for e in events(tmp_path / "t.json")}


def test_older_names(tmp_path):
    path = tmp_path / "old.json"
    with pytest.warns(DeprecationWarning, match="use set_config"):
        profiler.profiler_set_config("imperative", str(path))
    profiler.set_config(profile_all=False)
    with pytest.warns(DeprecationWarning, match="use set_state"):
        profiler.profiler_set_state("run")
    mx.nd.exp(mx.nd.ones((2,)))
    with pytest.warns(DeprecationWarning, match="use dump"):
        profiler.dump_profile()
    assert "exp" in {e["name"] for e in events(path)}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: profiler.set_config(nothing=1), "one of profile_all, .* is required, got 'nothing'"),
        (lambda: profiler.set_config(aggregate_stats=5), "a boolean is required, got 5"),
        (lambda: profiler.set_config(profile_process="server"), "there are no servers"),
        (lambda: profiler.set_state("RUN"), "'run' or 'stop' is required, got 'RUN'"),
        (lambda: profiler.dumps(format="x"), "format: one of .* is required, got 'x'"),
        (lambda: profiler.dumps(sort_by="x"), "sort_by: one of .* is required, got 'x'"),
        (lambda: profiler.dumps(reset=3), "reset: one of .* is required, got 3"),
        (lambda: profiler.Marker(profiler.Domain("D"), "m").mark("x"), "one of global, .* got 'x'"),
        (lambda: profiler.set_kvstore_handle(None), "servers are required"),
    ],
)
def test_what_is_refused(call, sentence):
    with pytest.raises(mx.MXNetError, match=sentence):
        call()
