"""Operators written in Python: in files, without their registration, in ONNX, and errors of users' code."""

from __future__ import annotations

import json
import logging

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx import operator as python
from hybridonnx.converters.to_onnx._registry import _custom
from hybridonnx.errors import ConversionError, MXNetError, ShapeError, UnknownOperatorError
from hybridonnx.ops import custom


class Masked(python.CustomOp):
    """Keeps a mask for backward."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.mask = in_data[0] > 0
        self.assign(out_data[0], req[0], in_data[0] * self.mask)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * self.mask)


@pytest.fixture
def masked():
    """The name of a registered operator, forgotten after the test."""

    @python.register("masked")
    class Prop(python.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Masked()

    yield "masked"
    custom._makers.pop("masked", None)
    custom._kind.cache_clear()


@pytest.fixture
def x():
    array = mx.nd.array([[1, -2], [-3, 4]])
    array.attach_grad()
    return array


class Scaled(python.CustomOp):
    """log(1 + exp(x)) times a scale."""

    def __init__(self, scale):
        self.scale = scale

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], mx.nd.Activation(in_data[0], act_type="softrelu") * self.scale)


@pytest.fixture
def scaled():
    """The name of an operator with an attribute, whose lowering a test registers."""

    @python.register("scaled_softplus")
    class Prop(python.CustomOpProp):
        def __init__(self, scale="1"):
            super().__init__()
            self.scale = float(scale)

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Scaled(self.scale)

    yield "scaled_softplus"
    custom._makers.pop("scaled_softplus", None)
    custom._kind.cache_clear()
    _custom.pop("scaled_softplus", None)


class ScaledBlock(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.Custom(F.sqrt(x), op_type="scaled_softplus", scale=2.5) + 1


def test_a_registered_lowering_is_what_files_have(scaled, tmp_path, caplog):
    net, x = ScaledBlock(), mx.nd.array([[0.5, 1, 2]])
    net.hybridize()
    before = net(x).asnumpy()
    with pytest.raises(ConversionError, match=r"Custom: .* mx\.onnx\.register_lowering"):
        mx.onnx.export_model(net, str(tmp_path / "m.onnx"), input_shapes=[(None, 3)])

    @mx.onnx.register_lowering("scaled_softplus")
    def lower(g, prop, x):
        return g.Softplus(x) * prop.scale

    path = mx.onnx.export_model(net, str(tmp_path / "m.onnx"), input_shapes=[(None, 3)])
    (y,) = ort.InferenceSession(path).run(None, {"data": x.asnumpy()})
    np.testing.assert_allclose(y, 2.5 * np.log1p(np.exp(np.sqrt(x.asnumpy()))) + 1, rtol=1e-6)
    assert mx.onnx.verify(net, path, [x]).ok()
    net.hybridize()
    np.testing.assert_array_equal(net(x).asnumpy(), before)  # hybridized it is still Python code


@pytest.mark.parametrize(
    ("lower", "message"),
    [
        (lambda g, prop, x: (x, x), r"one value for each of the outputs output is required"),
        (lambda g, prop, x: 3, r"one value for each of the outputs output .* got 3"),
        (lambda g, prop, x: g.Cast(x, np.int32), r"int32"),
        (lambda g, prop, x: g.Softpluss(x), r"Softpluss"),
    ],
)
def test_lowerings_that_do_not_fit_are_refused(scaled, tmp_path, lower, message):
    mx.onnx.register_lowering("scaled_softplus")(lower)
    with pytest.raises(MXNetError, match=message):
        mx.onnx.export_model(ScaledBlock(), str(tmp_path / "m.onnx"), input_shapes=[(2, 3)])


def test_graphs_load_without_the_registration(masked, x):
    net = mx.sym.Custom(mx.sym.var("x"), op_type="masked", name="m") * 2
    text = net.tojson()
    custom._makers.pop("masked")
    loaded = mx.sym.load_json(text)
    assert loaded.tojson() == text
    assert loaded.list_arguments() == ["x"]
    for use in (lambda: loaded.eval(x=x), lambda: loaded.infer_shape(x=(2, 2))):
        with pytest.raises(
            UnknownOperatorError, match=r"'masked'.*@mx\.operator\.register\('masked'\)"
        ) as caught:
            use()
        assert str(caught.value).count("In node m (Custom of x)") == 1


def test_graphs_run_once_it_is_registered(masked, x):
    net = mx.sym.Custom(mx.sym.var("x"), op_type="masked", name="m")
    maker = custom._makers.pop("masked")
    loaded = mx.sym.load_json(net.tojson())
    custom.register("masked", maker)
    assert loaded.eval(x=x)[0].asnumpy().tolist() == [[1, 0], [0, 4]]


def test_symbol_blocks_train(masked, x, tmp_path):
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    mx.sym.Custom(fc, op_type="masked", name="m").save(tmp_path / "n-symbol.json")
    net = mx.gluon.SymbolBlock.imports(str(tmp_path / "n-symbol.json"), ["data"])
    net.initialize(mx.init.One())
    eager = net(x)
    net.hybridize()
    for _ in range(2):
        np.testing.assert_allclose(net(x).asnumpy(), eager.asnumpy())
    with mx.autograd.record():
        y = net(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [[0, 0], [2, 2]]


def test_onnx_refuses_and_names_it(masked, tmp_path):
    net = mx.sym.Custom(mx.sym.var("data"), op_type="masked", name="m")
    with pytest.raises(ConversionError, match=r"Custom: it runs Python code.*node m"):
        mx.onnx.export_model(net, {}, [(1, 2)], [np.float32], str(tmp_path / "m.onnx"))
    assert not (tmp_path / "m.onnx").exists()


def test_hybridized_graphs_tell_that_they_run_on_the_kernels(masked, x, caplog):
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.Custom(x, op_type="masked") + 1

    net = Net()
    net.hybridize()
    with caplog.at_level(logging.INFO, logger="hybridonnx"):
        assert net(x).asnumpy().tolist() == [[2, 1], [1, 5]]
    assert "Custom" in caplog.text


def test_inputs_by_name(masked, x):
    assert mx.nd.Custom(data=x, op_type="masked").asnumpy().tolist() == [[1, 0], [0, 4]]
    assert mx.nd.Custom(x, op_type="masked", name="anything").shape == (2, 2)


def test_second_derivatives_are_refused(masked, x):
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="masked")
        (g,) = mx.autograd.grad(y, [x], create_graph=True)
        total = g.sum()
    with pytest.raises(MXNetError, match=r"'masked' has first derivatives only"):
        total.backward()


def test_gradient_graphs_are_refused(masked):
    net = mx.sym.Custom(mx.sym.var("x"), op_type="masked")
    with pytest.raises(ConversionError, match="'masked' is Python code"):
        net.gradient(["x"])


def registered(**methods):
    """An operator with these methods in its prop."""
    prop = type("Prop", (python.CustomOpProp,), methods)
    python.register("case")(prop)


def test_errors_of_users_code_name_the_operator(x):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        raise ZeroDivisionError("mine")

    registered(create_operator=create_operator)
    with pytest.raises(MXNetError, match="ZeroDivisionError: mine") as caught:
        mx.nd.Custom(x, op_type="case")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "In forward of the custom operator 'case'." in caught.value.__notes__


def test_forward_must_be_defined(x):
    registered()
    with pytest.raises(MXNetError, match="forward must be defined"):
        mx.nd.Custom(x, op_type="case")


def test_lists_of_shapes_must_fit(x):
    registered(infer_shape=lambda self, shapes: (shapes, [], []))
    with pytest.raises(MXNetError, match=r"lists for 1 inputs, 1 outputs and 0 states .*'case'"):
        mx.nd.Custom(x, op_type="case")


def test_shapes_of_outputs_must_be_told(x):
    registered(infer_shape=lambda self, shapes: (shapes, [()], []))
    with pytest.raises(ShapeError, match="outputs' shapes"):
        mx.nd.Custom(x, op_type="case")


def test_wrong_inputs_are_told(x):
    registered(infer_shape=lambda self, shapes: ([[3]], [[3]], []))
    with pytest.raises(ShapeError, match=r"data of shape \(3,\) is required, got \(2, 2\)"):
        mx.nd.Custom(x, op_type="case")


def test_arguments_of_constructors_are_text(x):
    arguments = {}

    def init(self, **kwargs):
        python.CustomOpProp.__init__(self)
        arguments.update(kwargs)

    registered(__init__=init)
    mx.sym.Custom(mx.sym.var("x"), op_type="case", size=(1, 2), rate=0.5, on=True)
    assert arguments == {"size": "(1, 2)", "rate": "0.5", "on": "True"}


def test_attributes_of_files_may_have_any_name():
    """Names of files are never made code of."""
    registered(__init__=lambda self, **kwargs: python.CustomOpProp.__init__(self))
    node = {
        "op": "Custom",
        "name": "n",
        "inputs": [[0, 0, 0]],
        "attrs": {"op_type": "case", "a-b; import os": "1"},
    }
    graph = {"nodes": [{"op": "null", "name": "x", "inputs": []}, node], "heads": [[1, 0, 0]]}
    net = mx.sym.load_json(json.dumps({**graph, "attrs": {"mxnet_version": ["int", 10901]}}))
    assert net.infer_shape(x=(2,))[1] == [(2,)]


@pytest.mark.parametrize("name", ["", 3, None])
def test_names_must_be_text(name):
    with pytest.raises(MXNetError, match="a name is required"):
        python.register(name)


def test_operators_are_listed():
    assert {"Custom", "Convolution"} <= set(python.get_all_registered_operators())


def test_arguments_of_operators_as_mxnet_lists_them():
    count, names, types = python.get_operator_arguments("Convolution")
    assert count == len(names) == len(types) == 14
    assert names[:5] == ["data", "weight", "bias", "kernel", "stride"]
    assert types[2:5] == ["NDArray-or-Symbol", "Shape(tuple), required", "Shape(tuple), optional, default=[]"]
    assert dict(zip(names, types, strict=True))["no_bias"] == "boolean, optional, default=0"
    assert python.get_operator_arguments("Concat")[1:] == (
        ["data", "num_args", "dim"],
        ["NDArray-or-Symbol[]", "int, required", "int, optional, default=1"],
    )
    with pytest.raises(MXNetError, match="no operator has this name"):
        python.get_operator_arguments("nope")


def test_storage_types_of_backward_are_dense():
    stypes = python.CustomOpProp().infer_storage_type_backward(
        ["csr"], ["default"] * 2, ["csr"], ["undefined"], []
    )
    assert stypes == (["default"], ["default"] * 2, ["default"], ["default"], [])


def test_the_sample_trains_exports_and_agrees(tmp_path, capsys):
    from samples.custom_operator import main

    main(str(tmp_path / "mish.onnx"))
    lines = capsys.readouterr().out.splitlines()
    errors = [float(line.split()[-1]) for line in lines if ": error " in line]
    assert errors[-1] < 0.1 * errors[0]
    assert lines[-1].startswith("all agree")
