"""Callbacks of `Module.fit` that keep metrics in tables of pandas, and draw them with Bokeh."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from ..checkpoint import BatchEndParam

__all__ = [
    "Bokeh_Failed_To_Import",
    "LiveBokehChart",
    "LiveLearningCurve",
    "LiveTimeSeries",
    "PandasLogger",
    "Pandas_Failed_To_Import",
    "args_wrapper",
]

Callbacks = dict[str, Callable[..., None]]


class Pandas_Failed_To_Import(ImportError):  # noqa: N801, N818  (MXNet's name)
    """The package pandas is not there."""


class Bokeh_Failed_To_Import(ImportError):  # noqa: N801, N818  (MXNet's name)
    """The package Bokeh is not there."""


def _optional(module: str, package: str, missing: type[ImportError]) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise missing(f"{package} is required, which is not installed: pip install {package}") from None


def _bokeh(module: str) -> Any:
    return _optional(f"bokeh.{module}", "bokeh", Bokeh_Failed_To_Import)


class PandasLogger:
    """Keeps metrics, times and speeds of training in tables: `train_df`, `eval_df` and `epoch_df`.

    `module.fit(…, **logger.callback_args())` writes a row of `train_df` for every so many batches, one of
    `eval_df` after each evaluation, and one of `epoch_df` after each epoch.

    Args:
        batch_size: The number of samples in a batch.
        frequent: After how many batches a row is written.

    Raises:
        Pandas_Failed_To_Import: pandas is not installed.
    """

    def __init__(self, batch_size: int, frequent: int = 50) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self._pandas = _optional("pandas", "pandas", Pandas_Failed_To_Import)
        self._dataframes = {name: self._pandas.DataFrame() for name in ("train", "eval", "epoch")}
        self.last_time = time.time()
        self.start_time = self.last_epoch_time = datetime.now()

    @property
    def train_df(self) -> Any:
        """The table of batches."""
        return self._dataframes["train"]

    @property
    def eval_df(self) -> Any:
        """The table of evaluations."""
        return self._dataframes["eval"]

    @property
    def epoch_df(self) -> Any:
        """The table of epochs."""
        return self._dataframes["epoch"]

    @property
    def all_dataframes(self) -> dict[str, Any]:
        """The tables by name: train, eval and epoch."""
        return self._dataframes

    def elapsed(self) -> timedelta:
        """The time since the logger was made."""
        return datetime.now() - self.start_time

    def append_metrics(self, metrics: dict[str, Any], df_name: str) -> None:
        """Write a row.

        Args:
            metrics: The values by column; new columns are added.
            df_name: The table's name: train, eval or epoch.
        """
        row = self._pandas.DataFrame({name: [value] for name, value in metrics.items()})
        table = self._dataframes[df_name]
        rows = [table, row] if len(table) else [row]
        self._dataframes[df_name] = self._pandas.concat(rows, ignore_index=True, sort=False)

    def train_cb(self, param: BatchEndParam) -> None:
        """What `fit` calls after each batch.

        Args:
            param: The epoch, the batch and the metric.
        """
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")

    def eval_cb(self, param: BatchEndParam) -> None:
        """What `fit` calls after an evaluation.

        Args:
            param: The epoch, the batch and the metric.
        """
        self._process_batch(param, "eval")

    def _process_batch(self, param: BatchEndParam, dataframe: str) -> None:
        now = time.time()
        metrics: dict[str, Any] = {}
        if param.eval_metric is not None:
            metrics.update(param.eval_metric.get_name_value())
            param.eval_metric.reset()
        seconds = now - self.last_time
        speed = self.frequent / seconds if seconds > 0 else float("inf")
        metrics["elapsed"] = self.elapsed()
        metrics["minibatch_count"] = param.nbatch
        metrics["epoch"] = param.epoch
        metrics["records_per_sec"] = speed * self.batch_size
        metrics["batches_per_sec"] = speed
        self.append_metrics(metrics, dataframe)
        self.last_time = now

    def epoch_cb(self, *_: object) -> None:
        """What `fit` calls after each epoch."""
        now = datetime.now()
        times = {"elapsed": self.elapsed(), "epoch_time": now - self.last_epoch_time}
        self.append_metrics(times, "epoch")
        self.last_epoch_time = now

    def callback_args(self) -> Callbacks:
        """The arguments of `fit` that write all tables.

        Returns:
            The callbacks by argument.
        """
        return {
            "batch_end_callback": self.train_cb,
            "eval_end_callback": self.eval_cb,
            "epoch_end_callback": self.epoch_cb,
        }


class LiveBokehChart:
    """A chart in a notebook that is drawn anew while training goes on; its classes say what it shows.

    Args:
        pandas_logger: The logger whose tables it shows; by default a new one.
        metric_name: The metric that it shows.
        display_freq: The least seconds between two drawings.
        batch_size: The batch size of a new logger.
        frequent: After how many batches a new logger writes.

    Raises:
        Bokeh_Failed_To_Import: Bokeh is not installed.
        Pandas_Failed_To_Import: pandas is not installed.
    """

    def __init__(
        self,
        pandas_logger: PandasLogger | None,
        metric_name: str,
        display_freq: float = 10,
        batch_size: int | None = None,
        frequent: int = 50,
    ) -> None:
        self.pandas_logger = pandas_logger or PandasLogger(batch_size or 1, frequent)
        self.display_freq = display_freq
        self.metric_name = metric_name
        self._begin()

    def _begin(self) -> None:
        self.last_update = time.time()
        _bokeh("io").output_notebook()
        self.handle = self.setup_chart()

    def _figure(self, **options: Any) -> Any:
        """A new figure in the notebook."""
        self.fig = _bokeh("plotting").figure(**options)
        return self.fig

    def _shown(self) -> Any:
        return _bokeh("io").show(self.fig, notebook_handle=True)

    def setup_chart(self) -> Any:
        """Make the figure, and show it.

        Returns:
            The handle that draws it anew.

        Raises:
            NotImplementedError: The class does not say what it shows.
        """
        raise NotImplementedError(f"{type(self).__name__}: setup_chart must be defined.")

    def update_chart_data(self) -> None:
        """Give the figure the newest values.

        Raises:
            NotImplementedError: The class does not say what it shows.
        """
        raise NotImplementedError(f"{type(self).__name__}: update_chart_data must be defined.")

    def interval_elapsed(self) -> bool:
        """Whether it is time to draw anew."""
        return time.time() - self.last_update > self.display_freq

    def _push_render(self) -> None:
        _bokeh("io").push_notebook(handle=self.handle)
        self.last_update = time.time()

    def _do_update(self) -> None:
        self.update_chart_data()
        self._push_render()

    def batch_cb(self, param: BatchEndParam) -> None:
        """What `fit` calls after each batch.

        Args:
            param: The epoch, the batch and the metric.
        """
        if self.interval_elapsed():
            self._do_update()

    def eval_cb(self, param: BatchEndParam) -> None:
        """What `fit` calls after an evaluation: the chart is drawn anew.

        Args:
            param: The epoch, the batch and the metric.
        """
        self._do_update()

    def callback_args(self) -> Callbacks:
        """The arguments of `fit` that draw the chart.

        Returns:
            The callbacks by argument.
        """
        return {"batch_end_callback": self.batch_cb, "eval_end_callback": self.eval_cb}


class LiveTimeSeries(LiveBokehChart):
    """A chart of values by the time when they came.

    Args:
        **fig_params: The arguments of Bokeh's `figure`.

    Raises:
        Bokeh_Failed_To_Import: Bokeh is not installed.
    """

    def __init__(self, **fig_params: Any) -> None:
        self.fig_params = fig_params
        self.start_time = datetime.now()
        self.x_axis_val: list[timedelta] = []
        self.y_axis_val: list[float] = []
        self._begin()

    def setup_chart(self) -> Any:
        """Make the figure, and show it.

        Returns:
            The handle that draws it anew.
        """
        options = {"x_axis_type": "datetime", "x_axis_label": "Elapsed time", **self.fig_params}
        self._line = self._figure(**options).line(self.x_axis_val, self.y_axis_val)
        return self._shown()

    def elapsed(self) -> timedelta:
        """The time since the chart was made."""
        return datetime.now() - self.start_time

    def update_chart_data(self, value: float = float("nan")) -> None:
        """Add a value, and draw the chart anew.

        Args:
            value: The value.
        """
        self.x_axis_val.append(self.elapsed())
        self.y_axis_val.append(value)
        self._line.data_source.data = {"x": list(self.x_axis_val), "y": list(self.y_axis_val)}
        self._push_render()


class LiveLearningCurve(LiveBokehChart):
    """A chart of a metric while training goes on, of training and of evaluations.

    Args:
        metric_name: The metric.
        display_freq: The least seconds between two drawings.
        frequent: After how many batches the metric is read.

    Raises:
        Bokeh_Failed_To_Import: Bokeh is not installed.
    """

    def __init__(self, metric_name: str, display_freq: float = 10, frequent: int = 50) -> None:
        self.frequent = frequent
        self.start_time = datetime.now()
        self._data: dict[str, dict[str, list[Any]]] = {
            kind: {"elapsed": [], metric_name: []} for kind in ("train", "eval")
        }
        self.display_freq = display_freq
        self.metric_name = metric_name
        self._begin()

    def setup_chart(self) -> Any:
        """Make the figure, and show it.

        Returns:
            The handle that draws it anew.
        """
        figure = self._figure(
            x_axis_type="datetime", x_axis_label="Training time", y_axis_label=self.metric_name
        )
        colors = {"train": "red", "eval": "green"}
        self._lines = {kind: figure.line([], [], line_color=c) for kind, c in colors.items()}
        return self._shown()

    def batch_cb(self, param: BatchEndParam) -> None:
        """What `fit` calls after each batch.

        Args:
            param: The epoch, the batch and the metric.
        """
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")
        super().batch_cb(param)

    def eval_cb(self, param: BatchEndParam) -> None:
        """What `fit` calls after an evaluation: the chart is drawn anew.

        Args:
            param: The epoch, the batch and the metric.
        """
        self._process_batch(param, "eval")
        super().eval_cb(param)

    def _process_batch(self, param: BatchEndParam, df_name: str) -> None:
        if param.eval_metric is None:
            return
        metrics = dict(param.eval_metric.get_name_value())
        param.eval_metric.reset()
        self._data[df_name]["elapsed"].append(datetime.now() - self.start_time)
        self._data[df_name][self.metric_name].append(metrics[self.metric_name])

    def update_chart_data(self) -> None:
        """Give the figure the newest values."""
        for kind, line in self._lines.items():
            values = self._data[kind]
            line.data_source.data = {"x": [*values["elapsed"]], "y": [*values[self.metric_name]]}


def args_wrapper(*args: Any) -> dict[str, list[Callable[..., None]]]:
    """The arguments of `fit` for several loggers and charts at once.

    Args:
        *args: Objects that have `callback_args`.

    Returns:
        A list of callbacks by argument.
    """
    together: dict[str, list[Callable[..., None]]] = {}
    for each in args:
        for name, callback in each.callback_args().items():
            together.setdefault(name, []).append(callback)
    return together
