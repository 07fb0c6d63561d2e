"""Cases of choosing by indices."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case, ints

FLOATS = ("float32", "float64", "float16")
ALL = (*FLOATS, "int32", "int64", "int8", "uint8")
BEYOND = np.array([-1.3, 5.5, 0.3, -4.2, 2.4], np.float32)
BETWEEN = np.array([[1.7, -0.5], [0.2, 2.9]], np.float32)
BY_VALUES = {"infer": "the number of rows depends on values"}
FIXED = {"gradient": "differences do not tell indices from data", "second": "the same"}


def of(values: object, dtype: str = "int32") -> np.ndarray:
    return np.array(values, dtype)


# ---- rows

takes = [
    Case("take", [(3, 2), indices], mode=mode) for mode in ("clip", "wrap") for indices in (BEYOND, BETWEEN)
]
takes += [Case("take", [(3, 2), ints((4,), 3, dtype=d)]) for d in ALL if d != "float32"]
takes += [Case("take", [(2, 4, 3), ints((2, 5), 3)], axis=axis, mode="wrap") for axis in (1, 2, -1, -3)]
takes += [
    Case("take", [(3, 2), ints((2, 2), 3)], mode="raise"),
    Case("take", [(2, 3), ints((1,), 3)], axis=1, mode="raise"),
    Case("take", [(3, 2), ints((4,), 3)]).but(dtypes=ALL),
    Case("take", [(5,), ints((3,), 5)]),
    Case("take", [(5,), ints((2, 3), 5)]),
    Case("take", [(3, 2), of([], "float32")]).but(formula=lambda a, i: np.zeros((0, 2), np.float32)),
]


def added(axis: int):
    """A formula of `_take_grad`, part by part."""

    def formula(dy: np.ndarray, indices: np.ndarray, a: np.ndarray) -> np.ndarray:
        result = np.zeros(a.shape, np.float64)
        at = axis % a.ndim
        parts = np.moveaxis(dy, range(at, at + indices.ndim), range(indices.ndim))
        rows = np.moveaxis(result, at, 0)
        for position in np.ndindex(indices.shape):
            rows[int(np.clip(int(indices[position]), 0, len(rows) - 1))] += parts[position]
        return result.astype(dy.dtype)

    return formula


takes += [
    Case("_take_grad", [(5, 2), BEYOND, (3, 2)]).but(formula=added(0), dtypes=FLOATS),
    Case("_take_grad", [(2, 2, 5, 3), ints((2, 5), 4), (2, 4, 3)], axis=1).but(formula=added(1)),
    Case("_take_grad", [(2, 4, 2, 5), ints((2, 5), 3), (2, 4, 3)], axis=-1).but(formula=added(-1)),
    Case("_take_grad", [(0, 2), of([], "float32"), (3, 2)]).but(formula=added(0)),
]

embeddings = [
    Case("Embedding", [ints((4,), 5), (5, 3)], input_dim=5, output_dim=3),
    Case("Embedding", [ints((2, 3), 5, dtype="int32"), (5, 3)], input_dim=5, output_dim=3).but(dtypes=FLOATS),
    # MXNet gives no gradient if the indices want one
    Case("Embedding", [BEYOND, (3, 2)], input_dim=3, output_dim=2).but(
        formula=lambda i, w: w[np.clip(i, 0, 2).astype(int)]
    ),
    Case("Embedding", [ints((2, 3), 5), (5, 3)], input_dim=5, output_dim=3, dtype="float64"),
]


def rows_set(old: np.ndarray, index: np.ndarray, new: np.ndarray) -> np.ndarray:
    result = old.copy()
    for i, row in zip(index, new, strict=True):
        result[int(i)] = row
    return result


rows = [
    Case("_contrib_index_copy", [(4, 2), of([2, 0]), (2, 2)]).but(dtypes=FLOATS),
    Case("_contrib_index_copy", [(3,), of([1, 0], "float32"), (2,)]).but(no=FIXED),
    Case("_contrib_index_copy", [(3, 2, 2), of([1]), (1, 2, 2)]),
    Case("_contrib_index_copy", [(4, 2), of([1, 1]), (2, 2)]).but(
        no={
            "gradient": "as in MXNet a new row that another one overwrites gets a gradient, too",
        }
    ),
    Case("_contrib_boolean_mask", [(3, 2), of([1, 0, 1])]).but(
        dtypes=("float32", "float64", "int32"), no=BY_VALUES
    ),
    Case("_contrib_boolean_mask", [(3, 2, 2), of([0, 0, -2])]).but(no=BY_VALUES),
    Case("_boolean_mask_grad", [(2, 2), of([1, 0, 1]), (3, 2)]).but(
        formula=lambda dy, i, x: np.insert(dy, 1, 0, axis=0)
    ),
]

# ---- one element of each row

picks = [
    Case("pick", [(3, 4), of(i)], mode=mode, keepdims=keepdims)
    for mode in ("clip", "wrap")
    for keepdims in (False, True)
    for i in ([1, 0, 3], [5, -1, 1])
]
picks += [
    Case("pick", [(3, 4), ints((4,), 3)], axis=0),
    Case("pick", [(3, 4), of([1.7, 0.2, 3.9], "float32")]),
    Case("pick", [(3, 4), ints((3, 1), 4)], axis=1),
    Case("pick", [(3, 4), ints((3, 1), 4)], axis=1, keepdims=True),
    Case("pick", [(2, 3, 4), ints((2, 4), 3)], axis=1),
    Case("pick", [(2, 3, 4), ints((3, 4), 2)], axis=-3, keepdims=True),
    Case("pick", [(4,), ints((1,), 4)]),
    Case("pick", [(4,), ints((1,), 4)], keepdims=True),
    Case("pick", [(3, 4), ints((3,), 4)]).but(dtypes=ALL),
    Case("batch_take", [(3, 4), of([1, 0, 3])]).but(dtypes=("float32", "float64", "int32")),
    Case("batch_take", [(3, 4), of([[7], [-1], [2]])]),
]


def placed(axis: int):
    """A formula of `_pick_grad`."""

    def formula(dy: np.ndarray, index: np.ndarray, data: np.ndarray) -> np.ndarray:
        result = np.zeros(data.shape, dy.dtype)
        rows = np.moveaxis(result, axis, -1)
        index, dy = index.reshape(rows.shape[:-1]), dy.reshape(rows.shape[:-1])
        for position in np.ndindex(rows.shape[:-1]):
            rows[(*position, int(index[position]))] = dy[position]
        return result

    return formula


picks += [
    Case("_pick_grad", [(3,), ints((3,), 4), (3, 4)]).but(formula=placed(-1), dtypes=FLOATS),
    Case("_pick_grad", [(2, 4), ints((2, 4), 3), (2, 3, 4)], axis=1).but(formula=placed(1)),
    Case("_pick_grad", [(2, 1, 4), ints((2, 4), 3), (2, 3, 4)], axis=1, keepdims=True).but(formula=placed(1)),
]


def take_along(axis: int | None):
    def formula(data: np.ndarray, indices: np.ndarray) -> np.ndarray:
        if axis is None:
            return data.ravel()[indices.astype(int)]
        return np.take_along_axis(data, indices.astype(int), axis)

    return formula


def put_along(axis: int | None):
    def formula(dy: np.ndarray, indices: np.ndarray, data: np.ndarray) -> np.ndarray:
        result = np.zeros(data.shape, dy.dtype)
        for position in np.ndindex(indices.shape):
            target = list(position)
            if axis is None:
                target = list(np.unravel_index(int(indices[position]), data.shape))
            else:
                target[axis] = int(indices[position])
            result[tuple(target)] += dy[position]
        return result

    return formula


alongs = [
    Case("_take_along_axis", [(3, 4), ints((3, 2), 4)]).but(formula=take_along(1), dtypes=FLOATS),
    Case("_take_along_axis", [(3, 4), ints((5, 4), 3, -3)], axis=0).but(formula=take_along(0)),
    Case("_take_along_axis", [(3, 4), ints((5,), 12)], axis=None).but(formula=take_along(None)),
    Case("_take_along_axis", [(2, 3, 4), of([[[2], [0], [1]]] * 2)]).but(formula=take_along(2)),
    Case("_put_along_axis", [(3, 2), ints((3, 2), 4), (3, 4)]).but(formula=put_along(1), dtypes=FLOATS),
    Case("_put_along_axis", [(5, 4), ints((5, 4), 3, -3), (3, 4)], axis=0).but(formula=put_along(0)),
    Case("_put_along_axis", [(5,), ints((5,), 12), (3, 4)], axis=None).but(formula=put_along(None)),
    Case("_put_along_axis", [(2, 2), of([[2, 0], [1, 3]]), (2, 4)], distinct=True).but(
        formula=put_along(1), dtypes=FLOATS
    ),
]

# ---- points

POINTS = of([[0, 1, 1, 1], [1, 2, 0, 2]], "float32")
DISTINCT = of([[0, 1, 1], [1, 2, 0]])
points = [
    Case("gather_nd", [(2, 3), POINTS]).but(no=FIXED),
    Case("gather_nd", [(2, 3), DISTINCT]).but(dtypes=ALL),
    Case("gather_nd", [(2, 3), of([[0, 1, 1]])]),
    Case("gather_nd", [(2, 3), of([[-1, 0], [-1, -3]])]).but(
        formula=lambda x, i: x[tuple(i)]  # MXNet's gradient writes where it must not
    ),
    Case("gather_nd", [(2, 3, 2), of([[0, 1], [1, 2]])]),
    Case("gather_nd", [(2, 3), of([[[0, 1], [1, 1]], [[1, 2], [0, 0]]])]),
    Case("gather_nd", [(2, 3), of([[1], [2]])]),
    Case("gather_nd", [(2, 3, 4), of([[1, 0, 1], [2, 0, 2], [3, 1, 3]], "int64")]),
    Case("scatter_nd", [(3,), DISTINCT], shape=(2, 3)).but(dtypes=ALL),
    Case("scatter_nd", [(2, 2), of([[0, 2]])], shape=(3, 2)),
    Case("scatter_nd", [(2, 2), of([[0, 2]], "float32")], shape=(3, 2)).but(no=FIXED),
    Case("scatter_nd", [(2, 2, 2), of([[[0, 2], [1, 3]]])], shape=(4, 2)),
]


def points_added(dy: np.ndarray, indices: np.ndarray, data: np.ndarray) -> np.ndarray:
    result = np.zeros(data.shape, np.float64)
    for position in np.ndindex(indices.shape[1:]):
        result[tuple(indices[(slice(None), *position)].astype(int))] += dy[position]
    return result.astype(dy.dtype)


def points_set(lhs: np.ndarray, rhs: np.ndarray, indices: np.ndarray, **_: object) -> np.ndarray:
    result = lhs.copy()
    result[tuple(indices.astype(int))] = rhs
    return result


IN_PLACE = "MXNet has it in place only"
points += [
    Case("_gather_nd_grad", [(4,), POINTS.astype(np.int32), (2, 3)]).but(formula=points_added, dtypes=FLOATS),
    Case("_gather_nd_grad", [(3, 3), of([[0, 1, -1]]), (2, 3)]).but(formula=points_added),
    Case("_gather_nd_grad", [(2, 2, 2), of([[[0, 1], [1, 1]], [[1, 2], [0, 0]]]), (2, 3, 2)]).but(
        formula=points_added
    ),
    Case("_scatter_set_nd", [(2, 3), (3,), DISTINCT], shape=(2, 3)).but(formula=points_set, dtypes=FLOATS),
    Case("_scatter_set_nd", [(3, 2), (2, 2), of([[0, 2]])], shape=(3, 2)).but(formula=points_set),
]

# ---- choices

choices = [
    Case("one_hot", [of([0, 2, 1], d)], depth=3) for d in ("float32", "float64", "int32", "int64", "uint8")
]
choices += [Case("one_hot", [of([0, 2, 1])], depth=3, dtype=d) for d in ALL]
choices += [
    Case("one_hot", [of([-1, 5, 1.7, -0.5, 3], "float32")], depth=3),
    Case("one_hot", [of([[0], [1]])], depth=2, on_value=5, off_value=-1, dtype="int32"),
    Case("one_hot", [of([[0, 1], [1, 1]])], depth=2, on_value=0.5, off_value=-1.5),
    Case("where", [of([[1, 0, 2], [0, -2, 0]]), (2, 3), (2, 3)]).but(dtypes=ALL),
    Case("where", [of([1, 0]), (2, 3), (2, 3)]).but(dtypes=ALL),
    Case("where", [of([[1, 0], [0, 0.5]], "float32"), (2, 2), (2, 2)]).but(no=FIXED),
    Case("where", [of([0.3, np.nan, 0], "float32"), (3, 2), (3, 2)]).but(no=FIXED),
    Case("where", [of([0, 1, 1], "float64"), (3,), (3,)]).but(no=FIXED),
    Case("where", [of([0, 1], "uint8"), (2, 2, 2, 2), (2, 2, 2, 2)]),
]

coordinates = [
    Case("_ravel_multi_index", [of([[1, 0, 1], [2, 1, 0]], d)], shape=(2, 3))
    for d in ("float32", "int32", "int64")
]
coordinates += [
    Case("_ravel_multi_index", [of([[1, 0], [2, 1], [0, 3]], "float32")], shape=(-1, 3, 4)),
    *[Case("_unravel_index", [of([5, 1, 0], d)], shape=(2, 3)) for d in ("float32", "int32", "int64")],
    Case("_unravel_index", [of([23, 7, 0, 12], "float32")], shape=(-1, 3, 4)),
    Case("_unravel_index", [of([7, 3], "float32")], shape=(10,)),
]

CASES = [*takes, *embeddings, *rows, *picks, *alongs, *points, *choices, *coordinates]
