"""Store what real MXNet 1.9.1 computes of special values, for the cases that tests/special_values.py chooses.

Run with the oracle environment's Python and MXNET_SUBGRAPH_BACKEND=NONE:

    python tests/oracle/special_values.py

`KEY.VARIANT.I` in special_values.npz are a case's visible outputs; what MXNet refuses is left out. Operators
that end its process for NaN among lengths, colours or bounds, those of 8-bit integers or draws too.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(__file__).with_suffix(".npz")
VARIANTS = ("nan", "mixed", "ninf")
LEFT_OUT = ("ctc", "dropout", "histogram", "image", "quantize", "quantized", "sample")
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]


def store(families, target):
    """Run and store the cases of some families."""
    import mxnet as mx
    import numpy as np
    import results

    from tests.special_values import sprinkled, stored_cases

    stored = {}
    for family, case in stored_cases():
        if family not in families:
            continue
        for variant in VARIANTS:
            arrays = [mx.nd.array(a, dtype=a.dtype) for a in sprinkled(case, variant)]
            try:
                with mx.autograd.record(train_mode=case.training):
                    outputs = [y.asnumpy() for y in results.invoke(case, arrays)]
            except (mx.MXNetError, ValueError, TypeError):
                continue
            stored.update({f"{case.key()}.{variant}.{i}": y for i, y in enumerate(outputs)})
    np.savez_compressed(target, **stored)


def main():
    """Store all families: rnn by oneDNN, without which it is wrong, the others without it."""
    import numpy as np

    names = [path.stem for path in (ROOT / "tests" / "ops").glob("*.py") if path.stem not in LEFT_OUT]
    stored = {}
    for flag, families in (("0", [n for n in names if n != "rnn"]), ("1", ["rnn"])):
        part = TARGET.with_name(f"part{flag}.npz")
        environment = {**os.environ, "MXNET_MKLDNN_ENABLED": flag, "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}
        subprocess.run([sys.executable, __file__, str(part), *families], env=environment, check=True)
        with np.load(part) as arrays:
            stored.update(arrays)
        part.unlink()
    np.savez_compressed(TARGET, **stored)
    print(f"{len(stored)} arrays, {TARGET.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        store(sys.argv[2:], sys.argv[1])
    else:
        main()
