"""A symbol bound to arrays, under the name that MXNet's module has."""

from .symbol.executor import Executor

__all__ = ["Executor"]
