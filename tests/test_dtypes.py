"""Element types that MXNet lacks and ONNX has, as arrays, in files, and where operators refuse them."""

from __future__ import annotations

import operator
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx import dtypes, nd, sym
from hybridonnx.converters import elements, values
from hybridonnx.converters.from_onnx import _reader
from hybridonnx.converters.opsets import signature
from hybridonnx.errors import AttributeValueError, ConversionError, DTypeError, FormatError

NUMBERS = [name for name in dtypes.EXTENSIONS if name != "string"]
SAMPLES: dict[str, list[Any]] = {
    **{name: [1.0, 0.5, -1.5, 2.0, 0.25] for name in NUMBERS},
    **{name: [1, -2, 7, 0, -8] for name in ("int16", "int4")},
    **{name: [1, 15, 0, 7, 8] for name in ("uint16", "uint32", "uint64", "uint4")},
    "int2": [1, -2, -1, 0, 1],
    "uint2": [3, 0, 1, 2, 3],
    "complex64": [1 + 2j, -0.5j, 3, 0, 1],
    "complex128": [1 + 2j, -0.5j, 3, 0, 1],
    "float8_e8m0fnu": [1.0, 0.5, 4.0, 2.0, 0.25],
    "float4_e2m1fn": [1.0, 0.5, -1.5, 2.0, 6.0],
    "string": ["a", "", "µ\0x", "b\n", "日本"],
}


def _codes() -> dict[str, int]:
    """ONNX's numbers of the types that the installed onnx knows by the dtypes that we have."""
    known = {}
    for code in TensorProto.DataType.values():
        try:
            dtype = helper.tensor_dtype_to_np_dtype(code)
            known[dtypes.name_of(dtypes.as_dtype(dtype))] = code
        except (DTypeError, KeyError):  # without a dtype, or with one of onnx's own
            continue
    return known | {"float32": TensorProto.FLOAT}


CODES = _codes()


def of(name: str) -> mx.nd.NDArray:
    return nd.array(SAMPLES[name], dtype=name)


def numpy_of(name: str) -> np.ndarray:
    if name == "string":
        return np.array(SAMPLES[name], object)
    kind = getattr(ml_dtypes, name, None) or name
    return np.array(SAMPLES[name]).astype(kind)


def same(x: Any, y: Any) -> None:
    """Equal to the last bit: -0.0 is none, and NaN is NaN."""
    assert (x.dtype, x.shape) == (y.dtype, y.shape)
    assert x.tolist() == y.tolist() if x.dtype == object else x.tobytes() == y.tobytes()


