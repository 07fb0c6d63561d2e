"""Spelled-out Gelu, hard sigmoids and norms of layers become one node, and give what their formulas say."""

import math
from collections import OrderedDict

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from converters.to_onnx._graph import Local
from converters.to_onnx._model import lower
from hybridonnx.ops import Spec
from hybridonnx.runtime import graph_session, shared
from hybridonnx.runtime.session import StepSession

ROOT2 = math.sqrt(2)
TANH = math.sqrt(2 / math.pi)
WIDTH = 16
EPS = 1e-5
erf = np.vectorize(math.erf)

GELU = {
    "half first": lambda F, x: 0.5 * x * (1 + F.erf(x / ROOT2)),
    "half last": lambda F, x: x * (F.erf(x / ROOT2) + 1) * 0.5,
    "half of the sum": lambda F, x: x * (0.5 * (1 + F.erf(x / ROOT2))),
    "halved": lambda F, x: x * (1 + F.erf(x / ROOT2)) / 2,
    "sum of halves": lambda F, x: (0.5 + 0.5 * F.erf(x / ROOT2)) * x,
    "two products": lambda F, x: 0.5 * x + 0.5 * x * F.erf(x / ROOT2),
    "times the inverse": lambda F, x: 0.5 * x * (1 + F.erf(x * (1 / ROOT2))),
    "times a root": lambda F, x: x * 0.5 * (1.0 + F.erf(x * math.sqrt(0.5))),
}
TANH_GELU = {
    "power": lambda F, x: 0.5 * x * (1 + F.tanh(TANH * (x + 0.044715 * x**3))),
    "product": lambda F, x: 0.5 * x * (1 + F.tanh(TANH * (x + 0.044715 * x * x * x))),
    "factored": lambda F, x: x * (0.5 * (1 + F.tanh(TANH * x * (1 + 0.044715 * x * x)))),
    "cube first": lambda F, x: 0.5 * x * (1 + F.tanh((F.power(x, 3) * 0.044715 + x) * TANH)),
}
HARD = {
    "relu6": lambda F, x: F.clip(x + 3, 0, 6) / 6,
    "times a sixth": lambda F, x: F.clip(x + 3.0, 0.0, 6.0) * (1 / 6),
    "line": lambda F, x: F.clip(x / 6 + 0.5, 0, 1),
}
HARD_SWISH = {
    "relu6": lambda F, x: x * F.clip(x + 3, 0, 6) / 6,
    "sigmoid": lambda F, x: x * (F.clip(x + 3, 0, 6) / 6),
    "line": lambda F, x: F.clip(x * (1 / 6) + 0.5, 0, 1) * x,
}


def centred(F, x):
    return F.broadcast_sub(x, F.mean(x, axis=-1, keepdims=True))


def variance(F, x):
    return F.mean(F.square(centred(F, x)), axis=-1, keepdims=True) + EPS


def affine(F, y, gamma, beta):
    return F.broadcast_add(F.broadcast_mul(y, gamma), beta)


def once(square, divide):
    def norm(F, x, gamma, beta):
        data = centred(F, x)
        root = F.mean(square(F, data), axis=2, keepdims=True) + EPS
        return affine(F, divide(F, data, root), gamma, beta)

    return norm


NORMS = {
    "square": once(lambda F, d: F.square(d), lambda F, d, v: F.broadcast_div(d, F.sqrt(v))),
    "product": once(lambda F, d: d * d, lambda F, d, v: F.broadcast_div(d, F.sqrt(v))),
    "power": once(lambda F, d: d**2, lambda F, d, v: F.broadcast_div(d, F.sqrt(v))),
    "rsqrt": once(lambda F, d: F.square(d), lambda F, d, v: F.broadcast_mul(d, F.rsqrt(v))),
    "inverse": once(lambda F, d: F.square(d), lambda F, d, v: F.broadcast_mul(1 / F.sqrt(v), d)),
    "power of a half": once(lambda F, d: d**2, lambda F, d, v: F.broadcast_div(d, v**0.5)),
    "power of minus a half": once(lambda F, d: d**2, lambda F, d, v: F.broadcast_mul(d, v**-0.5)),
    "all twice": lambda F, x, gamma, beta: affine(
        F, F.broadcast_mul(centred(F, x), F.rsqrt(variance(F, x))), gamma, beta
    ),
}


def block(function):
    net = mx.gluon.nn.HybridLambda(function)
    net.hybridize()
    return net


