"""Arrays: what they are made of, print, compute, and refuse; against real MXNet (oracle/ndarray.json)."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.errors import AttributeValueError, DTypeError, MXNetError, ShapeError
from hybridonnx.ops import FLUENT
from hybridonnx.symbol.symbol import Symbol
from tests import snippets

FACTS = json.loads((Path(__file__).parent / "oracle" / "ndarray.json").read_text())
DTYPES = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool")
GPU = mx.gpu(0)


def rows(*groups):
    return [pytest.param(*row, id=f"{group}{i}") for group in groups for i, row in enumerate(FACTS[group])]


@pytest.mark.parametrize(("text", "expected"), rows("creation", "contexts", "printing", "files"))
def test_making_and_printing(text, expected):
    snippets.check(text, expected, mx=mx, nd=nd)


@pytest.mark.parametrize(("text", "expected"), rows("arithmetic", "in place", "scalars", "named"))
def test_arithmetic(text, expected):
    snippets.check(text, expected, mx=mx, nd=nd)


@pytest.mark.parametrize(("text", "expected"), rows("methods"))
def test_methods(text, expected):
    snippets.check(text, expected, mx=mx, nd=nd)


# ---- names

ELSEWHERE = {
    "NDArray": {
        "__del__": "memory is Python's",
        "__div__": "Python 2",
        "__idiv__": "Python 2",
        "__nonzero__": "Python 2",
        "__rdiv__": "Python 2",
        "handle": "there is no C library",
    },
    "nd": {
        "get_indexing_dispatch_code": "of MXNet's indexing",
        "get_oshape_of_gather_nd_op": "of MXNet's indexing",
        "indexing_key_expand_implicit_axes": "of MXNet's indexing",
    },
    "nd.random": {"current_context": "imported there by chance"},
}
"""Names of MXNet's that are not here, and why."""


@pytest.mark.parametrize("space", ["NDArray", "nd", "nd.random", "random", "autograd", "context"])
def test_names_are_mxnets(space):
    owners = {
        "NDArray": nd.NDArray,
        "nd": nd,
        "nd.random": nd.random,
        "random": mx.random,
        "autograd": autograd,
        "context": mx.context,
    }
    missing = {name for name in FACTS["names"][space] if not hasattr(owners[space], name)}
    assert missing == set(ELSEWHERE.get(space, {}))


@pytest.mark.parametrize("name", FLUENT)
def test_methods_of_arrays_are_methods_of_symbols(name):
    assert callable(getattr(nd.NDArray, name))
    assert callable(getattr(Symbol, name))


@pytest.mark.parametrize(
    "name", ["array", "random", "contrib", "linalg", "Convolution", "split_v2", "NDArray"]
)
def test_names_are_listed(name):
    assert name in dir(nd)


@pytest.mark.parametrize(
    ("space", "name"), [(nd, "Convolutoin"), (nd.contrib, "boolean_msak"), (nd.random, "unifrom_like")]
)
def test_unknown_names_suggest_known_ones(space, name):
    with pytest.raises(AttributeError, match=r"Did you mean"):
        getattr(space, name)


# ---- making them


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_can_be_made_read_and_written(dtype):
    for x in (
        nd.array([1, 0], dtype=dtype),
        nd.array([1, 0]).astype(dtype),
        nd.from_numpy(np.array([1, 0], dtype)),
        nd.array(nd.array([1, 0], dtype=dtype)),
        nd.array([1, 0], dtype=getattr(np, dtype + "_" if dtype == "bool" else dtype)),
    ):
        assert x.dtype is np.dtype(dtype).type
        assert x.asnumpy().tolist() == [1, 0]
    for create in (nd.zeros, nd.ones, nd.empty):
        assert create((2, 3), dtype=dtype).asnumpy().dtype == dtype
    assert nd.full((2,), 1, dtype=dtype).asnumpy().tolist() == [1, 1]
    array = nd.zeros((2,), dtype=dtype)
    array[1] = 1
    assert array[1].asscalar() == 1


