"""Detection heads out of ONNX files, in every mode, down to images in which nothing is found."""

from __future__ import annotations

import pytest

import hybridonnx as mx
from hybridonnx.gluon import SymbolBlock
from tests.detection_graphs import HEADS, inputs
from tests.drafts import session
from tests.runtimes import RELEASE
from tests.test_size_graphs import compared, results

RUNS = ((9, 0.0), (1, 0.0), (60, 0.0), (40, 1.0), (7, -9.0), (0, 0.0))
"""How many anchors there are, and what is added to their scores."""


@pytest.mark.skipif(RELEASE < (1, 22), reason="a fusion of this ONNX Runtime gives two nodes one name")
@pytest.mark.parametrize("name", HEADS)
def test_heads(name, tmp_path):
    model = HEADS[name]()
    data = model.SerializeToString()
    original = session(data)
    arrays = [
        inputs(model, {"N": 2, "H": 24, "W": 30, "A": count}, seed, shift)
        for seed, (count, shift) in enumerate(RUNS)
    ]
    runs = [(feeds, original.run(None, feeds)) for feeds in arrays]
    assert len({expected[0].shape for _, expected in runs}) > 2
    net = mx.onnx.import_to_gluon(data)
    assert not compared(lambda feeds: results(net, feeds), runs)
    net.hybridize()
    assert not compared(lambda feeds: results(net, feeds), runs)
    paths = net.export(str(tmp_path / "net"))
    again = SymbolBlock.imports(paths[0], list(arrays[0]), paths[1])
    again.hybridize()
    assert not compared(lambda feeds: results(again, feeds), runs)
    shapes = [
        tuple(d.dim_param or d.dim_value for d in item.type.tensor_type.shape.dim)
        for item in model.graph.input
    ]
    path = mx.onnx.export_model(net, str(tmp_path / "again.onnx"), input_shapes=shapes)
    exported = session(path)
    assert not compared(lambda feeds: exported.run(None, feeds), runs)
