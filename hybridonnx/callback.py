"""Functions that training calls after batches and epochs: logs of speed and metrics, checkpoints."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Any, Protocol

from .checkpoint import BatchEndParam, save_checkpoint

__all__ = [
    "LogValidationMetricsCallback",
    "ProgressBar",
    "Speedometer",
    "do_checkpoint",
    "log_train_metric",
    "module_checkpoint",
]


class SavesCheckpoints(Protocol):
    """What writes checkpoints, as modules do."""

    def save_checkpoint(self, prefix: str, epoch: int, save_optimizer_states: bool = False) -> object: ...


def module_checkpoint(
    mod: SavesCheckpoints, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> Callable[..., None]:
    """After every `period` epochs, save a module's checkpoint, with the optimizer's states if asked for."""
    period = max(1, int(period))

    def save(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return save


def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]:
    """After every `period` epochs, save the symbol and the parameters."""
    period = max(1, int(period))

    def save(iter_no: int, sym: Any, arg: Any, aux: Any) -> None:
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return save


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[BatchEndParam], None]:
    """After every `period` batches, log the metric."""

    def log(param: BatchEndParam) -> None:
        if param.nbatch % period == 0 and param.eval_metric is not None:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
            if auto_reset:
                param.eval_metric.reset_local()

    return log


class Speedometer:
    """After every `frequent` batches, log how many samples pass in a second, and the metric.

    With `auto_reset` the metric is over the batches since the last line, else over those of the epoch.
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self.auto_reset = auto_reset
        self.init = False
        self.tic = 0.0
        self.last_count = 0

    def __call__(self, param: BatchEndParam) -> None:
        count = param.nbatch
        if self.last_count > count:
            self.init = False
        self.last_count = count
        if not self.init:
            self.init, self.tic = True, time.time()
        elif count % self.frequent == 0:
            self._log(param)
            self.tic = time.time()

    def _log(self, param: BatchEndParam) -> None:
        seconds = time.time() - self.tic
        speed = self.frequent * self.batch_size / seconds if seconds else math.inf
        if param.eval_metric is None:
            logging.info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", param.epoch, param.nbatch, speed)
            return
        pairs = param.eval_metric.get_name_value()
        first = 0
        if self.auto_reset:
            param.eval_metric.reset_local()
            first = param.nbatch - self.frequent
        text = "Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec" + "\t%s=%f" * len(pairs)
        logging.info(
            text, param.epoch, first, param.nbatch, speed, *(part for pair in pairs for part in pair)
        )


class ProgressBar:
    """After each batch, draw a bar of how many of `total` batches are done."""

    def __init__(self, total: int, length: int = 80) -> None:
        self.bar_len = length
        self.total = total

    def __call__(self, param: BatchEndParam) -> None:
        done = round(self.bar_len * param.nbatch / float(self.total))
        percent = math.ceil(100.0 * param.nbatch / float(self.total))
        logging.info("[%s] %s%s\r", "=" * done + "-" * (self.bar_len - done), percent, "%")


class LogValidationMetricsCallback:
    """After an evaluation, log its metric."""

    def __call__(self, param: BatchEndParam) -> None:
        if param.eval_metric:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)
