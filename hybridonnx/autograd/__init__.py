"""Recording of operators as they run, and gradients of what was recorded."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={
        "Function": ".function",
        "backward": ".gradients",
        "get_symbol": "..symbol.recording",
        "grad": ".gradients",
        "is_recording": ".scopes",
        "is_training": ".scopes",
        "mark_variables": ".gradients",
        "pause": ".scopes",
        "predict_mode": ".scopes",
        "record": ".scopes",
        "set_recording": ".scopes",
        "set_training": ".scopes",
        "train_mode": ".scopes",
    },
)
