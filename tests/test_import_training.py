"""Blocks of ONNX models as users have them: what they print, what trains, and how they are called."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, load_model, numpy_helper, parser
from onnxruntime import InferenceSession

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.dtypes import as_dtype
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import SymbolBlock, nn
from tests.onnx_cases import cases
from tests.torch_files import File

F32, F16, I64 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64


def model(nodes, inputs, outputs, constants, kind=F32, opset=18):
    """A model of nodes (operator, inputs, outputs, attributes); shapes by name, arrays by name."""
    made = [helper.make_node(op, takes, gives, **attributes) for op, takes, gives, attributes in nodes]
    declared = [helper.make_tensor_value_info(name, kind, shape) for name, shape in inputs.items()]
    results = [helper.make_tensor_value_info(name, kind, shape) for name, shape in outputs.items()]
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(made, "graph", declared, results, tensors)
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def network(dtype=np.float32):
    """Convolution, BatchNormalization, Relu, mean and a Gemm, with random weights."""
    rng = np.random.default_rng(0)
    constants = {
        "trunk.conv.weight": rng.normal(0, 0.3, (4, 2, 3, 3)),
        "trunk.norm.weight": np.ones(4),
        "trunk.norm.bias": np.zeros(4),
        "trunk.norm.mean": np.zeros(4),
        "trunk.norm.var": np.ones(4),
        "head.weight": rng.normal(0, 0.5, (3, 4)),
        "head.bias": np.zeros(3),
    }
    nodes = [
        ("Conv", ["x", "trunk.conv.weight"], ["c"], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
        ("BatchNormalization", ["c", *list(constants)[1:5]], ["n"], {}),
        ("Relu", ["n"], ["r"], {}),
        ("GlobalAveragePool", ["r"], ["p"], {}),
        ("Flatten", ["p"], ["f"], {}),
        ("Gemm", ["f", "head.weight", "head.bias"], ["y"], {"transB": 1}),
    ]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    arrays = {name: array.astype(dtype) for name, array in constants.items()}
    return model(nodes, {"x": ["batch", 2, 5, 5]}, {"y": ["batch", 3]}, arrays, kind)


def batch(count=6, dtype=np.float32):
    rng = np.random.default_rng(1)
    return nd.array(rng.normal(0, 1, (count, 2, 5, 5)), dtype=dtype), nd.array(np.arange(count) % 3)


def train(net, steps=1, dtype=np.float32, **options):
    """The losses of some steps."""
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2, "wd": 0.01, **options})
    loss_function = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    x, y = batch(dtype=dtype)
    losses = []
    for _ in range(steps):
        with autograd.record():
            loss = loss_function(net(x).astype("float32"), y)
        loss.backward()
        trainer.step(len(x))
        losses.append(loss.mean().asscalar())
    return losses


def values(net):
    return {name: p.data().asnumpy().copy() for name, p in net.collect_params().items()}


def changed(net, before):
    return {name for name, array in values(net).items() if not np.array_equal(array, before[name])}


# ---- what trains

STATISTICS = {"trunk.norm.mean", "trunk.norm.var"}
WEIGHTS = {"trunk.conv.weight", "trunk.norm.weight", "trunk.norm.bias", "head.weight", "head.bias"}


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize(
    ("options", "trained"),
    [
        ({}, WEIGHTS),
        ({"frozen": ["head.bias"]}, WEIGHTS - {"head.bias"}),
        ({"frozen": "trunk"}, {"head.weight", "head.bias"}),
        ({"frozen": [r".*\.bias$", "trunk.conv"]}, {"trunk.norm.weight", "head.weight"}),
        ({"frozen": ["trunk.norm.mean"]}, WEIGHTS),
    ],
)
def test_what_trains(options, trained, hybrid):
    net = mx.onnx.import_to_gluon(network(), **options)
    if hybrid:
        net.hybridize()
    assert set(net.collect_params()) == WEIGHTS | STATISTICS
    assert {n for n, p in net.collect_params().items() if p.grad_req != "null"} == trained
    before = values(net)
    train(net)
    assert changed(net, before) == trained | STATISTICS


@pytest.mark.parametrize("options", [{}, {"frozen": "head"}])
def test_nothing_trains(options):
    net = mx.onnx.import_to_gluon(network(), trainable=False, **options)
    assert {p.grad_req for p in net.collect_params().values()} == {"null"}
    x, _ = batch()
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    assert np.abs(x.grad.asnumpy()).sum() > 0


@pytest.mark.parametrize(
    ("wish", "near"),
    [
        ("head.wieght", "Did you mean head.weight"),
        (["trunk", "nothing"], "got 'nothing'"),
        ("head.(", "head"),
    ],
)
def test_unknown_names_are_refused(wish, near):
    with pytest.raises(MXNetError, match=r"import_to_gluon: frozen: names of parameters") as caught:
        mx.onnx.import_to_gluon(network(), frozen=wish)
    assert near in str(caught.value)


def test_names_are_taken_as_they_are_first():
    """A name that is a regular expression of others as well means itself."""
    nodes: Any = [("Mul", ["x", "a.b"], ["m"], {}), ("Add", ["m", "axb"], ["y"], {})]
    constants = {"a.b": np.ones(3, np.float32), "axb": np.ones(3, np.float32)}
    net = mx.onnx.import_to_gluon(model(nodes, {"x": [3]}, {"y": [3]}, constants), frozen="a.b")
    assert {name: p.grad_req for name, p in net.collect_params().items()} == {"a.b": "null", "axb": "write"}


def test_whole_numbers_do_not_train():
    """Weight decay would change them."""
    nodes: Any = [("Gather", ["x", "i"], ["g"], {}), ("Add", ["g", "w"], ["y"], {})]
    constants = {"w": np.ones((2, 3), np.float32), "i": np.array([3, 1], np.int64)}
    net = mx.onnx.import_to_gluon(model(nodes, {"x": [4, 3]}, {"y": [2, 3]}, constants))
    reqs = {name: p.grad_req for name, p in net.collect_params().items()}
    assert reqs == {"w": "write", "i": "null"}


@pytest.mark.parametrize("dtype", ["bfloat16", "int8"])
def test_weights_of_few_bits_have_their_names(dtype):
    kind = as_dtype(dtype)
    constants = {"layer.weight": np.ones((2, 3)).astype(kind), "axes": np.array([0])}
    nodes = [
        ("Cast", ["x"], ["c"], {"to": helper.np_dtype_to_tensor_dtype(kind)}),
        ("MatMulInteger" if dtype == "int8" else "MatMul", ["c", "layer.weight"], ["m"], {}),
        ("Cast", ["m"], ["f"], {"to": F32}),
        ("Unsqueeze", ["f", "axes"], ["y"], {}),
    ]
    net = mx.onnx.import_to_gluon(model(nodes, {"x": ["N", 2]}, {"y": [1, "N", 3]}, constants))
    assert [(name, p.dtype) for name, p in net.collect_params().items()] == [("layer.weight", kind)]
    np.testing.assert_array_equal(net(nd.ones((1, 2))).asnumpy(), [[[2, 2, 2]]])


def test_statistics_are_saved_as_auxiliary(tmp_path):
    net = mx.onnx.import_to_gluon(network())
    symbol_file, params_file = net.export(str(tmp_path / "net"))
    names = set(nd.load(params_file))
    assert {n.removeprefix("aux:") for n in names if n.startswith("aux:")} == STATISTICS
    assert {n.removeprefix("arg:") for n in names if n.startswith("arg:")} == WEIGHTS
    again = SymbolBlock.imports(symbol_file, ["x"], params_file)
    assert {n for n, p in again.collect_params().items() if p.grad_req == "null"} == STATISTICS
    x, _ = batch()
    np.testing.assert_allclose(again(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("hybrid", [False, True])
def test_float16_trains_with_copies_in_float32(hybrid):
    net = mx.onnx.import_to_gluon(network(np.float16))
    if hybrid:
        net.hybridize()
    before = values(net)
    assert all(array.dtype == np.float16 for name, array in before.items() if "norm" not in name)
    losses = train(net, 30, np.float16, multi_precision=True, momentum=0.9, learning_rate=0.1)
    assert losses[-1] < 0.5 * losses[0]
    after = values(net)
    assert {name: a.dtype for name, a in after.items()} == {name: a.dtype for name, a in before.items()}
    single = mx.onnx.import_to_gluon(network())
    expected = train(single, 30, momentum=0.9, learning_rate=0.1)
    np.testing.assert_allclose(losses[:10], expected[:10], rtol=0.02)


@pytest.mark.parametrize("hybrid", [False, True])
def test_steps_too_small_for_float16_add_up(hybrid):
    """A weight of 1 does not change by steps of 1e-4 in float16, but a copy of it in float32 does."""
    nodes: Any = [("Mul", ["x", "w"], ["y"], {})]
    file = model(nodes, {"x": [1]}, {"y": [1]}, {"w": np.ones(1, np.float16)}, F16)
    results = {}
    for multi in (False, True):
        net = mx.onnx.import_to_gluon(file)
        if hybrid:
            net.hybridize()
        options = {"learning_rate": 1e-4, "multi_precision": multi}
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", options)
        for _ in range(100):
            with autograd.record():
                y = net(nd.ones((1,), dtype="float16"))
            y.backward()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of what is shown here
                trainer.step(1)
        results[multi] = float(net.collect_params()["w"].data().asnumpy()[0])
    assert results[False] == 1
    assert results[True] == pytest.approx(0.99, abs=1e-3)


# ---- the head of another model

TRUNKS = ["resnet-script-free", "resnet-dynamo-free"]


def pictures(count=48):
    """Noise in which one of the three channels is brighter than the others, which is the class."""
    y = np.arange(count) % 3
    x = np.random.default_rng(0).normal(0, 0.3, (count, 3, 16, 16)) + np.eye(3)[y][:, :, None, None]
    return x.astype(np.float32), y.astype(np.float32)


def feature_name(symbol):
    """The last output before the layer that gives the scores."""
    return next(n for n in reversed(symbol.get_internals().list_outputs()[:-1]) if n.endswith("output"))


def check_export(net, x, tmp_path):
    file = mx.onnx.export_model(net, str(tmp_path / "new.onnx"), input_shapes=[("N", 3, 16, 16)])
    assert mx.onnx.verify(net, file, inputs=nd.array(x)).ok()


@pytest.mark.parametrize("name", TRUNKS)
def test_a_new_head_by_symbols(name):
    """As in MXNet's tutorial on fine-tuning: cut at the features, a new layer, `fit` of a Module."""
    symbol, arg_params, aux_params = mx.onnx.import_model(File.read(name).proto)
    features = symbol.get_internals()[feature_name(symbol)]
    scores = mx.sym.FullyConnected(features, num_hidden=3, name="head")
    fixed = [name for name in features.list_arguments() if name in arg_params]
    module = mx.mod.Module(
        mx.sym.SoftmaxOutput(scores, name="softmax"), data_names=["x"], fixed_param_names=fixed
    )
    x, y = pictures()
    batches = mx.io.NDArrayIter({"x": x}, {"softmax_label": y}, batch_size=16)
    module.fit(
        batches,
        num_epoch=20,
        optimizer="adam",
        optimizer_params={"learning_rate": 0.02},
        initializer=mx.init.Xavier(),
        arg_params=arg_params,
        aux_params=aux_params,
        allow_missing=True,
    )
    assert module.score(batches, "acc")[0][1] > 0.9
    after, _ = module.get_params()
    assert {"head_weight", "head_bias"} <= set(after)
    kept = set(after) & set(arg_params)
    assert len(kept) > 10
    assert all(np.array_equal(after[n].asnumpy(), arg_params[n].asnumpy()) for n in kept)


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", TRUNKS)
def test_a_new_head_by_blocks(name, hybrid, tmp_path):
    """A block of what is before the old head, with its parameters, is a layer like others."""
    whole = mx.onnx.import_to_gluon(File.read(name).proto, trainable=False)
    x = mx.sym.var("x")
    scores = whole(x)
    features = SymbolBlock(scores.get_internals()[feature_name(scores)], [x], whole.collect_params())
    net = nn.HybridSequential()
    net.add(features, nn.Dense(3))
    net[1].initialize(mx.init.Xavier())
    if hybrid:
        net.hybridize()
    before = values(whole)
    images, labels = map(nd.array, pictures())
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    loss_function = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(40):
        with autograd.record():
            loss = loss_function(net(images), labels)
        loss.backward()
        trainer.step(len(images))
    assert (net(images).argmax(axis=1) == labels).mean().asscalar() > 0.9
    assert not changed(whole, before)
    check_export(net, images.asnumpy(), tmp_path)


