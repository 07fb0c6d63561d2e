"""`mx.np`: NumPy's functions on arrays that live on devices and know autograd."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    modules=("multiarray", "constants", "fallback"),
    submodules=("linalg", "random"),
    operators="functions",
)
