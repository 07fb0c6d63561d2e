"""Imports of discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError

from ._registry import Const, imports


@imports("DFT", versions=(17,))
def dft_by_attribute(
    F: Any, x: Any, dft_length: Const = None, *, axis: int = 1, inverse: int = 0, onesided: int = 0
) -> Any:
    """The axis is an attribute."""
    return _transform(F, x, dft_length, axis, inverse, onesided)


@imports("DFT", versions=(20,))
def dft(
    F: Any, x: Any, dft_length: Const = None, axis: Const = None, *, inverse: int = 0, onesided: int = 0
) -> Any:
    """The axis is an input."""
    return _transform(F, x, dft_length, -2 if axis is None else int(axis.reshape(-1)[0]), inverse, onesided)


def _transform(F: Any, x: Any, dft_length: Any, axis: int, inverse: int, onesided: int) -> Any:
    """MXNet transforms real numbers, and complex ones to the real part, along the last axis."""
    rank = F.rank(x)
    *_, n, parts = F.shape(x) or (None,) * rank
    if dft_length is not None or onesided or axis % rank != rank - 2 or parts not in (1, 2) or n is None:
        raise ConversionError(
            "DFT: a transform of all of the axis before the last, of known size, to as many numbers is "
            f"required, got axis {axis} of {rank}, onesided {onesided}, sizes ({n}, {parts})."
        )
    if parts == 2:
        return _complex(F, x, rank, n, inverse)
    if inverse:
        raise ConversionError("DFT: complex numbers are required with inverse, got real ones.")
    spectrum = _before(F, F._contrib_fft(F.reshape(x, shape=(-1, n))), x, rank)
    return F.reshape(spectrum, shape=(*(0,) * (rank - 2), n, 2))


def _before(F: Any, rows: Any, x: Any, rank: int) -> Any:
    """Rows of a matrix as the axes that `x` has before its last two."""
    return F.reshape_like(rows, x, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=rank - 2)


def _complex(F: Any, x: Any, rank: int, n: int, inverse: int) -> Any:
    """MXNet's transform turns the other way; the imaginary part is the real part of a quarter's turn."""
    real, imaginary = (F.slice_axis(x, axis=-1, begin=i, end=i + 1) for i in range(2))
    if inverse:
        parts = (real, imaginary), (imaginary, F.negative(real))
    else:
        parts = (real, F.negative(imaginary)), (imaginary, real)
    signals = []
    for pair in parts:
        signal = F._contrib_ifft(F.reshape(F.concat(*pair, dim=rank - 1), shape=(-1, 2 * n)))
        signals.append(F.expand_dims(_before(F, signal / n if inverse else signal, x, rank), axis=rank - 1))
    return F.concat(*signals, dim=rank - 1)
