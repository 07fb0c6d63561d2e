"""Inputs that are drawn: numbers that models are made for, and free sizes that are proven."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx import sym
from hybridonnx.converters.limits import Limit, input_limits
from hybridonnx.errors import AttributeValueError, ConversionError
from hybridonnx.ops import Spec, SymbolicDim
from hybridonnx.parity.drawing import numbers
from hybridonnx.parity.limits import symbol_limits
from hybridonnx.parity.sizes import FreeSizes, dim
from hybridonnx.parity.verify import verify
from tests import torch_files

# ---- one input


def drawn(shape, dtype, *limits, **sizes):
    return numbers(np.random.default_rng(0), "x", shape, np.dtype(dtype), limits, sizes)


def test_numbers_suit_the_dtype():
    assert abs(drawn((1000,), "float32").mean()) < 0.1
    image = drawn((1000,), "uint8")
    assert (image.min(), image.max()) == (0, 255)
    assert drawn((1000,), "int8").min() == -128
    mask = drawn((50, 9), "int64")
    assert set(mask.ravel().tolist()) == {0, 1}
    assert (mask[:, 0] == 1).all()
    assert (mask[:, -1] == 0).all()
    assert drawn((), "bool").dtype == bool
    with pytest.raises(ConversionError, match="inputs are required"):
        drawn((2,), "complex64")


def test_numbers_are_within_limits():
    word = drawn((1000,), "float32", Limit(0, 9))
    assert set(word.tolist()) == set(range(10))
    n = SymbolicDim.named("n")
    assert drawn((1000,), "int32", Limit(1, n), n=4).tolist() == pytest.approx(
        drawn((1000,), "int32", Limit(1, 4)).tolist()
    )
    part = drawn((1000,), "float32", Limit(0.01, 1, whole=False), Limit(0.01, 1, False, -1, (1, 1)))
    assert 0.01 <= part.min() < 0.1 < 0.9 < part.max() <= 0.99
    field = drawn((1000,), "int64", Limit(0, 29, shift=(0, 20)))  # plus 0, 10 or 20, into 30 rows
    assert (field.min(), field.max()) == (0, 9)
    both = drawn((1000,), "float32", Limit(0.5, 1, whole=False), Limit(2, 3, whole=False))
    assert 0.5 <= both.min() <= both.max() <= 1  # what leaves nothing does not count


# ---- what models tell


FILES = """
    bert-script-free deepfm-dynamo-free graph-attention-script-free greedy-script-free losses-dynamo-free
    losses-of-classes-script-free ncf-dynamo-free roberta-script-free scatters-dynamo-free seq2seq-script-free
    whisper-dynamo-free writes-dynamo-fixed
