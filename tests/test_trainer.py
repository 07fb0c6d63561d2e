"""The trainer against what real MXNet did in trainer_scenarios (oracle/optimizer.json)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError
from tests.snippets import alike
from tests.trainer_scenarios import TRAININGS, batch, everything, losses, net_of

FACTS = json.loads((Path(__file__).parent / "oracle" / "optimizer.json").read_text())["trainer"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return everything(mx, tmp_path_factory.mktemp("states"))


@pytest.mark.parametrize("name", [name for name in FACTS if name != "errors"])
def test_training_is_mxnets(name, shown):
    assert alike(shown[name], FACTS[name], tol=2e-5)


def error_names(exc):
    """The class of an error and those it is a kind of."""
    return [c.__name__ for c in type(exc).__mro__]


def test_refusals_are_mxnets(tmp_path):
    from tests.trainer_scenarios import errors

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = errors(mx, tmp_path)
    for ours, theirs in zip(outcomes, FACTS["errors"]["list"], strict=True):
        if isinstance(ours, BaseException):
            assert theirs["error"] in error_names(ours), ours
        else:
            assert ours == (theirs["list"] if isinstance(theirs, dict) else theirs)


@pytest.mark.parametrize("name", TRAININGS)
def test_hybridized_training_is_the_same(name):
    optimizer, options = TRAININGS[name]
    curves = []
    for hybrid in (False, True):
        net = net_of(mx)
        net.hybridize(hybrid)
        trainer = mx.gluon.Trainer(net.collect_params(), optimizer, dict(options))
        curves.append(losses(mx, net, trainer))
    np.testing.assert_allclose(curves[0], curves[1], rtol=1e-5)


def test_inference_after_a_step_uses_the_new_weights():
    net = net_of(mx)
    net.hybridize()
    data, _ = batch(mx, 0)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    before = net(data).asnumpy()
    losses(mx, net, trainer, range(3))
    after = net(data).asnumpy()
    net.hybridize(False)
    np.testing.assert_allclose(after, net(data).asnumpy(), rtol=1e-5, atol=1e-6)
    assert abs(after - before).max() > 1e-2


def test_stale_gradients_name_the_parameter_and_change_nothing():
    net = net_of(mx)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    before = net[0].weight.data().asnumpy()
    with pytest.raises(UserWarning, match=r"`net_dense0_bias` on context cpu.*ignore_stale_grad"):
        trainer.step(1)
    assert np.array_equal(net[0].weight.data().asnumpy(), before)


def test_damaged_states_are_refused(tmp_path):
    trainer = mx.gluon.Trainer(net_of(mx).collect_params(), "adam")
    path = tmp_path / "states"
    path.write_bytes(b"\x80\x04nothing")
    with pytest.raises(FormatError, match="pickle: values, names and instances of them are required"):
        trainer.load_states(str(path))


def test_copies_keep_states_of_their_own():
    both = [mx.cpu(0), mx.cpu(1)]
    net = net_of(mx, both)
    options = {"learning_rate": 0.1, "momentum": 0.9}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", options, update_on_kvstore=False)
    for step in range(3):
        with mx.autograd.record():
            totals = [net(batch(mx, step + 10 * c.device_id, c)[0]).sum() for c in both]
        for total in totals:
            total.backward()
        trainer.allreduce_grads()
        trainer.update(12)
    first, second = net[0].weight.list_data()
    assert np.array_equal(first.asnumpy(), second.asnumpy())
    assert trainer.optimizer.num_update == 3


@pytest.mark.parametrize(
    ("options", "second"),
    [({}, 0.0), ({"kvstore": "local"}, 0.0), ({"update_on_kvstore": False}, 0.0), ({"kvstore": None}, 1.0)],
)
def test_first_steps_give_every_context_what_the_first_has(options, second):
    net = mx.gluon.nn.BatchNorm(in_channels=2)
    net.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.0}, **options)
    for param in net.collect_params().values():
        param.list_data()[1][:] += 1
    with mx.autograd.record():
        totals = [net(mx.nd.ones((3, 2), ctx=c)).sum() for c in (mx.cpu(0), mx.cpu(1))]
    for total in totals:
        total.backward()
    trainer.step(1)
    for param in net.collect_params().values():
        one, two = (data.asnumpy() for data in param.list_data())
        moving = 0.9 if param is net.running_mean or param is net.running_var else 1.0
        np.testing.assert_allclose(two - one, second * moving, atol=1e-6)


def test_float16_trains_through_copies():
    last_losses = []
    for dtype, options in (("float32", {}), ("float16", {"multi_precision": True})):
        net = net_of(mx)
        net.cast(dtype)
        trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, **options})
        for step in range(5):
            data, label = batch(mx, step)
            with mx.autograd.record():
                loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()(net(data.astype(dtype)), label.astype(dtype))
            loss.backward()
            trainer.step(6)
        last_losses.append(loss.asnumpy().astype("float32"))
    np.testing.assert_allclose(last_losses[0], last_losses[1], rtol=0.03, atol=0.01)