def op_types(function, count=1, opset=18, local=None, training=False):
    """The operators of a function of arrays of (2, 3, WIDTH), and of vectors, as ONNX."""
    variables = [mx.sym.var(f"x{i}") for i in range(count)]
    shapes = [(2, 3, WIDTH), (WIDTH,), (WIDTH,)]
    specs = {f"x{i}": Spec(shapes[i], np.dtype("float32")) for i in range(count)}
    symbol = function(mx.sym, *variables)
    symbol = mx.sym.Group(symbol) if isinstance(symbol, tuple) else symbol
    model = lower(symbol, specs, {}, opset=opset, local=local, training=training).model
    onnx.checker.check_model(model) if local is None else None
    return [node.op_type for node in model.graph.node]


def numbers(*shape):
    return np.random.default_rng(len(shape)).normal(0, 2, shape).astype(np.float32)


@pytest.fixture
def x():
    values = numbers(2, 3, WIDTH)
    values[0, 0, :6] = [0.0, -0.0, 1e-30, -1e-30, 12.0, -12.0]
    return values


@pytest.mark.parametrize("form", GELU)
def test_gelu(form, x):
    assert op_types(GELU[form]) == ["Mul", "Div", "Erf", "Add", "Mul"]
    assert op_types(GELU[form], opset=20) == ["Gelu"]
    expected = x * 0.5 * (1 + erf(x.astype(np.float64) / ROOT2))
    np.testing.assert_allclose(block(GELU[form])(mx.nd.array(x)).asnumpy(), expected, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("form", TANH_GELU)
def test_gelu_by_tanh(form, x):
    assert op_types(TANH_GELU[form], opset=20) == ["Gelu"]
    assert op_types(TANH_GELU[form], local=Local()) == ["FastGelu"]
    assert "FastGelu" not in op_types(TANH_GELU[form])
    wide = x.astype(np.float64)
    expected = 0.5 * wide * (1 + np.tanh(TANH * (wide + 0.044715 * wide**3)))
    np.testing.assert_allclose(
        block(TANH_GELU[form])(mx.nd.array(x)).asnumpy(), expected, rtol=2e-6, atol=3e-7
    )


@pytest.mark.parametrize("form", HARD)
def test_hard_sigmoid(form, x):
    assert op_types(HARD[form]) == ["HardSigmoid"]
    expected = np.clip(x.astype(np.float64) / 6 + 0.5, 0, 1)
    np.testing.assert_allclose(block(HARD[form])(mx.nd.array(x)).asnumpy(), expected, rtol=0, atol=2e-7)


@pytest.mark.parametrize("form", HARD_SWISH)
def test_hard_swish(form, x):
    assert op_types(HARD_SWISH[form]) == ["HardSigmoid", "Mul"]
    wide = x.astype(np.float64)
    expected = wide * np.clip(wide / 6 + 0.5, 0, 1)
    np.testing.assert_allclose(block(HARD_SWISH[form])(mx.nd.array(x)).asnumpy(), expected, rtol=0, atol=1e-6)


def normalized(x):
    wide = x.astype(np.float64)
    return (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + EPS)


@pytest.mark.parametrize("shift", [0, 30])
@pytest.mark.parametrize("form", NORMS)
def test_norms(form, shift, x):
    assert op_types(NORMS[form], 3) == ["LayerNormalization"]
    assert "LayerNormalization" not in op_types(NORMS[form], 3, opset=16)
    gamma, beta = numbers(WIDTH), numbers(WIDTH)
    y = block(NORMS[form])(*map(mx.nd.array, (x + shift, gamma, beta)))
    np.testing.assert_allclose(y.asnumpy(), normalized(x + shift) * gamma + beta, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(
    ("function", "affine", "count"),
    [
        (lambda y, gamma, beta: y, False, 1),
        (lambda y, gamma, beta: mx.sym.broadcast_mul(gamma, y), True, 2),
    ],
)
def test_norms_with_less_behind_them(function, affine, count):
    def norm(F, x, gamma=None, beta=None):
        return function(F.broadcast_div(centred(F, x), F.sqrt(variance(F, x))), gamma, beta)

    assert op_types(norm, count) == ["LayerNormalization"]


def test_a_norm_by_a_matrix_of_one_row(x):
    def norm(F, x, gamma):
        y = F.broadcast_mul(centred(F, x), F.rsqrt(variance(F, x)))
        return F.broadcast_mul(y, F.reshape(gamma, (1, 1, WIDTH)))

    assert op_types(norm, 2) == ["Reshape", "Reshape", "LayerNormalization"]
    gamma = numbers(WIDTH)
    y = block(norm)(mx.nd.array(x), mx.nd.array(gamma)).asnumpy()
    np.testing.assert_allclose(y, normalized(x) * gamma, rtol=2e-5, atol=2e-5)


def test_a_root_mean_square_is_what_onnx_runtime_knows(x):
    def norm(F, x, gamma):
        return F.broadcast_mul(
            F.broadcast_mul(x, F.rsqrt(F.mean(F.square(x), -1, keepdims=True) + EPS)), gamma
        )

    assert op_types(norm, 2) == ["Pow", "ReduceMean", "Add", "Sqrt", "Div", "Mul"]
    gamma = numbers(WIDTH)
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + EPS) * gamma
    y = block(norm)(mx.nd.array(x), mx.nd.array(gamma)).asnumpy()
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def two_outputs(F, x):
    curve = F.erf(x / ROOT2)
    return 0.5 * x * (1 + curve), curve


def two_norms(F, x):
    root = F.sqrt(variance(F, x))
    return F.broadcast_div(centred(F, x), root), root


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (two_outputs, "Erf"),
        (two_norms, "Sqrt"),
        (lambda F, x: 0.5 * x * (1 + F.erf(x / 1.4142)), "Erf"),
        (lambda F, x: 0.5 * x * (1 + F.erf(x / ROOT2 + 0.1)), "Erf"),
        (lambda F, x: 0.5 * F.relu(x) * (1 + F.erf(x / ROOT2)), "Erf"),
        (lambda F, x: 0.4 * x * (1 + F.erf(x / ROOT2)), "Erf"),
        (lambda F, x: 0.5 * x * (1 + F.tanh(TANH * (x + 0.0447 * x**3))), "Tanh"),
        (lambda F, x: F.clip(x + 3, 0, 6) / 5, "Clip"),
        (lambda F, x: F.clip(x + 3, 1, 6) / 6, "Clip"),
        (lambda F, x: F.clip(x, 0, 6), "Clip"),
        (lambda F, x: x * F.clip(x / 0.0, 0, 6) / 6, "Clip"),
        (lambda F, x: F.clip(x + 3, 0, np.inf) / 6, "Clip"),
        (lambda F, x: F.broadcast_div(centred(F, x), F.sqrt(variance(F, x)) + EPS), "ReduceMean"),
        (lambda F, x: F.broadcast_div(centred(F, x), F.sqrt(variance(F, x + 1))), "ReduceMean"),
        (lambda F, x: F.broadcast_div(x, F.sqrt(variance(F, x))), "ReduceMean"),
        (lambda F, x: F.broadcast_div(F.sqrt(variance(F, x)), centred(F, x)), "ReduceMean"),
    ],
)
def test_what_is_something_else_stays(function, kept):
    """Numbers that are others, and values that are outputs too."""
    types = op_types(function, opset=20)
    assert kept in types
    assert not {"Gelu", "HardSigmoid", "LayerNormalization"} & set(types)


