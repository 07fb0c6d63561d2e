"""Layers: `nn.Dense`, `nn.Conv2D`, `nn.HybridSequential` and the others, under MXNet's names."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    modules=("activations", "basic_layers", "conv_layers"),
    single={"Block": "..block", "HybridBlock": "..hybrid_block", "SymbolBlock": "..symbol_block"},
    submodules=("activations", "basic_layers", "conv_layers"),
)
