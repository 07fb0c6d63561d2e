"""Known networks, in MXNet's structure and names: `gluon.model_zoo.vision`."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, submodules=("model_store", "vision"))
