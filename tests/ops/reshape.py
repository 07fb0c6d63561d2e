"""Cases of reshaping, reordering and repeating."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64", "float16")
ALL = (*FLOATS, "int32", "int64", "int8", "uint8")

EMPTY = np.zeros((0, 3, 4), np.float32)


def empty(op: str, expected: tuple[int, ...], **attributes: object) -> Case:
    """A case without elements, whose result has the shape `expected`."""
    return Case(op, [EMPTY], **attributes).but(formula=lambda x: np.zeros(expected, np.float32))


codes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 3, 4), (4, 0, 2)),
    ((2, 3, 4), (6, 1, -1)),
    ((2, 3, 4), (-1,)),
    ((2, 3, 4), (24,)),
    ((2, 3, 4), (-1, 0)),
    ((2, 3, 4), (0, 0, -1)),
    ((2, 3, 4), (-2,)),
    ((2, 3, 4), (2, -2)),
    ((2, 3, 4), (-2, 1, 1)),
    ((2, 3, 4), (-3, 4)),
    ((2, 3, 4), (0, -3)),
    ((2, 3, 4), (-3, -2)),
    ((2, 3, 4, 5), (-3, -3)),
    ((2, 3, 4, 5), (0, -3, 0)),
    ((2, 3, 4), (-4, 1, 2, -2)),
    ((2, 3, 4), (2, -4, -1, 3, -2)),
    ((4, 3, 4), (-4, 2, -1, 0, 0)),
    ((2, 3, 4), (0, 0, -4, 2, -1)),
    ((6, 4), (3, 0, -1)),
    ((6, 4), (0, -1, 4)),
    ((2, 3, 4), (0, -1, -2)),
]
backwards: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((10, 5, 4), (-1, 0)),
    ((8, 3), (-1, 3)),
    ((6, 4), (2, -1, 0)),
    ((2, 3, 4, 5), (-1, 0, 0)),
    ((2, 3, 4), (-3, 0)),
    ((2, 3, 4), (-2,)),
    ((2, 3, 12), (0, 0, 6, -1, -4)),
    ((2, 3, 4), (-1, 2, -4, 0, 0)),
]
reshapes = [Case("Reshape", [data], shape=shape) for data, shape in codes]
reshapes += [Case("Reshape", [data], shape=shape, reverse=True) for data, shape in backwards]
reshapes += [
    Case("Reshape", [(2, 3, 4)], shape=(0, -1)).but(dtypes=ALL),
    Case("Reshape", [(2, 3, 4)], target_shape=(2, 0)),
    Case("Reshape", [(2, 3, 4)], target_shape=(0, 12)),
    Case("Reshape", [(2, 3, 4)], target_shape=(7, 0), keep_highest=True),
    empty("Reshape", (0, 12), shape=(0, -1)),
    empty("Reshape", (0, 6), shape=(-1, 6)),
    empty("Reshape", (5, 0), shape=(5, -1)),
    empty("Flatten", (0, 12)),
    Case("Flatten", [(2, 3, 4)]).but(dtypes=ALL),
    Case("Flatten", [(3,)]),
    Case("Flatten", [(2, 3)]),
    Case("Flatten", [(2, 1, 3, 2)]),
    Case("reshape_like", [(6,), (2, 3)]).but(dtypes=FLOATS),
    Case("reshape_like", [(2, 3, 4), (4, 6)]),
    Case("reshape_like", [(30, 7), (15, 2, 4)], lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2),
    Case("reshape_like", [(30, 12), (4, 2, 2, 3)], lhs_begin=-1, lhs_end=None, rhs_begin=1, rhs_end=None),
    Case("reshape_like", [(2, 3, 4), (12, 2)], lhs_begin=1, rhs_begin=0, rhs_end=1),
    Case("reshape_like", [(2, 3, 4), (2, 12)], lhs_end=1, rhs_end=1),
    Case("reshape_like", [(2, 3, 4), (5, 2, 2)], lhs_begin=2, rhs_begin=1),
]

sizes_of_1 = [Case("expand_dims", [(2, 3, 4)], axis=axis) for axis in (0, 1, 3, -1, -2, -4)]
sizes_of_1 += [Case("expand_dims", [(3,)], axis=0).but(dtypes=ALL)]
sizes_of_1 += [Case("squeeze", [(1, 2, 1, 3)], axis=axis) for axis in (0, 2, -2, (0, 2), (-4, 2), ())]
sizes_of_1 += [
    Case("squeeze", [(1, 2, 1, 3)]).but(dtypes=ALL),
    Case("squeeze", [(2, 3)]),
    Case("squeeze", [(1, 1)]),
    Case("squeeze", [(1, 1)], axis=(0, 1)),
    Case("squeeze", [(1,)]),
]

orders = [
    Case("transpose", [(2, 3, 4)]).but(dtypes=ALL),
    Case("transpose", [(3,)]),
    Case("transpose", [(2, 3, 4)], axes=(0, 2, 1)),
    Case("transpose", [(2, 3, 4)], axes=(1, 2, 0)),
    Case("transpose", [(2, 3, 4)], axes=(0, 1, 2)),
    Case("transpose", [(1, 2, 3, 2, 1, 2)], axes=(5, 0, 4, 1, 3, 2)),
    empty("transpose", (4, 3, 0)),
    Case("SwapAxis", [(2, 3, 4)], dim1=0, dim2=2).but(dtypes=FLOATS),
    Case("SwapAxis", [(2, 3, 4)], dim1=-1, dim2=1),
    Case("SwapAxis", [(2, 3, 4)], dim1=1, dim2=1),
    Case("SwapAxis", [(2, 3)]),
    Case("reverse", [(2, 3)], axis=0).but(dtypes=ALL),
    Case("reverse", [(2, 3)], axis=(1,)),
    Case("reverse", [(2, 3, 4)], axis=(0, 2)),
    Case("reverse", [(2, 3)], axis=()),
    Case("depth_to_space", [(2, 12, 2, 3)], block_size=2).but(dtypes=FLOATS),
    Case("depth_to_space", [(1, 9, 1, 2)], block_size=3),
    Case("depth_to_space", [(1, 3, 2, 2)], block_size=1),
    Case("space_to_depth", [(2, 3, 4, 6)], block_size=2).but(dtypes=FLOATS),
    Case("space_to_depth", [(1, 1, 3, 6)], block_size=3),
    Case("space_to_depth", [(1, 3, 2, 2)], block_size=1),
]

copies = [
    Case("tile", [(2, 3)], reps=reps) for reps in (2, (2, 3), (2, 1, 2), (1,), (), (3, 1), (2, 2, 1, 1))
]
copies += [
    Case("tile", [(2, 3)], reps=(2,)).but(dtypes=ALL),
    Case("tile", [(2, 3, 4)], reps=(3, 2)),
    Case("tile", [(2, 3)], reps=(0, 2)).but(formula=lambda x, reps=0: np.zeros((0, 6), np.float32)),
    Case("repeat", [(2, 3)], repeats=2),
    Case("repeat", [(2, 3)], repeats=2, axis=0).but(dtypes=ALL),
    Case("repeat", [(2, 3)], repeats=3, axis=-1),
    Case("repeat", [(2, 3, 4)], repeats=2, axis=1),
    Case("repeat", [(2, 3, 4)], repeats=2, axis=-2),
    Case("repeat", [(2, 3)], repeats=1, axis=1),
    Case("repeat", [(2, 3)], repeats=0, axis=1).but(formula=lambda x: np.zeros((2, 0), np.float32)),
    Case("repeat", [(2, 3)], repeats=0).but(formula=lambda x: np.zeros((0,), np.float32)),
]

of_shapes = [
    Case("shape_array", [(2, 3)]).but(dtypes=("float32", "int64")),
    Case("shape_array", [(4,)]),
    Case("size_array", [(2, 3)]).but(dtypes=("float32", "int64")),
    Case("_contrib_arange_like", [(2, 4)]).but(dtypes=("float32", "float64", "float16", "int32")),
    Case("_contrib_arange_like", [(2, 4)], start=2, step=0.5),
    Case("_contrib_arange_like", [(2, 4)], axis=0),
    Case("_contrib_arange_like", [(2, 4)], axis=-1, start=1),
    Case("_contrib_arange_like", [(2, 4)], axis=1, repeat=2),
    Case("_contrib_arange_like", [(2, 4)], repeat=3, step=-2),
    Case("_contrib_arange_like", [(2, 4)], start=1.7, step=-0.5).but(dtypes=("float32", "int32", "int64")),
    Case("_contrib_arange_like", [(2, 3, 4)], start=-1.7, step=1.6, axis=2, repeat=3).but(
        dtypes=("float32", "float64", "int32", "uint8")
    ),
    Case("_contrib_arange_like", [(6,)], start=1.25, step=0.5, ctx="cpu(0)").but(
        dtypes=("float16",), formula=lambda x: (1.25 + 0.5 * np.arange(6)).astype(x.dtype)
    ),
    Case("_contrib_arange_like", [(1,)], axis=-1, step=0, repeat=5),
    Case("_contrib_index_array", [(2, 3)]).but(dtypes=("float32", "int32")),
    Case("_contrib_index_array", [(2, 3)], axes=(1,)),
    Case("_contrib_index_array", [(2, 3, 2)], axes=(-1, 0)),
]

CASES = [*reshapes, *sizes_of_1, *orders, *copies, *of_shapes]
