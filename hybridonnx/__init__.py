"""Gluon's hybrid programming model on ONNX Runtime, with MXNet's names and file formats.

    import hybridonnx as mx

Everything is loaded when it is first used.
"""

from importlib import import_module as _import_module

_MODULES = (
    "attribute",
    "autograd",
    "base",
    "callback",
    "context",
    "contrib",
    "errors",
    "gluon",
    "initializer",
    "io",
    "kvstore",
    "lr_scheduler",
    "metric",
    "model",
    "module",
    "monitor",
    "name",
    "ndarray",
    "numpy",
    "numpy_extension",
    "onnx",
    "operator",
    "optimizer",
    "random",
    "recordio",
    "symbol",
    "test_utils",
    "util",
)
"""The modules for users; the others serve these."""
_SHORT = {
    "init": "initializer",
    "kv": "kvstore",
    "mod": "module",
    "mon": "monitor",
    "nd": "ndarray",
    "np": "numpy",
    "npx": "numpy_extension",
    "rnd": "random",
    "sym": "symbol",
}
"""Short names of modules."""
_NAMES = {
    "AttrScope": "attribute",
    "Context": "context",
    "MXNetError": "errors",
    "NDArray": "ndarray",
    "Symbol": "symbol",
    "cpu": "context",
    "cpu_pinned": "context",
    "current_context": "context",
    "gpu": "context",
    "num_gpus": "context",
    "__version__": "_version",
}
"""Names that are in the root, and their modules."""
__all__ = [*_MODULES, *_SHORT, *(name for name in _NAMES if name != "__version__")]


def __getattr__(name: str) -> object:
    """A module by its name or short name, or one of the root's own names."""
    if name in _NAMES:
        value: object = getattr(_import_module(f"{__name__}.{_NAMES[name]}"), name)
    elif name in _MODULES or name in _SHORT:
        value = _import_module(f"{__name__}.{_SHORT.get(name, name)}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
