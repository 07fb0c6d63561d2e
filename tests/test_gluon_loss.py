"""Losses against what real MXNet shows, writes and computes (oracle/gluon_loss.json)."""

from __future__ import annotations

import inspect
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.gluon import loss
from hybridonnx.name import NameManager

FACTS = json.loads((Path(__file__).parent / "oracle" / "gluon_loss.json").read_text())
LOSSES = {f"{fact['loss']} {fact['inputs']}": fact for fact in FACTS["losses"]}
NEAR: Any = {"rtol": 1e-4, "atol": 1e-5}
OTHERWISE = ("CosineEmbeddingLoss", "PoissonNLLLoss(compute_full", "SDMLLoss")
"""Losses whose graph differs from MXNet's, which has operators with attributes they lack, or none at all."""


def draw(index, kind, shape):
    """The numbers that the oracle used."""
    rng = np.random.RandomState(zlib.crc32(f"{index} {kind} {tuple(shape)}".encode()))
    row = rng.uniform(0.1, 0.9, shape)
    draws = {
        "real": lambda: rng.uniform(-1, 1, shape),
        "wide": lambda: rng.uniform(-4, 4, shape),
        "share": lambda: rng.uniform(0.1, 0.9, shape),
        "sign": lambda: rng.randint(0, 2, shape) * 2 - 1,
        "bit": lambda: rng.randint(0, 2, shape),
        "class": lambda: rng.randint(0, 4, shape),
        "row": lambda: row / row.sum(-1, keepdims=True),
        "count": lambda: rng.randint(1, 6, shape),
        "label": lambda: rng.randint(0, 4, shape),
        "length": lambda: rng.randint(5, 7, shape),
        "short": lambda: rng.randint(1, 4, shape),
    }
    return draws[kind]().astype(np.float32)


def block_and_inputs(fact):
    with NameManager():
        block = eval(fact["loss"])
    return block, [mx.nd.array(draw(i, *kind)) for i, kind in enumerate(fact["inputs"])]


@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_computes_what_mxnet_computes(key, hybrid):
    fact = LOSSES[key]
    block, inputs = block_and_inputs(fact)
    assert repr(block) == fact["repr"]
    if hybrid:
        block.hybridize()
    np.testing.assert_allclose(block(*inputs).asnumpy(), fact["out"], **NEAR)


@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_has_mxnets_gradient(key, hybrid):
    fact = LOSSES[key]
    block, inputs = block_and_inputs(fact)
    if hybrid:
        block.hybridize()
    inputs[0].attach_grad()
    with mx.autograd.record():
        out = block(*inputs)
    out.backward()
    assert inputs[0].grad is not None
    gradient = inputs[0].grad.asnumpy()
    if fact["grad"] is None:
        assert np.isfinite(gradient).all()
    else:
        np.testing.assert_allclose(gradient, fact["grad"], **NEAR)


@pytest.mark.parametrize(
    "key", [key for key in LOSSES if not key.removeprefix("loss.").startswith(OTHERWISE)]
)
def test_traces_to_the_file_that_mxnet_writes(key):
    fact = LOSSES[key]
    block, inputs = block_and_inputs(fact)
    with NameManager():
        traced = block(*[mx.sym.var(f"data{i}") for i in range(len(inputs))])
    assert traced.tojson() == fact["symbol"]


@pytest.mark.parametrize("text", FACTS["mistakes"])
def test_mistakes_raise_mxnets_errors(text):
    classes: list[str] = []
    try:
        eval(text)
    except Exception as exc:  # noqa: BLE001  (of any type)
        classes = [c.__name__ for c in type(exc).__mro__]
    assert FACTS["mistakes"][text] in classes


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_constructors_take_what_mxnets_take(name):
    parameters = inspect.signature(getattr(loss, name)).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    assert str(inspect.Signature(plain)) == FACTS["signatures"][name]


def test_large_logits_neither_overflow_nor_vanish():
    pred, label = mx.nd.array([[200.0], [-200.0]]), mx.nd.array([[0.0], [1.0]])
    assert loss.SigmoidBCELoss()(pred, label).asnumpy().tolist() == [200, 200]
    assert loss.LogisticLoss(label_format="binary")(pred, label).asnumpy().tolist() == [200, 200]
    logits = mx.nd.array([[1000.0, 0.0]])
    assert loss.SoftmaxCELoss()(logits, mx.nd.array([1])).asnumpy().tolist() == [1000]


