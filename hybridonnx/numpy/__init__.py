"""`mx.np`: NumPy's functions on arrays that live on devices and know autograd."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    modules=("creation", "utils", "fallback", "function_base", "stride_tricks", "io", "arrayprint"),
    submodules=(
        *("arrayprint", "fallback", "fallback_linalg", "function_base", "io", "linalg", "multiarray"),
        *("random", "stride_tricks", "utils"),
    ),
    operators="functions",
)
