"""The sparseness penalty that is attached to the gradient of units, over steps of training."""

from __future__ import annotations

import numpy as np
import pytest

from hybridonnx import cpu, nd, sym
from hybridonnx.errors import ShapeError

RNG = np.random.RandomState(0)
X = (RNG.rand(4, 3) * 0.8 + 0.1).astype("float32")


def penalties(average, target, penalty):
    return penalty * ((1 - target) / (1 - average) - target / average)


def test_training_moves_the_average_and_prediction_leaves_it():
    """The numbers are those of real MXNet, which moves the average in the backward pass."""
    net = sym.IdentityAttachKLSparseReg(
        sym.var("x"), name="kl", sparseness_target=0.3, penalty=0.5, momentum=0.6
    )
    assert net.list_auxiliary_states() == ["kl_moving_avg"]
    executor = net.simple_bind(cpu(), x=X.shape)
    executor.aux_dict["kl_moving_avg"][:] = 0.25
    average = np.full(3, 0.25)
    for _ in range(3):
        y = executor.forward(is_train=True, x=X)[0]
        executor.backward(nd.ones(X.shape) * 1.5)
        average = 0.6 * average + 0.4 * X.mean(0)
        np.testing.assert_array_equal(y.asnumpy(), X)
        np.testing.assert_allclose(executor.aux_dict["kl_moving_avg"].asnumpy(), average, rtol=1e-5)
        expected = np.broadcast_to(1.5 + penalties(average, 0.3, 0.5), X.shape)
        np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(average, [0.43262896, 0.57494324, 0.56222254], rtol=1e-5)
    np.testing.assert_allclose(expected[0] - 0.5, [1.27016282, 1.56252408, 1.53269470], rtol=1e-5)
    executor.forward(is_train=False, x=X)
    np.testing.assert_allclose(executor.aux_dict["kl_moving_avg"].asnumpy(), average, rtol=1e-5)


def test_units_stand_in_the_second_axis():
    net = sym.IdentityAttachKLSparseReg(sym.var("x"), name="kl")
    assert net.infer_shape(x=(4, 3, 2))[2] == [(3,)]
    with pytest.raises(ShapeError, match="2 or more axes is required"):
        net.infer_shape(x=(4,))
