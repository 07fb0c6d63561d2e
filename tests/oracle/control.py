"""Writes control.json and control.npz: loops and branches as MXNet 1.9.1 writes and computes them.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/control.py
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

from tests.control_graphs import GRAPHS, computed, inputs, recorded, symbol, text  # noqa: E402


def report(name, graph, arrays):
    """Print what MXNet's own graphs of it do otherwise: see FACTS.md."""
    try:
        for key, value in computed(mx, graph, inputs(name)).items():
            difference = np.abs(value - arrays[f"{name}.{key}"]).max()
            if not difference < 1e-4:
                print(f"{name}: {key} differs by {difference:.3g}")
    except mx.MXNetError as exc:
        print(f"{name}: {str(exc).splitlines()[-1]}")


def main():
    """Write the files."""
    texts, arrays = {}, {}
    for name in GRAPHS:
        graph = symbol(mx, name)
        texts[name] = text(graph)
        arrays.update({f"{name}.{key}": value for key, value in recorded(mx, name).items()})
        report(name, graph, arrays)
    (FOLDER / "control.json").write_text(json.dumps(texts, indent=1) + "\n")
    np.savez_compressed(FOLDER / "control.npz", **arrays)


main()
