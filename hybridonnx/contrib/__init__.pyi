# Written by scripts/stubs; do not edit.
from . import amp, autograd, io, onnx, quantization, svrg_optimization, tensorboard, text
from ..contrib import quantization as quant
from ..ndarray import contrib as nd, contrib as ndarray
from ..symbol import contrib as sym, contrib as symbol
__all__ = [
    "amp", "autograd", "io", "nd", "ndarray", "onnx", "quant", "quantization", "svrg_optimization", "sym",
    "symbol", "tensorboard", "text",
]
