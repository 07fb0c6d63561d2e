"""Further layers and samplers that MXNet has as contributions: `gluon.contrib.nn`, `gluon.contrib.data`."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, submodules=("data", "nn", "rnn"))
