"""Cases of dropout."""

from functools import partial

import numpy as np

from hybridonnx.test_utils import Case


def dropped(x, noise, p=0.5, axes=()):
    first = tuple(slice(0, 1) if i in [a % x.ndim for a in axes] else slice(None) for i in range(x.ndim))
    mask = np.broadcast_to(noise[first] < 1 - p, x.shape)
    return np.where(mask, x / (1 - p), 0).astype(x.dtype)


def drop(shape, **attributes):
    formula = {k: v for k, v in attributes.items() if k in ("p", "axes")}
    return Case("Dropout", [shape], **attributes).but(formula=partial(dropped, **formula), training=True)


ALL = ("float32", "float64", "float16")
CASES = [
    Case("Dropout", [(2, 3, 4)]).but(dtypes=ALL),
    Case("Dropout", [(7,)], p=0.2, axes=(0,)),
    Case("Dropout", [(2, 3)], p=0.0),
    Case("Dropout", [(2, 3)], p=0.0).but(training=True),
    Case("Dropout", [(2, 3)], p=1.0).but(training=True, formula=lambda x, noise: np.zeros_like(x)),
    drop((4, 5)).but(dtypes=ALL),
    drop((2, 3, 4), p=0.25),
    drop((4, 3, 4), p=0.3, axes=(1, 2)),
    drop((4, 3, 4), p=0.3, axes=(-1,)),
    drop((4, 5), p=0.4, mode="always").but(training=False),
    drop((4, 5), p=0.4, mode="always", axes=(0,)),
]