# ---- what a block prints


def test_a_block_prints_what_is_inside():
    net = mx.onnx.import_to_gluon(network(), frozen="trunk.conv")
    assert repr(net).splitlines() == [
        "SymbolBlock(",
        "  inputs: x (batch, 2, 5, 5) float32",
        "  outputs: y (batch, 3) float32",
        "  operators of MXNet: 6, which are",
        "    1 BatchNorm, 1 Convolution, 1 Flatten, 1 FullyConnected, 1 Pooling, 1 relu",
        f"  parameters: {72 + 16 + 15} numbers in 7 arrays, of which {8 + 15} numbers train",
        ")",
    ]


def test_onnx_s_own_operators_are_counted_apart():
    nodes: Any = [("CumProd", ["x", "axis"], ["e"], {}), ("Relu", ["e"], ["y"], {})]
    file = model(nodes, {"x": ["n", 3]}, {"y": ["n", 3]}, {"axis": np.array(1)}, opset=26)
    text = repr(mx.onnx.import_to_gluon(file))
    assert "operators of MXNet: 1, which are\n    1 relu" in text
    assert "operators of ONNX: 1, which are\n    1 CumProd" in text


def test_blocks_of_symbols_print_as_in_mxnet():
    x = mx.sym.var("x")
    net = SymbolBlock(mx.sym.FullyConnected(x, num_hidden=2, name="fc"), [x])
    assert repr(net) == "SymbolBlock(\n<Symbol fc> : 1 -> 1\n)"


