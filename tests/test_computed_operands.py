"""Operands that a model computes from its inputs' sizes: shapes, limits, counts, as exporters write them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import hybridonnx as mx
from hybridonnx.errors import ConversionError
from hybridonnx.gluon import SymbolBlock
from hybridonnx.ops import SymbolicDim
from tests.drafts import Draft, session
from tests.runtimes import RELEASE, takes_empty_arrays

SIZES = ({"N": 2, "T": 3}, {"N": 1, "T": 5}, {"N": 4, "T": 1})


def _arrays(model, sizes, seed=0):
    rng = np.random.default_rng(seed)
    shapes = {
        item.name: [
            sizes[d.dim_param] if d.dim_param else d.dim_value for d in item.type.tensor_type.shape.dim
        ]
        for item in model.graph.input
    }
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def _reference(data, feeds):
    return session(data).run(None, feeds)


def _listed(outputs):
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def _equal(output, own):
    tolerance = 1e-5 if own.dtype.kind == "f" else 0
    np.testing.assert_allclose(output, own, rtol=tolerance, atol=tolerance / 10)
    assert output.shape == own.shape


def _agree(net, model, feeds, expected=None):
    expected = _reference(model.SerializeToString(), feeds) if expected is None else expected
    outputs = _listed(net(*(mx.nd.array(x) for x in feeds.values())))
    for output, own in zip(outputs, expected, strict=True):
        assert output.dtype == own.dtype
        _equal(output.asnumpy(), own)


def _native(net):
    return [n.op_name for n in net._graph[1].nodes() if not n.is_variable and n.op_name.startswith("_onnx_")]


def check(model, folder, native=(), sizes=SIZES):
    """Hold a model to ONNX Runtime at several sizes, in all that a block goes through."""
    net = mx.onnx.import_to_gluon(model.SerializeToString())
    assert _native(net) == list(native)
    for active in (False, True):
        net.hybridize(active)
        for chosen in sizes:
            _agree(net, model, _arrays(model, chosen))
    names = [item.name for item in model.graph.input]
    paths = net.export(str(folder / "net"))
    again = SymbolBlock.imports(paths[0], names, paths[1])
    again.hybridize()
    for chosen in sizes:
        _agree(again, model, _arrays(model, chosen))
    shapes = [
        tuple(d.dim_param or d.dim_value for d in item.type.tensor_type.shape.dim)
        for item in model.graph.input
    ]
    path = str(folder / "again.onnx")
    mx.onnx.export_model(net, path, input_shapes=shapes, in_types=[np.float32] * len(shapes))
    for chosen in sizes:
        feeds = _arrays(model, chosen)
        for output, own in zip(
            _reference(path, feeds), _reference(model.SerializeToString(), feeds), strict=True
        ):
            _equal(output, own)
    return net


MODELS: dict[str, Any] = {}


def model(function):
    MODELS[function.__name__] = function
    return function


@model
def split_heads():
    d = Draft(x=["N", "T", 8])
    shape = d.vector(d.size("x", 0), d.size("x", 1), 2, 4)
    return d.model(d.node("Transpose", d.node("Reshape", "x", shape), perm=[0, 2, 1, 3]))


@model
def merge_axes():
    d = Draft(x=["N", "T", 8])
    rows = d.node("Mul", d.size("x", 0), d.size("x", 1))
    return d.model(d.node("Reshape", "x", d.vector(rows, 8)))


@model
def split_product_of_free_sizes():
    d = Draft(x=["N", "T", 8])
    N, T = d.size("x", 0), d.size("x", 1)
    flat = d.node("Relu", d.node("Reshape", "x", d.vector(d.node("Mul", N, T), 8)))
    return d.model(d.node("Reshape", flat, d.vector(N, T, 8)))


@model
def swap_free_axes_by_reshape():
    d = Draft(x=["N", "T", 8])
    return d.model(d.node("Reshape", "x", d.vector(d.size("x", 1), d.size("x", 0), 8)))


@model
def reshape_by_slices_of_the_shape():
    d = Draft(x=["N", "T", 8])
    shape = d.node("Shape", "x")
    start = d.node("Slice", shape, [0], [-1])
    return d.model(d.node("Reshape", "x", d.node("Concat", start, d.const([2, 4]), axis=0)))


@model
def quotient_of_sizes():
    d = Draft(x=["N", "T", 8])
    part = d.node("Div", d.size("x", 2), 4)
    return d.model(d.node("Reshape", "x", d.vector(d.size("x", 0), -1, part)))


@model
def expand_to_free_sizes():
    d = Draft(x=["N", "T", 8], y=[1, 1, 8])
    return d.model(d.node("Expand", "y", d.vector(d.size("x", 0), d.size("x", 1), 1)))


@model
def expand_with_choice_of_minus_one():
    d = Draft(x=["N", "T", 8], y=[1, 8])
    wish = d.vector(d.size("x", 0), -1, -1)
    ones = d.node("ConstantOfShape", d.node("Shape", wish), value=helper.make_tensor("v", 7, [1], [1]))
    shape = d.node("Where", d.node("Equal", wish, d.const([-1, -1, -1])), ones, wish)
    return d.model(d.node("Expand", "y", shape))


@model
def zero_states():
    d = Draft(x=["N", "T", 8])
    zeros = d.node("ConstantOfShape", d.vector(1, d.size("x", 0), 8))
    return d.model(d.node("Add", d.node("Transpose", "x", perm=[1, 0, 2]), zeros))


@model
def filled_vector():
    d = Draft(x=["N", "T", 8])
    value = helper.make_tensor("v", TensorProto.INT64, [1], [7])
    return d.model(d.node("ConstantOfShape", d.vector(d.size("x", 1), d.size("x", 0)), value=value))


@model
def positions():
    d = Draft(x=["N", "T", 8])
    return d.model(d.node("Range", 0, d.size("x", 1), 1))


@model
def later_positions():
    d = Draft(x=["N", "T", 8], past=["N", "T", 8])
    T = d.size("past", 1)
    whole = d.node("Add", T, d.size("x", 1))
    return d.model(d.node("Range", T, whole, 1), d.node("Range", 0, whole, 1))


@model
def causal_mask():
    d = Draft(x=["N", "T", "T"])
    T = d.size("x", 1)
    places = d.node("Range", 0, T, 1)
    later = d.node("Less", d.node("Unsqueeze", places, [1]), d.node("Unsqueeze", places, [0]))
    return d.model(d.node("Where", later, d.const(-9.0, "float32"), "x"))


@model
def part_of_a_table():
    d = Draft(x=["N", "T", 8])
    table = d.const(np.arange(128).reshape(1, 16, 8), "float32")
    T = d.node("Unsqueeze", d.size("x", 1), [0])
    return d.model(d.node("Add", "x", d.node("Slice", table, [0], T, [1])))


@model
def later_part_of_a_table():
    d = Draft(x=["N", "T", 8], past=["N", "T", 8])
    table = d.const(np.arange(128).reshape(16, 8), "float32")
    start = d.node("Unsqueeze", d.size("past", 1), [0])
    end = d.node("Add", start, d.node("Unsqueeze", d.size("x", 1), [0]))
    return d.model(d.node("Slice", table, start, end, [0]))


@model
def all_but_the_last():
    d = Draft(x=["N", "T", 8])
    end = d.node("Unsqueeze", d.node("Sub", d.size("x", 1), 1), [0])
    return d.model(d.node("Slice", "x", [0], end, [1]))


@model
def tile_by_a_size():
    d = Draft(x=["N", "T", 8], y=[1, 2, 3])
    return d.model(d.node("Tile", "y", d.vector(d.size("x", 0), d.size("x", 1), 2)))


@model
def pad_to_a_size():
    d = Draft(x=["N", "T", 8], y=["N", 2])
    T = d.size("x", 1)
    pads = d.vector(0, 1, 0, T)
    return d.model(d.node("Pad", "y", pads, d.const(1.5, "float32")))


@model
def as_many_as_there_are():
    d = Draft(x=["N", "T", 8])
    values, indices = d.node("TopK", "x", d.node("Unsqueeze", d.size("x", 1), [0]), axis=1, outputs=2)
    return d.model(values, indices)


@model
def resize_by_a_multiple():
    d = Draft(x=["N", 3, "T", "T"])
    twice = d.node("Mul", d.size("x", 2), 2)
    return d.model(
        d.node(
            "Resize",
            "x",
            "",
            "",
            d.vector(d.size("x", 0), 3, twice, twice),
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
    )


@model
def scales_from_quotients():
    d = Draft(x=["N", 3, "T", "T"])
    T = d.node("Cast", d.size("x", 2), to=TensorProto.FLOAT)
    scale = d.node("Div", d.node("Mul", T, d.const(2.0, "float32")), T)
    scales = d.node(
        "Concat", d.const([1.0, 1.0], "float32"), *(d.node("Unsqueeze", scale, [0]) for _ in range(2)), axis=0
    )
    return d.model(
        d.node(
            "Resize",
            "x",
            "",
            scales,
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
    )


@model
def identity_matrix():
    d = Draft(x=["N", "T"])
    return d.model(d.node("EyeLike", "x", k=1))


@model
def known_parts_of_a_shape_with_free_ones():
    d = Draft(x=["N", 8, 3, 5])
    tail = d.node("Slice", d.node("Shape", "x"), [2], [4])
    shape = d.node("Concat", d.const([-1, 2, 4]), tail, axis=0)
    split = d.node("Transpose", d.node("Reshape", "x", shape), perm=[0, 2, 1, 3, 4])
    return d.model(d.node("Reshape", split, d.node("Concat", d.const([-1, 8]), tail, axis=0)))


@model
def smallest_of_sizes():
    d = Draft(x=["N", "T", 8])
    shorter = d.node("Min", d.size("x", 1), d.node("Add", d.size("x", 1), 3))
    return d.model(d.node("Reshape", "x", d.vector(-1, shorter, 8)))


@model
def concat_of_past():
    d = Draft(x=["N", "T", 8], past=["N", "T", 8])
    whole = d.node("Concat", "past", "x", axis=1)
    shape = d.vector(d.size(whole, 0), d.size(whole, 1), 2, 4)
    return d.model(d.node("Reshape", whole, shape))


@pytest.mark.parametrize("name", MODELS)
def test_said_in_mxnets_operators(name, tmp_path):
    check(MODELS[name](), tmp_path)


def test_pads_of_no_elements(tmp_path):
    d = Draft(x=["N", "T", 8], y=["N", "T"])
    T = d.size("x", 1)
    model = d.model(d.node("Pad", "y", d.vector(0, T, T, 0), d.const(0.5, "float32")))
    check(model, tmp_path, sizes=[{"N": 6, "T": 0}, {"N": 2, "T": 3}])


# ---- what is not the same for all sizes stays native


def test_expand_of_a_free_size_stays_native(tmp_path):
    d = Draft(x=["N", "T", 8], y=["N", 1])
    shape = d.vector(d.size("x", 1), d.size("x", 2))
    model = d.model(d.node("Expand", "y", shape))  # N is 1 or T, which only the model's runs tell
    check(model, tmp_path, ["_onnx_Expand"], sizes=[{"N": 1, "T": 3}, {"N": 4, "T": 4}])


def test_slice_past_the_end_stays_native(tmp_path):
    d = Draft(x=["N", "T", 8])
    model = d.model(d.node("Slice", "x", [0], d.node("Unsqueeze", d.size("x", 0), [0]), [1]))
    check(model, tmp_path, ["_onnx_Slice"])


def test_start_before_the_end_by_more_than_the_axis_has(tmp_path):
    d = Draft(x=["N", "T", 8])
    start = d.node("Unsqueeze", d.node("Sub", d.size("x", 1), 4), [0])
    model = d.model(d.node("Slice", "x", start, [99], [1]))
    check(model, tmp_path, ["_onnx_Slice"], sizes=[{"N": 1, "T": t} for t in (3, 4, 7, 2)])


def test_computed_by_values_stays_native(tmp_path):
    d = Draft(x=["N", "T"])
    count = d.node("Cast", d.node("ReduceMax", d.node("Abs", "x"), keepdims=0), to=TensorProto.INT64)
    model = d.model(d.node("Range", 0, count, 1))
    check(model, tmp_path, ["_onnx_Range"])


# ---- a network


def _transformer():
    """Two layers of attention with a causal mask, free batch and length, shapes computed as PyTorch's are."""
    d = Draft(x=["N", "T", 8])
    rng = np.random.default_rng(1)

    def weight(*shape):
        return d.const(rng.standard_normal(shape) / 3, "float32")

    table = d.const(rng.standard_normal((1, 32, 8)), "float32")
    h = d.node("Add", "x", d.node("Slice", table, [0], d.node("Unsqueeze", d.size("x", 1), [0]), [1]))
    for _ in range(2):
        N, T = d.size(h, 0), d.size(h, 1)
        q, k, v = (
            d.node(
                "Transpose",
                d.node("Reshape", d.node("MatMul", h, weight(8, 8)), d.vector(N, T, 2, 4)),
                perm=[0, 2, 1, 3],
            )
            for _ in range(3)
        )
        scores = d.node("MatMul", q, d.node("Transpose", k, perm=[0, 1, 3, 2]))
        ones = d.node("Expand", d.const(1.0, "float32"), d.vector(T, T))
        mask = d.node("Equal", d.node("Trilu", ones, upper=0), d.const(0.0, "float32"))
        probability = d.node("Softmax", d.node("Where", mask, d.const(-1e4, "float32"), scores), axis=-1)
        mixed = d.node("Transpose", d.node("MatMul", probability, v), perm=[0, 2, 1, 3])
        h = d.node("Add", h, d.node("Reshape", mixed, d.vector(N, T, 8)))
    return d.model(h)


