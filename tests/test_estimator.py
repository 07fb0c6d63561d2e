"""`gluon.contrib.estimator`: real MXNet's events, logs, files and trained values."""

from __future__ import annotations

import types

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.gluon.contrib import estimator as est
from tests import native_facts


@pytest.mark.parametrize("name", native_facts.names("estimators", "older"))
def test_as_mxnet_shows(name, tmp_path):
    native_facts.check("estimators", name, tmp_path, "older")


def test_auto_goes_by_the_metrics_name():
    for name in ("acc", "f1", "mcc"):
        assert est.EarlyStoppingHandler(mx.metric.create(name)).monitor_op is np.greater
    for name in ("mse", "loss", "ce"):
        assert est.EarlyStoppingHandler(mx.metric.create(name)).monitor_op is np.less
    with pytest.warns(UserWarning, match="auto, min or max"):
        assert est.EarlyStoppingHandler(mx.metric.MSE(), mode="x").monitor_op is np.less


def test_metrics_without_a_value_are_told(tmp_path):
    metric = mx.metric.Accuracy()
    early = est.EarlyStoppingHandler(metric)
    early.train_begin(None)
    with pytest.warns(UserWarning, match="has no value"):
        assert early.epoch_end(None) is False


def test_initializers_that_are_not_used_are_told():
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    with pytest.warns(UserWarning, match="initializer is not used"):
        est.Estimator(net, mx.gluon.loss.L2Loss(), trainer=trainer, initializer=mx.init.One())


def test_hybridized_blocks_train_alike():
    x = np.random.RandomState(0).uniform(-1, 1, (12, 4)).astype("float32")
    y = (x.sum(axis=1) > 0).astype("float32")
    loader = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(x, y), 4)
    weights = []
    for hybridize in (False, True):
        net = mx.gluon.nn.Dense(2, in_units=4)
        net.initialize(mx.init.Constant(0.1))
        if hybridize:
            net.hybridize()
        trainer = mx.gluon.Trainer(net.collect_params(), "adam")
        loop = est.Estimator(net, mx.gluon.loss.SoftmaxCELoss(), trainer=trainer)
        loop.fit(loader, val_data=loader, epochs=2)
        weights.append(net.weight.data().asnumpy())
    np.testing.assert_allclose(*weights, rtol=1e-5)


def test_metrics_under_the_module_where_mxnet_checks_them():
    from hybridonnx.gluon.contrib.estimator import utils

    accuracy, loss = mx.metric.Accuracy(), mx.metric.Loss()
    assert utils._check_metrics(None) == []
    assert utils._check_metrics(accuracy) == [accuracy]
    with pytest.raises(ValueError, match="EvalMetric"):
        utils._check_metrics([3])
    assert isinstance(utils._suggest_metric_for_loss(mx.gluon.loss.SoftmaxCELoss()), mx.metric.Accuracy)
    assert utils._suggest_metric_for_loss(mx.gluon.loss.L2Loss()) is None
    utils._check_metric_known(None, loss, [accuracy, loss])
    handler = types.SimpleNamespace(metrics=[accuracy], monitor=loss)
    utils._check_handler_metric_ref(handler, [accuracy, loss])
    with pytest.raises(ValueError, match="val_metrics are required"):
        utils._check_handler_metric_ref(handler, [accuracy])


@pytest.fixture
def loop():
    net = mx.gluon.nn.Dense(2, in_units=3)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    return est.Estimator(net, mx.gluon.loss.SoftmaxCELoss(), trainer=trainer)


def loader(batch_size):
    rows = mx.gluon.data.ArrayDataset(np.zeros((6, 3), "float32"), np.zeros(6, "float32"))
    return mx.gluon.data.DataLoader(rows, batch_size, last_batch="discard")


def test_handlers_serve_twice(loop):
    """MXNet's StoppingHandler ends the second training after its first batch."""
    batches = []

    class Count(est.BatchEnd):
        def batch_end(self, *args, **kwargs):
            batches.append(kwargs["batch"])

    for _ in range(2):
        loop.fit(loader(2), epochs=2, event_handlers=[est.StoppingHandler(), Count()])
    handlers = [est.StoppingHandler(), Count()]
    for _ in range(2):
        loop.fit(loader(2), batches=3, event_handlers=handlers)
    assert len(batches) == 2 * 6 + 2 * 3


def test_batches_that_never_come_are_told(loop):
    loop.fit(loader(7), epochs=2)
    with pytest.raises(ValueError, match="5 batches of train_data are required, got none"):
        loop.fit(loader(7), batches=5)
