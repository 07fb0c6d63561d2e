"""Gradients at integers, at NaN and beyond the ends of sequences. Expected values are MXNet's."""

from __future__ import annotations

import numpy as np
import pytest

from hybridonnx import autograd, gluon
from hybridonnx import ndarray as nd

LEFT, RIGHT, HEAD = [7, 8, 5, 2], [3, 2, 2, 0], [3, -5, 7, 4]
# of `mod` nothing: the remainder of integers counts as constant
BINARY = {
    "broadcast_mod": ([0, 0, 0, 0], [0, 0, 0, 0]),
    "broadcast_power": ([441, -80, 70, 0], [2001, -665, 280, 0]),
}
SCALAR = {
    "_mod_scalar": [0, 0, 0, 0],
    "_rmod_scalar": [0, 0, 0, 0],
    "_rpower_scalar": [7206, -36035, 1862, 36],
}


def gradients(function, inputs, head):
    """The inputs' gradients as lists."""
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        y = function(*inputs)
    y.backward(nd.array(head, dtype=y.dtype))
    return [x.grad.asnumpy().tolist() for x in inputs]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_gradients_of_integers(name, dtype):
    inputs = [nd.array(values, dtype=dtype) for values in (LEFT, RIGHT)]
    assert gradients(getattr(nd, name), inputs, HEAD) == [*BINARY[name]]


@pytest.mark.parametrize("name", SCALAR)
def test_gradients_of_integers_with_a_number(name):
    function = getattr(nd._internal, name)
    (got,) = gradients(lambda x: function(x, scalar=3.0), [nd.array(LEFT, dtype="int32")], HEAD)
    assert got == SCALAR[name]


class _Relu(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x)


@pytest.mark.parametrize("hybrid", [False, True])
def test_relu_at_nan_has_gradient_nan(hybrid):
    block = _Relu()
    block.hybridize(hybrid)
    points = [np.nan, 1e-30, 3, 0, -1, np.inf, -np.inf]
    (got,) = gradients(block, [nd.array(points)], [2] * 7)
    np.testing.assert_array_equal(got, [np.nan, 2, 2, 0, 0, 2, 0])


@pytest.mark.parametrize("hybrid", [False, True])
def test_scores_beyond_a_sequence_do_not_count(hybrid, rng):
    scores = rng.standard_normal((2, 5, 4)).astype("float32")
    label, lengths = nd.array([[1, 2], [3, -1]]), nd.array([3, 5])
    loss = gluon.loss.CTCLoss()
    loss.hybridize(hybrid)
    results = []
    for beyond in (0, np.nan, np.inf):
        scores[0, 3:] = beyond
        (got,) = gradients(lambda x: loss(x, label, lengths, None), [nd.array(scores)], [1, 1])
        results.append(got)
    assert np.abs(results[0]).sum() > 1
    np.testing.assert_array_equal(results[1:], [results[0]] * 2)
    np.testing.assert_array_equal(np.array(results[0])[0, 3:], 0)


def test_second_derivative_of_radians_is_0():
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        (slope,) = autograd.grad(nd.radians(x), x, create_graph=True)
    slope.backward()
    np.testing.assert_allclose(slope.asnumpy(), np.pi / 180, rtol=1e-6)
    assert x.grad.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize("hybrid", [False, True])
def test_third_output_of_sync_batch_norm_is_the_variance(hybrid, rng):
    x = rng.standard_normal((4, 3, 2)).astype("float32")
    vectors = [nd.array(v) for v in ([1, 2, 3], [0, 0, 0], [5, 5, 5], [7, 7, 7])]
    block = gluon.nn.HybridLambda(
        lambda F, *inputs: F.contrib.SyncBatchNorm(*inputs, key="s", output_mean_var=True)
    )
    block.hybridize(hybrid)
    with autograd.train_mode():
        _, mean, var = block(nd.array(x), *vectors)
    np.testing.assert_allclose(mean.asnumpy(), x.mean((0, 2)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), x.var((0, 2)), rtol=1e-5)
