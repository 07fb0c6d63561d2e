"""Gradients of arrays: what is computed of a rule, where, and whose memory the results are."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.ndarray import derive
from hybridonnx.ndarray.invoke import ReferenceKernels
from hybridonnx.ops import Operator


def variable(shape, seed=0):
    x = mx.nd.array(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))
    x.attach_grad()
    return x


@pytest.fixture
def executed(monkeypatch):
    """The names of the operators that a backward pass executes, one by one."""
    names: list[str] = []
    run, computed = derive.run, derive._computed

    def note(function):
        def noted(op: Operator, *args):
            names.append(op.names[0])
            return function(op, *args)

        return noted

    monkeypatch.setattr(derive, "run", note(run))
    monkeypatch.setattr(derive, "_computed", note(computed))
    return names


def test_gradients_that_nothing_asks_for_are_not_computed(executed):
    x, w = mx.nd.ones((2, 3, 6, 6)), variable((4, 3, 3, 3))
    with mx.autograd.record():
        y = mx.nd.Convolution(x, w, kernel=(3, 3), num_filter=4, no_bias=True)
    y.backward()
    assert executed == ["_conv_weight_grad"]
    assert w.grad.asnumpy()[0, 0, 0, 0] == 2 * 4 * 4


def test_casts_and_sums_that_change_nothing_are_left_out(executed):
    a, b = variable((3, 4)), variable((3, 1))
    with mx.autograd.record():
        y = mx.nd.broadcast_add(a, b)
    y.backward()
    assert executed == ["_sum_like"]


@pytest.mark.parametrize("fix_gamma", [False, True])
def test_a_rule_in_one_session_gives_what_kernels_give(executed, fix_gamma):
    x, gamma, beta = variable((4, 8, 60, 60)), variable((8,), 1), variable((8,), 2)

    def differentiated():
        states = mx.nd.zeros((8,)), mx.nd.ones((8,))
        with mx.autograd.record():
            y = mx.nd.BatchNorm(x, gamma, beta, *states, fix_gamma=fix_gamma)
            z = (y * y * y).sum()
        z.backward()
        return [v.asnumpy() for v in (y, *states, x.grad, gamma.grad, beta.grad)]

    got = differentiated()
    assert "_backward_BatchNorm" in executed
    with ReferenceKernels():
        expected = differentiated()
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(b).max())


def test_an_operator_decides_anew_for_other_shapes_dtypes_and_gradients():
    for shape, dtype in (((2, 3), "float32"), ((2, 1), "float32"), ((2, 3), "float64")):
        x = mx.nd.ones(shape, dtype=dtype) * 2
        for others in (False, True):
            y = mx.nd.ones((2, 3), dtype=dtype)
            for v in (x, y) if others else (x,):
                v.attach_grad()
            with mx.autograd.record():
                z = mx.nd.broadcast_mul(x, y)
            z.backward()
            assert x.grad.dtype == np.dtype(dtype)
            assert x.grad.asnumpy().tolist() == np.full(shape, 3.0 / shape[1]).tolist()
            assert not others or y.grad.asnumpy().tolist() == [[2, 2, 2]] * 2


# ---- memory


def is_shared(a, b) -> bool:
    return np.may_share_memory(a._data, b._data)


def test_variables_of_one_gradient_have_memory_of_their_own():
    a, b, head = variable((3, 4)), variable((3, 4)), mx.nd.ones((3, 4))
    with mx.autograd.record():
        y = a + b
    y.backward(head)
    assert not is_shared(a.grad, b.grad)
    assert not is_shared(a.grad, head)
    a.grad[:] = 7
    assert head.asnumpy().max() == b.grad.asnumpy().max() == 1


def test_views_of_a_gradient_see_the_next_one():
    x = variable((4, 3))
    row, values = x.grad[1:2], x.grad._data
    for factor in (2, 3):
        with mx.autograd.record():
            y = x * factor
        y.backward()
        assert row.asnumpy().tolist() == [[factor] * 3]
    assert x.grad._data is values


def test_a_gradient_that_nothing_else_refers_to_is_not_copied(monkeypatch):
    x = variable((4, 3))
    monkeypatch.setattr(type(x), "_assign", None)
    with mx.autograd.record():
        y = mx.nd.sin(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), np.cos(x.asnumpy()), rtol=1e-6)


def test_what_a_tape_keeps_is_not_given_up():
    x = variable((3,))
    with mx.autograd.record():
        y = mx.nd.exp(x)
        z = y * y
    z.backward(retain_graph=True)
    first = x.grad.asnumpy()
    x.grad[:] = 0
    z.backward()
    assert x.grad.asnumpy().tolist() == first.tolist()


def test_gradients_of_grad_are_arrays_of_their_own():
    x, head = variable((2, 6)), mx.nd.ones((3, 4))
    with mx.autograd.record():
        y = mx.nd.reshape(x, shape=(3, 4))
    (gradient,) = mx.autograd.grad([y], [x], head_grads=[head])
    gradient[:] = 5
    assert head.asnumpy().max() == 1


def test_gradients_that_store_some_rows_are_made_by_the_rule_itself(executed):
    indices, weight = mx.nd.array([1, 3]), variable((5, 2))
    weight.attach_grad(stype="row_sparse")
    with mx.autograd.record():
        y = mx.nd.Embedding(indices, weight, input_dim=5, output_dim=2, sparse_grad=True)
    y.backward()
    assert not executed
    assert weight.grad.indices.asnumpy().tolist() == [1, 3]
