"""Sparse storage types: made, densified, and never written to by accident."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx import nd
from hybridonnx.converters import to_onnx
from hybridonnx.errors import MXNetError, ShapeError
from hybridonnx.ops import Spec, SymbolicDim

sparse = mx.nd.sparse
DENSE = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]], np.float32)


@pytest.fixture
def csr():
    return sparse.csr_matrix(([1, 2, 3], [0, 2, 1], [0, 2, 2, 3]), shape=(3, 3))


@pytest.fixture
def rows():
    return sparse.row_sparse_array((DENSE[[2, 0]], [2, 0]), shape=(3, 3))


@pytest.fixture(params=["csr", "rows"])
def either(request):
    return request.getfixturevalue(request.param)


def same(array, expected):
    assert array.shape == expected.shape
    assert array.asnumpy().tobytes() == expected.tobytes()


def test_parts(csr, rows):
    assert csr.stype == "csr"
    same(csr.data, np.array([1, 2, 3], np.float32))
    same(csr.indices, np.array([0, 2, 1]))
    same(csr.indptr, np.array([0, 2, 2, 3]))
    assert rows.stype == "row_sparse"
    same(rows.data, DENSE[[0, 2]])
    same(rows.indices, np.array([0, 2]))


def test_what_it_is(either):
    assert isinstance(either, mx.nd.NDArray)
    assert isinstance(either, sparse.BaseSparseNDArray)
    assert (either.shape, either.ndim, either.size, len(either)) == ((3, 3), 2, 9, 3)
    assert either.dtype is np.float32
    assert str(either.context) == "cpu(0)"
    assert repr(either) == f"\n<{type(either).__name__} 3x3 @cpu(0)>"
    either.check_format()


def test_dense_values(either):
    same(either, DENSE)
    dense = either.tostype("default")
    assert type(dense) is mx.nd.NDArray
    dense[0] = 7
    same(either, DENSE)
    assert either.tostype(either.stype) is either


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool"])
@pytest.mark.parametrize("shape", [(3, 3), (1, 1), (4, 2), (0, 3), (3, 0), (2, 9)])
def test_there_and_back(stype, dtype, shape, rng):
    values = (rng.random(shape) * (rng.random(shape) > 0.6) * 9).astype(dtype)
    there = mx.nd.NDArray(values).tostype(stype)
    assert there.stype == stype
    same(there, values)
    same(there.tostype("default"), values)
    assert not (there.data.asnumpy() == 0).any() or stype == "row_sparse"


def test_rows_of_other_ranks():
    for values in (np.array([0.0, 2, 0]), np.arange(8.0).reshape(2, 2, 2) * [[[0]], [[1]]]):
        same(mx.nd.NDArray(values).tostype("row_sparse"), values)


def test_conversions_that_are_not_there(csr, rows):
    with pytest.raises(ValueError, match="csr to row_sparse"):
        csr.tostype("row_sparse")
    with pytest.raises(ValueError, match="row_sparse to csr"):
        rows.tostype("csr")
    with pytest.raises(ValueError, match="2 axes is required"):
        mx.nd.ones((2, 2, 2)).tostype("csr")
    with pytest.raises(MXNetError, match="foo"):
        mx.nd.ones((2, 2)).tostype("foo")


def test_copies(either):
    other = either.copy()
    assert type(other) is type(either)
    other.stored.data[...] = 9
    same(either, DENSE)
    same(either.astype("float64"), DENSE.astype("float64"))
    assert either.astype("float32", copy=False) is either
    assert either.as_in_context(mx.cpu()) is either
    target = mx.nd.zeros((3, 3))
    either.copyto(target)
    same(target, DENSE)
    assert either.copyto(mx.cpu(1)).context == mx.cpu(1)
    same(sparse.array(either), DENSE)


def test_operators_take_dense_values(either):
    same(mx.nd.exp(either), np.exp(DENSE))
    same(either + 1, DENSE + 1)
    same(either * either, DENSE * DENSE)
    same(either.sum(axis=0), DENSE.sum(axis=0))


def test_items_are_copies(either):
    item = either[1:]
    same(item, DENSE[1:])
    item[:] = 7
    same(either, DENSE)


def test_parts_are_not_written(either):
    for key in (0, slice(0, 2), (slice(None), 0), ...):
        with pytest.raises(MXNetError, match="tostype"):
            either[key] = 1
    with pytest.raises(MXNetError, match="tostype"):
        either.reshape((9,))
    same(either, DENSE)


def test_results_are_received(either):
    stype = either.stype
    mx.nd.square(either, out=either)
    same(either, DENSE**2)
    assert either.stype == stype


def test_zeros():
    for stype in ("csr", "row_sparse", "default"):
        array = sparse.zeros(stype, (2, 3), dtype="float64")
        assert array.stype == stype
        same(array, np.zeros((2, 3)))
    same(sparse.csr_matrix((2, 3)), np.zeros((2, 3), np.float32))
    same(sparse.row_sparse_array((2, 3)), np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match="foo"):
        sparse.zeros("foo", (2, 3))


def test_made_of_dense_values():
    for source in (DENSE, DENSE.tolist(), mx.nd.array(DENSE)):
        same(sparse.csr_matrix(source), DENSE)
        same(sparse.row_sparse_array(source), DENSE)


def test_shape_is_inferred():
    assert sparse.csr_matrix(([1, 2], [0, 5], [0, 1, 2])).shape == (2, 6)
    assert sparse.row_sparse_array(([[1, 2]], [4])).shape == (5, 2)


@pytest.mark.parametrize(
    ("data", "indices", "indptr"),
    [([1, 2], [0, 3], [0, 2]), ([1, 2], [0, -1], [0, 2]), ([1, 2], [0, 1], [0, 1]), ([1], [0, 1], [0, 2])],
)
def test_csr_indices_must_fit(data, indices, indptr):
    with pytest.raises(ShapeError, match="csr"):
        sparse.csr_matrix((data, indices, indptr), shape=(1, 3))


def test_row_indices_must_fit():
    for rows in ([0, 3], [-1, 0], [0]):
        with pytest.raises(ShapeError, match="row_sparse"):
            sparse.row_sparse_array((np.ones((2, 3)), rows), shape=(3, 3))


def test_tuples_of_other_lengths():
    for make in (sparse.csr_matrix, sparse.row_sparse_array):
        with pytest.raises(ValueError, match="a tuple of 4"):
            make(([1], [2], [3], [4]))
    with pytest.raises(ValueError, match=r"nd\.array"):
        sparse.array(DENSE)


def test_operators_of_the_namespace():
    same(sparse.square(mx.nd.array(DENSE)), DENSE * DENSE)
    with pytest.raises(AttributeError):
        _ = sparse.no_such_operator


# ---- numbers of values, and edges of graphs

GRAPH = (np.array([1, 2, 3, 4.0, 5, 0]), [0, 2, 1, 0, 2, 3], [0, 2, 3, 6])


def test_numbers_of_stored_values():
    matrix = nd.sparse.csr_matrix(GRAPH, shape=(3, 4))
    for axis, expected in ((None, [6]), (1, [2, 1, 3])):
        counts = nd.contrib.getnnz(matrix, axis=axis)
        assert counts.dtype is np.int64
        assert counts.asnumpy().tolist() == expected
    assert nd.contrib.getnnz(nd.sparse.zeros("csr", (2, 3))).asnumpy().tolist() == [0]
    with pytest.raises(MXNetError, match="axis None or 1 is required, got 0"):
        nd.contrib.getnnz(matrix, axis=0)
    with pytest.raises(MXNetError, match="a CSR matrix is required, got NDArray"):
        nd.contrib.getnnz(nd.ones((2, 3)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_edges_of_a_graph(dtype):
    """As real MXNet has them; a stored zero is an edge."""
    graph = nd.sparse.csr_matrix(GRAPH, shape=(3, 4)).astype(dtype)
    u, v = nd.array([0, 0, 1, 2, 2, 1, 2]), nd.array([0, 1, 1, 3, 0, 3, 9])
    ids = nd.contrib.edge_id(graph, u, v)
    assert ids.dtype is np.dtype(dtype).type
    assert ids.asnumpy().tolist() == [1, -1, 3, 0, 4, -1, -1]
    empty = nd.sparse.zeros("csr", (3, 4), dtype=dtype)
    assert nd.contrib.edge_id(empty, u, v).asnumpy().tolist() == [-1] * 7
    with pytest.raises(MXNetError, match="rows below 3 are required"):
        nd.contrib.edge_id(graph, nd.array([3]), nd.array([0]))
    with pytest.raises(MXNetError, match="as many rows and columns"):
        nd.contrib.edge_id(graph, nd.array([0, 1]), nd.array([0]))


# ---- made of coordinates and SciPy's matrices


@pytest.mark.parametrize("shape", [None, (4, 4)])
def test_coordinates(shape):
    """Values of one element are added, as real MXNet's, which asks SciPy, are."""
    made = sparse.csr_matrix((np.array([1, 2, 3]), ([2, 0, 2], [0, 1, 0])), shape=shape)
    expected = np.zeros(shape or (3, 2), np.int64)
    expected[0, 1], expected[2, 0] = 2, 4
    same(made, expected)
    same(made.data, np.array([2, 4]))
    made.check_format()
    for rows, columns in (([5], [0]), ([0], [5]), ([-1], [0]), ([0, 1], [0])):
        with pytest.raises(ShapeError, match="csr"):
            sparse.csr_matrix(([1], (rows, columns)), shape=(4, 4))