def test_transformer(tmp_path):
    net = check(_transformer(), tmp_path)
    for parameter in net.collect_params().values():
        parameter.grad_req = "write"
    with mx.autograd.record():
        loss = (net(mx.nd.ones((2, 3, 8))) ** 2).sum()
    loss.backward()
    assert any(np.abs(p.grad().asnumpy()).sum() > 0 for p in net.collect_params().values())


# ---- sizes that the caller gives


def test_sizes_that_are_given_fold():
    model = split_heads()
    net = mx.onnx.import_to_gluon(model.SerializeToString(), input_shapes={"x": (2, 3, 8)})
    shapes = [n.op.shape for n in net._graph[1].nodes() if n.op_name == "Reshape"]
    assert shapes == [(2, 3, 2, 4)]
    _agree(net, model, _arrays(model, {"N": 2, "T": 3}))


@pytest.mark.parametrize("shapes", [{"x": (None, 3, None)}, [(None, 3, 8)], ("N", 3, 8)])
def test_some_sizes_are_given(shapes):
    model = split_heads()
    symbol, _, _ = mx.onnx.import_model(model.SerializeToString(), input_shapes=shapes)
    assert symbol.infer_shape(x=(2, 3, 8))[1] == [(2, 2, 3, 4)]


def test_a_name_stands_for_one_size_everywhere():
    model = later_positions()
    data = model.SerializeToString()
    symbol, _, _ = mx.onnx.import_model(data, input_shapes={"x": (1, 4, 8)})
    assert not symbol.get_internals().list_outputs() or all(
        n.is_variable for n in symbol.nodes()
    )  # both ranges are constants, as past has the length of x
    with pytest.raises(ConversionError, match="one size is required wherever the file has T, got 4 and 5"):
        mx.onnx.import_model(data, input_shapes={"x": (1, 4, 8), "past": (1, 5, 8)})


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"x": (2, 3, 7)}, "size 8 is required at axis 2 of input x, as the file fixes it, got 7"),
        ({"x": (2, 3, "C")}, "size 8 is required at axis 2 of input x"),
        ({"x": (2, 3)}, "3 sizes are required for input x"),
        ({"y": (2, 3, 8)}, "inputs of the model are required in input_shapes, which are x, got 'y'"),
        ([(2, 3, 8), (1,)], "a shape for each of the inputs x is required in input_shapes, got 2"),
        ({"x": (2, -3, 8)}, "integers from 0 up, names or None are required"),
        ({"x": (2.5, 3, 8)}, "integers from 0 up, names or None are required"),
    ],
)
def test_sizes_that_contradict_are_refused(shapes, message):
    with pytest.raises(ConversionError, match=message):
        mx.onnx.import_model(split_heads().SerializeToString(), input_shapes=shapes)


