"""Metrics against what real MXNet 1.9.1 gives (oracle/metric.json), or what is right where it is not."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import metric, nd
from tests.snippets import alike, outcome

FACTS = json.loads((Path(__file__).parent / "oracle" / "metric.json").read_text())
SCOPE = {"mx": mx, "nd": nd, "metric": metric}
OURS = {
    "fed(metric.TopKAccuracy(2), ([k(4)], [k(4, seed=3)]))": "indices in the batch are not classes",
    "fed(metric.Perplexity(-1), ([k(2, 3)], [v(2, 3, 4)]))": "more than two axes work",
    "fed(metric.Perplexity(ignore_label=0, axis=1)": "as many labels as predictions is what counts",
    "fed(metric.PearsonCorrelation(average='micro')": "reset_local resets, and global values are there",
    "e = metric.Accuracy()\ne.update([np.zeros(3)], [np.zeros((3, 2))])": "NumPy arrays will do",
    "metric.PCC().update([k(3)], [v(4, 3)])": "MXNet passes over predictions without labels",
    "metric.check_label_shapes([v(2)], [v(3)], shape=True)": "a list has no shape",
    "sorted(a for a in vars(metric.F1())": "MXNet has the counts in `metrics`",
}
"""What MXNet does and we do not, and why."""
ROWS = [(g, *row) for g in ("update", "mistakes", "life", "names") for row in FACTS[g]]


def plain(result):
    """NumPy's numbers as Python's, and ways to say the type of a number left out."""
    if isinstance(result, dict) and result.get("numpy") == "number":
        return float(result["values"][0])
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, list):
        return [plain(value) for value in result]
    return float(result) if type(result) is int else result


def is_a(error, name):
    """Whether a class of errors of that name is above or is `error`."""
    return name in [c.__name__ for c in error.__mro__]


@pytest.mark.parametrize(
    ("group", "text", "expected"), [r for r in ROWS if not r[1].startswith(tuple(OURS))], ids=str
)
def test_metrics_give_what_mxnet_gives(group, text, expected):
    if isinstance(expected, dict) and "error" in expected:
        with pytest.raises(Exception) as caught:  # noqa: PT011  (of the stored type)
            exec(FACTS["values"] + text, {"np": np, **SCOPE})
        assert is_a(caught.type, expected["error"]), caught.value
        return
    value = outcome(FACTS["values"] + text, **SCOPE)
    assert alike(plain(value), plain(expected)), f"{value}\n{expected}"


@pytest.mark.parametrize("start", OURS)
def test_differences_are_of_snippets(start):
    assert any(text.startswith(start) for _, text, _ in ROWS)


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_signatures_are_mxnets(name):
    ours = inspect.signature(getattr(metric, name))
    plain_ones = [p.replace(annotation=inspect.Parameter.empty) for p in ours.parameters.values()]
    ours = inspect.Signature(plain_ones)
    assert str(ours) == FACTS["signatures"][name]


def test_micro_correlation_is_of_all_values():
    rng = np.random.default_rng(3)
    label, pred = rng.normal(1000, 1, (2, 9)), rng.normal(-5, 1e-3, (2, 9))
    e = metric.PearsonCorrelation(average="micro")
    for each in zip(label, pred, strict=True):
        e.update([nd.array(each[0], dtype="float64")], [nd.array(each[1], dtype="float64")])
    expected = np.corrcoef(label.ravel(), pred.ravel())[0, 1]
    assert e.get() == ("pearsonr", pytest.approx(expected, rel=1e-9))
    assert e.get_global()[1] == pytest.approx(expected, rel=1e-9)
    e.reset_local()
    assert math.isnan(e.get()[1])
    assert e.get_global()[1] == pytest.approx(expected, rel=1e-9)
    e.update([nd.array(label[0], dtype="float64")], [nd.array(pred[0], dtype="float64")])
    assert e.get()[1] == pytest.approx(np.corrcoef(label[0], pred[0])[0, 1], rel=1e-9)


def test_perplexity_of_several_axes():
    rng = np.random.default_rng(3)
    label, pred = rng.integers(0, 4, (2, 3)), rng.uniform(0.1, 0.9, (2, 4, 3))
    e = metric.Perplexity(None, axis=1)
    e.update([nd.array(label)], [nd.array(pred)])
    probabilities = [pred[i, label[i, j], j] for i in range(2) for j in range(3)]
    assert e.get()[1] == pytest.approx(math.exp(-np.log(probabilities).mean()), rel=1e-6)


@pytest.mark.parametrize(
    ("measure", "label", "pred"),
    [
        (metric.TopKAccuracy(2), (4,), (4,)),
        (metric.TopKAccuracy(5), (4,), (4, 3)),
        (metric.PCC(), (3,), (4, 3)),
        (metric.Accuracy(), (3,), (3, 2, 2)),
        (metric.MSE(), (1,), (4,)),
        (metric.F1(), (3,), (3,)),
    ],
)
def test_shapes_that_do_not_fit(measure, label, pred):
    with pytest.raises(mx.errors.ShapeError, match="required, got"):
        measure.update([nd.zeros(label)], [nd.zeros(pred)])


def test_numpy_arrays_will_do():
    e = metric.create(["acc", "mae"])
    e.update([np.array([0, 1])], [np.array([0, 0])])
    assert e.get() == (["accuracy", "mae"], [0.5, 0.5])


def test_names_of_update_dict_are_checked():
    with pytest.raises(KeyError, match="label is required, got softmax_label"):
        metric.Accuracy(label_names=["label"]).update_dict({"softmax_label": 0}, {})


def test_unknown_names_are_answered_with_near_ones():
    with pytest.raises(AssertionError, match="Did you mean accuracy"):
        metric.create("acuracy")


def test_text_that_is_no_configuration():
    with pytest.raises(mx.errors.AttributeValueError, match="required, got '\\[3'"):
        metric.create("[3")
