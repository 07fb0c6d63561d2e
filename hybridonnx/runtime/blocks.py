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

_PROCESSORS = ("x86_64", "AMD64")
_DOMAIN = "com.microsoft.nchwc"
_SHAPE = (1, 64, 2, 1)


@cache
def block_size() -> int:
    """How many channels a block has; 0 if this ONNX Runtime has no such convolutions.

    ONNX Runtime does not tell it, but brings data into blocks: behind the first block of one place comes that
    of the next.
    """
    if platform.machine() not in _PROCESSORS:
        return 0
    x = np.zeros(_SHAPE, np.float32)
    x[0, 0, 1, 0] = 1
    settings = options(in_turn=True)  # of the first session of a process some hold for all
    settings.intra_op_num_threads = 1
    try:
        session = ort.InferenceSession(_model(), settings, providers=["CPUExecutionProvider"])
        (y,) = session.run(None, {"x": x})
    except FAILURES as exc:
        logger.debug("convolutions in blocks: %s", exc)
        return 0
    return int(y.argmax())


def block_size_on(device: object | None) -> int:
    """The same for sessions on a device, whose convolutions have no blocks, or on the processor."""
    return block_size() if device is None else 0


def _model() -> bytes:
    """y, in blocks, of x."""
    from ..converters import messages

    x, y = (messages.value_info(name, np.dtype(np.float32), _SHAPE) for name in "xy")
    node = messages.node("ReorderInput", _DOMAIN, ["x"], ["y"], "", [], "")
    model: bytes = messages.model(
        messages.graph([node], "blocks", [], [x], [y]), 8, "", "", {"": 17, _DOMAIN: 1}
    )
    return model
