"""Optimizers under MXNet's names: `mx.optimizer.Adam(...)`, `mx.optimizer.create("adam", ...)`."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    modules=("optimizer", "updater", "sgd", "adam", "adaptive", "layerwise"),
    submodules=("adam", "adaptive", "contrib", "layerwise", "optimizer", "sgd", "updater"),
)