""".split()


@pytest.mark.parametrize("name", FILES)
def test_files_of_pytorch_tell_what_they_take(name):
    """The inputs that PyTorch itself ran with are within what the file tells; indices have a limit."""
    file = torch_files.File.read(name)
    values = file.runs[0][0]
    shapes = {n: tuple(file.shape(n)) for n in values}
    sizes = {d: values[n].shape[i] for n, s in shapes.items() for i, d in enumerate(s) if isinstance(d, str)}
    limits = input_limits(file.proto, shapes)
    for key, x in values.items():
        bounds = [limit.bounds(sizes) for limit in limits.get(key, [])]
        assert all(low <= x.min() and x.max() <= high for low, high in bounds), (key, bounds)
        if x.dtype.kind == "i" and "mask" not in key:
            assert min(high for _, high in bounds) < 30


def foreign(*nodes, inputs, tensors=()):
    """A model that cannot be imported: it ends with an operator of ONNX Runtime's own."""
    infos = [helper.make_tensor_value_info(n, dtype, shape) for n, dtype, shape in inputs]
    last = helper.make_node("QuickGelu", [nodes[-1].output[0]], ["y"], domain="com.microsoft", alpha=1.0)
    y = helper.make_tensor_value_info("y", 1, None)
    graph = helper.make_graph(
        [*nodes, last], "g", infos, [y], [numpy_helper.from_array(a, n) for n, a in tensors]
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def test_a_model_that_cannot_be_imported_tells_as_well():
    """Words, moved by 2, go into a table of 300 rows; others are the lengths of sequences."""
    table = np.arange(1200, dtype="float32").reshape(300, 4)
    nodes = [
        helper.make_node("Cast", ["words"], ["c"], to=TensorProto.INT64),
        helper.make_node("Add", ["c", "two"], ["d"]),
        helper.make_node("Gather", ["table", "d"], ["rows"]),
        helper.make_node("ReverseSequence", ["rows", "lengths"], ["back"], batch_axis=0, time_axis=1),
    ]
    inputs = [("words", 1, ["n", "t"]), ("lengths", 7, ["n"])]
    model = foreign(*nodes, inputs=inputs, tensors=[("table", table), ("two", np.array(2, "int64"))])
    limits = input_limits(model.SerializeToString(), {"words": ("n", "t"), "lengths": ("n",)})
    assert [limit.bounds({}) for limit in limits["words"]] == [(-2, 297)]
    assert [limit.bounds({"t": 5}) for limit in limits["lengths"]] == [(1, 5)]
    report = verify(model, model)
    assert report.ok()
    assert "n at 1, 2, 7; t at 1, 2, 7" in str(report)
    assert mx.onnx.profile(model.SerializeToString(), sizes={"t": 5}, runs=1, warmup=0).nodes


def test_a_symbol_tells_what_it_takes():
    x, lengths = sym.var("x"), sym.var("lengths")
    rows = sym.Embedding(sym.slice_axis(x, axis=1, begin=0, end=3), sym.var("w"), input_dim=50, output_dim=4)
    steps = sym.SequenceMask(sym.transpose(rows, axes=(1, 0, 2)), lengths, use_sequence_length=True)
    places = sym.pick(sym.sum(steps, axis=0), sym.var("index"))
    known = {"x": Spec((2, 6)), "w": Spec((50, 4)), "lengths": Spec((2,)), "index": Spec((2,))}
    limits = symbol_limits(sym.log(sym.var("p")) + places, known)
    assert {name: [limit.bounds({}) for limit in its] for name, its in limits.items()} == {
        "x": [(0, 49)],
        "lengths": [(1, 3)],
        "index": [(0, 3)],
        "p": [(0.01, 1)],
    }


# ---- sizes


def test_names_and_expressions_of_sizes():
    assert dim(None, "x", 1).name == "x_1"
    assert dim("past + 2 * n", "x", 0).value({"past": 3, "n": 5}) == 13
    assert dim("two words", "x", 0).name == "two words"
    assert dim("__import__('os')", "x", 0).name
    assert dim("(" * 10_000 + "n" + ")" * 10_000, "x", 0).name == "x_0"
    assert dim(4, "x", 0) == 4


def test_sizes_are_tried_by_themselves_and_together():
    shapes = {"x": Spec((SymbolicDim.named("n"), SymbolicDim.named("t") + 1, 3))}
    free = FreeSizes("verify", shapes, {"t": (5, 16)})
    base = next(free.bases())
    assert base == {"n": 2, "t": 5}
    assert free.shapes(base) == {"x": (2, 6, 3)}
    assert list(free.separately(base)) == [
        ("n", {"n": 1, "t": 5}),
        ("n", {"n": 7, "t": 5}),
        ("t", {"n": 2, "t": 16}),
    ]
    together = [choices[0] for choices in free.together(base, {"n": [1, 7], "t": [16]})]
    assert together == [{"n": 1, "t": 5}, {"n": 2, "t": 16}, {"n": 7, "t": 16}]
    with pytest.raises(AttributeValueError, match="names of free sizes, n, t, are required"):
        FreeSizes("verify", shapes, {"batch": 3})
    with pytest.raises(AttributeValueError, match="a number, or several"):
        FreeSizes("verify", shapes, {"n": ()})


@pytest.fixture
def net(rng):
    """A symbol whose last node is a Reshape, its parameters, and the file of both."""
    x = sym.FullyConnected(sym.var("data"), num_hidden=6, flatten=False, name="fc")
    weights = {"fc_weight": mx.nd.array(rng.standard_normal((6, 4))), "fc_bias": mx.nd.zeros(6)}
    return sym.reshape(x, shape=(0, -1), name="rows"), weights


def exported(net, folder, shape):
    return mx.onnx.export_model(*net, [shape], onnx_file_path=folder / "net.onnx")


def test_free_sizes_are_proven(net, tmp_path):
    path = exported(net, tmp_path, ("batch", "length", 4))
    report = mx.onnx.verify(net, path, sizes={"length": (5, 16)})
    assert report.ok()
    assert "free sizes agree: batch at 1, 2, 7; length at 5, 16" in str(report)
    tried = [(trial.sizes["batch"], trial.sizes["length"]) for trial in report.sizes]
    assert tried == [(2, 5), (1, 5), (7, 5), (2, 16), (7, 16)]
    alone = mx.onnx.verify(net, shapes=[("batch", 3, 4)])  # with its own export
    assert alone.ok()
    assert "batch at 1, 2, 7" in str(alone)
    assert not mx.onnx.verify(net, shapes=[(2, 3, 4)]).sizes
    assert len(mx.onnx.verify(net, path, sizes={"batch": 3, "length": 2}).sizes) == 1


def baked(path, batch):
    """The file with a size written into its last Reshape."""
    import onnx

    model = onnx.load(path)
    node = next(n for n in model.graph.node if n.op_type == "Reshape")
    node.input[1] = "baked"
    model.graph.initializer.append(numpy_helper.from_array(np.array([batch, -1], "int64"), "baked"))
    return model


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_a_size_that_is_baked_in_is_found(net, tmp_path, batch):
    """Where the numbers fit by chance the shape differs; elsewhere ONNX Runtime refuses."""
    path = exported(net, tmp_path, ("batch", 3, 4))
    report = mx.onnx.verify(net, baked(path, batch))
    assert not report.ok()
    assert not report.ok(1.0)
    faults = {trial.sizes["batch"] for trial in report.sizes if not trial.ok()}
    assert faults == {1, 2, 7} - {batch}
    assert "fault at batch=7: " in str(report)
    assert report.first_divergence() is not None


def test_what_differs_at_one_size_alone_is_found_at_its_node(rng, tmp_path):
    """An average over a number of rows that is baked in."""
    import onnx

    x = sym.FullyConnected(sym.var("data"), sym.var("w"), num_hidden=3, no_bias=True, name="fc")
    net = sym.mean(x, axis=0, keepdims=True, name="mean"), {"w": mx.nd.array(rng.standard_normal((3, 4)))}
    path = exported(net, tmp_path, ("n", 4))
    model = onnx.load(path)
    node = next(n for n in model.graph.node if n.op_type == "ReduceMean")
    node.op_type, name, node.output[0] = "ReduceSum", node.output[0], "sum"
    model.graph.initializer.append(numpy_helper.from_array(np.array(2, "float32"), "two"))
    model.graph.node.insert(
        list(model.graph.node).index(node) + 1, helper.make_node("Div", ["sum", "two"], [name], "halved")
    )
    report = mx.onnx.verify(net, model)
    assert {trial.sizes["n"] for trial in report.sizes if not trial.ok()} == {1, 7}
    assert all(difference.ok() for difference in report.outputs)
    faults = [layer for layer in report.layers if not layer.ok()]
    assert [layer.name for layer in faults] == ["mean_output"]
    assert "halved" in faults[0].nodes


def test_sizes_that_the_first_model_refuses_are_left_out(rng, tmp_path):
    x = sym.Convolution(sym.var("data"), num_filter=2, kernel=(5, 5), name="c")
    params = {"c_weight": mx.nd.array(rng.standard_normal((2, 3, 5, 5))), "c_bias": mx.nd.zeros(2)}
    net = sym.Pooling(x, global_pool=True, pool_type="avg"), params
    path = exported(net, tmp_path, ("n", 3, "h", "w"))
    report = mx.onnx.verify(net, path)
    assert report.ok()
    text = str(report)
    assert "free sizes agree: n at 1, 2, 7; h at 7, 14; w at 7, 14" in text
    assert "left out, as the first model does not take them: h=1, h=2, w=1, w=2" in text
    report = mx.onnx.verify(net, path, sizes={"h": (6, 9), "w": 8})
    assert "h at 6, 9; w at 8" in str(report)


def test_two_names_of_one_size(tmp_path):
    """What a model takes only together is proven together."""
    both = sym.var("a") + sym.var("b")
    path = mx.onnx.export_model(both, {}, [("n", 4), ("n", 4)], onnx_file_path=tmp_path / "net.onnx")
    report = mx.onnx.verify((both, {}), path, shapes={"a": ("m", 4), "b": ("k", 4)})
    assert report.ok()
    assert "m at 1, 2, 7; k at 1, 2, 7" in str(report)


def test_a_block_is_proven_too(rng, tmp_path):
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Embedding(40, 4), mx.gluon.nn.Dense(3))
    net.initialize()
    report = mx.onnx.verify(net, shapes=[("batch", 6)])
    assert report.ok()
    assert "batch at 1, 2, 7" in str(report)
    path = mx.onnx.export_model(net, tmp_path / "net.onnx", input_shapes=[("batch", 6)])
    assert "batch at 3" in str(mx.onnx.verify(net, path, sizes={"batch": 3}))
    assert mx.onnx.verify(path, net).ok()  # the other way round
    other = mx.onnx.import_to_gluon(path)
    report = mx.onnx.verify(net, other, shapes=[("batch", 6)])
    assert report.ok()
    net[1].bias.set_data(mx.nd.array([0, 0.1, 0]))
    assert not mx.onnx.verify(net, other, shapes=[("batch", 6)]).ok()
