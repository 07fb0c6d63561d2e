"""Values of ONNX that are no arrays: lists, dicts and `None` outside of blocks, carried by arrays inside."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ValueInfoProto, helper

import hybridonnx as mx
from hybridonnx import dtypes, nd, sym
from hybridonnx.converters import values
from hybridonnx.converters.elements import elem_type
from hybridonnx.converters.opsets import newest, signature
from hybridonnx.errors import ConversionError, DTypeError, FormatError, RequirementError
from hybridonnx.gluon import SymbolBlock
from hybridonnx.ops import enclosed, opened

NEWEST = newest()

TEXTS = [
    "seq(tensor(float))",
    "optional(tensor(int64))",
    "optional(seq(tensor(string)))",
    "map(int64, float)",
    "map(string, int64)",
    "seq(map(int64, float))",
    "seq(map(string, float))",
]


# ---- dtypes


@pytest.mark.parametrize("text", TEXTS)
def test_a_dtype_says_the_type(text):
    dtype = dtypes.container(text)
    for same in (dtype, copy.deepcopy(dtype), dtypes.as_dtype(text)):
        assert (dtypes.container_of(same), dtypes.name_of(same), same.kind) == (text, text, "V")
    assert dtypes.container_of(dtypes.strings) == dtypes.container_of(None) == ""


def test_texts_of_onnx_runtime_say_the_same():
    for text, canonical in (
        ("map(int64,tensor(float))", "map(int64, float)"),
        ("seq(map(string,tensor(float)))", "seq(map(string, float))"),
        (" seq( tensor(float) ) ", "seq(tensor(float))"),
    ):
        assert dtypes.container_of(dtypes.container(text)) == canonical


@pytest.mark.parametrize(
    "text",
    ["seq()", "seq(float)", "tensor(float)", "map(float, float)", "map(int64)", "x(", "seq(" * 9 + ")" * 9]
    + ["seq(" * 99999, "map(int64, " * 5000 + "float" + ")" * 5000],
)
def test_other_texts_are_refused(text):
    with pytest.raises(DTypeError, match="a type of ONNX such as seq"):
        dtypes.container(text)


@pytest.mark.parametrize("text", TEXTS)
def test_declarations(text):
    declared = values.value_info("x", dtypes.container(text), None)
    dtype = values.dtype_of_type(declared.type)
    assert dtypes.container_of(dtype) == text
    assert ValueInfoProto.FromString(declared.SerializeToString()) == declared


def test_declarations_are_onnxs():
    declared = values.value_info("x", dtypes.container("seq(tensor(float))"), None)
    assert declared == helper.make_tensor_sequence_value_info("x", 1, None)
    tensor = helper.make_tensor_type_proto(7, None)
    assert values.type_proto(dtypes.container("optional(tensor(int64))")) == helper.make_optional_type_proto(
        tensor
    )
    assert values.type_proto(dtypes.container("map(string, int64)")) == helper.make_map_type_proto(8, tensor)
    with pytest.raises(ConversionError, match=r"a type that it has is required, got tensor\(foo\)"):
        values.type_proto(dtypes.container("seq(tensor(foo))"))


# ---- arrays that carry them


@pytest.mark.parametrize(
    "value", [[], [np.ones(2), np.ones(2)], [np.ones(())], None, {1: 2.0}, np.ones((2, 2))]
)
def test_an_array_without_axes_carries_a_value(value):
    dtype = dtypes.container("seq(tensor(float))")
    array = enclosed(value, dtype)
    assert array.shape == ()
    assert array.dtype == dtype
    assert array.dtype != dtypes.container("seq(tensor(double))")
    assert opened(array) is value
    assert opened(array.copy()) is value


def test_they_are_in_no_file(tmp_path):
    carried = mx.nd.NDArray(enclosed([], dtypes.container("seq(tensor(float))")))
    for name in ("x.params", "x.safetensors"):
        with mx.util.np_shape(), pytest.raises((DTypeError, FormatError), match="required, got"):
            nd.save(tmp_path / name, {"x": carried})


# ---- blocks


def passing(text: str, hybridize: bool) -> SymbolBlock:
    """A block that gives what it takes."""
    variable = sym.var("x", dtype=text)
    block = SymbolBlock(sym.identity(variable), variable)
    block.hybridize(hybridize)
    return block


def plain(value: Any) -> Any:
    """A value with lists in place of arrays."""
    if isinstance(value, nd.NDArray):
        return np.dtype(value.dtype).name, value.asnumpy().tolist()
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


PASSED: list[tuple[str, Any]] = [
    ("seq(tensor(float))", []),
    ("seq(tensor(float))", [nd.ones((2,)), nd.zeros((1, 3)), nd.zeros((0, 2))]),
    ("seq(tensor(int16))", [nd.array([1, -2], dtype="int16")]),
    ("seq(tensor(string))", [nd.array(["a", ""], dtype="string")]),
    ("optional(tensor(float))", None),
    ("optional(tensor(float))", nd.array([[1, 2]])),
    ("optional(seq(tensor(float)))", [nd.ones((2,))]),
]
DICTS: list[tuple[str, Any]] = [
    ("map(int64, float)", {1: 0.5, -2: 3.0}),
    ("map(string, int64)", {"a": 1, "": -2}),
    ("seq(map(string, float))", [{"a": 0.5}, {}]),
]


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize(("text", "value"), PASSED)
def test_blocks_take_and_give_pythons_values(text, value, hybridize):
    block = passing(text, hybridize)
    for _ in range(2):
        assert plain(block(value)) == plain(value)
    assert plain(copy.deepcopy(block)(value)) == plain(value)


@pytest.mark.parametrize(("text", "value"), DICTS)
def test_dicts(text, value):
    assert passing(text, False)(value) == value


@pytest.mark.parametrize("hybridize", [False, True])
def test_values_beside_arrays(hybridize):
    x, s = sym.var("x"), sym.var("s", dtype="seq(tensor(float))")
    block = SymbolBlock(sym.Group([sym.relu(x), sym.identity(s)]), [s, x])
    block.hybridize(hybridize)
    for count in (1, 2, 1):
        y, items = block([nd.ones((2,))] * count, nd.array([-1, 3]))
        assert plain([y, items]) == [("float32", [0, 3]), [("float32", [1, 1])] * count]


def test_files_keep_the_type(tmp_path):
    block = passing("seq(tensor(float))", True)
    block([nd.ones((2,))])
    names = block.export(str(tmp_path / "model"))
    again = SymbolBlock.imports(names[0], ["x"], names[1])
    assert plain(again([nd.ones((2,))])) == [("float32", [1, 1])]


@pytest.mark.parametrize(
    ("text", "value", "message"),
    [
        ("seq(tensor(float))", None, "a list for .*, got None"),
        ("seq(tensor(float))", nd.ones((1,)), "a list for .*, got an NDArray of float32"),
        ("seq(tensor(float))", [1.0], "an NDArray of float32, got 1.0 of float"),
        (
            "seq(tensor(float))",
            [nd.ones((1,), dtype="int32")],
            "an NDArray of float32, got an NDArray of int32",
        ),
        ("seq(tensor(string))", [[]], r"an NDArray of string, got \[\] of list"),
        ("optional(tensor(int64))", [], "an NDArray of int64, got"),
        ("map(int64, float)", [1], "a dict for .*, got"),
        ("map(int64, float)", {"a": 1.0}, "int64 in a dict, got 'a'"),
        ("map(int64, float)", {0.5: 1.0}, "int64 in a dict, got 0.5"),
        ("map(string, float)", {"a": "b"}, "float32 in a dict, got 'b'"),
        ("seq(map(string, float))", {"a": 1.0}, "a list for"),
    ],
)
def test_values_of_other_types_are_refused(text, value, message):
    with pytest.raises(RequirementError, match=rf"x: a value of type .* is required: {message}"):
        passing(text, False)(value)


def test_blocks_without_them_have_no_boundary():
    x = sym.var("x")
    assert SymbolBlock(sym.relu(x) + 1, x)._boundary is None


def test_cached_ops():
    call = nd.CachedOp(sym.identity(sym.var("s", dtype="seq(tensor(float))")))
    assert plain(call([nd.ones((2,))])) == [("float32", [1, 1])]


@pytest.mark.parametrize("name", dtypes.EXTENSIONS)
@pytest.mark.parametrize("alloc", [False, True])
def test_arrays_of_types_that_mxnet_lacks_pass_hybridized(name, alloc):
    x = nd.array(["a", "b"] if name == "string" else [1, 0], dtype=name)
    block = passing(name, True)
    block.hybridize(static_alloc=alloc)
    for _ in range(3):
        y = block(x)
        assert y.dtype is x.dtype
        assert y.asnumpy().tolist() == x.asnumpy().tolist() or name == "float8_e8m0fnu"  # without 0


@pytest.mark.parametrize("name", dtypes.EXTENSIONS)
def test_parameters_of_types_that_mxnet_lacks(name, tmp_path):
    value = nd.array(["a", "b"] if name == "string" else [1, 2], dtype=name)
    x, w = sym.var("x"), sym.var("w")
    block = SymbolBlock(sym.Group([sym.relu(x), sym.identity(w)]), x)
    weight = block.collect_params()["w"]
    weight._load_init(value, None, cast_dtype=True, dtype_source="saved")
    assert weight.grad_req == ("write" if name == "bfloat16" else "null")
    for hybridize in (False, True):
        block.hybridize(hybridize)
        assert block(nd.ones((1,)))[1].asnumpy().tolist() == value.asnumpy().tolist()
    names = block.export(str(tmp_path / "model"))
    again = SymbolBlock.imports(names[0], ["x"], names[1])
    assert again(nd.ones((1,)))[1].asnumpy().tolist() == value.asnumpy().tolist()


@pytest.mark.parametrize("name", dtypes.EXTENSIONS)
def test_parameters_of_such_types_are_exported(name, tmp_path):
    value = nd.array(["a", "b"] if name == "string" else [1, 2, 1], dtype=name)
    x, w = sym.var("x"), sym.var("w")
    graph, path = sym.Group([sym.relu(x), sym.identity(w)]), str(tmp_path / "model.onnx")

    def export() -> str:
        return mx.onnx.export_model(graph, {"w": value}, [(1,)], onnx_file_path=path, opset_version=NEWEST)

    if name not in signature("Identity", NEWEST).types["V"]:
        with pytest.raises(ConversionError, match=rf"Identity: ONNX at opset \d+ takes .*, got {name}"):
            export()
        return
    proto = onnx.load(export())
    (tensor,) = [t for t in proto.graph.initializer if t.data_type == elem_type(value.dtype)]
    assert onnx.numpy_helper.to_array(tensor).tolist() == value.asnumpy().tolist()
