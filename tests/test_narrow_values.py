"""Integers, float16, float64: against real MXNet's results; eager, symbolic and compiled alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.gluon import HybridBlock
from hybridonnx.ndarray.invoke import invoke
from hybridonnx.ops import Spec, find
from hybridonnx.runtime.plan import Plan
from hybridonnx.symbol.everything import F
from hybridonnx.symbol.execute import execute
from hybridonnx.symbol.gradient import gradients
from hybridonnx.symbol.graph import Entry
from hybridonnx.symbol.symbol import Symbol
from tests.narrow_values import INTEGERS, chosen, converted, dtypes_of, heads

ORACLE = Path(__file__).resolve().parent / "oracle" / "narrow_values.npz"
TOLERANCE = {"float16": 2e-3, "float64": 1e-6}
"""MXNet's constants are float32, such as that of `erf`, and its digamma is no better."""
GRADIENT_LEFT_OUT = {"gammaln": "its digamma at poles is memory of floating-point registers"}

REFUSED = {"_contrib_div_sqrt_dim": "MXNet divides integers by the root without its fraction"}

with np.load(ORACLE) as archive:
    STORED = dict(archive)


def expected(case, dtype, kind):
    prefix = f"{case.key()}.{dtype}.{kind}."
    count = sum(key.startswith(prefix) for key in STORED)
    return [STORED[f"{prefix}{i}"] for i in range(count)]


PARAMETERS = [
    pytest.param(case, dtype, id=f"{case}-{dtype}")
    for family, case in chosen()
    for dtype in dtypes_of(family)
    if expected(case, dtype, "out") and not (case.op in REFUSED and dtype in INTEGERS)
]
every = pytest.mark.parametrize(("case", "dtype"), PARAMETERS)
differentiable = pytest.mark.parametrize(
    ("case", "dtype"), [p for p in PARAMETERS if not p.values[0].operator().not_differentiable]
)


def assert_same(got, want, tolerance, what):
    assert got.dtype == want.dtype, what
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    scale = np.abs(want[np.isfinite(want)]).max(initial=1e-30)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * float(scale), err_msg=what)


def variables(case, dtype):
    arrays = [nd.NDArray(a) for a in converted(case, dtype)]
    for x in arrays:
        x.attach_grad()
    return arrays


def differentiated(case, run, xs):
    """The outputs of `run`, recorded, and the gradients of its inputs."""
    with autograd.record(train_mode=case.training):
        result = run(xs)
    outputs = result if isinstance(result, list) else [result]
    dys = heads(case, [y.asnumpy() for y in outputs])
    recorded = [(y, nd.NDArray(h)) for y, h in zip(outputs, dys, strict=True) if y._entry is not None]
    if recorded:
        autograd.backward([y for y, _ in recorded], [h for _, h in recorded], train_mode=case.training)
    return [y.asnumpy() for y in outputs], [x.grad.asnumpy() for x in xs]


def eager(case, dtype):
    return differentiated(case, lambda xs: invoke(case.operator(), xs), variables(case, dtype))


@every
def test_numbers_are_mxnets(case, dtype):
    outputs, slopes = eager(case, dtype)
    for i, (got, want) in enumerate(zip(outputs, expected(case, dtype, "out"), strict=True)):
        assert_same(got, want, TOLERANCE.get(dtype, 1e-6), f"output {i}")
    for i, want in enumerate([] if case.op in GRADIENT_LEFT_OUT else expected(case, dtype, "grad")):
        assert_same(slopes[i], want, TOLERANCE.get(dtype, 1e-6), f"gradient {i}")


def symbol_of(case):
    names = list(case.operator().input_names())
    variables = [F.var(name) for name in names]
    if case.operator().variadic:
        return getattr(F, case.op)(*variables, **case.attributes), names
    return getattr(F, case.op)(**dict(zip(names, variables, strict=True)), **case.attributes), names


@differentiable
def test_symbols_differentiate_alike(case, dtype):
    outputs, slopes = eager(case, dtype)
    symbol, names = symbol_of(case)
    entries = {node.name: Entry(node, 0) for node in symbol.nodes() if node.is_variable}
    values = dict(zip(names, converted(case, dtype), strict=True))
    dys = {f"head{i}": h for i, h in enumerate(heads(case, outputs))}
    graphs = gradients(symbol, [entries[n] for n in names], [F.var(n) for n in dys], case.training)
    feed = {name: nd.NDArray(a) for name, a in (values | dys).items()}
    for graph, want in zip(graphs, slopes, strict=True):
        got = np.zeros_like(want) if graph is None else execute(Symbol(graph.outputs), feed)[0].asnumpy()
        assert_same(got, want, 1e-3 if dtype == "float16" else 1e-12, "gradient")


