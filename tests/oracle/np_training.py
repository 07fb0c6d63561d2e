"""Store the losses of tests/np_training.py in real MXNet 1.9.1, and the net that it exports.

scripts/oracle np_training.py
"""

import sys
from pathlib import Path

import mxnet as mx
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.np_training import trained  # noqa: E402


def main():
    mx.npx.set_np()
    net, x, losses = trained(mx, True)
    net.export(str(HERE / "np_training"))
    np.savez(HERE / "np_training.npz", losses=np.array(losses), output=net(x).asnumpy())


if __name__ == "__main__":
    main()
