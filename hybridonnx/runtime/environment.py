"""What times depend on beside the model."""

from __future__ import annotations

import os
import platform
from functools import cache

import numpy as np

from .._version import __version__
from .session import VERSION

_PROCESSOR = ("vendor_id", "cpu family", "model", "flags", "Features", "CPU ")
"""How the lines of Linux begin that tell what a processor is: on Intel's and AMD's, and on Arm's."""


def environment() -> dict[str, str]:
    """Versions and the machine."""
    return {
        "hybridonnx": __version__,
        "ONNX Runtime": VERSION,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": str(processors()),
    }


def processor() -> str:
    """The processor's model and what it can do, as far as the system tells."""
    lines: set[str] = set()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.strip():  # the others are like the first
                    break
                if line.startswith(_PROCESSOR):
                    lines.add(" ".join(line.split()))
    except OSError:
        pass
    if not lines:  # on Linux that is a process of its own, which says no more
        lines.add(platform.processor())
    return "\n".join([platform.machine(), *sorted(lines)])


@cache
def saturates() -> bool:
    """Whether sums of two products of 8 bits are cut off at 16 bits, as on Intel's and AMD's without VNNI."""
    words = processor().split()
    is_x86 = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
    return is_x86 and not any(word in words for word in ("avx512_vnni", "avx_vnni"))


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
