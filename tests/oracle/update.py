"""Writes update.json: what optimizers' steps of real MXNet 1.9.1 give for the calls of ../update_snippets.py.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/update.py
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1]))

from tests.snippets import outcome  # noqa: E402
from tests.update_snippets import SNIPPETS  # noqa: E402

if __name__ == "__main__":
    results = {}
    for text in SNIPPETS:
        results[text] = outcome(text, mx=mx)
    path = FOLDER / "update.json"
    path.write_text(json.dumps(results, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(results)} snippets, {path.stat().st_size >> 10} KiB")
