"""Cases of operators on sequences."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case, ints

FLOATS = ("float32", "float64", "float16")
LENGTHS = np.array([1, 3], np.int32)
BETWEEN = {"gradient": "differences do not tell lengths from data", "second": "the same"}


def last_set(axis: int):
    """A formula of `_sequence_last_grad`."""

    def formula(
        dy: np.ndarray, data: np.ndarray, length: np.ndarray | None = None, **_: object
    ) -> np.ndarray:
        result = np.zeros(data.shape, dy.dtype)
        steps = np.moveaxis(result, axis, 0)
        for n in range(steps.shape[1]):
            steps[len(steps) - 1 if length is None else length[n] - 1, n] = dy[n]
        return result

    return formula


masks = [
    Case("SequenceMask", [(3, 2, 2)]),
    Case("SequenceMask", [(3, 2, 2), LENGTHS], use_sequence_length=True).but(dtypes=(*FLOATS, "int32")),
    Case("SequenceMask", [(3, 2), LENGTHS], use_sequence_length=True, value=-1.5),
    Case("SequenceMask", [ints((3, 2), 9, 0, "uint8"), LENGTHS], use_sequence_length=True, value=-1.5),
    Case("SequenceMask", [(2, 3, 2, 2), LENGTHS], use_sequence_length=True, axis=1, value=2),
    Case("SequenceMask", [(2, 3), np.array([0, 3], np.float32)], use_sequence_length=True, axis=1).but(
        no=BETWEEN
    ),
    Case("SequenceMask", [(2, 3), np.array([1, 2], np.int64)], use_sequence_length=True, axis=1),
]
lasts = [
    # MXNet's gradient without lengths writes where it must not
    Case("SequenceLast", [(3, 2, 2)]).but(formula=lambda x: x[-1]),
    Case("SequenceLast", [(2, 3, 2)], axis=1).but(formula=lambda x: x[:, -1]),
    Case("SequenceLast", [(3, 2, 2), LENGTHS], use_sequence_length=True).but(dtypes=FLOATS),
    Case("SequenceLast", [(3, 2), LENGTHS], use_sequence_length=True),
    Case("SequenceLast", [(2, 3, 2, 2), LENGTHS], use_sequence_length=True, axis=1),
    Case("SequenceLast", [(3, 2, 1), LENGTHS.astype(np.float32)], use_sequence_length=True).but(no=BETWEEN),
    Case("_sequence_last_grad", [(2, 2), (3, 2, 2)]).but(formula=last_set(0)),
    Case("_sequence_last_grad", [(2, 2), (2, 3, 2)], axis=1).but(formula=last_set(1)),
    Case("_sequence_last_grad", [(2, 2), (3, 2, 2), LENGTHS], use_sequence_length=True).but(
        formula=last_set(0), dtypes=FLOATS
    ),
    Case("_sequence_last_grad", [(2, 2), (2, 3, 2), LENGTHS], use_sequence_length=True, axis=1).but(
        formula=last_set(1)
    ),
]
reverses = [
    Case("SequenceReverse", [(3, 2)]),
    Case("SequenceReverse", [(3, 2, 2), LENGTHS], use_sequence_length=True).but(dtypes=FLOATS),
    Case("SequenceReverse", [(3, 2), LENGTHS], use_sequence_length=True),
    Case("SequenceReverse", [(4, 3, 2, 2), np.array([2, 4, 1], np.int64)], use_sequence_length=True),
    Case("SequenceReverse", [(3, 2), LENGTHS.astype(np.float32)], use_sequence_length=True).but(no=BETWEEN),
]

CASES = [*masks, *lasts, *reverses]
