"""Writes record_iter.npz: epochs of MXNet 1.9.1's ImageRecordIter.

Run it with the oracle environment's Python: python tests/oracle/record_iter.py
Calls run in processes of their own, as MXNet ends the process where one goes wrong.
"""

import os
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402

from tests.record_iter_calls import BOX_OPTIONS, OPTIONS, results, write  # noqa: E402


def main():
    """Write the file."""
    arrays = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(mx, folder)
        for call in (*OPTIONS, *BOX_OPTIONS):
            if not os.fork():
                try:
                    np.savez(folder / f"{call}.npz", **dict(results(mx, call, folder)))
                except mx.MXNetError as exc:
                    print(call, str(exc)[-300:])
                finally:
                    os._exit(0)
            os.wait()
            if (folder / f"{call}.npz").exists():
                arrays.update(np.load(folder / f"{call}.npz"))
            else:
                print(f"{call}: MXNet gives nothing")
    np.savez_compressed(FOLDER / "record_iter.npz", **arrays)


main()