@pytest.mark.parametrize("dtype", ["int128", "bytes", "datetime64", ">f4", "foo"])
def test_other_dtypes_are_refused_by_name(dtype):
    for call in (lambda: nd.zeros((1,), dtype=dtype), lambda: nd.ones((1,)).astype(dtype)):
        with pytest.raises(DTypeError, match=r"one of float32, .* is required, got"):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: nd.array([1], ctx=GPU),
        lambda: nd.zeros((1,), ctx=GPU),
        lambda: nd.arange(3, ctx=GPU),
        lambda: nd.eye(3, ctx=GPU),
        lambda: nd.full((1,), 2, ctx=GPU),
        lambda: nd.ones((1,)).as_in_context(GPU),
        lambda: nd.ones((1,)).copyto(GPU),
        lambda: nd.random.uniform(shape=(2,), ctx=GPU),
        lambda: nd._zeros(shape=(2,), ctx=GPU),
    ],
)
def test_arrays_on_a_gpu_are_refused(call):
    with pytest.raises(MXNetError, match=r"gpu\(0\): a GPU is required, got number 0 of 0\. Use mx\.cpu\(\)"):
        call()


def test_the_current_context_is_refused_too():
    with GPU, pytest.raises(MXNetError, match=r"gpu\(0\)"):
        nd.ones((1,))
    with GPU, pytest.raises(MXNetError, match=r"gpu\(0\)"):
        nd.random.normal()


def test_making_from_other_arrays():
    parts = [nd.ones((2,)), nd.zeros((2,))]
    assert nd.array(parts).shape == (2, 2)
    assert np.array(parts[0]).tolist() == [1, 1]
    assert np.asarray(parts[0], dtype="int32").dtype == np.int32
    assert nd.array(np.array(3, "float64")).dtype is np.float32


def test_zero_sizes_are_possible():
    assert nd.zeros((0, 3)).shape == (0, 3)
    assert (nd.zeros((0, 3)) + 1).shape == (0, 3)
    assert nd.ones((2, 3))[1:1].sum(axis=0).asnumpy().tolist() == [0, 0, 0]


def test_errors_of_making_tell_what_is_required():
    with pytest.raises(MXNetError, match="a step that leads from 5 to 0 is required, got 1"):
        nd.arange(5, 0)
    with pytest.raises(ValueError, match=r"different axes of shape \(2, 3\)"):
        nd.moveaxis(nd.ones((2, 3)), [0, 0], [1, 0])
    with pytest.raises(ValueError, match="as many destinations as sources"):
        nd.moveaxis(nd.ones((2, 3)), [0, 1], [1])
    with pytest.raises(MXNetError, match="at least one array"):
        nd.concatenate([])
    with pytest.raises(ValueError, match="bins must be"):
        nd.histogram(nd.ones((2,)), bins="auto")
    with pytest.raises(TypeError, match="rows of one length"):
        nd.array([[1], [1, 2]])


def test_memory_is_shared_with_numpy_where_it_is_said():
    source = np.zeros((2, 2), np.float32)
    shared = nd.from_numpy(source)
    assert not source.flags.writeable
    shared[0, 0] = 5
    assert source[0, 0] == 5
    assert not nd.from_numpy(source).writable
    source = np.zeros((2, 2), np.float32)
    nd.from_numpy(source, zero_copy=False)[:] = 5
    nd.array(source)[:] = 6
    array = nd.zeros((2,))
    array.asnumpy()[:] = 7
    assert source.sum() == array.asnumpy().sum() == 0


def test_dlpack():
    x = nd.arange(6).reshape((2, 3))
    assert np.from_dlpack(x).tolist() == x.asnumpy().tolist()
    assert nd.from_dlpack(x.to_dlpack_for_read()).asnumpy().tolist() == x.asnumpy().tolist()
    shared = nd.from_dlpack(source := np.zeros((2,), "int32"))
    shared[0] = 5
    assert source[0] == 5
    assert nd.from_dlpack(nd.to_dlpack_for_write(x)).writable
    assert nd.from_dlpack(np.zeros((2,), "int16")).dtype is np.int16


