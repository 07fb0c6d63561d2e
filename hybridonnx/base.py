"""Names that MXNet keeps in `mx.base`."""

from __future__ import annotations

from .errors import MXNetError, NotImplementedForSymbol

__all__ = ["MXNetError", "NotImplementedForSymbol"]
