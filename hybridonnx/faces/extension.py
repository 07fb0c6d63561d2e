"""The functions of mx.npx: operators of neural networks on mx.np's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic

from ..attrs import ShapeLike
from .arguments import Name, V, shape_of

NAMES = {
    "activation": "Activation",
    "arange_like": "_contrib_arange_like",
    "batch_dot": "batch_dot",
    "batch_flatten": "Flatten",
    "batch_norm": "BatchNorm",
    "cast": "Cast",
    "constraint_check": "_npx_constraint_check",
    "convolution": "Convolution",
    "deconvolution": "Deconvolution",
    "dropout": "Dropout",
    "embedding": "Embedding",
    "erf": "erf",
    "erfinv": "erfinv",
    "fully_connected": "FullyConnected",
    "gamma": "gamma",
    "gammaln": "gammaln",
    "gather_nd": "gather_nd",
    "layer_norm": "LayerNorm",
    "leaky_relu": "LeakyReLU",
    "log_softmax": "log_softmax",
    "multibox_detection": "_contrib_MultiBoxDetection",
    "multibox_prior": "_contrib_MultiBoxPrior",
    "multibox_target": "_contrib_MultiBoxTarget",
    "nonzero": "_npx_nonzero",
    "one_hot": "one_hot",
    "pick": "pick",
    "pooling": "Pooling",
    "relu": "_npx_relu",
    "reshape_like": "reshape_like",
    "rnn": "RNN",
    "roi_pooling": "ROIPooling",
    "sequence_mask": "SequenceMask",
    "shape_array": "shape_array",
    "sigmoid": "_npx_sigmoid",
    "slice": "slice",
    "smooth_l1": "smooth_l1",
    "softmax": "softmax",
    "topk": "topk",
}
"""The names of mx.npx, and those of the operators."""


class Extension(Generic[V]):
    """The functions of mx.npx, on the values of one frontend, which calls operators as users write them."""

    def __init__(self, operators: Callable[[str], Callable[..., Any]]) -> None:
        self._operators = operators

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in NAMES:
            raise AttributeError(f"mx.npx has no attribute {name!r}", name=name, obj=self)
        function = self._operators(NAMES[name])
        setattr(self, name, function)
        return function

    def __dir__(self) -> list[str]:
        return sorted([*NAMES, "reshape"])

    def reshape(
        self,
        a: V,
        newshape: ShapeLike | Sequence[int],
        reverse: bool = False,
        order: str = "C",
        out: V | None = None,
        name: Name = None,
    ) -> V:
        """The elements in a shape that may be said in terms of the old one."""
        place = {} if out is None else {"out": out}
        reshape = self._operators("_npx_reshape")
        sizes = shape_of(newshape)
        reshaped: V = reshape(a, newshape=sizes, reverse=reverse, order=order, name=name, **place)
        return reshaped
