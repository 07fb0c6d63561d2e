"""In how many channels at once ONNX Runtime convolves on this processor."""

from __future__ import annotations

import logging
import platform
from functools import cache

import numpy as np
import onnxruntime as ort

from .failures import FAILURES
from .session import options

logger = logging.getLogger("hybridonnx")

_SIZES = (16, 8)
"""Those of processors with AVX-512 and without."""
_PROCESSORS = ("x86_64", "AMD64")
_CHANNELS = 32


@cache
def block_size() -> int:
    """How many channels a block has; 0 if this ONNX Runtime has no such convolutions.

    ONNX Runtime does not tell it. A convolution of weights that are brought into blocks of another size is
    wrong, so each size is tried on one whose result is known.
    """
    if platform.machine() not in _PROCESSORS:
        return 0
    for size in _SIZES:
        try:
            if _is_right(size):
                return size
        except FAILURES as exc:
            logger.debug("convolutions in blocks: %s", exc)
    return 0


def _is_right(size: int) -> bool:
    """Whether a convolution in blocks of this size gives what it should."""
    from ..converters.to_onnx import Local, lower_operator
    from ..ops import Spec, find

    rng = np.random.default_rng(0)
    x = rng.integers(-4, 5, (1, _CHANNELS, 16, 16)).astype(np.float32)
    weight = rng.integers(-4, 5, (_CHANNELS, _CHANNELS, 3, 3)).astype(np.float32)
    op = find("Convolution").make({"kernel": (3, 3), "num_filter": _CHANNELS, "no_bias": True})
    lowered = lower_operator(op, [Spec(a.shape, a.dtype) for a in (x, weight)], local=Local(block=size))
    session = ort.InferenceSession(lowered.message, options(in_turn=True))
    (y,) = session.run(None, {"data": x, "weight": weight})
    return np.array_equal(y, op.forward(x, weight))