def test_copies_leave_the_tape_behind():
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
    for again in (copy.copy(y), copy.deepcopy(y), pickle.loads(pickle.dumps(y))):  # noqa: S301  (our own)
        assert again.asnumpy().tolist() == [2, 4]
        with pytest.raises(MXNetError, match="not in a computational graph"):
            again.backward()
    assert copy.deepcopy(x).grad is None


# ---- arithmetic that MXNet gets wrong, or dies of


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
@pytest.mark.parametrize("text", ["a / b", "a % b", "a / 0", "a % 0", "7 / b", "7 % b", "a / 0.5"])
def test_integers_divided_by_zero_are_zero(dtype, text):
    quotient = eval(text, {name: nd.array(v, dtype=dtype) for name, v in {"a": [7, 0], "b": [0, 0]}.items()})
    assert quotient.asnumpy().tolist() == [0, 0]
    assert quotient.dtype is np.dtype(dtype).type


def test_both_zeros_are_kept_apart():
    x = nd.array([1.0])
    assert (x / 0.0).asscalar() == np.inf
    assert (x / -0.0).asscalar() == -np.inf
    assert np.signbit((x * -0.0).asscalar())
    assert not np.signbit((x * 0.0).asscalar())
    assert np.signbit(nd._mul_scalar(x, scalar=-0.0).asscalar())


def test_numbers_of_every_kind_are_taken():
    x = nd.array([3], dtype="int32")
    for two in (2, 2.0, np.int8(2), np.float32(2), np.uint64(2), np.array(2)[()]):
        assert (x * two).asnumpy().tolist() == (two * x).asnumpy().tolist() == [6]
        assert (two - x).asnumpy().tolist() == [-1]
    for one in (True, np.True_):
        assert (x + one).asnumpy().tolist() == [4]


@pytest.mark.parametrize("stranger", [None, "a", [1], (1,), {}, np.ones(1), 2j, object()])
def test_other_operands_are_refused(stranger):
    x = nd.ones((1,))
    for call in (
        lambda: x + stranger,
        lambda: stranger - x,
        lambda: x == stranger,
        lambda: x > stranger,
        lambda: nd.add(x, stranger),
        lambda: nd.maximum(stranger, x),
    ):
        with pytest.raises(TypeError, match=r"not supported: an NDArray or a number is required"):
            call()


def test_shapes_and_dtypes_that_do_not_fit_are_told():
    with pytest.raises(ShapeError, match=r"broadcast_add.*\(2, 3\).*\(2,\)"):
        nd.ones((2, 3)) + nd.ones((2,))
    with pytest.raises(DTypeError, match=r"broadcast_mul: inputs of one dtype .*float32.*int32.*astype"):
        nd.ones((2,)) * nd.ones((2,), dtype="int32")
    x = nd.ones((2,))
    with pytest.raises(ShapeError, match=r"a result of shape \(2,\) is required, got \(2, 2\)"):
        x += nd.ones((2, 2))
    with pytest.raises(MXNetError, match=r"exp: .*got int"):
        nd.exp(1)
    with pytest.raises(TypeError, match="reshape: a shape"):
        nd.ones((2,)).reshape()


def test_changes_in_place_keep_memory_and_dtype():
    x = nd.array([[1, 2], [3, 4]], dtype="int32")
    row, memory = x[1], x._data
    x *= 2.9
    x -= nd.array([1, 1], dtype="int32")
    assert x._data is memory
    assert x.dtype is np.int32
    assert row.asnumpy().tolist() == [5, 7]


def test_arrays_are_keys_by_identity():
    x, y = nd.ones((2,)), nd.ones((2,))
    assert {x: 1, y: 2}[y] == 2


