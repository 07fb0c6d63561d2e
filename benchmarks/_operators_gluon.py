"""Operators timed one by one: the same code for hybridonnx and for real MXNet.

python benchmarks/_operators_gluon.py PACKAGE, where operators.py says what to time
"""

import importlib
import json
import operator
import sys
import time

from _operators_workloads import WORKLOADS

LOOPS = {
    "foreach": lambda F, data, state: F.contrib.foreach(
        lambda x, s: (F.tanh(x + s[0]), [F.tanh(x + s[0])]), data, [state]
    ),
    "while_loop": lambda F, x, count: F.contrib.while_loop(
        lambda i, s: i < count,
        lambda i, s: (F.tanh(s), [i + 1, F.tanh(s)]),
        [F.zeros((1,)), x],
        max_iterations=count,
    ),
    "cond": lambda F, a, b: F.contrib.cond(F.sum(a) < F.sum(b), lambda: a * b, lambda: a + b),
}
"""Control flow, whose operators take functions."""


def first(outputs):
    """The first array of what an operator gives."""
    while isinstance(outputs, (list, tuple)):
        outputs = outputs[0]
    return outputs


def call(workload, F, inputs, written=()):
    """The first output of the operator, into the arrays that are to be written."""
    if workload.path in LOOPS:
        return first(LOOPS[workload.path](F, *inputs, **workload.attributes))
    options = {"out": list(written)} if written else {}
    return first(operator.attrgetter(workload.path)(F)(*inputs, **workload.attributes, **options))


class Timer:
    """One workload in one package."""

    def __init__(self, mx, workload):
        self.mx, self.workload = mx, workload
        self.inputs = [mx.nd.array(a, dtype=a.dtype) for a in workload.inputs]
        for i in workload.gradients:
            self.inputs[i].attach_grad()
        self.block = self._block()

    def _block(self):
        workload = self.workload

        class Once(self.mx.gluon.HybridBlock):
            def hybrid_forward(self, F, *inputs):
                return call(workload, F, inputs)

        block = Once()
        block.hybridize(static_alloc=True)
        return block

    def eager(self):
        written = [self.inputs[i] for i in self.workload.writes]
        return call(self.workload, self.mx.nd, self.inputs, written)

    def hybridized(self):
        return first(self.block(*self.inputs))

    def _gradient(self, forward):
        with self.mx.autograd.record():
            y = forward()
        y.backward()

    def eager_gradient(self):
        self._gradient(self.eager)

    def hybridized_gradient(self):
        self._gradient(self.hybridized)

    def time(self, mode, seconds):
        """The least milliseconds of the runs that fit into `seconds`, after one that is not counted."""
        run, end = getattr(self, mode), time.perf_counter() + seconds
        times = []
        run()
        self.mx.nd.waitall()
        while not times or time.perf_counter() < end:
            start = time.perf_counter()
            run()
            self.mx.nd.waitall()
            times.append(1000 * (time.perf_counter() - start))
        return min(times)


def answer(mx, timers, index, mode, seconds):
    """Milliseconds, or why there are none."""
    try:
        if index not in timers:
            timers.clear()
            timers[index] = Timer(mx, WORKLOADS[index])
        return {"milliseconds": timers[index].time(mode, seconds)}
    except (mx.base.MXNetError, AttributeError, TypeError, ValueError, NotImplementedError) as exc:
        return {"error": f"{type(exc).__name__}: {exc}"}


if __name__ == "__main__":
    package = importlib.import_module(sys.argv[1])
    timers = {}
    print(json.dumps({"version": package.__version__}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(package, timers, **json.loads(line))), flush=True)
