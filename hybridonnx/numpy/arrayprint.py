"""How arrays are printed."""

from __future__ import annotations

from typing import Any

import numpy as _np

__all__ = ["set_printoptions"]


def set_printoptions(precision: int | None = None, threshold: int | None = None, **kwarg: Any) -> None:
    """How arrays are printed; see NumPy's."""
    _np.set_printoptions(precision=precision, threshold=threshold, **kwarg)
