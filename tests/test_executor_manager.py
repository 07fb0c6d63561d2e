"""Loops over executors of several contexts, as before modules: a line fits by gradients computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.executor_manager import DataParallelExecutorManager, _split_input_slice

X = np.arange(12, dtype="float32").reshape(6, 2) / 10
Y = X @ np.array([2, -3], "float32") + 1


def line():
    y = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    return mx.sym.LinearRegressionOutput(y, mx.sym.var("label"), name="out")


def manager(contexts, **options):
    data = mx.io.NDArrayIter(X, Y, 6, label_name="label")
    symbol = line()
    names = symbol.list_arguments()
    parameters = ["fc_weight", "fc_bias"]
    return DataParallelExecutorManager(symbol, contexts, data, names, parameters, [], **options), next(data)


@pytest.mark.parametrize("count", [1, 2])
def test_a_step(count):
    made, batch = manager([mx.cpu(i) for i in range(count)])
    weight, bias = np.array([[0.5, -1]], "float32"), np.array([0.25], "float32")
    made.set_params({"fc_weight": mx.nd.array(weight), "fc_bias": mx.nd.array(bias)}, {})
    made.load_data_batch(batch)
    made.forward(is_train=True)
    made.backward()
    error = X @ weight[0] + bias - Y
    sums = {a[0].shape: sum(x.asnumpy() for x in a) for a in made.grad_arrays}
    np.testing.assert_allclose(sums[1, 2][0], error @ X, rtol=1e-5)
    np.testing.assert_allclose(sums[1,], [error.sum()], rtol=1e-5)
    metric = mx.metric.MSE()
    made.update_metric(metric, batch.label)
    assert metric.get()[1] == pytest.approx((error**2).mean(), rel=1e-5)
    copies = {"fc_weight": mx.nd.zeros((1, 2)), "fc_bias": mx.nd.zeros((1,))}
    made.copy_to(copies, {})
    np.testing.assert_array_equal(copies["fc_weight"].asnumpy(), weight)
    assert len(made.param_arrays) == 2
    assert made.aux_arrays == []


def test_slices():
    assert _split_input_slice(10, [1, 1, 1]) == [slice(0, 3), slice(3, 6), slice(6, 10)]
    assert _split_input_slice(7, [1, 2]) == [slice(0, 2), slice(2, 7)]
    with pytest.raises(ValueError, match="Too many slices"):
        _split_input_slice(2, [1, 1, 1])


def test_what_is_refused():
    with pytest.raises(mx.MXNetError, match="BucketingModule"):
        manager([mx.cpu()], sym_gen=line)
    with pytest.raises(mx.MXNetError, match="call load_data_batch"):
        manager([mx.cpu()])[0].forward()
