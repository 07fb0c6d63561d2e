"""Sparse storage types: made, densified, and never written to by accident."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd
from hybridonnx.errors import MXNetError, ShapeError

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
    with pytest.raises(ValueError, match="2 Dimensional"):
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
