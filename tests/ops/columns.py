"""Cases of windows as columns."""

from itertools import product

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64", "float16")


def slots(size, kernel, stride=(), dilate=(), pad=()):
    """For each element of each window the index of an element of the data (or -1), as (window, windows)."""
    rank = len(kernel)
    stride, dilate, pad = stride or (1,) * rank, dilate or (1,) * rank, pad or (0,) * rank
    numbers = np.pad(np.arange(np.prod(size)).reshape(size), [(p, p) for p in pad], constant_values=-1)
    counts = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, d, p in zip(size, kernel, stride, dilate, pad, strict=True)
    ]
    rows = []
    for element in product(*map(range, kernel)):
        starts = [[w * s for w in range(n)] for n, s in zip(counts, stride, strict=True)]
        at = [[e * d + s for s in ss] for e, d, ss in zip(element, dilate, starts, strict=True)]
        rows.append(numbers[np.ix_(*at)].ravel())
    return np.array(rows)


def columns(**window):
    """A formula of `im2col`."""

    def formula(data):
        indices = slots(data.shape[2:], **window)
        pixels = data.reshape(*data.shape[:2], np.prod(data.shape[2:]))
        flat = np.concatenate([pixels, np.zeros((*data.shape[:2], 1))], 2)
        cells = flat[:, :, indices].astype(data.dtype)
        return cells.reshape(len(data), data.shape[1] * indices.shape[0], indices.shape[1])

    return formula


def image(size, **window):
    """A formula of `col2im`."""

    def formula(data, *_):
        indices = slots(size, **window)
        channels = data.shape[1] // len(indices)
        cells = data.astype(np.float64).reshape(len(data), channels, *indices.shape)
        sums = np.zeros((len(data), channels, np.prod(size) + 1))
        np.add.at(sums, (slice(None), slice(None), indices), cells)
        return sums[:, :, :-1].reshape(len(data), channels, *size).astype(data.dtype)

    return formula


def both(size, channels=3, batch=2, formula=True, dtypes=("float32",), **window):
    """The columns of an image and back; real MXNet computes those of two axes alone."""
    data, cells = (batch, channels, *size), slots(size, **window)
    heads = (batch, channels * cells.shape[0], cells.shape[1])
    forward, back, grad = (
        Case("im2col", [data], **window),
        Case("col2im", [heads], output_size=size, **window),
        Case("_im2col_grad", [heads, data], **window).but(formula=image(size, **window)),
    )
    if formula:
        forward, back = forward.but(formula=columns(**window)), back.but(formula=image(size, **window))
    return [case.but(dtypes=dtypes) for case in (forward, back, grad)]


CASES = [
    *both((5, 6), formula=False, dtypes=FLOATS, kernel=(3, 2)),
    *both((5, 6), formula=False, kernel=(3, 2), stride=(2, 1), dilate=(1, 2), pad=(1, 0)),
    *both((4, 7), channels=1, formula=False, kernel=(2, 2), stride=(2, 3), pad=(2, 1)),
    *both((5, 5), formula=False, kernel=(1, 1), stride=(2, 2)),
    *both((3, 4), batch=1, formula=False, kernel=(3, 4)),
    *both((2, 2), formula=False, kernel=(2, 2), dilate=(3, 3), pad=(1, 1)),
    *both((7,), dtypes=FLOATS, kernel=(3,)),
    *both((7,), kernel=(2,), stride=(3,), dilate=(2,), pad=(2,)),
    *both((3, 4, 3), channels=2, kernel=(2, 2, 2)),
    *both((3, 4, 3), channels=2, kernel=(2, 1, 2), stride=(1, 2, 1), dilate=(1, 1, 2), pad=(0, 1, 1)),
    *both((3, 4), batch=0, kernel=(2, 2)),
    *both((3, 4), channels=0, kernel=(2, 2)),
]