# ---- arrays without axes


@pytest.mark.parametrize("hybrid", [False, True])
def test_one_number_is_taken_for_an_array_without_axes(hybrid):
    nodes: Any = [("Mul", ["x", "scale"], ["y"], {})]
    net = mx.onnx.import_to_gluon(model(nodes, {"x": [2, 3], "scale": []}, {"y": [2, 3]}, {}))
    if hybrid:
        net.hybridize()
    x, scale = nd.array(np.arange(6).reshape(2, 3)), nd.array([3.0])
    scale.attach_grad()
    with autograd.record():
        y = net(x, scale)
    y.backward()
    assert np.array_equal(y.asnumpy(), 3 * np.arange(6).reshape(2, 3))
    assert scale.grad.shape == (1,)
    assert scale.grad.asscalar() == 15
    assert np.array_equal(net(x, nd.array([2.0])).asnumpy(), 2 * np.arange(6).reshape(2, 3))


def test_a_result_without_axes_stays_without():
    """`()` in, `()` out: a (1,) is taken for the declared shape, not for one more axis."""
    net = mx.onnx.import_to_gluon(model([("Neg", ["x"], ["y"], {})], {"x": []}, {"y": []}, {}))
    assert net(nd.array([2.0])).shape == ()
    with pytest.raises(MXNetError, match=r"shape \(\) is required"):
        net(nd.array([2.0, 3.0]))


