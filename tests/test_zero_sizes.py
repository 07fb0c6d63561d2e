"""Arrays without elements: what each operator makes of them, and what refuses them."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.converters.to_onnx import Local, lower_operator
from hybridonnx.errors import MXNetError, ShapeError
from hybridonnx.ndarray.invoke import invoke_all
from hybridonnx.ops import Spec, find, sizes
from tests.test_completeness import FACTS
from tests.test_operators import FAMILIES

EMPTY = mx.nd.array(np.zeros((2, 3, 0, 4), np.float32))


def variants(shapes):
    """The shapes with one size, wherever it stands in the inputs, as 0."""
    every = {size for shape in shapes for size in shape}
    return [tuple(tuple(0 if d == size else d for d in shape) for shape in shapes) for size in sorted(every)]


def fault(op, arrays, shapes):
    """What is wrong with the operator's results of inputs with a size of 0; nothing where it refuses them."""
    inputs = [np.zeros(shape, a.dtype) if 0 in shape else a for a, shape in zip(arrays, shapes, strict=True)]
    try:
        outputs = op.infer([Spec(shape, a.dtype) for shape, a in zip(shapes, arrays, strict=True)])[1]
        results = invoke_all(op, [mx.nd.array(x, dtype=x.dtype) for x in inputs])
    except MXNetError:
        return ""
    except (ValueError, IndexError, ArithmeticError, Warning) as exc:
        return f"{op} of {shapes}: {type(exc).__name__}: {exc}"
    inferred = [s.shape if s.shape is None or None in s.shape else sizes(s.shape) for s in outputs]
    return "".join(
        f"{op} of {shapes}: inferred {shape}, got {y.shape}"
        for y, shape in zip(results, inferred, strict=False)
        if shape is not None and None not in shape and y.shape != shape
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_kernels_of_nothing(family):
    faults = []
    for case in FAMILIES[family]:
        op = case.operator().in_mode(False)
        if not case.inputs or op.graphs or find(case.op).names[0] not in FACTS:
            continue
        arrays = [np.asarray(a) for a in case.arrays()]
        faults += [fault(op, arrays, shapes) for shapes in variants([a.shape for a in arrays])]
    assert not [text for text in faults if text]


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("2 axes is required for csr, got", lambda: mx.nd.cast_storage(mx.nd.ones((5,)), "csr")),
        (
            "an element to repeat is required",
            lambda: mx.nd.Pad(EMPTY, mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 0, 0)),
        ),
        (
            "an element to repeat is required",
            lambda: mx.nd.Pad(EMPTY, mode="reflect", pad_width=(0, 0, 0, 0, 1, 1, 0, 0)),
        ),
        ("take the maximum of is required", lambda: mx.nd.Pooling(EMPTY, global_pool=True)),
        ("one pixel or more", lambda: mx.nd.contrib.BilinearResize2D(EMPTY, height=2, width=2)),
        (
            "a class for blank is required",
            lambda: mx.nd.CTCLoss(mx.nd.ones((6, 3, 1))[:, :, 1:], mx.nd.ones((3, 3))),
        ),
        ("one class or more is required", lambda: mx.nd.sample_multinomial(mx.nd.ones((2, 1))[:, 1:])),
        (
            "times one factor, must be",
            lambda: mx.nd.UpSampling(mx.nd.ones((2, 3, 2, 2)), EMPTY, scale=2, sample_type="nearest"),
        ),
    ],
)
def test_what_needs_elements_is_refused(message, call):
    with pytest.raises(ShapeError, match=message):
        call()


@pytest.mark.parametrize("density", ["uniform", "gamma", "normal", "dirichlet"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("shape", [(2, 0), (0,), (0, 4)])
def test_compiled_gradients_of_densities_of_nothing(density, dtype, shape):
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, *inputs):
            return getattr(F, f"random_pdf_{density}")(*inputs)

    last = (3,) if density == "dirichlet" else ()
    sample = mx.nd.array(np.full(shape + last, 0.5), dtype=dtype)
    count = 1 if density == "dirichlet" else 2
    parameters = [mx.nd.array(np.full(shape[:1] + last, 0.5), dtype=dtype) for _ in range(count)]
    for array in (sample, *parameters):
        array.attach_grad()
    net = Net()
    net.hybridize()
    with mx.autograd.record():
        y = net(sample, *parameters)
    y.backward()
    assert y.shape == shape
    for parameter in parameters:
        assert parameter.grad.asnumpy().tolist() == np.zeros(shape[:1] + last).tolist()


@pytest.mark.parametrize("name", ["_linalg_maketrian", "_linalg_makediag"])
@pytest.mark.parametrize(("shape", "offset"), [((2, 0), 2), ((0,), -1), ((2, 4, 0), 1), ((3, 0), 0)])
def test_matrices_of_no_numbers(name, shape, offset):
    """Real MXNet 1.9.1 gives zeros, as many as the offset asks for."""
    op, n = find(name).make({"offset": offset}), abs(offset)
    x = np.zeros(shape, np.float32)
    lowered = lower_operator(op, [Spec(x.shape, x.dtype)])
    session = ort.InferenceSession(lowered.model.SerializeToString())
    feeds = {i.name: x for i in session.get_inputs()}
    for y in (op.forward(x), session.run(None, feeds)[0]):
        np.testing.assert_array_equal(y, np.zeros((*shape[:-1], n, n), np.float32))


@pytest.mark.parametrize("kind", ["max", "avg", "sum", "lp"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("block", [None, 0, 16])
def test_images_without_channels_are_pooled(kind, whole, block):
    x, local = np.zeros((2, 0, 3, 4), np.float32), None if block is None else Local(block=block)
    attributes = {"kernel": (2, 2), "pool_type": kind, "global_pool": whole, "p_value": 2}
    shape = (2, 0, 1, 1) if whole else (2, 0, 2, 3)
    for name, inputs, expected in (
        ("Pooling", [x], shape),
        ("_pool_grad", [np.zeros(shape, "f"), x], x.shape),
    ):
        op = find(name).make(attributes)
        lowered = lower_operator(op, [Spec(a.shape, a.dtype) for a in inputs], local=local)
        session = ort.InferenceSession(lowered.model.SerializeToString())
        feeds = {n: a for n, a in zip(op.input_names(), inputs, strict=True) if n in lowered.inputs}
        assert session.run(None, feeds)[0].shape == expected
