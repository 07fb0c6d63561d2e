"""mx.np's functions under MXNet's module names: arguments, and what is no operator."""

from __future__ import annotations

import importlib
import inspect
import json
import math
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests.np_outcomes import CALLS, outcomes

FACTS = json.loads((Path(__file__).parent / "oracle/np_modules.json").read_text())
OTHER_ARGUMENTS = set("atleast_1d atleast_2d atleast_3d genfromtxt pad pinv where zeros".split())
"""Functions that take more, or have the same default in another form."""


@pytest.mark.parametrize("call", CALLS)
def test_outcome(call):
    expected, got = FACTS["outcomes"][call], _outcomes()[call]
    if expected == "AttributeError":  # MXNet means ValueError, and fails when it formats the message
        expected = "ValueError"
    assert got == expected


_CACHE: dict[str, str] = {}


def _outcomes():
    if not _CACHE:
        _CACHE.update(outcomes(mx))
    return _CACHE


@pytest.mark.parametrize("module", FACTS["same"])
def test_modules_show_the_objects_of_mx_np(module):
    owner = importlib.import_module(f"hybridonnx.numpy.{module}")
    different = [
        name
        for name in FACTS["same"][module]
        if getattr(owner, name) is not getattr(mx.np, name) and getattr(owner, name) == getattr(owner, name)
    ]
    assert not different


@pytest.mark.parametrize("module", FACTS["arguments"])
def test_arguments(module):
    owner = importlib.import_module(f"hybridonnx.{module}")
    rows = FACTS["arguments"][module]
    different = {
        name: (texts, _arguments(getattr(owner, name)))
        for name, texts in rows.items()
        if hasattr(owner, name) and _arguments(getattr(owner, name))[: len(texts)] != texts
    }
    assert different.keys() <= OTHER_ARGUMENTS, different


def _arguments(function):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(p.kind, "") + p.name + ("" if p.default is p.empty else f"={_default(p.default)}")
        for p in inspect.signature(function).parameters.values()
    ]


def _default(value):
    return f"{value.__module__}.{value.__name__}" if isinstance(value, type) else repr(value)


def test_one_object_under_each_name():
    assert mx.nd.np is mx.nd.numpy
    assert mx.nd.npx is mx.nd.numpy_extension
    assert mx.sym.np is mx.sym.numpy
    assert mx.sym.npx is mx.sym.numpy_extension
    assert mx.np.multiarray.ndarray is mx.np.ndarray
    assert "linalg" not in mx.np.multiarray.__all__
    assert {"array", "ndarray", "add", "allclose", "pi"} <= set(mx.np.multiarray.__all__)


def test_results_are_of_the_frontend():
    assert isinstance(mx.nd.np.ones((2,)), mx.np.ndarray)
    assert isinstance(mx.nd.np.random.uniform(size=(2,)), mx.np.ndarray)
    assert isinstance(mx.nd.npx.relu(mx.np.ones((2,))), mx.np.ndarray)
    symbol = mx.sym.np
    for made in (
        symbol.ones((2,)),
        symbol.random.normal(size=(2,)),
        mx.sym.npx.random.bernoulli(0.5, size=(3,)),
    ):
        assert type(made) is symbol._Symbol
    assert type(mx.sym.npx.image.to_tensor(mx.sym.var("x").as_np_ndarray())) is symbol._Symbol


def test_draws_of_npx_in_graphs():
    draws = mx.sym.npx.random.bernoulli(logit=math.log(3), size=(4000,)).bind(mx.cpu(), {}).forward()[0]
    assert abs(float(draws.asnumpy().mean()) - 0.75) < 0.05
    assert set(draws.asnumpy().tolist()) == {0.0, 1.0}
    normal = mx.sym.npx.random.normal_n(2.0, 0.5, (4000,)).bind(mx.cpu(), {}).forward()[0].asnumpy()
    assert abs(normal.mean() - 2) < 0.05
    uniform = mx.sym.npx.random.uniform_n(1.0, 3.0, (4000,)).bind(mx.cpu(), {}).forward()[0].asnumpy()
    assert 1 <= uniform.min() < uniform.max() <= 3


def test_functions_of_npx_have_the_operators_arguments():
    assert "use_length" in inspect.signature(mx.npx.softmax).parameters
    assert "attr" in inspect.signature(mx.sym.npx.softmax).parameters
    assert mx.npx.softmax.__doc__ == mx.nd.softmax.__doc__


def test_unknown_names_say_so():
    for module in (mx.np, mx.npx, mx.nd.np, mx.sym.npx, mx.np.multiarray, mx.npx.image, mx.nd.npx.image):
        with pytest.raises(AttributeError, match="frobnicate"):
            module.frobnicate  # noqa: B018


# ---- NumPy's functions while recording