# ---- what is known of shapes


def test_sizes_that_a_file_says_of_values_inside_are_not_believed():
    model = split_heads()
    model.graph.output[0].CopyFrom(
        helper.make_tensor_value_info(model.graph.output[0].name, TensorProto.FLOAT, [2, 2, 3, 4])
    )
    net = mx.onnx.import_to_gluon(model.SerializeToString())
    _agree(
        net,
        model,
        _arrays(model, {"N": 3, "T": 5}),
        _reference(split_heads().SerializeToString(), _arrays(model, {"N": 3, "T": 5})),
    )


def test_expressions_are_exact():
    from hybridonnx.converters.from_onnx._model_info import ModelInfo
    from hybridonnx.converters.from_onnx._reader import read

    d = Draft(x=["N", 3, "T", "T"])
    w = d.const(np.zeros((4, 3, 3, 3)), "float32")
    y = d.node("Conv", "x", w, strides=[2, 2], pads=[1, 1, 1, 1])
    z = d.node("Flatten", y, axis=1)
    info = ModelInfo(read(d.model(z)))
    for sizes in ({"N": 2, "T": 7}, {"N": 1, "T": 8}):
        shape = [s.value(sizes) if isinstance(s, SymbolicDim) else s for s in info.shape(z)]
        side = (sizes["T"] - 1) // 2 + 1
        assert shape == [sizes["N"], 4 * side * side]


