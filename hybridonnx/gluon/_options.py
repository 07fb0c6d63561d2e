"""Arguments by name that many constructors pass on to that of `Block`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from .parameter import ParameterDict


class BlockOptions(TypedDict, total=False):
    """What every block takes."""

    prefix: str | None
    """What the names of its parameters begin with; a counted name if there is none."""
    params: ParameterDict | None
    """Parameters to share."""