# ---- out again


@pytest.mark.parametrize("size", ["N", "2*N", None])
def test_a_block_is_exported_with_the_inputs_of_its_model(size, tmp_path):
    kinds = {"x": F16, "i": I64}
    shapes = {"x": [size, 3], "i": [2]}
    inputs = [helper.make_tensor_value_info(name, kinds[name], shapes[name]) for name in kinds]
    outputs = [helper.make_tensor_value_info("y", F16, None)]
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"], axis=1)]
    graph = helper.make_graph(nodes, "graph", inputs, outputs)
    source = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    net = mx.onnx.import_to_gluon(source.SerializeToString())
    assert mx.onnx.check(net).ok()
    mx.onnx.export_model(net, str(tmp_path / "again.onnx"))
    again = load_model(tmp_path / "again.onnx")
    x, i = (v.type.tensor_type for v in again.graph.input)
    assert (x.elem_type, i.elem_type) == (F16, I64)
    assert [d.dim_value for d in x.shape.dim] == [0, 3]
    assert [d.dim_value for d in i.shape.dim] == [2]
    values = {"x": np.arange(12).reshape(4, 3).astype(np.float16), "i": np.array([2, 0])}
    (y,) = InferenceSession(str(tmp_path / "again.onnx"), providers=["CPUExecutionProvider"]).run(
        None, values
    )
    np.testing.assert_array_equal(y, values["x"][:, [2, 0]])


# ---- equal elements