# ---- numbers among sizes are what their dtype holds


def _one(model, **inputs):
    """The single result of a model that was imported, eagerly, and ONNX Runtime's."""
    net = mx.onnx.import_to_gluon(model.SerializeToString())
    own = net(*(mx.nd.array(x, dtype=x.dtype) for x in inputs.values())).asnumpy()
    return own, _reference(model.SerializeToString(), inputs)[0]


@pytest.mark.parametrize(("to", "dtype"), [(TensorProto.FLOAT, "float32"), (TensorProto.DOUBLE, "float64")])
def test_numbers_beside_sizes_are_rounded_to_their_dtype(to, dtype):
    d = Draft(x=["N", 11])
    sizes = d.node("Cast", d.node("Shape", "x"), to=to)
    parts = d.node("Mul", d.node("Div", sizes, d.const([7, 7], dtype)), d.const([0.7, 0.7], dtype))
    own, expected = _one(d.model(d.node("Gather", parts, 1)), x=np.zeros((2, 11), np.float32))
    assert own.dtype == dtype
    assert own == expected


@pytest.mark.parametrize(
    "to", [TensorProto.UINT8, TensorProto.INT8, TensorProto.BFLOAT16, TensorProto.STRING]
)
def test_sizes_that_a_dtype_does_not_hold(to):
    d = Draft(x=["N", 301])
    narrow = d.node("Cast", d.node("Cast", d.node("Shape", "x"), to=to), to=TensorProto.INT64)
    counts = [d.node("Range", 0, d.node("Gather", narrow, i), 1) for i in range(2)]
    own, expected = _one(d.model(d.node("Concat", *counts, axis=0)), x=np.zeros((259, 301), np.float32))
    assert own.tolist() == expected.tolist()


