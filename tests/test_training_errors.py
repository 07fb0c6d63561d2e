"""Mistakes in training raise real MXNet's errors (oracle/training_errors.json), and say more."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.gluon import nn
from tests.training_mistakes import LOSSES, MISTAKES, outcome

FACTS = json.loads((Path(__file__).parent / "oracle" / "training_errors.json").read_text())
OTHERWISE = {
    "label is no array": (mx.MXNetError, "MXNet fails by the way"),
    "head gradient of another dtype": (mx.MXNetError, "MXNet reads its memory as the other dtype"),
    "optimizer of another type": (TypeError, "MXNet fails by the way"),
    "optimizer class": (TypeError, "MXNet fails by the way"),
    "unknown store": (mx.MXNetError, "MXNet asks for no store on one device"),
    "no parameters": (type(None), "MXNet fails by the way"),
}
"""Mistakes that give something else here, and why."""

WORDS = {
    **{f"{name}, other size": r"got .*\(2, 4\)" for name in LOSSES},
    **{f"{name}, other batch": r"\(2, 3\).*\(4, 3\)" for name in LOSSES},
    **{f"{name}, other dtype": r"one dtype.*int32.*Cast with astype" for name in LOSSES},
    **{f"{name}, float64": r"one dtype.*float64.*Cast with astype" for name in LOSSES},
    **{f"{name}, no label": "label|target" for name in LOSSES},
    "KLDivLoss, other shape": r"\(6,\) and \(2, 3\)",
    "classes of another batch": r"pick: index of shape \(4,\) is required, got \(2,\)",
    "classes in rows": r"pick: index of shape \(4, 1\) is required, got \(4, 3\)",
    "dense labels of other size": r"\(4, 2\).*\(4, 3\)",
    "dense labels of other batch": r"\(2, 3\).*\(4, 3\)",
    "one label for each row": r"\(4,\).*\(4, 3\)",
    "weights of other size": r"\(4, 3\) and \(4, 2\)",
    "weights of other batch": r"\(4, 3\) and \(2, 1\)",
    "weights without axis": r"\(4, 3\) and \(4,\)",
    "triplets of other size": r"\(4, 2\).*\(4, 3\)",
    "triplets of other batch": r"\(2, 3\).*\(4, 3\)",
    "cosine of other size": r"\(4, 2\)",
    "cosine, label of other batch": r"\(3, 1\)",
    "ctc of other batch": r"CTCLoss: label of shape \(2, 4\) is required, got \(3, 4\)",
    "ctc with more labels than steps": r"as many labels as steps.*\(2, 4\).*\(3, 2, 5\).*data_lengths",
    "ctc, label without axis": r"CTCLoss: label \(batch, labels\) is required, got \(2,\)",
    "ctc, scores without axis": r"CTCLoss: data \(steps, batch, classes\) is required, got \(6, 2\)",
    "ctc, lengths of other batch": r"CTCLoss: data_lengths of shape \(2,\) is required, got \(3,\)",
    "label is no array": "arrays? .*got",
    "label is NumPy's": "arrays? .*got",
    "not initialized": "_weight' has not been initialized. Call initialize",
    "not initialized, size unknown": "_weight' has not been initialized. Call initialize",
    "trainer of what is not initialized": "_bias' has not been initialized. Call initialize",
    "step before anything": "_weight' has not been initialized yet.*one batch of data",
    "gradient before anything": "_weight' has not been initialized yet.*one batch of data",
    "another size of data": r"FullyConnected: weight of shape \(3, 5\) is required, got \(3, 4\)",
    "another size at once": r"FullyConnected: weight of shape \(3, 5\) is required, got \(3, 4\)",
    "another rank of data": r"Convolution: data with 4 axes \(NCHW\) is required.*\(2, 3, 5\)",
    "other channels": r"Convolution: weight of shape \(2, 4, 3, 3\) is required, got \(2, 3, 3, 3\)",
    "smaller than the kernel": "at most 2 .*smaller kernel or more padding",
    "another dtype of data": "FullyConnected: inputs of one dtype.*float64.*float32.*astype",
    "whole numbers as data": "FullyConnected: inputs of one dtype.*int32.*float32.*astype",
    "too many inputs": "takes 3 positional arguments but 4 were given",
    "no inputs": "missing 1 required positional argument: 'x'",
    "a number as input": "NDArrays or Symbols are required, got int",
    "NumPy's array as input": "NDArrays or Symbols are required, got ndarray. See mx.nd.array",
    "named inputs": "unexpected keyword argument 'x'",
    "backward outside of record": r"attach_grad\(\).*autograd.record\(\)",
    "backward of a loss outside of record": r"attach_grad\(\).*autograd.record\(\)",
    "backward twice": "Pass retain_graph=True",
    "backward of what pause computed": r"autograd.record\(\)",
    "head gradient of another size": r"head gradient of shape \(1,\) is required, got \(3,\)",
    "head gradient of another dtype": "head gradient of dtype float32 is required, got float64",
    "all gradients off": r"attach_grad\(\).*autograd.record\(\)",
    "gradient of what has none": "'net_dense0_weight' because grad_req='null'",
    "step without backward": "`net_dense0_bias`.*since last `step`.*ignore_stale_grad=True",
    "step twice": "`net_dense0_bias`.*since last `step`.*ignore_stale_grad=True",
    "step of a layer that is not used": "`net_dense0_weight`.*since last `step`.*ignore_stale_grad=True",
    "unknown optimizer": "Cannot find optimizer sdg. Did you mean sgd?",
    "unknown option": "'learnin_rate'",
    "optimizer of another type": "name of an optimizer is required, got int",
    "optimizer class": "name of an optimizer is required, got type",
    "optimizer with options": "optimizer_params must be None.*momentum",
    "unknown store": "one of local, device.*got 'nowhere'",
    "parameters of another type": r"got HybridSequential. Give net.collect_params\(\)",
    "arrays as parameters": "got list of NDArray",
    "batch size 0": "batch_size other than 0 is required, got 0",
    "batch size is no number": "a number as batch_size is required, got '2'",
    "learning rate is no number": "a number as learning_rate is required, got 'fast'",
    "learning rate of a scheduler": "no lr_scheduler is allowed.*Change lr_scheduler.base_lr",
    "gradient request": "grad_req must be 'write', 'add' or 'null', got 'sometimes'",
    "gradient request of all": "net_dense0_weight: grad_req must be 'write', 'add' or 'null', got",
    "clipping nothing": "at least one array is required",
}
"""What the errors tell."""


def text_of(exc):
    """The error's text with the notes that a traceback shows below it."""
    return " ".join([str(exc), *getattr(exc, "__notes__", ())]).replace("\n", " ")


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_gives_what_mxnet_gives(name, hybrid):
    value, fact = outcome(mx, name, hybrid), FACTS[name][hybrid]
    if name in OTHERWISE and not (isinstance(fact, dict) and is_kind(value, fact["error"])):
        assert isinstance(value, OTHERWISE[name][0])
    elif isinstance(fact, dict):
        assert is_kind(value, fact["error"]), value
    else:
        assert value == fact
    if isinstance(value, Exception):
        assert re.search(WORDS[name], text_of(value)), text_of(value)


