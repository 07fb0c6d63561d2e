"""Writes gluon.json: what real MXNet 1.9.1 shows in each scenario of gluon_scenarios.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/gluon.py
"""

import importlib
import json
import os
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402

from tests.oracle.gluon_scenarios._record import run, scenarios  # noqa: E402

MODULES = ("parameter", "block", "hybrid_block", "symbol_block", "model_file", "unfused")


def main():
    """Write the file."""
    warnings.simplefilter("ignore")
    facts = {}
    for name in MODULES:
        module = importlib.import_module(f"tests.oracle.gluon_scenarios.{name}")
        for title, scenario in scenarios(module).items():
            with tempfile.TemporaryDirectory() as folder:
                try:
                    facts[f"{name}.{title}"] = run(scenario, mx, Path(folder))
                except Exception:  # noqa: BLE001  (of any type)
                    print(f"{name}.{title}:")
                    traceback.print_exc(limit=-4)
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in facts.items()]
    (FOLDER / "gluon.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
