"""Writes pickles.json: what real MXNet 1.9.1 pickles, and the training that goes on from it.

scripts/oracle pickles.py
"""

import base64
import json
import os
import pickle
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402

from tests import pickled  # noqa: E402


def text(data: bytes) -> str:
    """Bytes as JSON has them."""
    return base64.b64encode(data).decode()


def main() -> None:
    """Write the pickles, and what MXNet goes on with."""
    trained = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "states"
        for case in pickled.OPTIMIZERS:
            for rate in pickled.RATES:
                net, trainer = pickled.trainer_of(mx, case, rate)
                before = pickled.steps(mx, net, trainer, 3)
                trainer.save_states(str(path))
                after = pickled.steps(mx, net, trainer, 3)
                states = path.read_bytes()
                oldest = text(pickle.dumps(pickle.loads(states), 0)) if rate == "scheduler" else None  # noqa: S301
                trained[f"{case}, {rate}"] = [text(states), oldest, before, after]
        module = pickled.module_of(mx)
        before = pickled.module_steps(mx, module, 3)
        module.save_optimizer_states(str(path))
        stored = [text(path.read_bytes()), before, pickled.module_steps(mx, module, 3)]
    values = {
        name: [pickled.plain(value), *(text(pickle.dumps(value, protocol)) for protocol in (0, 2, 4))]
        for name, value in pickled.objects(mx).items()
    }
    content = {"trained": trained, "module": stored, "objects": values}
    (FOLDER / "pickles.json").write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


main()
