"""Cases of discrete Fourier transforms and sketches, which real MXNet computes on GPUs alone."""

import numpy as np

from hybridonnx.test_utils import Case, ints

FLOATS = ("float32", "float64", "float16")


def waves(n):
    return np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)


def spectrum(data):
    """The sums of the definition."""
    y = data.astype(np.float64) @ waves(data.shape[-1])
    return np.stack([y.real, y.imag], -1).reshape(*data.shape[:-1], -1).astype(data.dtype)


def signal(data):
    x = data.astype(np.float64).reshape(*data.shape[:-1], data.shape[-1] // 2, 2)
    y = (x[..., 0] + 1j * x[..., 1]) @ waves(x.shape[-2]).conj()
    return y.real.astype(data.dtype)


def transforms(*shape, dtypes=("float32",), **attributes):
    """There and back."""
    pairs = (*shape[:-1], 2 * shape[-1])
    yield Case("_contrib_fft", [shape], **attributes).but(formula=spectrum, dtypes=dtypes)
    yield Case("_contrib_ifft", [pairs], **attributes).but(formula=signal, dtypes=dtypes)


def sketched(out_dim):
    """A formula of `_contrib_count_sketch`."""

    def formula(data, h, s):
        signs = (h[0][:, None] == np.arange(out_dim)) * s[0][:, None]
        return (data.astype(np.float64) @ signs).astype(data.dtype)

    return formula


def sketch(shape, out_dim, dtypes=("float32",), **attributes):
    inputs = [shape, ints((1, shape[-1]), out_dim), ints((1, shape[-1]), 2, -1)]
    case = Case("_contrib_count_sketch", inputs, out_dim=out_dim, **attributes)
    yield case.but(formula=sketched(out_dim), dtypes=dtypes)
    heads = (*shape[:-1], out_dim)
    grad = Case("_count_sketch_grad", [heads, *inputs[1:]], out_dim=out_dim, **attributes)
    yield grad.but(formula=lambda dy, h, s: dy[..., h[0].astype(int)] * s[0].astype(dy.dtype), dtypes=dtypes)


CASES = [
    *transforms(3, 5, dtypes=FLOATS),
    *transforms(2, 8, compute_size=1),
    *transforms(1, 1),
    *transforms(2, 3, 1, 6),
    *transforms(2, 150),
    *transforms(2, 256),
    *transforms(1, 2, 2, 130),
    Case("_contrib_fft", [(0, 3)]).but(formula=lambda data: np.zeros((0, 6), data.dtype)),
    Case("_contrib_ifft", [(0, 6)]).but(formula=lambda data: np.zeros((0, 3), data.dtype)),
    *sketch((3, 6), 4, dtypes=FLOATS),
    *sketch((2, 7), 20, processing_batch_size=1),
    *sketch((2, 3, 2, 5), 3),
    *sketch((4, 1), 1),
]