class _SciPyMatrix:
    """What is asked of SciPy's CSR matrices."""

    format = "csr"
    shape = (2, 3)
    data, indices, indptr = (
        np.array([1, 3.0, 2]),
        np.array([1, 2, 0], np.int32),
        np.array([0, 1, 3], np.int32),
    )

    def sorted_indices(self):
        copied = _SciPyMatrix()
        copied.data, copied.indices = np.array([1, 2.0, 3]), np.array([1, 0, 2], np.int32)
        return copied


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.array, mx.nd.array])
def test_matrices_of_scipy(make):
    made = make(_SciPyMatrix())
    assert made.stype == "csr"
    same(made, np.array([[0, 1, 0], [2, 0, 3.0]]))
    same(make(_SciPyMatrix(), dtype="int32"), np.array([[0, 1, 0], [2, 0, 3]], np.int32))
    made.check_format()


def test_shapes_must_agree(csr):
    for source in (csr, DENSE, _SciPyMatrix()):
        with pytest.raises(ValueError, match="shape"):
            sparse.csr_matrix(source, shape=(7, 3))
    with pytest.raises(ValueError, match="row_sparse"):
        sparse.csr_matrix(sparse.zeros("row_sparse", (2, 3)))


# ---- what is refused, and what copies keep


def test_order_is_checked():
    for other in (
        sparse.csr_matrix(([1, 2], [1, 0], [0, 2]), shape=(1, 3)),
        sparse.csr_matrix(([1, 2], [1, 1], [0, 2]), shape=(1, 3)),
    ):
        other.check_format(full_check=False)
        with pytest.raises(MXNetError, match="ascending"):
            other.check_format()
    sparse.csr_matrix(([1, 2], [1, 0], [0, 1, 2]), shape=(2, 3)).check_format()


