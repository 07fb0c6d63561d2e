"""Store the operators and attributes that real MXNet 1.9.1 writes for the calls of tests/np_symbols.py.

Results of some are in np_symbol_values.json.

scripts/oracle np_symbols.py
"""

import json
import sys
from pathlib import Path

import mxnet as mx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.np_symbols import VALUES, calls, nodes, values  # noqa: E402


def main():
    mx.npx.set_np()
    stored = {call: nodes(call, mx) for call in calls()}
    write(Path(__file__).with_suffix(".json"), stored)
    results = {f"{call} {array}": values(call, array, mx) for call in VALUES for array in VALUES[call]}
    write(Path(__file__).with_name("np_symbol_values.json"), results)


def write(target, stored):
    lines = [f"{json.dumps(call)}: {json.dumps(result)}" for call, result in stored.items()]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
