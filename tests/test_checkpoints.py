"""Published checkpoints give real MXNet's numbers in every way of running them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from tests import checkpoints

TOLERANCE = 1e-5
"""Of the largest output."""


def agree(got, expected):
    got = got if isinstance(got, list | tuple) else [got]
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        a = a.asnumpy() if isinstance(a, mx.nd.NDArray) else a
        assert a.shape == b.shape
        assert np.abs(a - b).max() <= TOLERANCE * np.abs(b).max(), f"output {i}"


@pytest.fixture(params=checkpoints.every(), ids=lambda c: c.folder.name)
def checkpoint(request):
    return request.param


@pytest.fixture
def params(checkpoint, tmp_path):
    return checkpoint.params(tmp_path)


@pytest.fixture
def net(checkpoint, params):
    return mx.gluon.SymbolBlock.imports(checkpoint.symbol, list(checkpoint.inputs), params)


def arrays(checkpoint):
    return [mx.nd.array(a) for a in checkpoint.inputs.values()]


def test_lists(checkpoint):
    graph = mx.sym.load(checkpoint.symbol)
    assert graph.list_arguments() == checkpoint.manifest["arguments"]
    assert graph.list_auxiliary_states() == checkpoint.manifest["auxiliary_states"]
    assert graph.list_outputs() == [o["name"] for o in checkpoint.manifest["outputs"]]


def test_eager_and_hybridized(checkpoint, net):
    agree(net(*arrays(checkpoint)), checkpoint.outputs)
    net.hybridize()
    for _ in range(2):
        agree(net(*arrays(checkpoint)), checkpoint.outputs)
    net.hybridize(static_alloc=True, static_shape=True)
    for _ in range(3):
        agree(net(*arrays(checkpoint)), checkpoint.outputs)


def test_internals(checkpoint, params):
    internals = mx.sym.load(checkpoint.symbol).get_internals()
    for name, expected in checkpoint.internals.items():
        out = internals[name]
        used = {k: v for k, v in checkpoint.inputs.items() if k in out.list_arguments()}
        part = mx.gluon.SymbolBlock(out, [mx.sym.var(k) for k in used])
        part.collect_params().load(params, ignore_extra=True)
        agree(part(*[mx.nd.array(v) for v in used.values()]), [expected])


def test_exported_natively(checkpoint, net, tmp_path):
    net.hybridize()
    net(*arrays(checkpoint))
    net.export(str(tmp_path / "again"), epoch=3)
    again = mx.gluon.SymbolBlock.imports(
        str(tmp_path / "again-symbol.json"), list(checkpoint.inputs), str(tmp_path / "again-0003.params")
    )
    agree(again(*arrays(checkpoint)), checkpoint.outputs)


def test_executor(checkpoint, params):
    graph = mx.sym.load(checkpoint.symbol)
    loaded: Any = mx.nd.load(params)
    executor = graph.simple_bind(
        mx.cpu(), grad_req="null", **{k: v.shape for k, v in checkpoint.inputs.items()}
    )
    split = {kind: {k[4:]: v for k, v in loaded.items() if k.startswith(kind)} for kind in ("arg:", "aux:")}
    if not split["arg:"]:
        split["arg:"] = loaded
    executor.copy_params_from(split["arg:"], split["aux:"], allow_extra_params=True)
    agree(executor.forward(**{k: mx.nd.array(v) for k, v in checkpoint.inputs.items()}), checkpoint.outputs)


def test_onnx_and_back(checkpoint, params, tmp_path):
    path = str(tmp_path / "model.onnx")
    inputs = checkpoint.inputs
    mx.onnx.export_model(
        checkpoint.symbol, params, [a.shape for a in inputs.values()], [np.float32] * len(inputs), path
    )
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    assert not any("label" in name for name in names), "labels serve training only"
    agree(session.run(None, {name: inputs[name] for name in names}), checkpoint.outputs)
    back = mx.contrib.onnx.import_to_gluon(path, ctx=mx.cpu())
    agree(back(*[mx.nd.array(inputs[name]) for name in names]), checkpoint.outputs)
    back.hybridize()
    agree(back(*[mx.nd.array(inputs[name]) for name in names]), checkpoint.outputs)
