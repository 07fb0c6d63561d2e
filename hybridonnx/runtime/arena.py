"""Memory of sessions: what those that run one after another share, and what goes back to the system.

Each session would keep an arena of its own. ONNX Runtime's hands out pieces of regions that it asks the
system for. By default it gives up to twice as much as was asked for rather than cut a piece in two; here what
is left over stays free. It keeps regions until it is told to give back those that nobody uses.
"""

from __future__ import annotations

import ctypes
import logging
import weakref
from functools import cache
from typing import Any

import numpy as np
import onnxruntime as ort

from .._locks import no_fork
from .failures import FAILURES

logger = logging.getLogger("hybridonnx")

LARGE = 1 << 23
"""Bytes from which on memory is worth the time that it takes to give it back."""
_SMALLEST_REST = 1 << 16
"""Bytes from which on what is left over of a piece stays free."""
_SHARE = "session.use_env_allocators", "1"
_GIVE_BACK = "memory.enable_memory_arena_shrinkage", "cpu:0"
_IDENTITY = (
    b'\x08\x07:7\n\x10\n\x01x\x12\x01y"\x08Identity\x12\x01gZ\x0f\n\x01x\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01'
    b"b\x0f\n\x01y\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01B\x04\n\x00\x10\r"
)
"""A model of one node, y = Identity(x), of one number: only at the end of a run memory is given back."""


def share(settings: Any) -> None:
    """Have a session with these settings take its memory from the arena."""
    if _registered():
        settings.add_session_config_entry(*_SHARE)


def give_back_after(owner: object) -> None:
    """Give back what nobody uses once an object is gone."""
    weakref.finalize(owner, _give_back).atexit = False


def give_back_weights(count: int) -> None:
    """Give back what the start of a session with so many bytes of weights has left behind, if they are many.

    Its optimizations copy weights again and again, and C's library keeps what they free: of ResNet-50, which
    has 98 MiB of weights, 150 MiB.
    """
    if count > LARGE and (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Any:
    """The function of GNU's C library; `None` elsewhere."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


@cache
def _registered() -> bool:
    """Whether sessions that ask for it share an arena, which is made now."""
    place = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    config = {"arena_extend_strategy": 0, "max_dead_bytes_per_chunk": _SMALLEST_REST}
    try:
        ort.create_and_register_allocator(place, ort.OrtArenaCfg(config))
    except FAILURES as exc:  # the process has registered one before, as it likes it
        logger.debug("arena: %s", exc)
    return True


def _give_back() -> None:
    options = ort.RunOptions()
    options.add_run_config_entry(*_GIVE_BACK)
    try:
        with no_fork():
            _smallest_session().run(None, {"x": np.zeros(1, np.float32)}, options)
    except FAILURES as exc:  # an arena that the process has registered may have another way to grow
        logger.debug("arena: %s", exc)


@cache
def _smallest_session() -> Any:
    settings = ort.SessionOptions()
    settings.log_severity_level = 4
    settings.intra_op_num_threads = 1
    settings.add_session_config_entry(*_SHARE)
    return ort.InferenceSession(_IDENTITY, settings, providers=["CPUExecutionProvider"])
