"""Writes older.json: what real MXNet 1.9.1 shows in each scenario of older_scenarios.

Run it with the oracle environment's Python; names of modules restrict what is run anew:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/older.py [cells …]
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

MODULES = (
    "cells",
    "sentences",
    "helpers",
    "checks",
    "feed_forward",
    "contributed",
    "estimators",
    "layers",
    "stores",
)


def main():
    """Write the file."""
    warnings.simplefilter("ignore")
    named, file = sys.argv[1:] or MODULES, FOLDER / "older.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    facts = {key: value for key, value in before.items() if key.split(".")[0] not in named}
    for name in named:
        module = importlib.import_module(f"tests.oracle.older_scenarios.{name}")
        for title, scenario in scenarios(module).items():
            with tempfile.TemporaryDirectory() as folder:
                try:
                    facts[f"{name}.{title}"] = run(scenario, mx, Path(folder))
                except Exception:  # noqa: BLE001  (of any type)
                    print(f"{name}.{title}:")
                    traceback.print_exc(limit=-4)
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in facts.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
