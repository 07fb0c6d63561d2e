"""Errors under MXNet's names, and the table of those that text names."""

from __future__ import annotations

from .base import register_error as register
from .errors import MXNetError

__all__ = ["InternalError", "MXNetError", "register"]


@register
class InternalError(MXNetError):
    """What must not happen; here nothing raises it."""