def test_a_norm_along_another_axis_stays():
    def norm(F, x):
        data = F.broadcast_sub(x, F.mean(x, axis=1, keepdims=True))
        return F.broadcast_div(data, F.sqrt(F.mean(F.square(data), axis=1, keepdims=True) + EPS))

    assert "LayerNormalization" not in op_types(norm)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [GELU["half first"], TANH_GELU["power"], HARD["relu6"], HARD_SWISH["relu6"]])
def test_special_values_are_those_of_kernels(form, special):
    x = mx.nd.array([[[special, 1.0]]])
    eager = form(mx.nd, x).asnumpy()
    np.testing.assert_allclose(block(form)(x).asnumpy(), eager, rtol=1e-6)


@pytest.mark.parametrize("form", [*GELU.values(), *TANH_GELU.values(), *HARD_SWISH.values()])
def test_gradients_stay_those_of_the_formula(form, x):
    gradients = []
    for net in (block(form), mx.gluon.nn.HybridLambda(form)):
        data = mx.nd.array(x)
        data.attach_grad()
        with mx.autograd.record():
            y = net(data)
        y.backward()
        gradients.append(data.grad.asnumpy())
    np.testing.assert_allclose(*gradients, rtol=1e-4, atol=3e-6)  # sums of 1 and -1 in float32


