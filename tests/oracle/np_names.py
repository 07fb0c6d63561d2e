"""Store the public names of real MXNet 1.9.1's mx.np, mx.npx and their modules, in np_names.json.

scripts/oracle np_names.py
"""

import json
from pathlib import Path

import mxnet as mx

MODULES = (
    "np",
    "np.random",
    "np.linalg",
    "npx",
    "npx.random",
    "sym.np",
    "sym.np.random",
    "sym.np.linalg",
    "sym.npx",
)


def main():
    names = {}
    for path in MODULES:
        module = mx
        for part in path.split("."):
            module = getattr(module, part)
        names[path] = [n for n in sorted(dir(module)) if not n.startswith("_")]
    names["np.ndarray"] = [n for n in sorted(dir(mx.np.ndarray)) if not n.startswith("_")]
    target = Path(__file__).with_suffix(".json")
    target.write_text(json.dumps(names, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