def test_other_storage_types_are_no_targets(csr, rows):
    for source, target in ((csr, rows), (rows, csr)):
        with pytest.raises(TypeError, match="csr"):
            source.copyto(target)
        with pytest.raises(TypeError, match="csr"):
            target[:] = source
        with pytest.raises(MXNetError, match="cast_storage"):
            mx.nd.cast_storage(source, stype=target.stype)


def test_pickles_and_copies(either):
    for other in (copy.copy(either), copy.deepcopy(either), pickle.loads(pickle.dumps(either))):  # noqa: S301
        assert other.stype == either.stype
        same(other, DENSE)


def test_rows_of_a_matrix_in_a_loop(csr):
    parts = list(csr)
    assert [part.stype for part in parts] == ["csr"] * 3
    for part, row in zip(parts, DENSE, strict=True):
        same(part, row[None])
    same(csr[0:0], DENSE[0:0])
    with pytest.raises(IndexError):
        csr[3]


def test_gradients_are_not_lost(rows):
    """No change in place while recording."""
    rows.attach_grad()
    with mx.autograd.record():
        y = rows * 2
        with pytest.raises(MXNetError, match="Inplace"):
            y += 1
        with pytest.raises(MXNetError, match="Inplace"):
            y[:] = 0
    y.backward()
    assert rows.grad.stype == "row_sparse"
    same(rows.grad, np.full((3, 3), 2, np.float32))
    assert rows.detach()._entry is None


def test_gradients_are_added():
    x = mx.nd.ones((4, 2))
    x.attach_grad("add", stype="row_sparse")
    for index in (3, 1):
        with mx.autograd.record():
            y = mx.nd.Embedding(mx.nd.array([index]), x, input_dim=4, output_dim=2, sparse_grad=True)
        y.backward()
    same(x.grad.indices, np.array([1, 3]))
    same(x.grad, np.array([[0, 0], [1, 1], [0, 0], [1, 1]], np.float32))


def test_parameters_with_row_sparse_gradients():
    p = mx.gluon.Parameter("w", shape=(3, 2), grad_stype="row_sparse")
    p.initialize(mx.init.One())
    with mx.autograd.record():
        y = mx.nd.Embedding(mx.nd.array([2]), p.data(), input_dim=3, output_dim=2, sparse_grad=True)
    y.backward()
    same(p.grad().indices, np.array([2]))
    p.zero_grad()
    assert p.grad().indices.shape == (0,)