@pytest.mark.parametrize(
    ("values", "flags"), [([1, np.nan], [0, 1]), ([np.inf, -np.inf], [0, 0]), ([0, -1], [0, 0])]
)
def test_isnan(values, flags):
    x = nd.array(values)
    assert nd.contrib.isnan(x).asnumpy().tolist() == flags
    assert nd.contrib.isinf(x).asnumpy().tolist() == np.isinf(values).astype(float).tolist()
    assert nd.contrib.isfinite(x).asnumpy().tolist() == np.isfinite(values).astype(float).tolist()


# ---- reshaping

CODES = [
    ((2, 3, 4), (0, -1), (2, 12)),
    ((2, 3, 4), (-1, 0, 0), (2, 3, 4)),
    ((2, 3, 4), (-2,), (2, 3, 4)),
    ((2, 3, 4), (-3, 4), (6, 4)),
    ((2, 3, 4), (2, -3), (2, 12)),
    ((8, 3), (-4, 2, 4, 0), (2, 4, 3)),
    ((8, 3), (-4, -1, 2, -2), (4, 2, 3)),
    ((8, 3), (-4, 4, -1, -2), (4, 2, 3)),
    ((2, 3, 4, 5), (-3, -3), (6, 20)),
    ((2, 3, 4, 5), (0, -3, 0), (2, 12, 5)),
    ((2, 6, 4), (0, -4, 2, 3, -2), (2, 2, 3, 4)),
    ((6,), (2, 3), (2, 3)),
    ((1, 1), (1,), (1,)),
]


@pytest.mark.parametrize(("shape", "codes", "expected"), CODES)
def test_reshape_codes(shape, codes, expected):
    x = nd.arange(int(np.prod(shape))).reshape(shape)
    for reshaped in (x.reshape(codes), x.reshape(shape=codes), x.reshape(*codes), nd.reshape(x, shape=codes)):
        assert reshaped.shape == expected
        assert reshaped.asnumpy().ravel().tolist() == list(range(x.size))


@pytest.mark.parametrize(
    ("shape", "codes", "expected"),
    [
        ((8, 3), (-1, 0), (8, 3)),
        ((10, 5, 4), (-1, 0), (50, 4)),
        ((10, 5, 4), (0, -1), (5, 40)),
        ((10, 5, 4), (-1, 0, 0), (10, 5, 4)),
    ],
)
def test_reversed_reshape_matches_from_the_right(shape, codes, expected):
    sizes = nd.zeros(shape).reshape(codes, reverse=True).shape
    # From the right: 0 copies the size as far from the end.
    mirrored = nd.zeros(shape[::-1]).reshape(codes[::-1]).shape[::-1]
    assert sizes == mirrored == expected


@pytest.mark.parametrize(
    "codes", [(-1, -1), (7, -1), (5, 5), (2, 2), (0, 0, 0, 0), (-3, -3), (-4, 5, 5, -2), (-5,)]
)
def test_impossible_shapes_are_refused(codes):
    with pytest.raises((ShapeError, AttributeValueError), match=r"Reshape: .*required"):
        nd.zeros((2, 3, 4)).reshape(codes)


# ---- contexts


def test_contexts_of_the_processor_mix():
    a, b = nd.ones((2,), mx.cpu(1)), nd.ones((2,), mx.cpu(2))
    assert (a + b).context == mx.cpu(1)
    assert nd.concat(b, a, dim=0).context == mx.cpu(2)
    a.attach_grad()
    with autograd.record():
        y = (a.as_in_context(mx.cpu(3)) * b).sum()
    y.backward()
    assert a.grad.asnumpy().tolist() == [1, 1]
    assert a.grad.context == mx.cpu(1)


def test_copyto_casts_and_refuses_other_shapes():
    target = nd.zeros((2,), mx.cpu(1), dtype="int32")
    assert nd.array([1.7, -1.7]).copyto(target) is target
    assert target.asnumpy().tolist() == [1, -1]
    assert target.context == mx.cpu(1)
    with pytest.raises(ShapeError, match=r"shape \(2,\) is required, got \(1, 2\)"):
        nd.zeros((2,)).copyto(nd.zeros((1, 2)))
    with pytest.raises(MXNetError, match="cannot be copied into itself"):
        target.copyto(target)


