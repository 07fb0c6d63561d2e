"""What times depend on beside the model."""

from __future__ import annotations

import os
import platform

import numpy as np

from .._version import __version__
from .session import VERSION


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


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
