"""Histograms with free sizes, hybridized and as symbols; what they and the calibration of entropy refuse."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

from hybridonnx import gluon, nd, sym
from hybridonnx.converters import to_onnx
from hybridonnx.errors import AttributeValueError, DTypeError, ShapeError
from hybridonnx.ops import Spec, SymbolicDim

EDGES = np.array([-1, -0.2, 0.1, 2], np.float32)


def session_of(symbol, **shapes):
    specs = {
        name: Spec(
            tuple(SymbolicDim.named(d) if isinstance(d, str) else d for d in shape), np.dtype("float32")
        )
        for name, shape in shapes.items()
    }
    model = to_onnx.check(to_onnx.lower(symbol, specs, {}), {}).model
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def test_exported_with_free_sizes():
    x, bins = sym.var("x"), sym.var("bins")
    by_width = session_of(sym.histogram(x, bins=6, range=(-1.5, 1.5)), x=("n", "m"))
    by_edges = session_of(sym.histogram(x, bins=bins), x=("n", "m"), bins=("b",))
    for shape in ((1, 1), (2, 7), (7, 2), (3, 0)):
        values = np.random.default_rng(5).standard_normal(shape).astype("float32")
        counts, edges = by_width.run(None, {"x": values})
        expected, bounds = np.histogram(values, 6, (-1.5, 1.5))
        assert counts.tolist() == expected.tolist()
        np.testing.assert_allclose(edges, bounds)
        for count in (2, 4):
            counts, edges = by_edges.run(None, {"x": values, "bins": EDGES[:count]})
            assert counts.tolist() == np.histogram(values, EDGES[:count])[0].tolist()
            assert edges.tolist() == EDGES[:count].tolist()


def test_hybridized():
    class Counts(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.histogram(x, bins=4, range=(0, 1))[0]

    net = Counts()
    net.hybridize()
    for n in (5, 50):
        values = np.random.default_rng(n).uniform(-0.2, 1.2, n).astype("float32")
        assert net(nd.array(values)).asnumpy().tolist() == np.histogram(values, 4, (0, 1))[0].tolist()


def test_all_close_with_free_sizes():
    session = session_of(sym.contrib.allclose(sym.var("a"), sym.var("b")), a=("n", "m"), b=("n", "m"))
    for shape in ((1, 1), (2, 7), (0, 3)):
        a = np.ones(shape, np.float32)
        assert session.run(None, {"a": a, "b": a})[0] == 1
        b = a + (np.arange(a.size).reshape(shape) == a.size - 1) * np.float32(0.1)
        assert session.run(None, {"a": a, "b": b})[0] == (a.size == 0)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (AttributeValueError, "required together", lambda: nd._internal._histogram(nd.ones(3), bin_cnt=3)),
        (AttributeValueError, "at least 1 bin", lambda: nd.histogram(nd.ones(3), bins=0, range=(0, 1))),
        (AttributeValueError, "the lower one first", lambda: nd.histogram(nd.ones(3), bins=2, range=(1, 0))),
        (ShapeError, "2 or more bounds", lambda: nd.histogram(nd.ones(3), bins=nd.ones(1))),
        (ShapeError, "2 or more bounds", lambda: nd.histogram(nd.ones(3), bins=nd.ones((2, 2)))),
        (DTypeError, "one dtype", lambda: nd.histogram(nd.ones(3), bins=nd.arange(3, dtype="int32"))),
        (ShapeError, "255 or more counts", lambda: nd.contrib.calibrate_entropy(nd.ones(9), nd.ones(10))),
        (
            ShapeError,
            "equal shapes",
            lambda: nd.contrib.calibrate_entropy(nd.ones(9), nd.ones(9), num_quantized_bins=3),
        ),
        (
            AttributeValueError,
            "at least 1",
            lambda: nd.contrib.calibrate_entropy(nd.ones(9), nd.ones(10), num_quantized_bins=0),
        ),
        (ShapeError, "equal shapes", lambda: nd.contrib.allclose(nd.ones(2), nd.ones(3))),
    ],
)
def test_what_does_not_fit_is_refused(error, message, call):
    with pytest.raises(error, match=message):
        call()