def test_batches_are_split_into_matrices(csr):
    parts = mx.gluon.utils.split_and_load(csr, [mx.cpu(0), mx.cpu(1), mx.cpu(2)])
    assert [part.stype for part in parts] == ["csr"] * 3
    same(parts[2], DENSE[2:])


def test_stores_refuse_other_types(rows):
    kv = mx.kv.create("local")
    kv.init("rows", rows)
    kv.init("dense", mx.nd.ones((3, 3)))
    ids, out = mx.nd.array([0]), sparse.zeros("row_sparse", (3, 3))
    with pytest.raises(MXNetError, match="row_sparse"):
        kv.row_sparse_pull("dense", out, row_ids=ids)
    with pytest.raises(MXNetError, match="row_sparse"):
        kv.row_sparse_pull("rows", mx.nd.zeros((3, 3)), row_ids=ids)
    with pytest.raises(AssertionError, match="row_ids"):
        kv.row_sparse_pull("rows", out)


def test_symbols_compute_dense_values():
    x, i = mx.sym.var("x"), mx.sym.var("i")
    graph = mx.sym.sparse.retain(mx.sym.sparse.cast_storage(x, stype="row_sparse"), i)
    values = {"x": mx.nd.array(DENSE), "i": mx.nd.array([2, 1])}
    same(graph.bind(mx.cpu(), values).forward()[0], DENSE * np.array([[0], [1], [1]], np.float32))


def test_retained_rows_with_free_sizes():
    specs = {
        name: Spec(tuple(map(SymbolicDim.named, sizes)), np.dtype("float32"))
        for name, sizes in {"x": ("n", "m"), "i": ("k",)}.items()
    }
    graph = mx.sym.sparse.retain(mx.sym.var("x"), mx.sym.var("i"))
    model = to_onnx.check(to_onnx.lower(graph, specs, {}), {}).model
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for shape, indices in (
        ((1, 1), [0]),
        ((2, 7), [1, 5, -1]),
        ((7, 2), [6, 0, 6]),
        ((3, 2), []),
        ((0, 3), [0]),
    ):
        values = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
        expected = values.copy()
        expected[[i for i in range(len(values)) if i not in indices]] = 0
        (y,) = session.run(None, {"x": values, "i": np.array(indices, np.float32)})
        assert y.tolist() == expected.tolist()


def test_what_does_not_fit_is_refused():
    for data, indices in (((3, 2), (2, 2)), ((3, 2), (1, 1))):
        with pytest.raises(ShapeError, match="vector of indices"):
            mx.nd.sparse.retain(mx.nd.ones(data), mx.nd.ones(indices))
    with pytest.raises(MXNetError, match="stype"):
        mx.nd.cast_storage(mx.nd.ones((2, 2)), stype="coo")


def test_executors_with_sparse_arrays_are_reshaped():
    """Real MXNet cannot: it takes parts of memory, which sparse arrays do not have."""
    graph = mx.sym.sparse.dot(mx.sym.var("x", stype="csr"), mx.sym.var("w", stype="row_sparse", shape=(3, 2)))
    executor = graph.simple_bind(mx.cpu(), x=(3, 3))
    executor.arg_dict["w"][:] = mx.nd.ones((3, 2))
    other = executor.reshape(x=(2, 3))
    assert other.arg_dict["w"] is executor.arg_dict["w"]
    assert (other.arg_dict["x"].stype, other.arg_dict["x"].shape) == ("csr", (2, 3))
    same(
        other.forward(x=mx.nd.array(DENSE[:2]).tostype("csr"))[0],
        DENSE[:2].sum(1, keepdims=True) * np.ones(2, "f"),
    )


def test_storage_types_by_name_are_checked():
    graph = mx.sym.dot(mx.sym.var("x"), mx.sym.var("w"))
    for kinds, word in (({"x": "coo"}, "coo"), ({"y": "csr"}, "'y'")):
        with pytest.raises(MXNetError, match=word):
            graph.simple_bind(mx.cpu(), stype_dict=kinds, x=(2, 3), w=(3, 2))


def test_shapes_beside_shapes_and_single_sizes():
    for make in (sparse.csr_matrix, sparse.row_sparse_array):
        same(make((2, 3), shape=(2, 3)), np.zeros((2, 3), np.float32))
        with pytest.raises(ValueError, match="shape"):
            make((2, 3), shape=(4, 3))
    assert sparse.empty("row_sparse", 3).shape == sparse.zeros("row_sparse", 3).shape == (3,)
