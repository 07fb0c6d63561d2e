"""`nd.np.random`: random draws as arrays of mx.np, `F.np.random` in a hybrid block that runs eagerly."""

from __future__ import annotations

from typing import Any

from ...faces import Random
from ...faces import namespace as _namespace
from ..np_array import FUNCTIONS, array_of, call


class _ArrayRandom(Random):
    """The functions of mx.np.random on arrays."""

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        ctx: Any = None,
        out: Any = None,
    ) -> Any:
        """Elements of a vector, or of the integers below a number; `p` may be a list."""
        chances = p if p is None or hasattr(p, "as_np_ndarray") else array_of(p)
        return super().choice(a, size, replace, chances, ctx, out)


DRAWS = _ArrayRandom(call, FUNCTIONS)

__getattr__, __dir__ = _namespace(__name__, DRAWS)
