"""Blocks, parameters and layers, under MXNet's names."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={
        "Block": ".block",
        "Checkpoint": ".checkpoint",
        "Constant": ".parameter",
        "DeferredInitializationError": "..errors",
        "DistributedTrainer": ".distributed",
        "HybridBlock": ".hybrid_block",
        "Parameter": ".parameter",
        "ParameterDict": ".parameter",
        "SymbolBlock": ".symbol_block",
        "Trainer": ".trainer",
        "broadcast_parameters": ".distributed",
        "tensor_types": ".parameter",
    },
    submodules=(
        "block",
        "checkpoint",
        "contrib",
        "data",
        "distributed",
        "loss",
        "model_zoo",
        "nn",
        "parameter",
        "rnn",
        "trainer",
        "utils",
    ),
)