def test_numpys_functions_take_arrays_without_gradients_while_recording():
    x, z = mx.np.array([1.0, 5.0, 2.0]), mx.np.array([3.0, 4.0, 0.0])
    x.attach_grad()
    with mx.autograd.record():
        y = x * float(mx.np.nanmax(z))
        found = mx.np.isclose(x, x), mx.np.count_nonzero(x), mx.np.searchsorted(z, x)
        with pytest.raises(ValueError, match="nanmax: arrays that need no gradient"):
            mx.np.nanmax(x * 2)
        with pytest.raises(ValueError, match="detach"):
            np.median(x)
        with pytest.raises(ValueError, match="nanmedian"):
            mx.np.nanmedian(x)
        inserted = mx.np.insert(x, 1, 5)  # an operator, whose gradient MXNet refuses
        median = np.median(x.detach())
    y.backward()
    assert x.grad.tolist() == [4, 4, 4]
    assert inserted.tolist() == [1, 5, 5, 2]
    assert found[0].all()
    assert float(median) == 2


# ---- a user's decorators, and notebooks


def test_decorators_of_numpys_protocol():
    protocol = mx.numpy_dispatch_protocol

    @protocol.with_array_ufunc_protocol
    @protocol.with_array_function_protocol
    def both(x):
        return np.add(x, 1), np.concatenate([x, x])

    added, joined = both(mx.np.ones((2,)))
    assert isinstance(added, mx.np.ndarray)
    assert joined.shape == (4,)


def bokeh(monkeypatch):
    """A stand-in for Bokeh, which draws lines into no notebook."""
    pushed = []

    class Figure:
        def __init__(self, **options):
            self.options = options

        def line(self, x, y, **options):
            return types.SimpleNamespace(data_source=types.SimpleNamespace(data={"x": x, "y": y}))

    modules = {
        "bokeh": types.ModuleType("bokeh"),
        "bokeh.plotting": types.SimpleNamespace(figure=Figure),
        "bokeh.io": types.SimpleNamespace(
            output_notebook=lambda: None,
            show=lambda figure, notebook_handle: "handle",
            push_notebook=lambda handle: pushed.append(handle),
        ),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return pushed


def measured(epoch, batch, right):
    metric = mx.metric.Accuracy()
    metric.update([mx.nd.array([0, 1])], [mx.nd.array([[0.9, 0.1], [0.1, 0.9] if right else [0.9, 0.1]])])
    return mx.model.BatchEndParam(epoch, batch, metric, None)


def test_live_charts(monkeypatch):
    pushed = bokeh(monkeypatch)
    callback = mx.notebook.callback
    curve = callback.LiveLearningCurve("accuracy", display_freq=0, frequent=2)
    monkeypatch.setattr(callback.time, "time", lambda: curve.last_update + 1)
    for batch in range(3):
        curve.batch_cb(measured(0, batch, right=batch == 0))
    curve.eval_cb(measured(0, 2, right=True))
    assert curve._lines["train"].data_source.data["y"] == [1.0, 0.5]
    assert curve._lines["eval"].data_source.data["y"] == [1.0]
    assert pushed == ["handle"] * 4
    series = callback.LiveTimeSeries(y_axis_label="loss")
    series.update_chart_data(3.0)
    series.update_chart_data(2.0)
    assert series._line.data_source.data["y"] == [3.0, 2.0]
    assert series.fig.options["y_axis_label"] == "loss"


def test_charts_need_packages(monkeypatch):
    callback = mx.notebook.callback
    monkeypatch.setitem(sys.modules, "bokeh", None)
    monkeypatch.setitem(sys.modules, "bokeh.io", None)
    with pytest.raises(callback.Bokeh_Failed_To_Import, match="pip install bokeh"):
        callback.LiveTimeSeries()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(callback.Pandas_Failed_To_Import, match="pip install pandas"):
        callback.PandasLogger(8)


def test_pandas_logger():
    pytest.importorskip("pandas")
    callback = mx.notebook.callback
    logger = callback.PandasLogger(batch_size=10, frequent=2)
    for batch in range(3):
        logger.train_cb(measured(0, batch, right=batch == 0))
    logger.eval_cb(measured(0, 2, right=True))
    logger.epoch_cb(0, None, None, None)
    columns = "accuracy elapsed minibatch_count epoch records_per_sec batches_per_sec".split()
    assert logger.train_df.columns.tolist() == logger.eval_df.columns.tolist() == columns
    assert logger.train_df["accuracy"].tolist() == [1.0, 0.5]
    assert logger.train_df["minibatch_count"].tolist() == [0, 2]
    assert logger.epoch_df.columns.tolist() == ["elapsed", "epoch_time"]
    np.testing.assert_allclose(logger.train_df["records_per_sec"], logger.train_df["batches_per_sec"] * 10)


def test_callbacks_of_several():
    class Chart:
        def callback_args(self):
            return {"batch_end_callback": print}

    assert mx.notebook.callback.args_wrapper(Chart(), Chart()) == {"batch_end_callback": [print, print]}


def test_other_names_that_scripts_import():
    from hybridonnx.gluon.data.dataloader import DataLoaderV1
    from hybridonnx.gluon.model_zoo.model_store import apache_repo_url
    from hybridonnx.kvstore.base import create
    from hybridonnx.onnx.mx2onnx import export_model

    assert [batch.asnumpy().tolist() for batch in DataLoaderV1([1.0, 2.0, 3.0], 2, last_batch="discard")] == [
        [1, 2]
    ]
    assert apache_repo_url.startswith("https://")
    assert create("local").type == "local"
    assert export_model is mx.onnx.export_model
    assert mx.contrib.amp.amp.bfloat16 == "bfloat16"
    with mx.np_array(True):
        assert mx.is_np_array()