@pytest.mark.parametrize("use_bias", [True, False])
@pytest.mark.parametrize("scale", [True, False])
def test_a_norm_behind_a_dense_layer_is_a_part_of_it(use_bias, scale):
    dense = mx.gluon.nn.Dense(8, in_units=WIDTH, use_bias=use_bias)
    norm = mx.gluon.nn.BatchNorm(in_channels=8, scale=scale, epsilon=0.01)
    net = mx.gluon.nn.HybridSequential()
    net.add(dense, norm, mx.gluon.nn.Activation("relu"))
    net.initialize()
    net.hybridize()
    data, random = numbers(4, WIDTH), np.random.default_rng(1)
    for _ in range(2):  # other parameters after calls with these
        for parameter in net.collect_params().values():
            parameter.set_data(mx.nd.array(random.uniform(0.5, 2, parameter.shape)))
        p = {
            name.split("_", 1)[1]: v.data().asnumpy().astype(np.float64)
            for name, v in net.collect_params().items()
        }
        y = data @ p["weight"].T + p.get("bias", 0)
        y = (y - p["running_mean"]) / np.sqrt(p["running_var"] + 0.01) * (p["gamma"] if scale else 1) + p[
            "beta"
        ]
        for _ in range(10):
            np.testing.assert_allclose(
                net(mx.nd.array(data)).asnumpy(), np.maximum(y, 0), rtol=1e-5, atol=1e-5
            )
    params = {name: v.data().asnumpy() for name, v in net.collect_params().items()}
    shape = {"data": Spec(data.shape, data.dtype)}
    symbol = net(mx.sym.var("data"))
    here = lower(symbol, shape, params, local=Local()).model.graph.node
    assert "BatchNormalization" not in [node.op_type for node in here]
    in_file = [node.op_type for node in lower(symbol, shape, params).model.graph.node]
    assert in_file == ["Gemm", "BatchNormalization", "Relu"]


@pytest.mark.parametrize(("shape", "axis"), [((5, 7), -1), ((2, 7, 3), 1)])
def test_the_gradient_of_cross_entropy_is_one_array(shape, axis, monkeypatch):
    """That is softmax less 1 at the label, here times the number of rows that a mean is of."""
    graphs = []

    class Listed(StepSession):
        def __init__(self, lowered, in_arena=False):
            super().__init__(lowered, in_arena)
            graphs.append([node.op_type for node in lowered.model.graph.node])

    monkeypatch.setattr(graph_session, "StepSession", Listed)
    monkeypatch.setattr(shared, "_sessions", OrderedDict())
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss(axis=axis)
    loss_of.hybridize()
    scores = mx.nd.array(numbers(*shape))
    labels = np.array([0, 6, 9, 3, 3, 1])[: np.prod(shape) // 7].reshape(
        [*shape[:1], *shape[2:]]
    )  # 9 is taken for 6
    scores.attach_grad()
    with mx.autograd.record():
        loss = loss_of(scores, mx.nd.array(labels))
    loss.backward()
    powers = np.exp(scores.asnumpy().astype(np.float64))
    expected = powers / powers.sum(axis, keepdims=True)
    expected -= np.moveaxis(np.eye(7)[np.minimum(labels, 6)], -1, axis)
    rows = np.prod(shape[2:]) if len(shape) > 2 else 1
    np.testing.assert_allclose(scores.grad.asnumpy() * rows, expected, rtol=1e-5, atol=1e-6)
    backward = next(types for types in graphs if "ScatterElements" in types)
    assert {"ConstantOfShape", "ReduceSum", "Sub"}.isdisjoint(backward)


@pytest.mark.parametrize("function", [GELU["half last"], TANH_GELU["power"], HARD_SWISH["relu6"]])
def test_values_around_a_body(function, x):
    """What a branch computes of values outside of it is computed inside."""

    class Choice(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.contrib.cond(F.sum(x) > 0, lambda: function(F, x), lambda: function(F, x * 2))

    net = Choice()
    for value in (np.abs(x), -np.abs(x)):
        net.hybridize(active=False)
        eager = net(mx.nd.array(value)).asnumpy()
        net.hybridize()
        np.testing.assert_allclose(net(mx.nd.array(value)).asnumpy(), eager, rtol=2e-6, atol=1e-6)


def test_norms_of_values_around_a_body(x):
    class Choice(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x, gamma, beta):
            norm, root = NORMS["all twice"], NORMS["rsqrt"]
            return F.contrib.cond(
                F.sum(x) > 0,
                lambda: norm(F, x, gamma, beta),
                lambda: (
                    root(F, x, gamma, beta)
                    + F.broadcast_div(x, F.sqrt(F.mean(F.square(x), -1, keepdims=True) + EPS))
                ),
            )

    net = Choice()
    vectors = mx.nd.array(numbers(WIDTH)), mx.nd.array(numbers(WIDTH) + 1)
    for value in (np.abs(x), -np.abs(x)):
        net.hybridize(active=False)
        eager = net(mx.nd.array(value), *vectors).asnumpy()
        net.hybridize()
        np.testing.assert_allclose(net(mx.nd.array(value), *vectors).asnumpy(), eager, rtol=1e-4, atol=1e-4)
