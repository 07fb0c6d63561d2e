"""`nd.np`: NumPy's functions on arrays, as `F.np` in a hybrid block that runs eagerly."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__, modules=("arrays",), submodules=("linalg", "random"), operators="functions"
)
