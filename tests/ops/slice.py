"""Cases of rectangular parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64", "float16")
ALL = (*FLOATS, "int32", "int64", "int8", "uint8")

SLICES: list[tuple[tuple[int, ...], dict]] = [
    ((3, 4), {"begin": (1,), "end": (3,)}),
    ((3, 4), {"begin": (None, 1), "end": (None, 3)}),
    ((3, 4), {"begin": (0, 3), "end": (2, None), "step": (1, -1)}),
    ((3, 4), {"begin": (2,), "end": (None,), "step": (-1,)}),
    ((3, 4), {"begin": (-1, None), "end": (None, -2)}),
    ((3, 4), {"begin": (0,), "end": (10,)}),
    ((3, 4), {"begin": (None,), "end": (None,), "step": (2,)}),
    ((5, 7), {"begin": (4, 5), "end": (0, -7), "step": (-2, -3)}),
    ((5, 7), {"begin": (10,), "end": (None,), "step": (-2,)}),
    ((5, 7), {"begin": (0, 1), "end": (5, 7), "step": (None, 2)}),
    ((2, 3, 4), {"begin": (0, 1, 1), "end": (1, 3, -1)}),
    ((2, 3, 4), {"begin": (None, -2), "end": (None, None)}),
    ((2, 3, 4), {"begin": (0, 0, 3), "end": (2, 2, 0), "step": (1, 1, -1)}),
    ((2, 3, 4), {"begin": (None, None, None), "end": (None, None, None)}),
    ((5,), {"begin": 1, "end": 3}),
    ((3, 4), {"begin": (-10,), "end": (2,)}),
]


def part(begin, end, step=()):
    """The slices that attributes mean."""
    as_tuples = [x if isinstance(x, tuple) else (x,) for x in (begin, end)]
    return tuple(map(slice, *as_tuples, step or (None,) * len(as_tuples[0])))


def set_part(data: np.ndarray, value: object, **where: object) -> np.ndarray:
    result = data.copy()
    result[part(**where)] = value
    return result


def size_of(shape: tuple[int, ...], where: dict) -> tuple[int, ...]:
    return np.zeros(shape)[part(**where)].shape


slices = [Case("slice", [shape], **where) for shape, where in SLICES]
slices += [
    Case("slice", [(3, 4)], begin=(1, 0), end=(3, 2)).but(dtypes=ALL),
    Case("slice", [(3, 4)], begin=(2,), end=(1,)).but(formula=lambda x, **_: x[2:1]),
    Case("slice", [np.zeros((0, 3), np.float32)], begin=(0, 1), end=(2, 3)).but(
        formula=lambda x, **_: x[:, 1:]
    ),
]
for shape, where in SLICES:
    small = size_of(shape, where)
    slices += [
        Case("_slice_grad", [small, shape], **where).but(
            formula=lambda dy, x, where=where: set_part(np.zeros_like(x), dy, **where)
        ),
        Case("_slice_assign", [shape, small], **where),
        Case("_slice_assign_scalar", [shape], scalar=-7.5, **where),
    ]
EMPTY = {"begin": (2, 0), "end": (1, 2)}
slices += [
    Case("_slice_assign", [(3, 4), (0, 2)], **EMPTY).but(formula=lambda x, y: x),
    Case("_slice_assign_scalar", [(3, 4)], scalar=2, **EMPTY).but(formula=lambda x: x),
    Case("_slice_grad", [(0, 2), (3, 4)], **EMPTY).but(formula=lambda dy, x: np.zeros_like(x)),
    Case("_slice_assign", [(3, 4), (2, 4)], begin=1, end=3).but(dtypes=ALL),
    Case("_slice_assign_scalar", [(3, 4)], scalar=2, begin=1, end=3).but(dtypes=ALL),
    Case("_slice_assign_scalar", [(3, 4)], scalar=2, begin=(None,), end=(None,), step=(2,)).but(dtypes=ALL),
    Case("_slice_grad", [(2, 4), (3, 4)], begin=1, end=3).but(
        dtypes=ALL, formula=lambda dy, x: np.pad(dy, [(1, 0), (0, 0)])
    ),
]

AXES: list[dict[str, Any]] = [
    {"axis": 0, "begin": 1, "end": 3},
    {"axis": 1, "begin": 0, "end": None},
    {"axis": 1, "begin": 1, "end": None},
    {"axis": -1, "begin": -3, "end": -1},
    {"axis": -1, "begin": -2, "end": None},
    {"axis": -2, "begin": 0, "end": -1},
    {"axis": 0, "begin": -2, "end": 3},
]


def in_zeros(axis, begin, end):
    def formula(dy: np.ndarray, x: np.ndarray) -> np.ndarray:
        result = np.zeros_like(x)
        np.moveaxis(result, axis, 0)[begin:end] = np.moveaxis(dy, axis, 0)
        return result

    return formula


along = [Case("slice_axis", [(3, 4)], **where) for where in AXES]
along += [Case("slice_axis", [(2, 3, 4)], axis=1, begin=0, end=1).but(dtypes=ALL)]
for region in AXES:
    before = np.moveaxis(np.zeros((3, 4)), region["axis"], 0)[region["begin"] : region["end"]]
    small = np.moveaxis(before, 0, region["axis"]).shape
    along.append(Case("_slice_axis_grad", [small, (3, 4)], **region).but(formula=in_zeros(**region)))

likes = [
    Case("slice_like", [(3, 4), (2, 2)]).but(dtypes=FLOATS),
    Case("slice_like", [(3, 4), (3, 4)]),
    Case("slice_like", [(3, 4), (2, 2)], axes=(1,)),
    Case("slice_like", [(3, 4), (2, 2)], axes=(-1,)),
    Case("slice_like", [(3, 4), (2,)], axes=(0,)),
    Case("slice_like", [(3, 4, 2), (5, 2, 1)], axes=(-1, 1)),
    Case("slice_like", [(3, 4), (2, 2, 2)], axes=(0, 1)),
]

CASES = [*slices, *along, *likes]
