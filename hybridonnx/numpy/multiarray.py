"""The array and the functions of mx.np, under the module where MXNet has them."""

from .._lazy import mirror as _mirror

__getattr__, __dir__ = _mirror(__name__, __package__)
