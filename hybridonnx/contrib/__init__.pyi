# Written by scripts/stubs; do not edit.
from . import onnx, quantization
from ..contrib import quantization as quant
from ..ndarray import contrib as nd, contrib as ndarray
from ..symbol import contrib as sym, contrib as symbol
__all__ = ["nd", "ndarray", "onnx", "quant", "quantization", "sym", "symbol"]
