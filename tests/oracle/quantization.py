"""Writes quantization.json: the graphs that MXNet 1.9.1's mx.contrib.quantization makes of small ones.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/quantization.py
"""

import inspect
import json
import os
import sys
import types
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
from mxnet.contrib import quantization  # noqa: E402

from tests.quantized_graphs import OPTIONS, calibrated, described, graphs  # noqa: E402


class _Stats(types.ModuleType):
    """MXNet looks for scipy.stats, and does not use it."""

    stats = types.ModuleType("scipy.stats")


def main():
    """Write the file."""
    sys.modules.setdefault("scipy", _Stats("scipy"))
    sys.modules.setdefault("scipy.stats", _Stats.stats)
    quantization.stats = _Stats.stats
    facts = {
        f"{name}, {options}, {'offline' if offline else 'online'}": described(
            quantization, mx, name, options, offline
        )
        for name in graphs(mx)
        for options in OPTIONS
        for offline in (True, False)
    }
    facts["naive"] = calibrated(quantization, mx, "naive")
    facts["entropy"] = calibrated(quantization, mx, "entropy")
    facts["entropy auto"] = calibrated(quantization, mx, "entropy", "auto")
    names = [n for n in dir(quantization) if n.startswith(("quantize_", "calib_", "combine_"))]
    facts["signatures"] = {n: [*inspect.signature(getattr(quantization, n)).parameters] for n in names}
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in facts.items()]
    (FOLDER / "quantization.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