def is_kind(value, name):
    """Whether it is an error of a class of this name."""
    return isinstance(value, Exception) and name in [c.__name__ for c in type(value).__mro__]


def test_every_exception_is_still_one():
    for name, (kind, _) in OTHERWISE.items():
        values = [outcome(mx, name, hybrid) for hybrid in (False, True)]
        facts = [f["error"] if isinstance(f, dict) else f for f in FACTS[name]]
        assert any(isinstance(v, kind) and not is_kind(v, f) for v, f in zip(values, facts, strict=True)), (
            name
        )


def trained(hybrid):
    """Two layers that have seen data of 4 columns."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(5), nn.Dense(3))
    net.initialize()
    net.hybridize(hybrid)
    net(mx.nd.ones((2, 4)))
    return net


@pytest.mark.parametrize("recording", [False, True], ids=["predicting", "recording"])
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_errors_name_the_layer_and_what_came_in(hybrid, recording):
    net = trained(hybrid)
    scope = mx.autograd.record() if recording else mx.autograd.pause()
    with scope, pytest.raises(mx.MXNetError) as raised:
        net(mx.nd.ones((2, 7)))
    text = text_of(raised.value)
    assert "FullyConnected: weight of shape (5, 7) is required, got (5, 4)" in text
    assert ("In node net_dense0_fwd (FullyConnected)" if hybrid else "In block net_dense0 (Dense)") in text
    assert re.search(r"\((2|\?), 7\) float32", text)
    assert text.count("In ") == 1


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_errors_of_losses_name_prediction_and_label(hybrid):
    block = gluon.loss.L2Loss(prefix="l2_")
    block.hybridize(hybrid)
    with pytest.raises(mx.MXNetError) as raised:
        block(mx.nd.ones((2, 3)), mx.nd.ones((2, 4)))
    where = "In (block l2|node l2_reshape_like0) " if hybrid else "In block l2 "
    assert re.search(where + r"\(.*\) of .*\(2, 4\) float32", text_of(raised.value)), text_of(raised.value)


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_a_failed_step_changes_nothing_and_training_goes_on(hybrid):
    net, loss = trained(hybrid), gluon.loss.L2Loss()
    loss.hybridize(hybrid)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    before = {name: p.data().asnumpy() for name, p in net.collect_params().items()}
    with pytest.raises(mx.MXNetError), mx.autograd.record():
        loss(net(mx.nd.ones((2, 4))), mx.nd.ones((2, 5))).backward()
    with pytest.raises(UserWarning, match="ignore_stale_grad"):
        trainer.step(2)
    for name, p in net.collect_params().items():
        np.testing.assert_array_equal(p.data().asnumpy(), before[name])
    assert not mx.autograd.is_recording()
    losses = []
    for _ in range(3):
        with mx.autograd.record():
            value = loss(net(mx.nd.ones((2, 4))), mx.nd.ones((2, 3))).mean()
        value.backward()
        trainer.step(1)
        losses.append(float(value.asscalar()))
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_backward_may_be_repeated_if_the_graph_is_kept(hybrid):
    net = trained(hybrid)
    with mx.autograd.record():
        value = net(mx.nd.ones((2, 4))).sum()
    value.backward(retain_graph=True)
    first = net[0].weight.grad().asnumpy()
    value.backward()
    np.testing.assert_array_equal(net[0].weight.grad().asnumpy(), first)
    with pytest.raises(mx.MXNetError, match="retain_graph=True"):
        value.backward()