def test_neither_onnx_nor_ml_dtypes_is_loaded_for_native_types():
    lines = (
        "import sys, hybridonnx as mx",
        "mx.nd.array([1], dtype='int16').astype('float32') + 1",
        "mx.nd.array(['a'], dtype='string')",
        "assert not {'ml_dtypes', 'onnx', 'onnxruntime'} & {*sys.modules}",
        "mx.nd.array([1], dtype='bfloat16')",
        "assert 'ml_dtypes' in sys.modules",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


def test_without_the_package_it_is_named(monkeypatch):
    dtypes._of_ml_dtypes.cache_clear()
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(DTypeError, match=r"package ml_dtypes is required for int4.*pip install ml_dtypes"):
        nd.zeros((1,), dtype="int4")


# ---- names


@pytest.mark.parametrize("name", dtypes.EXTENSIONS)
def test_names_flags_and_dtypes_name_one_type(name):
    dtype = dtypes.as_dtype(name)
    assert dtype == numpy_of(name).dtype
    assert dtypes.as_dtype(numpy_of(name).dtype) == dtype
    assert dtypes.as_dtype(dtype.type) == dtype
    assert dtypes.name_of(dtype) == name
    assert dtypes.dtype_of_flag(dtypes.flag_of(dtype)) == dtype
    assert not dtypes.is_native(dtype)


def test_flags_of_types_that_mxnet_has_no_number_for_are_onnxs():
    for name, flag in dtypes.EXTENSIONS.items():
        assert flag < 100 or name not in CODES or flag == 100 + CODES[name]


def test_other_words_for_strings():
    for word in (str, "str", np.dtype("<U5"), np.str_, object, "O"):
        assert dtypes.as_dtype(word) == dtypes.strings


# ---- arrays


@pytest.mark.parametrize("name", dtypes.EXTENSIONS)
def test_arrays(name):
    x, expected = of(name), numpy_of(name)
    assert x.dtype is expected.dtype.type
    same(x.asnumpy(), expected)
    same(x.copy().asnumpy(), expected)
    same(x[1:3].asnumpy(), expected[1:3])
    same(x[::2].asnumpy(), expected[::2])
    same(x[nd.array([3, 0])].asnumpy(), expected[[3, 0]])
    same(x[2].asnumpy(), expected[2:3])
    same(x.reshape((5, 1)).asnumpy(), expected.reshape(5, 1))
    same(x.copyto(mx.cpu(1)).asnumpy(), expected)
    same(nd.array(x).asnumpy(), expected)
    assert str(expected) in repr(x)
    y = nd.zeros((5,), dtype=name)
    same(y.asnumpy(), np.full(5, "", object) if name == "string" else np.zeros(5, expected.dtype))
    y[:] = x
    same(y.asnumpy(), expected)
    y[0] = expected[3]
    y[[1, 2]] = expected[:2]
    same(y.asnumpy(), expected[[3, 0, 1, 3, 4]])
    assert x[1:2].item() == expected[1:2].item()


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_cast_as_numpy_casts_them(name):
    x, kind = of(name), numpy_of(name).dtype
    if kind.kind != "c":
        same(x.astype("float32").asnumpy(), numpy_of(name).astype(np.float32))
        same(x.astype("float32").astype(name).asnumpy(), numpy_of(name))
    same(nd.array([1, 0, 3]).astype(name).asnumpy(), np.array([1, 0, 3], np.float32).astype(kind))
    assert x.astype(name, copy=False) is x


def refused_calls() -> dict[str, Callable[[], object]]:
    text, number = nd.array(["1"], dtype="string"), nd.ones((1,))
    return {
        "number as text": lambda: number.astype("string"),
        "text as number": lambda: text.astype("float32"),
        "numbers in strings": lambda: nd.array([1], dtype="string"),
        "None in strings": lambda: nd.array([None], dtype="string"),
        "ones": lambda: nd.ones((1,), dtype="string"),
        "a number into strings": lambda: operator.setitem(text, 0, 1),
        "text into numbers": lambda: operator.setitem(number, 0, "1"),
        "imaginary part": lambda: of("complex64").astype("float32"),
        "imaginary part in place": lambda: operator.setitem(number, 0, of("complex64")[1]),
        "gradients of text": text.attach_grad,
        "sparse": lambda: nd.zeros((1, 1), dtype="int16", stype="csr"),
        "sparse cast": lambda: nd.zeros((1, 1), stype="csr").astype("int16"),
        "a sequence": lambda: nd.array([1], dtype="seq(tensor(float))"),
    }


@pytest.mark.parametrize("name", refused_calls())
def test_what_would_lose_meaning_is_refused(name):
    with pytest.raises(TypeError, match=r"required"):
        refused_calls()[name]()


def test_no_cast_is_lost_on_the_tape():
    x = nd.ones((2,))
    x.attach_grad()
    with mx.autograd.record():
        y = x * 2
        with pytest.raises(DTypeError, match="while autograd records"):
            y.astype("int16")
        assert y.detach().astype("int16").dtype is np.int16
        z = y.astype("bfloat16")
    z.backward()
    assert z.dtype is ml_dtypes.bfloat16
    assert x.grad.asnumpy().tolist() == [2, 2]


# ---- operators


@pytest.mark.parametrize("name", [name for name in dtypes.EXTENSIONS if name != "bfloat16"])
def test_mxnets_operators_name_themselves_and_the_type(name):
    x = of(name)
    for call in (lambda: x + x, lambda: nd.broadcast_add(nd.ones((5,)), x), lambda: x == x, lambda: x * 2):
        with pytest.raises(DTypeError, match=rf"_?\w+: one of MXNet's types, .* got {name}\."):
            call()
    with pytest.raises(DTypeError, match=rf"for rhs, got {name}"):
        nd.broadcast_add(nd.ones((5,)), x)
    with pytest.raises(AttributeValueError, match="dtype must be a dtype, one of float32"):
        nd.Cast(nd.ones((1,)), dtype=name)


def test_symbols_refuse_them_by_the_node():
    total = sym.broadcast_add(sym.var("a", dtype="int16"), sym.var("b"), name="total")
    with pytest.raises(DTypeError, match=r"broadcast_add: one of MXNet's types.*for lhs, got int16"):
        total.infer_type()


# ---- files


def test_params_hold_every_type(tmp_path):
    arrays = {name: of(name) for name in dtypes.EXTENSIONS}
    arrays |= {f"{name}_empty": nd.zeros((0, 3), dtype=name) for name in dtypes.EXTENSIONS}
    arrays |= {f"{name}_grid": of(name).reshape((5, 1, 1)) for name in dtypes.EXTENSIONS}
    nd.save(tmp_path / "x.params", arrays)
    loaded = nd.load(tmp_path / "x.params")
    assert [*loaded] == [*arrays]
    for name, x in arrays.items():
        same(loaded[name].asnumpy(), x.asnumpy())


def written(tmp_path, x: mx.nd.NDArray) -> bytes:
    """What a file says of an array of one axis behind the device."""
    nd.save(tmp_path / "x.params", [x])
    return (tmp_path / "x.params").read_bytes()[52:-8]


@pytest.mark.parametrize("name", [n for n in NUMBERS if n in CODES and dtypes.is_packed(dtypes.as_dtype(n))])
def test_files_pack_elements_as_onnx_does(name, tmp_path):
    tensor = numpy_helper.from_array(numpy_of(name))
    flag = dtypes.EXTENSIONS[name].to_bytes(4, "little")
    assert written(tmp_path, of(name)) == flag + tensor.raw_data


def test_files_hold_strings_with_their_lengths(tmp_path):
    x = nd.array(["µ\0", ""], dtype="string")  # NumPy's own text ends at a NUL
    expected = (108).to_bytes(4, "little") + (3).to_bytes(8, "little") + "µ\0".encode() + bytes(8)
    assert written(tmp_path, x) == expected
    with pytest.raises(FormatError, match="strings that UTF-8 can say"):
        nd.save(tmp_path / "x.params", [nd.array(["\ud800"], dtype="string")])


READ = "import sys, mxnet as mx; print({k: v.asnumpy().tolist() for k, v in mx.nd.load(sys.argv[1]).items()})"


@pytest.mark.oracle
@pytest.mark.parametrize("name", dtypes.EXTENSIONS)
def test_what_mxnet_says_of_such_a_file(name, oracle, tmp_path):
    path = str(tmp_path / "x.params")
    nd.save(path, {"x": of(name)})
    result = subprocess.run([oracle, "-c", READ, path], capture_output=True, text=True, check=False)
    if name == "bfloat16":  # as an array of their bits
        assert f"'x': {[(int(b),) for b in numpy_of(name).view(np.uint16)]}" in result.stdout
    else:
        assert f"Unknown type enum {dtypes.EXTENSIONS[name]}" in result.stderr


# ---- ONNX


def model_array(tensor: TensorProto) -> np.ndarray:
    return _reader.Model(helper.make_model(helper.make_graph([], "g", [], [])), None, "model").array(tensor)


@pytest.mark.parametrize("name", [name for name in CODES if name in dtypes.EXTENSIONS])
def test_tensors_are_onnxs(name):
    array = numpy_of(name).reshape(5, 1)
    tensor = values.to_tensor("x", array)
    assert tensor == numpy_helper.from_array(array, "x")
    same(numpy_helper.to_array(tensor), array)
    same(model_array(tensor), array)


@pytest.mark.parametrize("name", CODES)
def test_elements_outside_of_raw_data(name):
    array = numpy_of(name) if name in dtypes.EXTENSIONS else np.array([1, 0, 1, 1, 0]).astype(name)
    plain = array.tolist() if array.dtype.kind in "fiubcO" and array.dtype.isbuiltin == 1 else array
    tensor = helper.make_tensor("x", CODES[name], [5], plain)
    assert not tensor.HasField("raw_data")
    same(model_array(tensor), array)
    tensor.dims[0] = 9
    with pytest.raises(FormatError, match=r"9 elements are required .* of tensor x, got another number"):
        model_array(tensor)


def test_damaged_tensors():
    with pytest.raises(FormatError, match="3 bytes are required for tensor x, got 2"):
        model_array(TensorProto(name="x", data_type=CODES["int4"], dims=[5], raw_data=b"ab"))
    strange = TensorProto(name="x", data_type=CODES["string"], dims=[1], string_data=[b"\xff"])
    with pytest.raises(FormatError, match=r"tensor x is damaged.*utf-8"):
        model_array(strange)
    large = TensorProto(name="x", data_type=CODES["int8"], dims=[1], int32_data=[300])
    with pytest.raises(FormatError, match="tensor x is damaged"):
        model_array(large)


@pytest.mark.parametrize("name", CODES)
def test_declarations_are_onnxs(name):
    dtype = dtypes.as_dtype(name)
    declared = values.value_info("x", dtype, (1, "n", None))
    assert declared == helper.make_tensor_value_info("x", CODES[name], (1, "n", None))
    assert values.dtype_of_type(declared.type) == dtype
    assert elements.dtype_of(CODES[name]) == dtype


def test_signatures_have_all_of_them():
    (constraint,) = signature("Identity", 21).schema.type_constraints
    known = {elements.dtype_of_type_string(text) for text in constraint.allowed_type_strs}
    assert {dtypes.as_dtype(name) for name in ("int16", "bfloat16", "string", "complex64")} <= known
    assert "string" in signature("Equal", 19).types["T"]
    assert "string" not in signature("Add", 14).types["T"]


def test_types_that_nobody_has():
    with pytest.raises(ConversionError, match="1000 is not supported"):
        elements.dtype_of(1000)
    with pytest.raises(ConversionError, match="UNDEFINED is not supported"):
        elements.dtype_of(0)
    with pytest.raises(ConversionError, match="no element type seq"):
        elements.elem_type(dtypes.container("seq(tensor(float))"))
