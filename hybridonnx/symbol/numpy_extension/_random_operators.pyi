# Written by scripts/stubs; do not edit.
from ...context import Context
from ...dtypes import DTypeLike
from ...faces import Size
from ..np_symbol import _Symbol

def bernoulli(
    prob: _Symbol | float | None = None,
    logit: _Symbol | float | None = None,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """1 with a probability, given as it is or as its logit, else 0."""
    ...
def normal_n(
    loc: _Symbol | float = 0.0,
    scale: _Symbol | float = 1.0,
    batch_shape: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> _Symbol:
    """Normal draws of a batch of so many for each of the parameters."""
    ...
def uniform_n(
    low: _Symbol | float = 0.0,
    high: _Symbol | float = 1.0,
    batch_shape: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> _Symbol:
    """Uniform draws of a batch of so many for each of the parameters."""
    ...