@every
def test_compiled_graphs_differentiate_alike(case, dtype):
    outputs, slopes = eager(case, dtype)
    symbol, names = symbol_of(case)
    specs = {n: Spec(a.shape, a.dtype) for n, a in zip(names, converted(case, dtype), strict=True)}
    plan = Plan(symbol, names, specs, [True] * len(names), case.training)
    got, got_slopes = differentiated(case, plan, variables(case, dtype))
    for a, b in zip([*got, *got_slopes], [*outputs, *slopes], strict=True):
        assert_same(a, b, 2e-3 if dtype == "float16" else 1e-9, "output or gradient")


class Chain(HybridBlock):
    """Operators whose slopes are truncated, one behind the other."""

    def hybrid_forward(self, F, a, b):
        return F.log(F.broadcast_hypot(a, b)) + F.arctan(a / b) + F._rdiv_scalar(b, scalar=9.0)


def test_a_block_of_integers_has_the_same_gradients_hybridized():
    """By hand: log passes 1 / hypot, which is 0 beyond 1; a / b passes 1 / b; 9 / b passes -9 / b**2."""
    gradients = []
    for hybridize in (False, True):
        a, b = (nd.array(v, dtype="int32") for v in ([0, 1, 0, -5], [1, -1, 2, 3]))
        net = Chain()
        if hybridize:
            net.hybridize()
        a.attach_grad()
        b.attach_grad()
        with autograd.record():
            y = net(a, b)
        y.backward()
        gradients.append([x.grad.asnumpy().tolist() for x in (a, b)])
    of_log = [[0, 0, 0, 0], [1, 0, 0, 0]]  # trunc(1 / h) * trunc(x / hypot), h = 1, 1, 2, 5
    of_quotient = [[1, 0, 0, 0], [0, 0, 0, 0]]  # trunc(1 / (1 + q**2)), q = 0, -1, 0, -1, of 1 / b
    of_nine = [[0, 0, 0, 0], [-9, -9, -2, -1]]
    by_hand = np.add(np.add(of_log, of_quotient), of_nine).tolist()
    assert gradients == [by_hand, by_hand]


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("_hypot_scalar", lambda x: x / np.hypot(x, 2.7)),
        ("_rdiv_scalar", lambda x: -2.7 / x**2),
        ("_mul_scalar", lambda x: 2.7),
        ("_div_scalar", lambda x: 1 / 2.7),
    ],
)
def test_the_gradient_of_integers_beside_other_numbers_is_truncated_last(name, slope):
    """With `is_int=False` the operator computes in float64; MXNet then refuses a gradient."""
    x = nd.array([3, -2, 5], dtype="int32")
    x.attach_grad()
    with autograd.record():
        y = getattr(mx.nd._internal, name)(x, scalar=2.7, is_int=False)
    head = np.array([1.5, 30.0, -2.5])
    y.backward(nd.array(head, dtype="float64"))
    by_hand = np.trunc(head * slope(np.array([3.0, -2.0, 5.0]))).astype(int)
    assert x.grad.asnumpy().tolist() == by_hand.tolist()


def test_slopes_of_float16_do_not_overflow_on_the_way():
    """300 squared is beyond float16, 1 / 300**2 is not."""
    x = nd.array([300.0, 20.0], dtype="float16")
    for function, slope in (
        (nd.arctan, lambda z: 1 / (1 + z**2)),
        (nd.arcsinh, lambda z: 1 / np.sqrt(1 + z**2)),
        (nd.reciprocal, lambda z: -1 / z**2),
        (nd.softsign, lambda z: 1 / (1 + z) ** 2),
    ):
        x.attach_grad()
        with autograd.record():
            y = function(x)
        y.backward()
        assert_same(x.grad.asnumpy(), slope(np.array([300.0, 20.0])).astype(np.float16), 1e-3, str(function))


ROWS, FACTORS = [(4, 60)], [(4, 60), (60,), (60,)]
SAMPLES = [(3, 8), (3,), (3,)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        *[(name, ROWS) for name in ("softmax", "softmin", "log_softmax", "L2Normalization")],
        ("LayerNorm", FACTORS),
        *[(f"_random_pdf_{name}", SAMPLES) for name in ("gamma", "negative_binomial")],
        ("_random_pdf_generalized_negative_binomial", SAMPLES),
    ],
)
def test_gradients_of_float16_are_those_of_float64_rounded(name, shapes, seed):
    """Within a little more than one unit in the last place of the largest."""
    rng = np.random.RandomState(seed)
    arrays = [rng.uniform(0.2, 0.8, s) if "pdf" in name else 3 * rng.standard_normal(s) for s in shapes]
    head = rng.standard_normal(shapes[0]).astype("float16")
    gradients = []
    for dtype in ("float16", "float64"):
        xs = [nd.array(a.astype("float16"), dtype=dtype) for a in arrays]
        for x in xs:
            x.attach_grad()
        with autograd.record():
            y = invoke(find(name).make({}), xs)
        y.backward(nd.array(head, dtype=dtype))
        gradients.append([x.grad.asnumpy() for x in xs])
    for half, double in zip(*gradients, strict=True):
        assert np.abs(half - double).max() <= 1.1 * 2**-10 * np.abs(double).max()
