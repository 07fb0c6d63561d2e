"""Further layers, samplers and a training loop, which MXNet has as contributions."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, submodules=("cnn", "data", "estimator", "nn", "rnn"))
