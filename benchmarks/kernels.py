"""Each operator's kernel beside a session of its own, at larger shapes of the tests' cases.

    python benchmarks/kernels.py [FAMILY ...] [--size 65536] [--threads 1]

Shown are nanoseconds for each step of `work`, and what `saves` says. To be run in the repository.
"""

import argparse
import math
import os
import resource
import signal
import statistics
import sys
import time

import numpy as np

_MEMORY = 6 << 30
_SECONDS = 10
_CASES = 4
"""How many cases of an operator are tried."""
_ROUNDS = 7


class Late(Exception):  # noqa: N818
    """A case took longer than it may."""


def late(*_):
    raise Late


def grown(shapes, size):
    """Shapes with about so many elements in the largest array: one length is multiplied wherever it is."""
    for length in sorted({d for shape in shapes for d in shape if d > 1}):
        factor, larger = 1, shapes
        while max(map(math.prod, larger)) < size:
            factor *= 2
            larger = [tuple(d * factor if d == length else d for d in shape) for shape in shapes]
        if max(map(math.prod, larger)) < 16 * size:
            yield larger
    factor = 1
    while max(math.prod(shape) * factor for shape in shapes if shape) < size:
        factor *= 2
    yield [(shape[0] * factor, *shape[1:]) if shape else () for shape in shapes]


def least(function):
    """Seconds of a call, the least of several."""
    function()
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def measured(case, size):
    """Shapes, steps, and seconds of the kernel and of the session; `None` if no larger shapes fit."""
    from hybridonnx.errors import MXNetError
    from hybridonnx.ndarray.invoke import ReferenceKernels, run, way_of

    op, arrays = case.operator(), case.arrays()
    plain = arrays and all(a.size for a in arrays) and arrays[0].ndim and arrays[0].dtype.kind == "f"
    if op.not_in_onnx or op.stateful or op.subgraphs or op.draws() or not plain:
        return None
    for shapes in grown([a.shape for a in arrays], size):
        larger = [np.resize(a, shape) for a, shape in zip(arrays, shapes, strict=True)]
        try:
            way = way_of(op, larger)
            if way.session is None:
                continue
            steps = op.work(shapes, [() if None in (s.shape or (None,)) else s.shape for s in way.outputs])
            session = least(lambda: run(op, larger, way))  # noqa: B023
            with ReferenceKernels():
                kernel = least(lambda: run(op, larger, way))  # noqa: B023
        except (MXNetError, ArithmeticError, LookupError, MemoryError, TypeError, ValueError):
            continue
        return shapes, steps or max(map(math.prod, shapes)), kernel, session
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("--size", type=int, default=1 << 16, help="elements of the largest array")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "HYBRIDONNX_THREADS"):
        os.environ[name] = str(options.threads)
    os.environ["HYBRIDONNX_EAGER"] = "sessions"
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGALRM, late)
    sys.path.insert(0, os.getcwd())
    from tests.test_operators import FAMILIES

    print(f"{'operator':38}{'kernel':>9}{'session':>9}{'saves':>9}{'it says':>9}   largest array")
    for family in options.families or FAMILIES:
        rows = {}
        for case in FAMILIES[family]:
            rows.setdefault(case.op, [])
            if len(rows[case.op]) == _CASES:
                continue
            signal.alarm(_SECONDS)
            try:
                row = measured(case, options.size)
            except Late:
                continue
            finally:
                signal.alarm(0)
            if row:
                rows[case.op].append((case, row))
        for name, known in rows.items():
            if not known:
                continue
            kernel, session = (statistics.median(1e9 * row[i] / row[1] for _, row in known) for i in (2, 3))
            largest = max(known[0][1][0], key=math.prod)
            says = known[0][0].operator().saves
            print(
                f"{name:38}{kernel:9.3g}{session:9.3g}{kernel - session:9.3g}{says:9.3g}   {largest}",
                flush=True,
            )


if __name__ == "__main__":
    main()
