"""MelWeightMatrix beside its definition, also where the upper edge meets the end of the spectrum."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import hybridonnx as mx
from hybridonnx.errors import MXNetError

NAMES = ("bins", "length", "rate", "low", "high")


def model(length: int | None = None) -> onnx.ModelProto:
    """The node alone; a length that is given is a constant."""
    types = dict(zip(NAMES, [TensorProto.INT64] * 3 + [TensorProto.FLOAT] * 2, strict=True))
    node = helper.make_node("MelWeightMatrix", NAMES, ["y"], "mel")
    constants = [] if length is None else [helper.make_tensor("length", TensorProto.INT64, [], [length])]
    known = {tensor.name for tensor in constants}
    inputs = [helper.make_tensor_value_info(n, t, []) for n, t in types.items() if n not in known]
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "graph", inputs, [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def triangles(bins: int, length: int, rate: int, low: float, high: float) -> np.ndarray:
    """Weights that rise from one edge to the next and fall to the one after it, at whole frequencies."""
    mels = 2595 * np.log10(1 + np.array([low, high]) / 700)
    steps = mels[0] + np.arange(bins + 2) * (mels[1] - mels[0]) / (bins + 2)
    edges = np.floor((length + 1) * 700 * (10 ** (steps / 2595) - 1) / rate)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    at = np.arange(length // 2 + 1)[:, None]
    with np.errstate(all="ignore"):
        rising = np.where(left == centre, at == centre, (at - left) / (centre - left))
        falling = np.where(centre == right, 0, (right - at) / (right - centre))
    inside = [(at >= left) & (at <= centre), (at > centre) & (at < right)]
    return np.select(inside, [rising, falling]).astype(np.float32)


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize(
    ("bins", "length", "high"), [(8, 16, 8000.0), (8, 15, 8000.0), (8, 16, 9000.0), (5, 37, 8000.0)]
)
def test_edges(bins, length, high, constant):
    """Eagerly and hybridized alike, where ONNX Runtime refuses the last three."""
    feeds = [np.int64(bins), np.int64(length), np.int64(16000), np.float32(20), np.float32(high)]
    if constant:
        del feeds[1]
    net = mx.onnx.import_to_gluon(model(length if constant else None).SerializeToString())
    inputs = [mx.nd.NDArray(np.asarray(x)) for x in feeds]
    for hybrid in (False, True):
        net.hybridize(hybrid)
        np.testing.assert_allclose(
            net(*inputs).asnumpy(), triangles(bins, length, 16000, 20.0, high), rtol=1e-6
        )


@pytest.mark.parametrize("hybrid", [False, True])
def test_edges_beyond_the_end_are_refused(hybrid):
    net = mx.onnx.import_to_gluon(model().SerializeToString())
    net.hybridize(hybrid)
    feeds = [np.int64(8), np.int64(15), np.int64(16000), np.float32(20), np.float32(20000)]
    with pytest.raises(MXNetError, match=r"MelWeightMatrix.*upper_edge_hertz"):
        net(*[mx.nd.NDArray(np.asarray(x)) for x in feeds])
