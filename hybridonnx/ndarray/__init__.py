"""Arrays and the operators on them, under MXNet's names: `nd.array`, `nd.Convolution` and so on."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={"CachedOp": "..runtime.cached_op", "np": ".:numpy", "npx": ".:numpy_extension"},
    modules=("creation", "arrangement", "arithmetic", "ndarray", "files"),
    submodules=(
        "_internal",
        "contrib",
        "image",
        "linalg",
        "numpy",
        "numpy_extension",
        "op",
        "random",
        "sparse",
        "utils",
    ),
    operators="namespace",
)
