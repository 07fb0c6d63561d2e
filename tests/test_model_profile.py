"""Times of nodes: what is made of ONNX Runtime's profile. No test depends on how long anything takes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx.errors import AttributeValueError, MissingFileError
from hybridonnx.gluon import nn
from hybridonnx.onnx.model_profile import NodeTime, Profile
from hybridonnx.runtime.node_times import node_times
from tests.data import onnxruntime_profile

STORED = json.loads(Path(__file__).with_name("data").joinpath("onnxruntime_profile.json").read_text())
OWN_TIMES = {
    "net/scale/Mul": [157, 13],
    "net/relu/Relu": [11, 5],
    "c": [11, 8],
    "d": [59 - 11 - 14, 28 - 5 - 7],
    "d/Relu_0": [11, 5],
    "d/Add_1": [14, 7],
    "net/loop_fwd": [82 - 7 - 5 - 8 - 3 - 6 - 3, 69 - 6 - 6 - 5 - 3 - 5 - 3],
    "net/loop_fwd/Sin": [7 + 8 + 6, 6 + 5 + 5],
    "net/loop_fwd/Identity_0": [5 + 3 + 3, 6 + 3 + 3],
}
"""Microseconds of both runs, added up by hand from the stored profile."""


def test_times_in_a_stored_profile():
    result = node_times(STORED, onnxruntime_profile.model().graph)
    assert result.totals == [0.382, 0.152]
    times = {node.name: [round(time * 1000) for time in node.times] for node in result.nodes}
    assert times == OWN_TIMES
    assert {node.name for node in result.nodes if node.calls != 2} == {
        "net/loop_fwd/Sin",
        "net/loop_fwd/Identity_0",
    }
    assert all(node.in_model and node.provider == "CPUExecutionProvider" for node in result.nodes)
    assert [node.output for node in result.nodes][:1] == ["float (300, 3)"]


def test_runs_that_warm_up_do_not_count():
    result = node_times(STORED, onnxruntime_profile.model().graph, warmup=1)
    assert result.totals == [0.152]
    assert {node.name: [round(t * 1000) for t in node.times] for node in result.nodes} == {
        name: times[1:] for name, times in OWN_TIMES.items()
    }


def test_a_node_that_does_not_run_each_time():
    events = [e for e in STORED if not (e["name"].startswith("Add_1") and e["ts"] < 327000)]
    (node,) = (n for n in node_times(events, onnxruntime_profile.model().graph).nodes if n.name == "d/Add_1")
    assert [round(time * 1000) for time in node.times] == [0, 7]


def times(*rows):
    whole = sum(time for *_, time in rows)
    nodes = [NodeTime(name, kind, layer, time, time / whole) for name, kind, layer, time in rows]
    return Profile("m", whole, tuple(nodes), 1, 0, 1, {})


def test_sums_by_operator_and_layer():
    known = times(
        ("/a/b/c/Conv", "Conv", "a/b/c", 3.0),
        ("/a/b/Relu", "Relu", "a/b", 0.5),
        ("/a/d/Conv", "Conv", "a/d", 2.0),
        ("net0_stage1_conv0_fwd", "Conv", "net0_stage1_conv0", 1.0),
        ("ReorderOutput", "ReorderOutput", "", 1.5),
    )
    assert [(r.name, r.nodes, r.time, r.share) for r in known.by_operator()] == [
        ("Conv", 3, 6.0, 0.75),
        ("ReorderOutput", 1, 1.5, 0.1875),
        ("Relu", 1, 0.5, 0.0625),
    ]
    assert [(r.name, r.time) for r in known.by_layer()] == [
        ("a/b/c", 3.0),
        ("a/d", 2.0),
        ("", 1.5),
        ("net0_stage1_conv0", 1.0),
        ("a/b", 0.5),
    ]
    assert [(r.name, r.time) for r in known.by_layer(2)] == [
        ("a/b", 3.5),
        ("a/d", 2.0),
        ("", 1.5),
        ("net0_stage1", 1.0),
    ]
    assert known.by_layer(1)[0].name == "a"
    data = json.loads(known.to_json())
    assert [row["name"] for row in data["operators"]] == ["Conv", "ReorderOutput", "Relu"]
    assert data["nodes"][0]["layer"] == "a/b/c"
    assert "(added by ONNX Runtime)" in str(known)
    with pytest.raises(AttributeValueError, match="a depth of at least 1 is required, got 0"):
        known.by_layer(0)


class Net(nn.HybridBlock):
    """Has operators of its own beside its children's."""

    def __init__(self):
        super().__init__(prefix="net_")
        with self.name_scope():
            self.conv = nn.Conv2D(4, 3, activation="relu")
            self.norm = nn.BatchNorm()
            self.pool = nn.GlobalAvgPool2D()
            self.dense = nn.Dense(5)

    def hybrid_forward(self, F, x):
        return F.sin(self.dense(self.pool(self.norm(F.sin(self.conv(x))))))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profile")
    net = Net()
    net.initialize()
    fixed = mx.onnx.export_model(net, str(folder / "fixed.onnx"), input_shapes=[("batch", 3, 8, 8)])
    path = mx.onnx.export_model(net, str(folder / "net.onnx"), input_shapes=[("batch", 3, 8, "width")])
    return net, path, fixed


