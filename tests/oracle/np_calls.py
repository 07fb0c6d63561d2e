"""Store what real MXNet 1.9.1 gives for the calls of tests/np_calls.py.

    scripts/oracle np_calls.py

`N.value` in np_calls.npz is the value of call N, `N.error` the type of what it raises, and `N.LETTER` the
gradient of the sum of its squares in an array.
"""

import sys
from pathlib import Path

import mxnet as mx
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.np_calls import arrays, calls, evaluated  # noqa: E402


def main():
    mx.npx.set_np()
    stored = {}
    for number, (expression, differentiable, _) in enumerate(calls()):
        scope = {"mx": mx, "np": mx.np, "npx": mx.npx, "onp": np}
        variables = {name: mx.np.array(value, dtype=value.dtype) for name, value in arrays().items()}
        try:
            stored[f"{number}.value"] = evaluated(expression, {**scope, **variables})
        except (AttributeError, TypeError, ValueError, mx.MXNetError) as exc:
            stored[f"{number}.error"] = np.array(type(exc).__name__)
            print(expression, type(exc).__name__)
            continue
        if not differentiable:
            continue
        used = [n for n, x in variables.items() if x.dtype == np.float32]
        for name in used:
            variables[name].attach_grad()
        with mx.autograd.record():
            y = eval(expression, {**scope, **variables})
            total = (y * y).sum()
        total.backward()
        for name in used:
            gradient = variables[name].grad.asnumpy()
            if gradient.any():
                stored[f"{number}.{name}"] = gradient
    np.savez_compressed(Path(__file__).with_suffix(".npz"), **stored)
    print(f"{len(stored)} arrays")


if __name__ == "__main__":
    main()
