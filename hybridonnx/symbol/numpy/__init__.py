"""`sym.np`: NumPy's functions on symbols, as `F.np` in a hybrid block that is traced."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={"_Symbol": "..np_symbol"},
    submodules=("linalg", "random"),
    operators="functions",
)