def test_waiting_is_nothing_to_wait_for():
    x = nd.ones((2,))
    assert x.wait_to_read() is x.wait_to_write() is nd.waitall() is None


def test_attributes_that_are_equal_but_of_another_type_are_no_key():
    x, weight = nd.ones((1, 1, 5, 5)), nd.ones((1, 1, 3, 3))
    nd.Convolution(x, weight, kernel=(3, 3), num_filter=1, no_bias=True)
    with pytest.raises(mx.MXNetError, match="kernel"):  # as in MXNet, whatever was called before
        nd.Convolution(x, weight, kernel=(3.0, 3.0), num_filter=1, no_bias=True)


def test_onehot_encode_of_other_sizes_is_refused():  # MXNet: "OneHotEncode shape inconsistent"
    with pytest.raises(MXNetError, match=r"onehot_encode: indices \(N,\) and out \(N, depth\) are required"):
        nd.onehot_encode(nd.array([1, 0]), nd.zeros((3, 3)))
    assert nd.onehot_encode(nd.array([1, 0]), nd.zeros((2, 3))).asnumpy().tolist() == [[0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (
            lambda: nd.exp(nd.ones(2), out=nd.ones(2, dtype="float64")),
            "exp: out of dtype float32 is required",
        ),
        (lambda: nd.split(nd.ones(2), 2, axis=0, out=nd.ones(1)), "out of 2 arrays is required, got 1"),
        (lambda: nd.exp(nd.ones(2), out=[nd.ones(2), nd.ones(2)]), "out of 1 arrays is required, got 2"),
    ],
)
def test_out_must_fit(call, match):  # MXNet: "Incompatible attr", "expects 2 outputs"
    with pytest.raises(MXNetError, match=match):
        call()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_one_element_is_a_number_for_python_and_in_text(dtype):
    x: Any = nd.array([[3]], dtype=dtype)
    assert (float(x), int(x), bool(x), x.asscalar(), x.item()) == (3.0, 3, True, 3, 3)
    assert ("%f" % x, "%d" % x, "%.1f" % x.asscalar()) == ("3.000000", "3", "3.0")  # noqa: UP031
    assert (f"{x:.2f}", f"{x}") == ("3.00", str(x))
    several = nd.ones((2,))
    for use in (float, int, "{:.2f}".format):
        with pytest.raises(TypeError):
            use(several)


def test_arrays_tell_dtypes():
    """As MXNet 1.9.1 takes them; NumPy arrays are refused there as well."""
    like, x = mx.nd.array([1, 2], dtype="int32"), mx.nd.ones((2,))
    made = (
        x.astype(like),
        mx.nd.zeros((2,), dtype=like),
        mx.nd.cast(x, dtype=like),
        mx.nd.arange(3, dtype=like),
    )
    assert {y.dtype for y in made} == {np.int32}
    assert like.astype(like, copy=False) is like
    with pytest.raises(TypeError):
        x.astype(np.ones(1, "int8"))


def test_ranges_without_a_dtype_are_float32_and_with_none_float64():
    for make in (lambda **dtype: mx.nd.arange(3, **dtype), lambda **dtype: mx.nd.linspace(0, 1, 3, **dtype)):
        assert (make().dtype, make(dtype=None).dtype) == (np.float32, np.float64)


def test_broadcast_like_takes_another_array():
    assert mx.nd.ones((2, 1)).broadcast_like(other=mx.nd.ones((2, 3))).asnumpy().tolist() == [[1, 1, 1]] * 2
    with pytest.raises(TypeError, match="rhs"):
        mx.nd.ones((2, 1)).broadcast_like(rhs=mx.nd.ones((2, 3)))
