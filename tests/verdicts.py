"""What is right of a reader, whatever the file: it reads, or it refuses in time by an error of ours."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hybridonnx.errors import MXNetError

FINE = ("ok", "refused")
"""Verdicts that are none."""
_LONGEST = 5000
_UNEXPECTED = ("report the model", "please report it")


class Limits(NamedTuple):
    """What an action may take."""

    seconds: float
    """Of a processor."""
    memory: int
    """Bytes more than before."""
    runs: bool = False
    """Whether what is read may run as well, with what memory that takes."""


def judged(action: Callable[[], object], limits: Limits) -> str:
    """`ok`, `refused`, or what is at fault with an action."""
    peak, start = memory(anew=True), time.process_time()
    kind, text = "ok", ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # those of libraries mean values that nobody looked at
            action()
    except MXNetError as exc:
        kind, text = "refused", str(exc)
    except Exception as exc:  # noqa: BLE001  (each is a result)
        kind, text = f"foreign {type(exc).__name__}", str(exc)[:200]
    seconds, more = time.process_time() - start, memory() - peak
    if seconds > limits.seconds:
        return f"slow: {seconds:.0f} s, {kind} {text[:200]}"
    if more > limits.memory and not (kind == "ok" and limits.runs):
        return f"memory: {more >> 20} MB, {kind} {text[:200]}"
    if len(text) > _LONGEST:
        return f"long: {len(text)} letters, {text[:200]}"
    if any(words in text for words in _UNEXPECTED):
        return f"unexpected {text[:300]}"
    return kind if kind in FINE else f"{kind}: {text}"


def memory(anew: bool = False) -> int:
    """The most memory since it was asked for `anew`, in bytes."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10
