# Written by scripts/stubs; do not edit.
from . import onnx
from ..ndarray import contrib as nd, contrib as ndarray
from ..symbol import contrib as sym, contrib as symbol
__all__ = ["nd", "ndarray", "onnx", "sym", "symbol"]