@pytest.mark.parametrize(("start", "step"), [(2**24 + 1, 1), (0, 123457), (2**33, -(2**32))])
def test_numbers_that_float32_does_not_hold(start, step, tmp_path):
    d = Draft(x=["N", "T"])
    T = d.size("x", 1)
    end = d.node("Add", d.node("Mul", T, step), start)
    shifted = d.node("Range", d.node("Add", T, start), d.node("Add", T, end), step)
    check(d.model(d.node("Range", start, end, step), shifted), tmp_path, sizes=[{"N": 1, "T": 200}])


@pytest.mark.parametrize(
    ("start", "end", "step"), [(-9, -9, -1), (-9, 1, 1), (9, -9, -1), (1, 9, 2), (2, 0, -1)]
)
def test_parts_of_shapes(start, end, step):
    d = Draft(x=["N", 3, 2])
    part = d.node("Slice", d.node("Shape", "x"), [start], [end], [0], [step])
    for y in (part, d.node("ConstantOfShape", part)):
        own, expected = _one(d.model(y), x=np.zeros((4, 3, 2), np.float32))
        assert own.tolist() == expected.tolist()


@pytest.mark.parametrize("fmod", [0, 1])
def test_remainders_of_negative_numbers(fmod):
    d = Draft(x=["N", 7])
    numbers = d.node("Sub", d.node("Shape", "x"), [0, 14])
    left = [d.node("Mod", numbers, d.const([3, by]), fmod=fmod) for by in (3, -3)]
    model = d.model(d.node("Concat", *(d.node("Gather", x, [1]) for x in left), axis=0))
    own, expected = _one(model, x=np.zeros((2, 7), np.float32))
    assert own.tolist() == expected.tolist()


