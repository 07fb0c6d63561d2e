"""`nd.np.random`: random draws as arrays of mx.np, `F.np.random` in a hybrid block that runs eagerly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...context import Context
from ...faces import Random, Size
from ...faces import namespace as _namespace
from ..np_array import FUNCTIONS, array_of, call, ndarray

if TYPE_CHECKING:
    from ._random_operators import *  # noqa: F403  (a stub)


class _ArrayRandom(Random[ndarray]):
    """The functions of mx.np.random on arrays."""

    def choice(
        self,
        a: ndarray | int,
        size: Size = None,
        replace: bool = True,
        p: ndarray | Sequence[float] | None = None,
        ctx: Context | None = None,
        out: ndarray | None = None,
    ) -> ndarray:
        """Elements of a vector, or of the integers below a number; `p` may be a list."""
        chances: Any = p if p is None or hasattr(p, "as_np_ndarray") else array_of(p)
        return super().choice(a, size, replace, chances, ctx, out)


DRAWS = _ArrayRandom(call, FUNCTIONS)

__getattr__, __dir__ = _namespace(__name__, DRAWS)
