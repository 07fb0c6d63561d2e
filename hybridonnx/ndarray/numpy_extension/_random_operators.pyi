# Written by scripts/stubs; do not edit.
from ...context import Context
from ...dtypes import DTypeLike
from ...faces import Size
from ..np_array import ndarray

def bernoulli(
    prob: ndarray | float | None = None,
    logit: ndarray | float | None = None,
    size: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
    out: ndarray | None = None,
) -> ndarray:
    """1 with a probability, given as it is or as its logit, else 0."""
    ...
def normal_n(
    loc: ndarray | float = 0.0,
    scale: ndarray | float = 1.0,
    batch_shape: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> ndarray:
    """Normal draws of a batch of so many for each of the parameters."""
    ...
def uniform_n(
    low: ndarray | float = 0.0,
    high: ndarray | float = 1.0,
    batch_shape: Size = None,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> ndarray:
    """Uniform draws of a batch of so many for each of the parameters."""
    ...