def slopes(content, x, folder, hybrid):
    """The gradients of all parameters and of x, each result's elements weighted by 1, 2, …"""
    net = mx.onnx.import_to_gluon(content)
    net(x)  # a call decides the shapes
    net.export(str(folder / "net"))
    again = SymbolBlock.imports(str(folder / "net-symbol.json"), ["x"], str(folder / "net-0000.params"))
    results = []
    for block in (net, again):
        if hybrid:
            block.hybridize()
        x.attach_grad()
        with autograd.record():
            y = block(x)
            loss = (y * (nd.arange(y.size).reshape(y.shape) + 1)).sum()
        loss.backward()
        trained = [p for p in block.collect_params().values() if p.dtype == np.float32]
        results.append([x.grad.asnumpy(), *(p.grad().asnumpy() for p in trained)])
    for first, second in zip(*results, strict=True):
        np.testing.assert_array_equal(first, second)
    return results[0]


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
@pytest.mark.parametrize("axes", ["constant", "computed"])
def test_equal_extremes_share_their_gradient(op_type, axes, hybrid, tmp_path):
    sign = 1 if op_type == "ReduceMax" else -1
    x = nd.array(sign * np.array([[3, 1, 3, 3], [2, 2, 0, 1]]))
    nodes = [("Shape", ["x"], ["s"], {"start": 0, "end": 1}), ("Sub", ["s", "one"], ["last"], {})]
    nodes.append((op_type, ["x", "last" if axes == "computed" else "one"], ["y"], {"keepdims": 0}))
    constants = {"one": np.array([1])}
    content = model(nodes, {"x": ["rows", 4]}, {"y": ["rows"]}, constants)
    (grad,) = slopes(content, x, tmp_path, hybrid)
    np.testing.assert_allclose(grad, [[1 / 3, 0, 1 / 3, 1 / 3], [1, 1, 0, 0]], rtol=1e-6)


def scattered(op_type, indices, updates, **attributes):
    """A model that writes its parameter `u` into x."""
    constants = {"i": np.array(indices), "u": np.array(updates, np.float32)}
    return model([(op_type, ["x", "i", "u"], ["y"], attributes)], {"x": [5]}, {"y": [5]}, constants)


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize(
    "content",
    [
        scattered("ScatterElements", [1, 3, 1, -2, 0], [9, 8, 7, 6, 5], axis=0),
        scattered("ScatterND", [[1], [3], [1], [-2], [0]], [9, 8, 7, 6, 5]),
    ],
    ids=["elements", "points"],
)
def test_what_is_written_over_receives_no_gradient(content, hybrid, tmp_path):
    x = nd.arange(5)
    of_x, of_updates = slopes(content, x, tmp_path, hybrid)
    np.testing.assert_array_equal(of_x, [0, 0, 3, 0, 5])
    np.testing.assert_array_equal(of_updates, [0, 0, 2, 4, 1])


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybridized"])
def test_equal_extremes_of_what_is_written_share_their_gradient(hybrid, tmp_path):
    content = scattered("ScatterElements", [1, 1, 1, 2, 3], [4, 4, 3, 2, 0], axis=0, reduction="max")
    of_x, of_updates = slopes(content, nd.array([0, 4, 2, 3, 4]), tmp_path, hybrid)
    np.testing.assert_allclose(of_x, [1, 2 / 3, 3 / 2, 4, 5], rtol=1e-6)
    np.testing.assert_allclose(of_updates, [2 / 3, 2 / 3, 0, 3 / 2, 0], rtol=1e-6)


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize(
    ("node", "of_rows"),
    [
        (("ReduceL2", ["x"], ["y"], {"axes": [1]}), [[0, 0], [1.2, 1.6]]),
        (("LpNormalization", ["x"], ["y"], {"axis": 1}), [[1, 2], [0, 0]]),
    ],
    ids=["norm", "normalization"],
)
def test_the_slope_of_a_norm_of_zero_is_zero(node, of_rows, hybrid, tmp_path):
    content = model([node], {"x": [2, 2]}, {"y": None}, {}, opset=13)
    (grad,) = slopes(content, nd.array([[0, 0], [3, 4]]), tmp_path, hybrid)
    np.testing.assert_allclose(grad, of_rows, rtol=1e-5, atol=1e-7)


def test_mxnets_own_maximum_gives_each_of_several_all():
    x = nd.array([3, 1, 3])
    x.attach_grad()
    with autograd.record():
        y = x.max()
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [1, 0, 1])


# ---- what is no weight


