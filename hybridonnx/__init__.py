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
    "deploy",
    "engine",
    "error",
    "errors",
    "executor",
    "executor_manager",
    "gluon",
    "image",
    "initializer",
    "io",
    "kvstore",
    "libinfo",
    "library",
    "log",
    "lr_scheduler",
    "metric",
    "misc",
    "model",
    "module",
    "monitor",
    "name",
    "ndarray",
    "notebook",
    "numpy",
    "numpy_dispatch_protocol",
    "numpy_extension",
    "onnx",
    "operator",
    "optimizer",
    "profiler",
    "random",
    "recordio",
    "registry",
    "rnn",
    "runtime",
    "symbol",
    "test_utils",
    "util",
    "visualization",
)
"""The modules for users; the others serve these."""
_SHORT = {
    "img": "image",
    "init": "initializer",
    "kv": "kvstore",
    "mod": "module",
    "mon": "monitor",
    "nd": "ndarray",
    "np": "numpy",
    "npx": "numpy_extension",
    "rnd": "random",
    "sym": "symbol",
    "viz": "visualization",
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
    **dict.fromkeys(("is_np_array", "is_np_shape", "np_array", "np_shape"), "util"),
    **dict.fromkeys(("set_np_shape", "use_np", "use_np_array", "use_np_shape"), "util"),
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