def test_size_of_a_scaled_axis_is_computed_in_float32():
    d = Draft(x=["N", 10])
    options = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    y = d.node("Resize", "x", "", d.const([1, 0.7], "float32"), **options)  # 0.7 is less in float32
    own, expected = _one(d.model(d.size(y, 1)), x=np.zeros((2, 10), np.float32))
    assert own == expected == 7


def test_channels_of_a_convolution_with_computed_weights():
    d = Draft(x=["N", 3, 8], w=["W"], k=["K"])
    d.integers.add("k")
    y = d.node("Conv", "x", d.node("Reshape", "w", "k"), kernel_shape=[2])
    model = d.model(d.size(y, 1))
    inputs = {"x": np.zeros((2, 3, 8), np.float32), "w": np.ones(30, np.float32), "k": np.array([5, 3, 2])}
    own, expected = _one(model, **inputs)
    assert own == expected == 5


@pytest.mark.parametrize("opset", [18, 21])
def test_parts_of_a_free_size(opset, tmp_path):
    d = Draft(opset, x=["N", "T"])
    parts = d.node("Split", "x", axis=1, num_outputs=2, outputs=2)
    lengths = (4, 7, 2, 1)[: None if RELEASE >= (1, 31) else -1]  # older ONNX Runtimes refuse an empty part
    check(d.model(*parts), tmp_path, ["_onnx_Split"], sizes=[{"N": 2, "T": t} for t in lengths])


@takes_empty_arrays
def test_extremes_of_as_many_as_there_are_of_some_values(tmp_path):
    d = Draft(x=["N", "T"])
    flat = d.node("Reshape", "x", [-1])
    large = d.node("NonZero", d.node("Greater", flat, d.const(2, "float32")))
    some = d.node("Gather", flat, d.node("Squeeze", large, [0]))
    model = d.model(d.node("ReduceMax", some))
    check(model, tmp_path, ["_onnx_ReduceMax"], sizes=[{"N": 1, "T": 1}, {"N": 30, "T": 9}])


def test_products_over_batches_that_may_be_one(tmp_path):
    d = Draft(x=["N", "T", 4], y=["M", 4, "T"])
    model = d.model(d.node("MatMul", "x", "y"))
    sizes = [{"N": 3, "T": 2, "M": 3}, {"N": 1, "T": 2, "M": 5}, {"N": 4, "T": 1, "M": 1}]
    check(model, tmp_path, ["_onnx_MatMul"], sizes=sizes)


def test_branches_of_different_shapes(tmp_path):
    d = Draft(x=["N", "T"])
    flat = d.node("Reshape", "x", [-1])
    large = d.node("NonZero", d.node("Greater", flat, d.const(0, "float32")))
    some = d.node("Gather", flat, d.node("Squeeze", large, [0]))
    branches = [
        helper.make_graph(
            [helper.make_node(op_type, [x], [f"{op_type}_y"])],
            op_type,
            [],
            [helper.make_empty_tensor_value_info(f"{op_type}_y")],
        )
        for op_type, x in (("Neg", some), ("Abs", d.node("Slice", flat, [0], [2])))
    ]
    empty = d.node("Equal", d.size("x", 0), 2)
    y = d.node("If", empty, then_branch=branches[0], else_branch=branches[1])
    check(d.model(y), tmp_path, [])


def test_a_reduction_of_a_value_of_unknown_rank():
    d = Draft(x=["N", "T"])
    model = d.model(d.node("ReduceSum", d.node("Squeeze", "x"), keepdims=0))
    for shape in ((1, 3), (2, 3), (1, 1)):
        own, expected = _one(model, x=np.ones(shape, np.float32))
        assert own == expected
        assert own.shape == ()


def test_a_size_gets_a_name_that_another_had():
    d = Draft(x=["N", "T"], y=["T", "M"])
    model = d.model(d.node("Relu", "x"), d.node("Relu", "y"))
    net = mx.onnx.import_to_gluon(model.SerializeToString(), input_shapes={"x": (None, "M"), "y": (None, 5)})
    _agree(net, model, _arrays(model, {"N": 2, "T": 3, "M": 5}))
