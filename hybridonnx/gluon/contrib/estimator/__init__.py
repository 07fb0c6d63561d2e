"""A training loop with handlers of its events."""

from ...._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={
        "BatchBegin": ".event_handler",
        "BatchEnd": ".event_handler",
        "BatchProcessor": ".batch_processor",
        "CheckpointHandler": ".event_handler",
        "EarlyStoppingHandler": ".event_handler",
        "EpochBegin": ".event_handler",
        "EpochEnd": ".event_handler",
        "Estimator": ".estimator",
        "GradientUpdateHandler": ".event_handler",
        "LoggingHandler": ".event_handler",
        "MetricHandler": ".event_handler",
        "StoppingHandler": ".event_handler",
        "TrainBegin": ".event_handler",
        "TrainEnd": ".event_handler",
        "ValidationHandler": ".event_handler",
    },
    submodules=("batch_processor", "estimator", "event_handler", "utils"),
)
