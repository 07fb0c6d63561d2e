"""Recording and differentiation, against real MXNet (oracle/ndarray.json) and formulas."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.errors import DTypeError, MXNetError, ShapeError
from tests import snippets

FACTS = json.loads((Path(__file__).parent / "oracle" / "ndarray.json").read_text())


@pytest.fixture(autouse=True)
def _outside_of_scopes():
    yield
    assert not autograd.is_recording()
    assert not autograd.is_training()


@pytest.mark.parametrize(
    ("text", "expected"), [pytest.param(*row, id=f"autograd{i}") for i, row in enumerate(FACTS["autograd"])]
)
def test_gradients_and_errors_are_mxnets(text, expected):
    snippets.check(text, expected, mx=mx, nd=nd, autograd=autograd)


def variable(values, req="write", dtype="float64"):
    x = nd.array(values, dtype=dtype)
    x.attach_grad(req)
    return x


# ---- gradients of gradients, which MXNet has for a few operators only

X = np.array([0.5, 1.5, 2.0])
# Expressions of x, and their first, second and third derivatives.
DERIVATIVES: dict[str, Any] = {
    "x * x": (lambda x: 2 * x, lambda x: 2 + 0 * x, lambda x: 0 * x),
    "x * x * x": (lambda x: 3 * x**2, lambda x: 6 * x, lambda x: 6 + 0 * x),
    "x ** 4": (lambda x: 4 * x**3, lambda x: 12 * x**2, lambda x: 24 * x),
    "2 ** x": tuple(lambda x, n=n: np.log(2) ** n * 2**x for n in (1, 2, 3)),
    "x ** x": (
        lambda x: x**x * (np.log(x) + 1),
        lambda x: x**x * ((np.log(x) + 1) ** 2 + 1 / x),
        lambda x: x**x * ((np.log(x) + 1) ** 3 + 3 * (np.log(x) + 1) / x - 1 / x**2),
    ),
    "1 / x": (lambda x: -1 / x**2, lambda x: 2 / x**3, lambda x: -6 / x**4),
    "x / (x + 1)": (lambda x: (x + 1) ** -2, lambda x: -2 * (x + 1) ** -3, lambda x: 6 * (x + 1) ** -4),
    "x.exp()": (np.exp, np.exp, np.exp),
    "x.log()": (lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3),
    "x.sin()": (np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x)),
    "x.sqrt()": (lambda x: x**-0.5 / 2, lambda x: -(x**-1.5) / 4, lambda x: 3 * x**-2.5 / 8),
    "x.square()": (lambda x: 2 * x, lambda x: 2 + 0 * x, lambda x: 0 * x),
    "x.tanh()": (
        lambda x: 1 - np.tanh(x) ** 2,
        lambda x: -2 * np.tanh(x) * (1 - np.tanh(x) ** 2),
        lambda x: (1 - np.tanh(x) ** 2) * (6 * np.tanh(x) ** 2 - 2),
    ),
    "x.relu()": (lambda x: 1 + 0 * x, lambda x: 0 * x, lambda x: 0 * x),
    "nd.maximum(x, 1) * x": (
        lambda x: np.where(x > 1, 2 * x, 1),
        lambda x: np.where(x > 1, 2.0, 0),
        lambda x: 0 * x,
    ),
}


@pytest.mark.parametrize("text", DERIVATIVES)
def test_derivatives_of_the_first_three_orders(text):
    x = variable(X)
    with autograd.record():
        y = eval(text, {"x": x, "nd": nd}).sum()
        for order, derivative in enumerate(DERIVATIVES[text]):
            (dx,) = autograd.grad(y, x, create_graph=True)
            np.testing.assert_allclose(dx.asnumpy(), derivative(X), rtol=1e-9, err_msg=f"order {order + 1}")
            y = dx.sum()


def test_second_derivatives_by_backward_on_a_gradient():
    x, w = variable(X), variable([3.0, 4, 5])
    with autograd.record():
        y = (x * x * w).sum()
        gx, gw = autograd.grad(y, [x, w], create_graph=True)
        z = (gx * gw).sum()  # 2xw * x²
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 6 * X**2 * [3, 4, 5])
    np.testing.assert_allclose(w.grad.asnumpy(), 2 * X**3)


def test_second_derivatives_in_the_head_gradient():
    x, head = variable(X), variable([1.0, 2, 3])
    with autograd.record():
        (gx,) = autograd.grad(x * x, x, head, create_graph=True)
        z = gx.sum()
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [2, 4, 6])
    np.testing.assert_allclose(head.grad.asnumpy(), 2 * X)


def test_a_penalty_on_the_gradient_of_a_network():
    rng = np.random.default_rng(0)
    w, v, x = rng.normal(size=(4, 3)), rng.normal(size=(1, 4)), rng.normal(size=(2, 3))
    data, first = variable(x), variable(w)

    def penalty(w):
        hidden = np.tanh(x @ w.T)
        return ((v * (1 - hidden**2)) @ w).__pow__(2).sum()

    with autograd.record():
        hidden = nd.FullyConnected(data, first, num_hidden=4, no_bias=True).tanh()
        y = nd.FullyConnected(hidden, nd.array(v, dtype="float64"), num_hidden=1, no_bias=True)
        (dx,) = autograd.grad(y, data, create_graph=True)
        z = (dx**2).sum()
    z.backward()
    step = 1e-6
    for i in np.ndindex(4, 3):
        moved = np.zeros((4, 3))
        moved[i] = step
        slope = (penalty(w + moved) - penalty(w - moved)) / (2 * step)
        assert first.grad.asnumpy()[i] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_losses_have_no_second_gradient_and_say_so():
    x = variable([[1.0, 2]], dtype="float32")
    with autograd.record():
        y = nd.SoftmaxOutput(x, nd.array([1]))
        (dx,) = autograd.grad(y, x, create_graph=True)
        z = dx.sum()
    with pytest.raises(MXNetError, match="cannot be differentiated, because it is the gradient of a loss"):
        z.backward()


def test_shuffled_rows_have_no_gradient_and_say_so():
    x = variable([1.0, 2])
    with autograd.record():
        y = nd.random.shuffle(x)
        z = y.detach() * x
    with pytest.raises(MXNetError, match=r"_shuffle: cannot be differentiated.*detach"):
        y.backward()
    z.backward()


# ---- heads and variables


def test_a_head_given_twice_counts_twice():
    x = variable([1.0, 2])
    with autograd.record():
        y = x * x
    (dx,) = autograd.grad(
        [y, y], x, [nd.array([1.0, 2]).astype("float64"), nd.array([10.0, 20]).astype("float64")]
    )
    assert dx.asnumpy().tolist() == [22, 88]


@pytest.mark.parametrize("call", [autograd.backward, lambda y, head: autograd.grad(y, y, head)])
def test_head_gradients_must_fit(call):
    x = variable([1.0, 2])
    with autograd.record():
        y = x * 2
    with pytest.raises(ShapeError, match=r"a head gradient of shape \(2,\) is required, got \(5,\)"):
        call(y, nd.ones((5,), dtype="float64"))
    with pytest.raises(DTypeError, match="a head gradient of dtype float64 is required, got float32"):
        call(y, nd.ones((2,)))
    with pytest.raises(MXNetError, match="1 head gradients are required, got 2"):
        call(y, [None, None])


@pytest.mark.parametrize("heads", [[], 3, None, [3], "y"])
def test_heads_are_arrays(heads):
    with pytest.raises(MXNetError, match="NDArrays is required as heads"):
        autograd.backward(heads)


def test_errors_of_grad_tell_the_variable():
    x, z, w = variable([1.0]), variable([1.0]), nd.array([1.0])
    with autograd.record():
        y = x * 2
    with pytest.raises(MXNetError, match="at least one variable"):
        autograd.grad(y, [])
    with pytest.raises(MXNetError, match="the variable 1 because it does not require gradient"):
        autograd.grad(y, [x, w])
    with pytest.raises(MXNetError, match="the variable 0 because it is unreachable"):
        autograd.grad(y, [z, x])
    assert autograd.grad(y, [x])[0].asscalar() == 2


def test_gradients_that_grad_returns_are_the_callers_own():
    x, z, head = variable([1.0, 2]), variable([1.0, 2]), nd.ones((2,), dtype="float64")
    with autograd.record():
        y = x + z
    a, b = autograd.grad(y, [x, z], head)
    a[:] = 7
    assert b.asnumpy().tolist() == head.asnumpy().tolist() == [1, 1]


def test_grad_of_an_intermediate_result():
    x = variable([1.0, 2])
    with autograd.record():
        y = x * 3
        z = y * y
    dy, dx = autograd.grad(z, [y, x])
    assert dy.asnumpy().tolist() == [6, 12]
    assert dx.asnumpy().tolist() == [18, 36]


def test_requests():
    with pytest.raises(MXNetError, match="one of write, add, null is required, got 'foo'"):
        nd.ones((2,)).attach_grad("foo")
    x, z = variable([1.0, 2], "null"), variable([1.0, 2], "add")
    for _ in range(3):
        with autograd.record():
            y = x * z * 2
        y.backward()
    assert x.grad.asnumpy().tolist() == [0, 0]
    assert z.grad.asnumpy().tolist() == [6, 12]
    with autograd.record():
        y = x * 2
    with pytest.raises(MXNetError, match="not in a computational graph"):
        y.backward()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_gradients_have_the_dtype_of_the_variable(dtype):
    x = variable([1, 2], dtype=dtype)
    with autograd.record():
        y = x * x
    y.backward()
    assert x.grad.dtype is np.dtype(dtype).type
    assert x.grad.asnumpy().tolist() == [2, 4]


def test_mark_variables_refuses_what_does_not_fit():
    x = nd.ones((2,))
    with pytest.raises(MXNetError, match="a gradient and a grad_req for each of 1 variables"):
        autograd.mark_variables([x], [])
    with pytest.raises(
        ShapeError, match=r"a gradient of shape \(2,\) and dtype float32 is required, got \(3,\)"
    ):
        autograd.mark_variables([x], [nd.ones((3,))])
    with pytest.raises(ShapeError, match=r"float32 is required, got .* and float64"):
        autograd.mark_variables(x, nd.ones((2,), dtype="float64"))


BROADCASTS = [
    ((2, 3), (3,)),
    ((2, 3), (1, 3)),
    ((2, 1), (1, 3)),
    ((2, 3), (1,)),
    ((4, 2, 3), (2, 1)),
    ((0, 3), (3,)),
]


@pytest.mark.parametrize(("a", "b"), BROADCASTS)
@pytest.mark.parametrize("text", ["x + y", "x - y", "x * y", "x / y", "y / x", "x ** y"])
def test_gradients_are_summed_over_what_was_repeated(a, b, text):
    rng = np.random.default_rng(1)
    left, right = rng.uniform(1, 2, a), rng.uniform(1, 2, b)
    x, y = variable(left), variable(right)
    with autograd.record():
        z = eval(text)
    z.backward()
    step = 1e-6
    for array, values, other in ((x, left, "y"), (y, right, "x")):
        assert array.grad.shape == values.shape
        names = {"y": right} if other == "y" else {"x": left}
        name = "x" if other == "y" else "y"
        for i in np.ndindex(*values.shape):
            moved = np.zeros(values.shape)
            moved[i] = step
            high, low = (eval(text, {name: values + s * moved, **names}).sum() for s in (1, -1))
            assert array.grad.asnumpy()[i] == pytest.approx((high - low) / (2 * step), rel=1e-6)


# ---- recording


def test_scopes_may_be_entered_again_and_inside_themselves():
    scope = autograd.record()
    for _ in range(2):
        with scope:
            with scope, autograd.predict_mode():
                assert autograd.is_recording()
                assert not autograd.is_training()
            assert autograd.is_training()
        assert not autograd.is_recording()


def test_each_thread_has_its_own_state():
    states = []
    with autograd.record():
        thread = threading.Thread(
            target=lambda: states.append((autograd.is_recording(), autograd.is_training()))
        )
        thread.start()
        thread.join()
    assert states == [(False, False)]


def test_what_backward_is_done_with_is_let_go():
    x = variable([1.0, 2])
    with autograd.record():
        y = x * 2
        z = y.exp()
    values = weakref.ref(y)
    node = weakref.ref(z)
    z.backward()
    del y, z
    gc.collect()
    assert values() is None
    assert node() is None


def test_a_second_backward_tells_how_to_keep_the_graph():
    x = variable([1.0])
    with autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(MXNetError, match="retain_graph=True"):
        y.backward()


@pytest.mark.parametrize(
    "text",
    [
        "x += 1",
        "x[:] = 1",
        "x[0] = 1",
        "y += 1",
        "y *= 2",
        "z += y",
        "nd.exp(z, out=x)",
        "nd.ones((2,)).copyto(y)",
    ],
)
def test_changes_that_the_tape_cannot_see_are_refused(text):
    x, z = variable([1.0, 2], dtype="float32"), nd.ones((2,))
    with autograd.record():
        y = x * 2
        with pytest.raises(MXNetError, match=r"Inplace operations .* autograd\.pause"):
            exec(text, {"x": x, "y": y, "z": z, "nd": nd})
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 2]
    assert x.asnumpy().tolist() == [1, 2]
    with autograd.pause():
        x += 1
        x[0] = 7


def test_masks_are_those_of_the_forward_pass():
    x = variable(np.ones(200))
    with autograd.record():
        y = nd.Dropout(x, p=0.5)
    y.backward(retain_graph=True)
    first = x.grad.asnumpy().tolist()
    y.backward(train_mode=False)
    assert x.grad.asnumpy().tolist() == first == y.asnumpy().tolist()


# ---- functions of users


class Cube(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x**3

    def backward(self, dy):
        (x,) = self.saved_tensors
        return dy * 3 * x**2


def test_functions_are_as_differentiable_as_their_backward():
    x = variable(X)
    with autograd.record():
        y = Cube()(x * 2).sum()
        (dx,) = autograd.grad(y, x, create_graph=True)
        z = dx.sum()
    np.testing.assert_allclose(dx.asnumpy(), 24 * X**2)
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 48 * X)


def function_of(forward, backward):
    return type("Mine", (autograd.Function,), {"forward": forward, "backward": backward})()


@pytest.mark.parametrize(
    ("backward", "match"),
    [
        (lambda self, dy: dy, "one gradient for each of 2 inputs is required, got 1"),
        (lambda self, dy: (dy, 3), r"an array of shape \(2,\) is required as gradient 1, got int"),
        (lambda self, dy: (dy[:1], dy), r"an array of shape \(2,\) is required as gradient 0, got \(1,\)"),
    ],
)
def test_wrong_gradients_of_functions_are_refused(backward, match):
    x = variable([1.0, 2])
    with autograd.record():
        y = function_of(lambda self, a, b: a + b, backward)(x, x)
    with pytest.raises(MXNetError, match=f"Mine.backward: {match}"):
        y.backward()


def test_functions_take_arrays_once():
    x = variable([1.0, 2])
    function = function_of(lambda self, x: x * 1, lambda self, dy: dy)
    with pytest.raises(TypeError, match="Mine: arrays are required as inputs, got int"):
        Cube.__call__(function_of(lambda self, x: x, lambda self, dy: dy), 3)
    function(x)
    with pytest.raises(MXNetError, match="can be called once"):
        function(x)
    with pytest.raises(NotImplementedError, match="forward must be defined"):
        autograd.Function()(x)


def test_functions_may_give_no_gradient_and_their_input():
    x, z = variable([1.0, 2]), variable([1.0, 2])
    with autograd.record():
        y = function_of(lambda self, a, b: a, lambda self, dy: (dy * 5, None))(x, z)
    assert y is not x
    y.backward()
    assert x.grad.asnumpy().tolist() == [5, 5]
    assert z.grad.asnumpy().tolist() == [0, 0]


# ---- the graph as a symbol


def test_what_was_recorded_can_be_had_as_a_symbol():
    x, z = nd.array([[1.0, 2], [3, 4]]), nd.array([3.0, 4])
    x.attach_grad()
    z.attach_grad()
    with autograd.record():
        y = nd.concat(x * z + 1, nd.ones((2, 2)), dim=1).sum(axis=1)
    symbol = autograd.get_symbol(y)
    arguments = symbol.list_arguments()
    assert len(arguments) == 3
    value = symbol.eval(**dict(zip(arguments, (x, z, nd.ones((2, 2))), strict=True)))[0]
    assert value.asnumpy().tolist() == y.asnumpy().tolist() == [15, 29]
    with pytest.raises(MXNetError, match="not computed"):
        autograd.get_symbol(nd.ones((1,)))
    with autograd.record():
        y = Cube()(x)
    with pytest.raises(MXNetError, match="Function Cube"):
        autograd.get_symbol(y)


@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_of_a_bool_that_is_used_twice(hybrid):
    """A mask's gradients are added like others: they are true where any is not 0."""

    class Masked(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            mask = F.cast(x, dtype="bool")
            return F.cast(mask, dtype="float32") * F.BlockGrad(x) + F.cast(mask, dtype="float32") * 2

    net = Masked()
    net.hybridize(hybrid)
    x = mx.nd.array([0, 1.5, -2])
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward(mx.nd.array([1, 1, 0]))
    assert (y.asnumpy().tolist(), x.grad.asnumpy().tolist()) == ([0, 3.5, 0], [1, 1, 0])