def trained(net):
    return {name for name, p in net.collect_params().items() if p.grad_req != "null"}


def again(net, x, folder):
    """The block read from native files."""
    net(x)  # a call decides the shapes
    net.export(str(folder / "net"))
    return SymbolBlock.imports(str(folder / "net-symbol.json"), ["x"], str(folder / "net-0000.params"))


@pytest.mark.parametrize("hybrid", [False, True])
def test_bfloat16_trains_as_float32_does(hybrid):
    """A weight that the file transposes keeps its name, and a constant stays as it is."""
    grads = {}
    for dtype in (np.dtype(np.float32), as_dtype("bfloat16")):
        half = numpy_helper.from_array(np.array([0.5], dtype))
        nodes = [
            ("Constant", [], ["k"], {"value": half}),
            ("Transpose", ["w"], ["t"], {}),
            ("MatMul", ["x", "t"], ["h"], {}),
            ("Mul", ["h", "k"], ["y"], {}),
        ]
        weight = np.arange(6).reshape(3, 2).astype(dtype)
        kind = helper.np_dtype_to_tensor_dtype(dtype)
        net = mx.onnx.import_to_gluon(model(nodes, {"x": ["N", 2]}, {"y": ["N", 3]}, {"w": weight}, kind))
        assert trained(net) == {"w"}
        net.hybridize(hybrid)
        with autograd.record():
            loss = (net(nd.ones((4, 2), dtype=dtype)) ** 2).sum()
        loss.backward()
        grads[dtype.name] = net.collect_params()["w"].grad().asnumpy().astype(np.float32).tolist()
    assert grads["bfloat16"] == grads["float32"] == [[2, 2], [10, 10], [18, 18]]


def test_constants_of_a_model_do_not_train(tmp_path):
    three = numpy_helper.from_array(np.array([1, 2, 3], np.float32))
    nodes = [
        ("Constant", [], ["k"], {"value": three}),
        ("Neg", ["k"], ["n"], {}),
        ("Mul", ["x", "w"], ["a"], {}),
        ("Add", ["a", "n"], ["b"], {}),
        ("Neg", ["v"], ["m"], {}),
        ("Add", ["b", "m"], ["y"], {}),
    ]
    weights = {"w": np.ones(3, np.float32), "v": np.ones(3, np.float32)}
    net = mx.onnx.import_to_gluon(model(nodes, {"x": ["N", 3]}, {"y": ["N", 3]}, weights))
    assert trained(net) == {"w", "m"}  # what was computed of a weight is one
    assert trained(again(net, nd.ones((1, 3)), tmp_path)) == {"w", "m"}


def test_what_import_adds_does_not_train(tmp_path):
    """GroupNormalization's scale of channels comes after MXNet's operator, whose own is of groups."""
    weights = {"s": np.ones(4, np.float32), "b": np.zeros(4, np.float32)}
    nodes = [("GroupNormalization", ["x", "s", "b"], ["y"], {"num_groups": 2})]
    content = model(nodes, {"x": ["N", 4, 3]}, {"y": ["N", 4, 3]}, weights, opset=21)
    net = mx.onnx.import_to_gluon(content)
    assert trained(net) == {"s", "b"}
    assert trained(again(net, nd.ones((1, 4, 3)), tmp_path)) == {"s", "b"}


@pytest.mark.parametrize(
    ("node", "weights"),
    [
        (("Gemm", ["x", "w"], ["y"], {}), {"w": (2, 5)}),
        (("PRelu", ["x", "w"], ["y"], {}), {"w": (1, 2)}),
        (("LSTM", ["x", "w", "r"], ["y"], {"hidden_size": 3}), {"w": (1, 12, 2), "r": (1, 12, 3)}),
    ],
    ids=["Gemm", "PRelu", "LSTM"],
)
def test_weights_in_another_form_train(node, weights, tmp_path):
    arrays = {name: np.ones(shape, np.float32) for name, shape in weights.items()}
    shape = (4, 1, 2) if node[0] == "LSTM" else (4, 2)
    net = mx.onnx.import_to_gluon(model([node], {"x": list(shape)}, {"y": None}, arrays))
    assert trained(net) == set(weights)
    assert trained(again(net, nd.ones(shape), tmp_path)) == trained(net)


