"""Names that MXNet keeps in `mx.base`."""

from .errors import MXNetError, NotImplementedForSymbol

__all__ = ["MXNetError", "NotImplementedForSymbol"]
