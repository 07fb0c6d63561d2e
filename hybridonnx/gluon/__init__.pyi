# Written by scripts/stubs; do not edit.
from . import (
    block, checkpoint, contrib, data, distributed, loss, model_zoo, nn, parameter, rnn, trainer, utils,
)
from ..errors import DeferredInitializationError
from .block import Block
from .checkpoint import Checkpoint
from .distributed import DistributedTrainer, broadcast_parameters
from .hybrid_block import HybridBlock
from .parameter import Constant, Parameter, ParameterDict, tensor_types
from .symbol_block import SymbolBlock
from .trainer import Trainer
__all__ = [
    "Block", "Checkpoint", "Constant", "DeferredInitializationError", "DistributedTrainer", "HybridBlock",
    "Parameter", "ParameterDict", "SymbolBlock", "Trainer", "block", "broadcast_parameters", "checkpoint",
    "contrib", "data", "distributed", "loss", "model_zoo", "nn", "parameter", "rnn", "tensor_types",
    "trainer", "utils",
]