def test_a_weight_that_a_branch_reshapes_trains():
    def branch(op_type):
        nodes = [helper.make_node(op_type, ["w"], ["v"]), helper.make_node("Mul", ["x", "v"], ["r"])]
        return helper.make_graph(nodes, op_type, [], [helper.make_tensor_value_info("r", F32, [3])])

    node = ("If", ["c"], ["y"], {"then_branch": branch("Neg"), "else_branch": branch("Exp")})
    nodes = [
        ("ReduceSum", ["x"], ["s"], {"keepdims": 0}),
        ("Cast", ["s"], ["c"], {"to": TensorProto.BOOL}),
        node,
    ]
    net = mx.onnx.import_to_gluon(model(nodes, {"x": [3]}, {"y": [3]}, {"w": np.ones(3, np.float32)}))
    assert trained(net)


def test_a_module_leaves_constants_as_they_are():
    three = numpy_helper.from_array(np.array([1, 2, 3], np.float32))
    nodes = [("Constant", [], ["k"], {"value": three}), ("Gemm", ["x", "w", "k"], ["y"], {"transB": 1})]
    content = model(nodes, {"x": [2, 3]}, {"y": [2, 3]}, {"w": np.ones((3, 3), np.float32)})
    symbol, arguments, states = mx.onnx.import_model(content)
    module = mx.mod.Module(symbol, ["x"], None)
    module.bind([("x", (2, 3))])
    module.init_params(arg_params=arguments, aux_params=states)
    module.init_optimizer(optimizer="sgd", optimizer_params={"learning_rate": 0.5})
    module.forward_backward(mx.io.DataBatch([nd.ones((2, 3))]))
    module.update()
    after, _ = module.get_params()
    np.testing.assert_array_equal(after["k"].asnumpy(), [1, 2, 3])
    assert (after["w"].asnumpy() != 1).all()


def test_a_table_of_which_a_part_is_used_trains_as_a_whole(tmp_path):
    """Positions of a fixed length are constant indices."""
    constants = {"table": np.ones((5, 3), np.float32), "rows": np.array([0, 2])}
    nodes: list[Any] = [("Gather", ["table", "rows"], ["p"], {}), ("Add", ["x", "p"], ["y"], {})]
    net = mx.onnx.import_to_gluon(model(nodes, {"x": [2, 3]}, {"y": [2, 3]}, constants))
    assert trained(net) == {"table"}
    with autograd.record():
        y = net(nd.ones((2, 3)))
    y.backward()
    grad = net.collect_params()["table"].grad().asnumpy()
    np.testing.assert_array_equal(grad, [[1] * 3, [0] * 3, [1] * 3, [0] * 3, [0] * 3])


# ---- derivatives as a part of the model

GRADIENTS = {
    "by an input": ('d = ai.onnx.preview.training.Gradient <xs = ["a"], zs = ["b"], y = "y"> (a, b)', 1),
    "of a gradient": (
        """e = ai.onnx.preview.training.Gradient <xs = ["a"], zs = ["b"], y = "y"> (a, b)
           d = ai.onnx.preview.training.Gradient <xs = ["a"], zs = ["b"], y = "e"> (a, b)""",
        2,
    ),
    "by a value inside": (
        'd = ai.onnx.preview.training.Gradient <xs = ["c"], zs = ["a"], y = "y"> (c, a)',
        0,
    ),
}


