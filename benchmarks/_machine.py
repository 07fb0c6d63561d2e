"""What a machine is, and whether anybody else uses it."""

import os
import platform
import time
from pathlib import Path

import numpy as np

OTHERS = 0.05
"""The share of all processors that others may take."""
SPREAD = 1.15
"""How many times as long the same work may take as at best."""
_SIZE = 384


def description():
    """The system and its processors."""
    name = platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        flags = next(line for line in lines if line.startswith("flags"))
        name += "".join(
            f", {flag}" for flag in ("avx2", "avx512f", "avx512_vnni", "avx_vnni") if f" {flag}" in flags
        )
    except (OSError, StopIteration):
        pass
    system = f"{platform.system()} {platform.machine()}"
    return {"processor": name, "processors": os.cpu_count(), "system": system}


class Watchman:
    """Tells whether the machine was ours while something was measured."""

    def __init__(self):
        self._matrix = np.random.default_rng(0).standard_normal((_SIZE, _SIZE)).astype("float32")
        self._best = min(self._work() for _ in range(5))

    def _work(self):
        """Seconds that the same work takes at best of some tries."""
        times = []
        for _ in range(5):
            start = time.perf_counter()
            for _ in range(10):
                self._matrix @ self._matrix
            times.append(time.perf_counter() - start)
        return min(times)

    def begin(self):
        """Begin to watch."""
        self._slowest = self._work()
        self._start = time.perf_counter(), _used(), _own()

    def end(self):
        """What was wrong, in words; nothing if nothing was. All processes of ours have ended."""
        start, used, own = self._start
        elapsed = (time.perf_counter() - start) * (os.cpu_count() or 1)
        faults = []
        if used is not None:
            others = (_used() - used - (_own() - own)) / elapsed
            if others > OTHERS:
                faults.append(f"others took {100 * others:.0f} % of the processors")
        times = self._slowest, self._work()
        self._best = min(self._best, *times)
        if max(times) > SPREAD * self._best:
            faults.append(f"the same work took {max(times) / self._best:.2f} times as long as at best")
        return "; ".join(faults)


def _used():
    """Seconds of processors that were used, or taken by other machines; `None` where nothing tells."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _, _, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def _own():
    """Seconds of processors that this process and its ended children have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
