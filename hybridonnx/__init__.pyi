# Written by scripts/stubs; do not edit.
from . import (
    attribute, autograd, base, callback, context, contrib, errors, gluon, initializer, io, kvstore, libinfo,
    lr_scheduler, metric, model, module, monitor, name, ndarray, onnx, operator, optimizer, random, recordio,
    rnn, symbol, test_utils, util, initializer as init, kvstore as kv, module as mod, monitor as mon, ndarray
    as nd, random as rnd, symbol as sym,
)
from .attribute import AttrScope
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .errors import MXNetError
from .ndarray import NDArray
from .symbol import Symbol
__all__ = [
    "attribute", "autograd", "base", "callback", "context", "contrib", "errors", "gluon", "initializer", "io",
    "kvstore", "libinfo", "lr_scheduler", "metric", "model", "module", "monitor", "name", "ndarray", "onnx",
    "operator", "optimizer", "random", "recordio", "rnn", "symbol", "test_utils", "util", "init", "kv", "mod",
    "mon", "nd", "rnd", "sym", "AttrScope", "Context", "MXNetError", "NDArray", "Symbol", "cpu", "cpu_pinned",
    "current_context", "gpu", "num_gpus",
]
__version__: str
