"""`Monitor`: statistics of what executors compute, and of their arguments, in every so many batches."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .ndarray.creation import array
from .ndarray.ndarray import NDArray
from .symbol.executor import Executor

__all__ = ["Monitor"]


def _root_mean_square(x: NDArray) -> NDArray:
    return array([np.linalg.norm(x.asnumpy()) / math.sqrt(x.size)], dtype=np.float32)


class Monitor:
    """Between `tic` and `toc` in every `interval`-th batch, gathers `stat_func` of arrays whose names match.

    These are operators' outputs, with `monitor_all` inputs as well, in `backward` the gradients of operators'
    inputs, such as fc1_backward_output0, and at `toc` the arguments and auxiliary states.
    """

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[NDArray], object] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.interval = interval
        self.stat_func = stat_func or _root_mean_square
        self.re_prog = re.compile(pattern)
        self.sort = sort
        self.monitor_all = monitor_all
        self.activated = False
        self.step = 0
        self.exes: list[Any] = []
        self.queue: list[tuple[int, str, Any]] = []

    def stat_helper(self, name: str, value: NDArray) -> None:
        """Gather the statistic of an array."""
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(value)))

    def install(self, exe: Executor) -> None:
        """Watch an executor."""
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Begin a batch."""
        if self.step % self.interval == 0:
            self.queue, self.activated = [], True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """The batch's number, the name and the statistic as text of each array, and end the batch."""
        if not self.activated:
            return []
        for exe in self.exes:
            for name, value in (*exe.arg_dict.items(), *exe.aux_dict.items()):
                self.stat_helper(name, value)
        self.activated = False
        rows = sorted(self.queue, key=lambda row: row[1]) if self.sort else self.queue
        self.queue = []
        return [(step, name, _text(value)) for step, name, value in rows]

    def toc_print(self) -> None:
        """End a batch, and log what was gathered."""
        for step, name, text in self.toc():
            logging.info("Batch: %7d %-30s %s", step, name, text)


def _text(value: Any) -> str:
    """The values of an array or a list of them, each with a tab behind it."""
    listed = value if isinstance(value, list) else [value]
    strange = [x for x in listed if not isinstance(x, NDArray)]
    if strange:
        raise TypeError(
            "Monitor: an NDArray or a list of them is required of stat_func, "
            f"got {type(strange[0]).__name__}."
        )
    return "".join(f"{x.asscalar() if x.shape == (1,) else x.asnumpy()}\t" for x in listed)
