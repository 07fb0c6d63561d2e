"""Blocks of ONNX models are called as the models say: with their inputs, in their shapes, or without any."""

from __future__ import annotations

import subprocess
from contextlib import nullcontext

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx.errors import RequirementError, ShapeError
from hybridonnx.ndarray.ndarray import NDArray
from tests.runtimes import plain

F32 = TensorProto.FLOAT


def model(nodes, inputs, outputs, **constants):
    """A model of nodes; inputs and outputs are names with shapes, in float32."""
    infos = [
        [helper.make_tensor_value_info(n, F32, s) for n, s in part.items()] for part in (inputs, outputs)
    ]
    values = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph([helper.make_node(*node) for node in nodes], "graph", *infos, values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def imported(proto, hybrid=False):
    block = mx.onnx.import_to_gluon(proto.SerializeToString())
    block.hybridize(hybrid)
    return block


def reloaded(block, names, tmp_path):
    symbol_file, params_file = block.export(str(tmp_path / "native"))
    return mx.gluon.SymbolBlock.imports(symbol_file, names, params_file)


def array(*numbers):
    return NDArray(np.array(numbers, np.float32))


DIFFERENCE = model([("Sub", ["a", "b"], ["y"])], {"a": [2], "b": [2]}, {"y": [2]})


@pytest.mark.parametrize("hybrid", [False, True])
def test_inputs_come_in_the_order_of_their_names(tmp_path, hybrid):
    path = str(tmp_path / "model.onnx")
    onnx.save(DIFFERENCE, path)
    block = mx.gluon.SymbolBlock.imports(path, ["b", "a"])
    block.hybridize(hybrid)
    for net in (block, reloaded(block, ["b", "a"], tmp_path)):
        assert net(array(1, 2), array(5, 7)).asnumpy().tolist() == [4, 5]
        again = mx.onnx.export_model(net, str(tmp_path / "again.onnx"), input_shapes=[(2,), (2,)])
        assert [info.name for info in onnx.load(again).graph.input] == ["b", "a"]


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_model_without_inputs_is_called_without(tmp_path, hybrid):
    p, q = np.array([1, 2], np.float32), np.array([3, 5], np.float32)
    proto = model([("Mul", ["p", "q"], ["y"])], {}, {"y": [2]}, p=p, q=q)
    block = imported(proto, hybrid)
    assert block().asnumpy().tolist() == plain(proto)([])[0].tolist() == [3, 10]
    with mx.autograd.record():
        y = block()
    y.backward()
    assert all(param.grad().asnumpy().all() for param in block.collect_params().values())
    assert reloaded(block, [], tmp_path)().asnumpy().tolist() == [3, 10]
    for net in (block, reloaded(block, [], tmp_path)):
        again = mx.onnx.export_model(net, str(tmp_path / "again.onnx"))
        assert plain(onnx.load(again))([])[0].tolist() == [3, 10]
        again = mx.onnx.export_model(net, str(tmp_path / "again.onnx"), input_shapes=[])
        assert plain(onnx.load(again))([])[0].tolist() == [3, 10]
    assert mx.onnx.check(block).ok()
    with pytest.raises(ValueError, match="an array for each input is required, none, got 1"):
        block(array(1, 2))


def test_an_input_is_required_where_there_is_one():
    with pytest.raises(TypeError, match="an array for each input is required, a, b, got none"):
        imported(DIFFERENCE)()


@pytest.mark.parametrize("hybrid", [False, True])
def test_inputs_that_nothing_reads(tmp_path, hybrid):
    proto = model([("Neg", ["a"], ["y"])], {"unused": [3], "a": [2]}, {"y": [2]})
    block = imported(proto)
    for net in (block, reloaded(block, ["unused", "a"], tmp_path)):
        net.hybridize(hybrid)
        assert net(array(1, 2, 3), array(5, 7)).asnumpy().tolist() == [-5, -7]  # and no warning
    symbol_file, params_file = block.export(str(tmp_path / "native"))
    with pytest.raises(RequirementError, match="names of the graph's variables are required"):
        mx.gluon.SymbolBlock.imports(symbol_file, ["unused", "aa"], params_file)


NODES = [("Shape", ["a"], ["sizes"]), ("Expand", ["p", "sizes"], ["b"]), ("Add", ["a", "b"], ["y"])]
FIXED = model(NODES, {"a": [2, 3]}, {"y": [2, 3]}, p=np.float32([[5]]))
OPEN = model(NODES, {"a": ["N", 3]}, {"y": ["N", 3]}, p=np.float32([[5]]))
REFUSED = r"input 'a' of shape \(2, 3\) is required, as the ONNX model says, got .*Export the model with"


@pytest.mark.parametrize("hybrid", [False, True])
def test_declared_sizes_are_held(hybrid, tmp_path):
    """ONNX Runtime refuses them too, and what was computed of shapes at import is right for no others."""
    path = str(tmp_path / "open.onnx")
    onnx.save(OPEN, path)
    blocks = [imported(FIXED), mx.gluon.SymbolBlock.imports(path, ["a"], input_shapes=[(2, None)])]
    for block in (*blocks, *(reloaded(block, ["a"], tmp_path) for block in blocks)):
        block.hybridize(hybrid)
        assert block(NDArray(np.zeros((2, 3), np.float32))).asnumpy().tolist() == [[5] * 3] * 2
        for shape in ((4, 3), (6,), (2, 3, 1)):
            x = np.zeros(shape, np.float32)
            with pytest.raises(ShapeError, match=REFUSED):
                block(NDArray(x))
            with pytest.raises(Exception, match="Got"):
                plain(FIXED)([x])


def test_declared_sizes_are_held_wherever_the_graph_goes(tmp_path):
    symbol, params, _ = mx.onnx.import_model(FIXED.SerializeToString())
    assert mx.sym.load_json(symbol.tojson()).attr_dict()["a"] == {"__onnx_shape__": "(2, 3)"}
    whole = mx.gluon.nn.HybridSequential()
    whole.add(imported(FIXED))
    whole.hybridize()
    x = NDArray(np.zeros((4, 3), np.float32))
    name = str(tmp_path / "again.onnx")
    for use in (
        lambda: symbol.infer_shape(a=(4, 3)),
        lambda: symbol.simple_bind(mx.cpu(), a=(4, 3)),
        lambda: mx.mod.Module(symbol, ["a"], None).bind([("a", (4, 3))]),
        lambda: mx.onnx.export_model(symbol, params, [(4, 3)], onnx_file_path=name),
        lambda: mx.onnx.export_model(symbol, params, [("N", 3)], onnx_file_path=name),
        lambda: mx.onnx.export_model(symbol, params, [(2, 3)], onnx_file_path=name, dynamic=True),
        lambda: mx.onnx.export_model(imported(FIXED), name, input_shapes=[(4, 3)]),
        lambda: mx.gluon.SymbolBlock(symbol, mx.sym.var("a"))(x),
    ):
        with pytest.raises(ShapeError, match=REFUSED):
            use()
    with pytest.raises(ShapeError, match=REFUSED.replace("'a'", "'data'")):
        whole(x)
    with_more = mx.gluon.nn.HybridSequential()
    with_more.add(mx.gluon.nn.Activation("relu"), imported(FIXED))
    with_more.hybridize()
    for mode in (nullcontext(), mx.autograd.record()):
        with pytest.raises(ShapeError, match=r"shape \(2, 3\) is required, as the ONNX model says"), mode:
            with_more(x)
    assert with_more(x[:2]).asnumpy().tolist() == [[5] * 3] * 2
    assert symbol.infer_shape(a=(2, 3), p=(1, 1))[1] == [(2, 3)]


@pytest.mark.parametrize(("size", "text"), [("N", "(-1,)"), (0, "(0,)"), (None, "()")])
def test_sizes_that_are_free_or_none(size, text, tmp_path):
    sizes = [] if size is None else [size]
    block = imported(model([("Neg", ["a"], ["y"])], {"a": sizes}, {"y": sizes}))
    again = reloaded(block, ["a"], tmp_path)
    assert again(mx.nd.array([1.0]) if size is None else array(*[1] * (size == "N"))).size == (size != 0)
    for net in (block, again):
        assert net._graph[1].attr_dict()["a"]["__onnx_shape__"] == text
        with pytest.raises(ShapeError, match="as the ONNX model says"):
            net(NDArray(np.ones((2, 1), np.float32)))


def test_mxnets_own_shapes_refuse_nothing(tmp_path):
    """A variable's `__shape__` is what inference begins with; MXNet runs such a block at other shapes."""
    net = mx.gluon.SymbolBlock(mx.sym.exp(mx.sym.var("a", shape=(2, 3))), mx.sym.var("a"))
    for block in (net, reloaded(net, ["a"], tmp_path)):
        assert block(NDArray(np.zeros((4, 5), np.float32))).shape == (4, 5)


MXNETS = """
import sys, mxnet as mx
net = mx.gluon.SymbolBlock.imports(sys.argv[1], ["a"], sys.argv[2])
net.hybridize()
print(net(mx.nd.zeros((2, 3))).asnumpy().tolist(), mx.sym.load(sys.argv[1]).attr_dict()["a"])
"""


@pytest.mark.oracle
def test_mxnet_reads_files_with_declared_shapes(oracle, tmp_path):
    files = imported(FIXED).export(str(tmp_path / "native"))
    done = subprocess.run([oracle, "-W", "ignore", "-c", MXNETS, *files], capture_output=True, text=True)
    assert done.stdout.strip() == f"{[[5.0] * 3] * 2} {{'__onnx_shape__': '(2, 3)'}}", done.stderr


def test_shapes_come_in_the_order_of_the_names(tmp_path):
    path = str(tmp_path / "model.onnx")
    onnx.save(model([("MatMul", ["a", "b"], ["y"])], {"a": ["N", "K"], "b": ["K", "M"]}, {"y": None}), path)
    imports = mx.gluon.SymbolBlock.imports
    for names, shapes in (
        (["b", "a"], [(3, 4), ("N", None)]),
        (["b", "a"], {"a": ("N", 3), "b": (3, 4)}),
        (["b", "a"], [(3, 4), None]),
        ([], [(None, 3), (None, 4)]),
    ):
        net = imports(path, names, input_shapes=shapes)
        a, b = NDArray(np.ones((2, 3), np.float32)), NDArray(np.ones((3, 4), np.float32))
        assert net(*((b, a) if names else (a, b))).shape == (2, 4)
        with pytest.raises(ShapeError, match=r"'a' of shape \(any, 3\) is required"):
            net(b, b)
    with pytest.raises(RequirementError, match=r"a shape for each of the inputs b, a is required .* got 1"):
        imports(path, ["b", "a"], input_shapes=[(3, 4)])
    with pytest.raises(RequirementError, match=r"an \.onnx file is required with input_shapes, got .*json"):
        imports("net-symbol.json", ["a"], input_shapes=[(3, 4)])


@pytest.mark.parametrize("hybrid", [False, True])
def test_free_sizes_are_free(hybrid):
    block = imported(model([("Neg", ["a"], ["y"])], {"a": ["N", None, 3]}, {"y": ["N", None, 3]}), hybrid)
    for shape in ((1, 2, 3), (4, 1, 3), (0, 5, 3)):
        assert block(NDArray(np.ones(shape, np.float32))).shape == shape
    with pytest.raises(
        ShapeError, match=r"input 'a' of shape \(any, any, 3\) is required.*got \(1, 2, 4\)\.\n"
    ):
        block(NDArray(np.ones((1, 2, 4), np.float32)))


def test_arrays_without_axes_and_of_one_axis_have_programs_of_their_own():
    """What differs in the first size alone shares a session; a rank is not a size."""
    block = imported(
        model([("Clip", ["x", "low", "high"], ["y"])], {"x": [3], "low": None, "high": None}, {"y": [3]}),
        True,
    )
    x, low, high = (np.array(v, np.float32) for v in ([1, 2, 3], 1.5, 2.5))
    for bounds in ((low, high), (low[None], high[None]), (low, high[None])):
        y = block(NDArray(x), *map(NDArray, bounds))
        assert y.asnumpy().tolist() == [1.5, 2, 2.5]
