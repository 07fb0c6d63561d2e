"""Cases of operators for sparse storage types, on dense arrays; tests/test_sparse_calls.py has the others."""

import numpy as np

from hybridonnx.test_utils import Case, ints

FLOATS = ("float32", "float64")
ALONE = {"training": "it is recorded by itself, on the kernel, as its gradient is row-sparse"}
DENSE = {"oracle": "MXNet has no kernel for dense data"}


def retained(data, indices):
    """Row by row."""
    kept = {int(i) for i in indices}
    return np.stack([row if i in kept else np.zeros_like(row) for i, row in enumerate(data)])


def adjoint(dy, indices, a):
    """Index by index."""
    sums = np.zeros_like(a)
    for row, i in zip(dy.reshape(-1, *a.shape[1:]), indices.ravel(), strict=True):
        sums[int(min(max(i, 0), len(a) - 1))] += row
    return sums


def rows(indices, weight):
    """The nearest rows."""
    return weight[np.clip(indices.astype(int), 0, len(weight) - 1)]


def retain(data, indices, **options):
    """A Case of rows that stay."""
    return Case("_sparse_retain", [data, np.array(indices, "float32")]).but(
        formula=retained, no=DENSE, **options
    )


CASES = [
    *(Case("cast_storage", [(3, 4)], stype=s) for s in ("default", "csr", "row_sparse")),
    Case("cast_storage", [(2, 3, 4)], stype="row_sparse"),
    Case("cast_storage", [(3, 1)], stype="default").but(dtypes=("float32", "float64", "float16", "int32")),
    retain((4, 3), [0.2, 2.3], dtypes=FLOATS),
    retain((4, 3), [3.2, 0.6, 3.7, -1.3, 9.4]),
    retain((5,), [4.1, 1.2]),
    retain((3, 2, 2), [1.4]),
    retain((1, 3), []),
    Case("_sparse_retain", [(4, 2), ints((2,), 4, 0, "int64")]).but(formula=retained, no=DENSE),
    Case("_contrib_SparseEmbedding", [ints((2, 3), 5), (5, 4)], input_dim=5, output_dim=4).but(
        dtypes=FLOATS, no=ALONE
    ),
    Case(
        "_contrib_SparseEmbedding",
        [np.array([-1, 0.9, 7], "float32"), (5, 2)],
        input_dim=5,
        output_dim=2,
        sparse_grad=True,
    ).but(formula=rows, no={"oracle": "MXNet lists sparse_grad, and refuses it"} | ALONE),
    Case("Embedding", [ints((2, 3), 5), (5, 4)], input_dim=5, output_dim=4, sparse_grad=True).but(no=ALONE),
    Case("_row_sparse_take_grad", [(2, 3, 4), ints((2, 3), 5), (5, 4)]).but(formula=adjoint),
    Case("_row_sparse_take_grad", [(3, 2), np.array([9.2, -3.3, 1.4], "float32"), (4, 2)]).but(
        formula=adjoint
    ),
]