def test_poisson_loss_of_no_events_is_finite():
    # MXNet gives nan here: it takes 0 * log(0) before it leaves it out.
    full = loss.PoissonNLLLoss(compute_full=True)(mx.nd.array([[1.0]]), mx.nd.array([[0.0]]))
    np.testing.assert_allclose(full.asnumpy(), [np.e], rtol=1e-6)


def test_batch_size_is_free_once_hybridized():
    block = loss.SDMLLoss()
    block.hybridize()
    for size in (2, 5):
        a, b = mx.nd.array(draw(0, "real", (size, 3))), mx.nd.array(draw(1, "real", (size, 3)))
        eager = loss.SDMLLoss()(a, b).asnumpy()
        assert eager.shape == (size,)
        np.testing.assert_allclose(block(a, b).asnumpy(), eager, **NEAR)


def test_ctc_layouts_say_the_same():
    pred, label = draw(0, "real", (2, 6, 5)), draw(1, "label", (2, 3))
    rows = {"NTC": pred, "TNC": pred.swapaxes(0, 1)}, {"NT": label, "TN": label.T}
    expected = loss.CTCLoss()(mx.nd.array(pred), mx.nd.array(label)).asnumpy()
    for layout, scores in rows[0].items():
        for label_layout, labels in rows[1].items():
            block = loss.CTCLoss(layout, label_layout)
            losses = block(mx.nd.array(scores), mx.nd.array(labels)).asnumpy()
            np.testing.assert_allclose(losses, expected, **NEAR)


def test_ctc_loss_lives_on_in_exported_files(tmp_path):
    block = loss.CTCLoss(weight=2)
    block.hybridize()
    inputs = [mx.nd.array(draw(i, *kind)) for i, kind in enumerate([("real", (2, 6, 5)), ("label", (2, 3))])]
    expected = block(*inputs).asnumpy()
    block.export(str(tmp_path / "ctc"))
    again = mx.gluon.SymbolBlock.imports(str(tmp_path / "ctc-symbol.json"), ["data0", "data1"])
    inputs[0].attach_grad()
    with mx.autograd.record():
        out = again(*inputs)
    np.testing.assert_allclose(out.asnumpy(), expected, **NEAR)
    out.backward()
    assert inputs[0].grad is not None
    assert np.abs(inputs[0].grad.asnumpy()).max() > 0


def test_ctc_loss_has_no_second_gradient():
    pred, label = mx.nd.array(draw(0, "real", (6, 2, 5))), mx.nd.array([[1, 2], [3, 0]])
    pred.attach_grad()
    with mx.autograd.record():
        (grad,) = mx.autograd.grad(mx.nd.CTCLoss(pred, label), [pred], create_graph=True)
    with pytest.raises(mx.MXNetError, match="of first order alone"):
        grad.backward()


@pytest.mark.parametrize(
    ("scores", "label", "text"),
    [
        ((3, 2, 5), (2, 4), "at most as many labels as steps"),
        ((6, 2, 5), (3, 4), "label of shape"),
        ((6, 2, 5), (2,), r"label \(batch, labels\)"),
        ((6, 5), (2, 4), r"data \(steps, batch, classes\)"),
    ],
)
def test_ctc_loss_says_which_shapes_it_requires(scores, label, text):
    with pytest.raises(mx.MXNetError, match=text):
        mx.nd.CTCLoss(mx.nd.zeros(scores), mx.nd.zeros(label))


SHAPED = ["L1Loss", "L2Loss", "HuberLoss", "SigmoidBCELoss", "KLDivLoss", "HingeLoss", "LogisticLoss"]


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("name", SHAPED)
def test_hybridized_losses_refuse_labels_that_would_broadcast(name, recording):
    """MXNet's hybridized losses refuse all of these; ONNX's operators would broadcast."""
    of = getattr(loss, name)(prefix="of_")
    of.hybridize()
    pred = mx.nd.ones((4, 3)) * 0.5
    assert of(pred, mx.nd.ones((4, 3))).shape == (4,)
    for shape in ((1, 3), (4, 1), (3,), (8, 3), (1, 1)):
        with (
            mx.autograd.record() if recording else mx.autograd.pause(),
            pytest.raises(mx.errors.ShapeError, match=r"\(4, 3\)") as caught,
        ):
            of(pred, mx.nd.ones(shape))
        assert str(caught.value).count("In node of_") == 1
    assert of(pred[:1], mx.nd.ones((1, 3))).shape == (1,)


def test_the_divergence_broadcasts_if_not_hybridized():
    """As MXNet's does: arrays broadcast where graphs do not."""
    pred, label = mx.nd.ones((4, 3)) * 0.5, mx.nd.ones((1, 3))
    assert loss.KLDivLoss()(pred, label).shape == (4,)
