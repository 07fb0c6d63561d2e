"""Cases of joining and splitting."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64", "float16")
ALL = (*FLOATS, "int32", "int64", "int8", "uint8")


def cut(axis: int):
    """A formula of `_split_like`."""

    def formula(data: np.ndarray, *likes: np.ndarray, **_: object) -> tuple[np.ndarray, ...]:
        parts, start = [], 0
        for like in likes:
            parts.append(np.take(data, range(start, start + like.shape[axis]), axis))
            start += like.shape[axis]
        return tuple(parts)

    return formula


joins = [
    Case("Concat", [(2, 1, 3), (2, 2, 3)], dim=1).but(dtypes=ALL),
    Case("Concat", [(2, 1), (2, 2), (2, 3)]),
    Case("Concat", [(2, 1), (2, 2)], dim=-1),
    Case("Concat", [(2, 3), (1, 3), (4, 3)], dim=0),
    Case("Concat", [(2,), (3,)], dim=0),
    Case("Concat", [(2, 3)], dim=0),
    Case("Concat", [(2, 3), np.zeros((0, 3), np.float32)], dim=0).but(formula=lambda a, b: a),
    Case("stack", [(2, 3), (2, 3)]).but(dtypes=ALL),
    *[Case("stack", [(2, 3), (2, 3), (2, 3)], axis=axis) for axis in (1, 2, -1, -3)],
    Case("stack", [(3,), (3,)], axis=1),
    Case("stack", [(2, 3)], axis=1),
    Case("_split_like", [(2, 6), (2, 1), (2, 2), (2, 3)], axis=1).but(formula=cut(1), dtypes=FLOATS),
    Case("_split_like", [(5, 2), (2, 2), (3, 2)], axis=0).but(formula=cut(0)),
    Case("_split_like", [(2, 5), (2, 2), (2, 3)], axis=-1).but(formula=cut(1)),
]

splits = [
    Case("SliceChannel", [(2, 4)], num_outputs=2).but(dtypes=ALL),
    Case("SliceChannel", [(2, 6)], num_outputs=3, axis=-1),
    Case("SliceChannel", [(4, 3)], num_outputs=4, axis=0),
    Case("SliceChannel", [(2, 3, 4)], num_outputs=3, squeeze_axis=True),
    Case("SliceChannel", [(2, 3)], num_outputs=2, axis=-2, squeeze_axis=True),
    Case("SliceChannel", [(2, 3)], num_outputs=1),
    Case("SliceChannel", [(2, 1)], num_outputs=1, squeeze_axis=True),
    Case("_split_v2", [(4,)], indices=(0, 1, 3), axis=0),
    Case("_split_v2", [(2, 6)], indices=(0, 2, 3)).but(dtypes=FLOATS),
    Case("_split_v2", [(4, 2)], indices=(0,), sections=2, axis=0),
    Case("_split_v2", [(5, 2)], indices=(0,), sections=3, axis=0),
    Case("_split_v2", [(2, 3)], indices=(), sections=3, squeeze_axis=True),
    Case("_split_v2", [(2, 3)], indices=(0, 1, 2), axis=-1, squeeze_axis=True),
    Case("_split_v2", [(2, 3)], indices=(0,)),
    Case("_split_v2", [(2, 3)], indices=(0, 1), axis=-1),
    Case("_split_v2", [(4, 2)], indices=(0, 2, 2), axis=0).but(formula=lambda x: (x[:2], x[:0], x[2:])),
]

CASES = [*joins, *splits]