@pytest.mark.parametrize("title", GRADIENTS)
@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_of_values_that_are_no_outputs(title, hybrid):
    """They need what only an attribute names."""
    nodes, which = GRADIENTS[title]
    head = '<ir_version: 8, opset_import: ["" : 12, "ai.onnx.preview.training" : 1]>'
    body = f"c = Mul (a, b) s = Sin (c) y = Mul (s, a) {nodes}"
    text = f"main (float[3] a, float[3] b) => (float[3] d) {{ {body} }}"
    a, b = np.array([0.3, -1.2, 2], "float32"), np.array([1.5, 0.4, -0.7], "float32")
    net = mx.onnx.import_to_gluon(parser.parse_model(f"{head} {text}"))
    net.hybridize(hybrid)
    sin, cos = np.sin(a * b), np.cos(a * b)
    expected = (a * cos, sin + a * b * cos, 2 * b * cos - a * b**2 * sin)[which]
    np.testing.assert_allclose(net(nd.array(a), nd.array(b)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def gradient_of(node):
    """A model of `y = sin(a b) a`, with a constant k, in which a node gives d."""
    head = '<ir_version: 8, opset_import: ["" : 12, "ai.onnx.preview.training" : 1]>'
    body = f"c = Mul (a, b) s = Sin (c) t = Mul (s, a) y = Mul (t, k) d = ai.onnx.preview.training.{node}"
    declared = "main (float[3] a, float[3] b, float[3] p) => (float[3] d)"
    return parser.parse_model(f"{head} {declared} <float[3] k = {{2, 2, 2}}> {{ {body} }}")


ELSEWHERE = {
    "another value": (
        'Gradient <xs = ["a"], zs = ["b", "k"], y = "y"> (p, b, k)',
        lambda a, b, p: 2 * (np.sin(p * b) + p * b * np.cos(p * b)),
    ),
    "changed places": (
        'Gradient <xs = ["a"], zs = ["b"], y = "y"> (b, a)',
        lambda a, b, p: 2 * (np.sin(a * b) + a * b * np.cos(a * b)),
    ),
    "one value for two": (
        'Gradient <xs = ["a"], zs = ["b"], y = "t"> (p, p)',
        lambda a, b, p: np.sin(p * p) + p * p * np.cos(p * p),
    ),
    "a value inside": (
        'Gradient <xs = ["c"], zs = ["a"], y = "t"> (p, a)',
        lambda a, b, p: a * np.cos(p),
    ),
    "a constant": (
        'Gradient <xs = ["k"], zs = ["a", "b"], y = "y"> (p, a, b)',
        lambda a, b, p: np.sin(a * b) * a,
    ),
}


@pytest.mark.parametrize("title", ELSEWHERE)
@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_at_other_values(title, hybrid):
    """Inputs take the places of the values that xs and zs name, so ONNX."""
    node, expected = ELSEWHERE[title]
    a, b = np.array([0.3, -1.2, 2], "float32"), np.array([1.5, 0.4, -0.7], "float32")
    p = np.array([0.9, 0.1, -0.6], "float32")
    net = mx.onnx.import_to_gluon(gradient_of(node))
    names = [n.name for n in mx.onnx.import_model(gradient_of(node))[0].nodes()]
    assert len(set(names)) == len(names)
    net.hybridize(hybrid)
    y = net(nd.array(a), nd.array(b), nd.array(p))
    np.testing.assert_allclose(y.asnumpy(), expected(a, b, p), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ('Gradient <xs = ["a"], zs = ["b"], y = "y"> (a)', "an input for each of a, b, .* got 1. In node d"),
        ('Gradient <xs = ["a"], y = "y"> (a, b)', "an input for each of a, .* got 2. In node d"),
        ('Gradient <xs = ["nobody"], y = "y"> (a)', "computed before it are required .* got 'nobody'"),
        ('Gradient <xs = ["a"], y = "nobody"> (a)', "computed before it are required .* got 'nobody'"),
    ],
)
def test_gradients_that_mean_nothing_are_refused_at_import(node, message):
    """No engine runs such a node by itself."""
    with pytest.raises(mx.errors.ConversionError, match=message):
        mx.onnx.import_model(gradient_of(node))


@pytest.mark.parametrize(
    "case", cases(r"test_flexattention_(gqa|score_mod|prob_mod|causal_mask)$"), ids=lambda c: c.name
)
def test_operators_of_the_preview_train_by_their_definition(case, rng):
    net = mx.onnx.import_to_gluon(case.model.SerializeToString())
    arrays = [np.asarray(x, np.float64) for x in case.data_sets[0][0]]
    directions = [rng.standard_normal(x.shape) for x in arrays]
    weight = nd.array(rng.standard_normal(np.shape(case.data_sets[0][1][0])))

    def loss(step):
        moved = [nd.array(x + step * d) for x, d in zip(arrays, directions, strict=True)]
        return float((net(*moved) * weight).sum().asscalar())

    for hybridize in (False, True):
        net.hybridize(hybridize)
        inputs = [nd.array(x) for x in arrays]
        for x in inputs:
            x.attach_grad()
        with autograd.record():
            total = (net(*inputs) * weight).sum()
        total.backward()
        slope = sum(float((x.grad.asnumpy() * d).sum()) for x, d in zip(inputs, directions, strict=True))
        assert slope == pytest.approx((loss(1e-2) - loss(-1e-2)) / 2e-2, rel=5e-3, abs=5e-3)
