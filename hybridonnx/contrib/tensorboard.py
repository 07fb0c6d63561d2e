"""Metrics for TensorBoard."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MXNetError
from ..formats.files import PathLike

__all__ = ["LogMetricsCallback"]

_WRITERS = ("mxboard", "tensorboardX", "torch.utils.tensorboard")


class LogMetricsCallback:
    """Called after batches or epochs, writes the metric as scalars that TensorBoard shows.

    Args:
        logging_dir: The folder for its files.
        prefix: What the names of metrics begin with, such as `train`.

    Raises:
        MXNetError: No package is installed that writes them: mxboard, tensorboardX or PyTorch's.
    """

    def __init__(self, logging_dir: PathLike, prefix: str | None = None) -> None:
        self.prefix = prefix
        self.summary_writer = _writer(logging_dir)

    def __call__(self, param: Any) -> None:
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            tag = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(tag, value, global_step=param.epoch)


def _writer(folder: PathLike) -> Any:
    for package in _WRITERS:
        try:
            return import_module(package).SummaryWriter(str(folder))
        except ImportError:
            continue
    raise MXNetError(f"LogMetricsCallback: one of {', '.join(_WRITERS)} is required: pip install mxboard")
