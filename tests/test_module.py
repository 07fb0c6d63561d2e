"""Modules: published checkpoints, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError, MXNetError, ShapeError
from tests import checkpoints


@pytest.fixture(
    params=[c for c in checkpoints.every() if (c.folder / "model-0000.params").exists()],
    ids=lambda c: c.folder.name,
)
def checkpoint(request):
    return request.param


def test_checkpoints_predict(checkpoint):
    prefix, given = str(checkpoint.folder / "model"), checkpoint.inputs
    loaded = mx.nd.load(f"{prefix}-0000.params")
    if not any(name.startswith("arg:") for name in loaded):
        pytest.skip("parameters of Gluon")
    module = mx.mod.Module.load(prefix, 0, data_names=list(given), label_names=None)
    shapes = [(name, a.shape) for name, a in given.items()]
    module.bind(shapes, for_training=False)
    batch = mx.io.DataBatch([mx.nd.array(a) for a in given.values()])
    for _ in range(2):
        module.forward(batch)
        for a, b in zip(module.get_outputs(), checkpoint.outputs, strict=True):
            assert np.abs(a.asnumpy() - b).max() <= 1e-5 * np.abs(b).max()
    assert not module._compiled._planned


def net():
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")


def values():
    return {"fc_weight": mx.nd.ones((2, 3)), "fc_bias": mx.nd.zeros((2,))}


@pytest.fixture
def bound():
    module = mx.mod.Module(net(), label_names=None)
    module.bind([("data", (4, 3))], for_training=False)
    module.set_params(values(), {})
    return module


def test_any_batch_size(bound):
    for rows in (4, 1, 9, 4):
        bound.forward(mx.io.DataBatch([mx.nd.ones((rows, 3))]))
        assert bound.get_outputs()[0].asnumpy().tolist() == [[3, 3]] * rows
    assert len(bound._compiled._programs) == 1


def test_parameters_are_copies(bound):
    given = values()
    bound.set_params(given, {})
    given["fc_weight"][:] = 7
    assert bound.predict(mx.nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    bound.set_params(given, {})
    assert bound.predict(mx.nd.ones((1, 3))).asnumpy().tolist() == [[21, 21]]


def test_dropout_in_training_alone():
    module = mx.mod.Module(mx.sym.Dropout(mx.sym.var("data"), p=0.5), label_names=None)
    module.bind([("data", (1, 1000))])
    module.set_params({}, {})
    batch = mx.io.DataBatch([mx.nd.ones((1, 1000))])
    module.forward(batch)
    assert 300 < (module.get_outputs()[0].asnumpy() == 0).sum() < 700
    module.forward(batch, is_train=False)
    assert module.get_outputs()[0].asnumpy().min() == 1


def test_what_is_missing_is_told():
    module = mx.mod.Module(net(), label_names=None)
    for use in (
        module.get_params,
        module.get_outputs,
        lambda: module.forward(None),
        lambda: module.data_shapes,
    ):
        with pytest.raises(MXNetError, match="Call bind first"):
            use()
    module.bind([("data", (4, 3))], for_training=False)
    with pytest.raises(MXNetError, match="Call set_params or init_params first"):
        module.forward(mx.io.DataBatch([mx.nd.ones((4, 3))]))
    with pytest.raises(RuntimeError, match="fc_bias is required"):
        module.set_params({"fc_weight": mx.nd.ones((2, 3))}, {})
    with pytest.raises(ShapeError, match=r"\(2, 3\) is required for fc_weight, got \(3, 2\)"):
        module.set_params({**values(), "fc_weight": mx.nd.ones((3, 2))}, {})


def test_batches_must_fit(bound):
    with pytest.raises(ShapeError, match=r"weight of shape \(2, 5\)"):
        bound.forward(mx.io.DataBatch([mx.nd.ones((4, 5))]))
    with pytest.raises(ValueError, match="arrays for data are required, got 2"):
        bound.forward(mx.io.DataBatch([mx.nd.ones((4, 3))] * 2))
    with pytest.raises(TypeError, match="a DataBatch is required, got NDArray"):
        bound.forward(mx.nd.ones((4, 3)))
    bound.forward(mx.io.DataBatch([mx.nd.ones((4, 3))]))


def test_files_of_parameters(bound, tmp_path):
    path = str(tmp_path / "p.params")
    mx.nd.save(path, values())
    with pytest.raises(FormatError, match="start with arg: or aux:"):
        bound.load_params(path)


def test_models_that_onnx_lacks(bound):
    """Graphs that ONNX cannot express run on the kernels."""

    @mx.operator.register("module_case")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            class Op(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.assign(out_data[0], req[0], in_data[0] + 1)

            return Op()

    module = mx.mod.Module(mx.sym.Custom(net(), op_type="module_case"), label_names=None)
    module.bind([("data", (4, 3))], for_training=False)
    module.set_params(values(), {})
    assert module.predict(mx.nd.ones((1, 3))).asnumpy().tolist() == [[4, 4]]