def test_nodes_are_those_of_the_model(files, tmp_path):
    _, _, path = files
    trace = tmp_path / "trace.json"
    before = set(Path(tempfile.gettempdir()).glob("hybridonnx*"))
    known = mx.onnx.profile(path, sizes={"batch": 3}, runs=2, warmup=1, threads=1, trace=trace)
    assert set(Path(tempfile.gettempdir()).glob("hybridonnx*")) == before
    assert known.inputs == {"data": "float32 (3, 3, 8, 8)"}
    names = {node.name for node in onnx.load(path).graph.node}
    made = [node for node in known.nodes if node.layer]
    assert {node.name for node in made} <= names
    assert {node.operator for node in known.nodes if not node.layer} <= {"ReorderInput", "ReorderOutput"}
    assert sum(node.share for node in known.nodes) == pytest.approx(1)
    assert (known.runs, known.warmup, known.threads, known.model) == (2, 1, 1, path)
    assert sum(event["name"] == "model_run" for event in json.loads(trace.read_bytes())) == 3
    assert "net_conv0" in {row.name for row in known.by_layer()}


def test_layers_of_a_block_are_its_blocks(files):
    net, _, _ = files
    known = mx.onnx.profile(net, mx.nd.ones((2, 3, 8, 8)), runs=1, warmup=0, threads=1)
    layers = {node.name.partition("/")[0]: node.layer for node in known.nodes if node.layer}
    assert {layers[name] for name in layers if "sin" in name} == {"net"}
    assert {"net_conv0", "net_dense0", "net"} <= set(layers.values())


def test_native_files(files, tmp_path):
    net, _, _ = files
    net.hybridize()
    net(mx.nd.zeros((1, 3, 8, 8)))
    net.export(str(tmp_path / "net"))
    symbol = str(tmp_path / "net-symbol.json")
    known = mx.onnx.profile(symbol, shapes=[("batch", 3, 8, 8)], runs=1, warmup=0, threads=1)
    assert known.inputs == {"data": "float32 (1, 3, 8, 8)"}
    assert known.model == symbol


def test_what_is_refused(files):
    _, path, _ = files
    with pytest.raises(AttributeValueError, match=r"for width, axis 3 of input data.*sizes=\{'width': …\}"):
        mx.onnx.profile(path)
    with pytest.raises(
        AttributeValueError, match=r"names of free sizes, batch, width, are required.*got height"
    ):
        mx.onnx.profile(path, sizes={"height": 2})
    with pytest.raises(AttributeValueError, match=r"for data_2, axis 2 of input data"):
        mx.onnx.profile(path, shapes=[("batch", 3, None, 8)])
    with pytest.raises(AttributeValueError, match="shapes of the inputs data are required, got one of x"):
        mx.onnx.profile(path, shapes={"x": (1, 3, 8, 8)})
    with pytest.raises(AttributeValueError, match="inputs for data are required, got x"):
        mx.onnx.profile(path, {"x": np.zeros((1, 3, 8, 8), np.float32)})
    with pytest.raises(AttributeValueError, match="at least 1 run"):
        mx.onnx.profile(path, runs=0)
    with pytest.raises(MissingFileError, match="an ONNX file is required"):
        mx.onnx.profile("none.onnx")
