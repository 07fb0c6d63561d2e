"""Writes amp.json and bfloat16.json: what real MXNet 1.9.1's mixed precision does.

The first has lists, converted graphs and scales of losses; the second numbers in bfloat16.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/amp.py
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
import mxnet.contrib.amp  # noqa: E402
import numpy as np  # noqa: E402

from tests import amp_facts  # noqa: E402


def main():
    """Write the files, a line for each fact."""
    write("amp.json", amp_facts.facts(mx))
    numbers = {
        "layer": amp_facts.layer(mx, np.dtype([("bfloat16", np.uint16)])),
        "converted": amp_facts.losses(mx, amp_facts.converted(mx)),
        "buckets": amp_facts.buckets(mx, "bfloat16", train=False),
        "trained buckets": amp_facts.buckets(mx, "bfloat16", train=True),
    }
    mx.contrib.amp.init("bfloat16")  # for good
    net = amp_facts.network(mx)
    net.hybridize()
    write("bfloat16.json", {**numbers, "scaled": amp_facts.losses(mx, net, scaled=True)})


def write(name, values):
    """A file with a line for each entry."""
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items()]
    (FOLDER / name).write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
