"""Writes native.json: what real MXNet 1.9.1 shows in each scenario of native_scenarios.

Run it with the oracle environment's Python; names of modules restrict what is run anew:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/native.py [custom …]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402

from tests.oracle.gluon_scenarios._record import write  # noqa: E402

write(mx, "native", sys.argv[1:])
