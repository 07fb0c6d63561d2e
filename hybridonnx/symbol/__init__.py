"""Symbols and the operators on them, under MXNet's names: `sym.var`, `sym.Convolution` and so on."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={"np": ".:numpy", "npx": ".:numpy_extension"},
    modules=("_creation",),
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
    ),
    operators="namespace",
)
