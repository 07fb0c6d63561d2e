"""The array and the functions of mx.np, under the module where MXNet has them."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from .._lazy import mirror as _mirror

if _TYPE_CHECKING:
    from . import *  # noqa: F403

__getattr__, __dir__ = _mirror(__name__, __package__)
