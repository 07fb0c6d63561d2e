"""Cases of the likeness of patches."""

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64", "float16")
DEFAULTS = {
    "kernel_size": 1,
    "max_displacement": 1,
    "stride1": 1,
    "stride2": 1,
    "pad_size": 0,
    "is_multiply": True,
}


def patches(size, displaced=0, **attributes):
    """For each output along an axis the indices in the padded axis of its patch's elements."""
    a = DEFAULTS | attributes
    room = size + 2 * a["pad_size"] - 2 * (a["max_displacement"] + a["kernel_size"] // 2)
    starts = a["max_displacement"] + displaced + np.arange(-(-room // a["stride1"])) * a["stride1"]
    return starts[:, None] + np.arange(a["kernel_size"])


def taken(data, down=0, right=0, **attributes):
    """The patches of an array, (N, C, rows, columns, kernel, kernel)."""
    pad = (DEFAULTS | attributes)["pad_size"]
    padded = np.pad(data, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    rows = patches(data.shape[2], down, **attributes)
    columns = patches(data.shape[3], right, **attributes)
    return padded[:, :, rows[:, None, :, None], columns[None, :, None, :]]


def displacements(**attributes):
    """All displacements, those of rows first."""
    a = DEFAULTS | attributes
    reach = a["max_displacement"] // a["stride2"]
    along = np.arange(-reach, reach + 1) * a["stride2"]
    return [(y, x) for y in along for x in along]


def slope(**attributes):
    """A formula of `_correlation_slope`."""

    def formula(step1, step2, data1, data2):
        p, a = taken(step1, **attributes), taken(data1, **attributes)
        parts = []
        for at in displacements(**attributes):
            q, b = taken(step2, *at, **attributes), taken(data2, *at, **attributes)
            parts.append((np.where(a >= b, 1, -1) * (p - q)).mean((1, 4, 5)))
        return np.stack(parts, 1).astype(step1.dtype)

    return formula


def grad(**attributes):
    """A formula of `_correlation_grad`: what a patch's elements get, at the indices of these elements."""
    multiply = (DEFAULTS | attributes)["is_multiply"]

    def formula(dy, data1, data2):
        numbers = np.arange(1, data1.size + 1).reshape(data1.shape)
        sums = np.zeros((2, data1.size + 1))
        a = taken(data1, **attributes)
        for channel, at in enumerate(displacements(**attributes)):
            b = taken(data2, *at, **attributes)
            sign = np.where(a >= b, 1, -1)
            share = dy[:, channel][:, None, :, :, None, None].astype(np.float64)
            share = share / (data1.shape[1] * a.shape[-1] ** 2)
            for i, (value, offset) in enumerate(
                ((b if multiply else sign, (0, 0)), (a if multiply else -sign, at))
            ):
                np.add.at(sums[i], taken(numbers, *offset, **attributes), share * value)
        return [s[1:].reshape(data1.shape).astype(dy.dtype) for s in sums]

    return formula


def family(shape, dtypes=("float32",), **attributes):
    """The means, and their gradients' operators."""
    y = (shape[0], len(displacements(**attributes)), *(len(patches(n, **attributes)) for n in shape[2:]))
    yield Case("Correlation", [shape, shape], **attributes).but(dtypes=dtypes)
    yield Case("_correlation_grad", [y, shape, shape], **attributes).but(
        formula=grad(**attributes), dtypes=dtypes
    )
    if not attributes.get("is_multiply", True):
        yield Case("_correlation_slope", [shape] * 4, **attributes).but(
            formula=slope(**attributes), dtypes=dtypes
        )


CASES = [
    case
    for multiply in (True, False)
    for case in (
        *family((2, 3, 5, 6), FLOATS, is_multiply=multiply),
        *family((2, 2, 4, 5), is_multiply=multiply, pad_size=2, max_displacement=2),
        *family((1, 2, 4, 5), is_multiply=multiply, kernel_size=3, pad_size=2),
        *family((2, 1, 7, 8), is_multiply=multiply, kernel_size=3, stride1=2, pad_size=1),
        *family((1, 3, 6, 7), is_multiply=multiply, stride1=2, stride2=2, max_displacement=4, pad_size=4),
        *family((1, 2, 5, 4), is_multiply=multiply, stride1=3, stride2=2, max_displacement=1, pad_size=1),
        *family((1, 2, 5, 4), is_multiply=multiply, kernel_size=3, stride2=3, max_displacement=4, pad_size=5),
        *family((1, 2, 3, 2), is_multiply=multiply, max_displacement=0),
    )
]
CASES += [
    Case("Correlation", [(2, 2, 3, 3), (2, 2, 3, 3)], max_displacement=0, kernel_size=3),
    Case("Correlation", [(0, 2, 4, 5), (0, 2, 4, 5)]).but(
        formula=lambda data1, data2: np.zeros((0, 9, 2, 3), data1.dtype)
    ),
]
