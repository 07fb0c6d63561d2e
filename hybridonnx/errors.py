"""Every exception of the framework. `MXNetError` is the root of the tree."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = [
    "AttributeValueError",
    "BoundsError",
    "ConversionError",
    "DTypeError",
    "DeferredInitializationError",
    "FormatError",
    "MXNetError",
    "MissingFileError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "RequirementError",
    "ShapeError",
    "UnknownNameError",
    "UnknownOperatorError",
]


class MXNetError(RuntimeError):
    """Anything that the framework refuses or cannot do."""

    node: Any = None
    """The node of a graph that it is about, if it is about one."""


class AttributeValueError(MXNetError, ValueError):
    """An operator attribute that is unknown, missing, or has a value that does not fit its type."""


class ShapeError(MXNetError, ValueError):
    """Shapes that do not fit an operator or each other."""


class BoundsError(MXNetError, IndexError):
    """Indices outside of an array, where MXNet raises IndexError."""


class DTypeError(MXNetError, TypeError):
    """Element types that do not fit an operator or each other."""


class ArgumentError(MXNetError, TypeError):
    """Arguments that a call has no place for, where MXNet raises TypeError."""


class RequirementError(MXNetError, AssertionError):
    """Blocks or parameters used against what they require, where MXNet asserts."""


class UnknownOperatorError(MXNetError, AttributeError):
    """A name that no operator has."""


class UnknownNameError(MXNetError, KeyError):
    """A name that nothing has, where MXNet raises KeyError."""

    __str__ = MXNetError.__str__  # KeyError's shows the message in quotation marks


class FormatError(MXNetError, ValueError):
    """A file that is damaged, truncated, or not of the format it was read as."""


class MissingFileError(FileNotFoundError, MXNetError):
    """A file that is not there."""


class ConversionError(MXNetError):
    """A graph that cannot be converted exactly to or from ONNX."""


class DeferredInitializationError(MXNetError):
    """A parameter was used before its shape was known and its values were drawn."""


class NotImplementedForSymbol(MXNetError, NotImplementedError):  # noqa: N818  (MXNet's name)
    """A method of arrays that symbols, which have no values, do not have."""


class NotSupportedForSparseNDArray(MXNetError):  # noqa: N818  (MXNet's name)
    """A method of dense arrays that sparse ones do not have."""


def suggest(name: str, known: Iterable[str]) -> str:
    """A sentence with the names nearest to `name`, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
