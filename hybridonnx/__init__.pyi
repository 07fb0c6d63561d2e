# Written by scripts/stubs; do not edit.
from . import (
    attribute, autograd, base, callback, context, contrib, deploy, engine, error, errors, executor,
    executor_manager, gluon, image, initializer, io, kvstore, libinfo, library, log, lr_scheduler, metric,
    misc, model, module, monitor, name, ndarray, notebook, numpy, numpy_dispatch_protocol, numpy_extension,
    onnx, operator, optimizer, profiler, random, recordio, registry, rnn, runtime, symbol, test_utils, util,
    visualization, image as img, initializer as init, kvstore as kv, module as mod, monitor as mon, ndarray as
    nd, numpy as np, numpy_extension as npx, random as rnd, symbol as sym, visualization as viz,
)
from .attribute import AttrScope
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .errors import MXNetError
from .ndarray import NDArray
from .symbol import Symbol
from .util import (
    is_np_array, is_np_shape, np_array, np_shape, set_np_shape, use_np, use_np_array, use_np_shape,
)
__all__ = [
    "attribute", "autograd", "base", "callback", "context", "contrib", "deploy", "engine", "error", "errors",
    "executor", "executor_manager", "gluon", "image", "initializer", "io", "kvstore", "libinfo", "library",
    "log", "lr_scheduler", "metric", "misc", "model", "module", "monitor", "name", "ndarray", "notebook",
    "numpy", "numpy_dispatch_protocol", "numpy_extension", "onnx", "operator", "optimizer", "profiler",
    "random", "recordio", "registry", "rnn", "runtime", "symbol", "test_utils", "util", "visualization",
    "img", "init", "kv", "mod", "mon", "nd", "np", "npx", "rnd", "sym", "viz", "AttrScope", "Context",
    "MXNetError", "NDArray", "Symbol", "cpu", "cpu_pinned", "current_context", "gpu", "is_np_array",
    "is_np_shape", "np_array", "np_shape", "set_np_shape", "use_np", "use_np_array", "use_np_shape",
    "num_gpus",
]
__version__: str
