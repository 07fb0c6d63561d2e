"""Store what real MXNet 1.9.1 computes of integers, float16, float64; tests/narrow_values.py has the cases.

    scripts/oracle narrow_values.py

`KEY.DTYPE.out.I` and `KEY.DTYPE.grad.I` in narrow_values.npz are a case's outputs and the gradients of its
inputs; what MXNet refuses is left out.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_MKLDNN_ENABLED", "0")
ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(__file__).with_suffix(".npz")
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402
import results  # noqa: E402

from tests.narrow_values import chosen, converted, dtypes_of, heads  # noqa: E402


def computed(case, dtype):
    """Outputs and gradients by name."""
    xs = [mx.nd.array(a, dtype=a.dtype) for a in converted(case, dtype)]
    for x in xs:
        x.attach_grad()
    with mx.autograd.record(train_mode=case.training):
        outputs = results.invoke(case, xs)
    arrays = {f"out.{i}": y.asnumpy() for i, y in enumerate(outputs)}
    try:
        hs = heads(case, list(arrays.values()))
        mx.autograd.backward(outputs, [mx.nd.array(h, dtype=h.dtype) for h in hs], train_mode=case.training)
        return arrays | {f"grad.{i}": x.grad.asnumpy() for i, x in enumerate(xs)}
    except mx.MXNetError:
        return arrays


def main():
    stored = {}
    for family, case in chosen():
        for dtype in dtypes_of(family):
            try:
                arrays = computed(case, dtype)
            except (mx.MXNetError, ValueError, TypeError):
                continue
            stored.update({f"{case.key()}.{dtype}.{k}": v for k, v in arrays.items()})
    np.savez_compressed(TARGET, **stored)
    print(f"{len(stored)} arrays, {TARGET.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main()
