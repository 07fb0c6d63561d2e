# Written by scripts/stubs; do not edit.
from . import activations, basic_layers, conv_layers
from ..block import Block
from ..hybrid_block import HybridBlock
from ..symbol_block import SymbolBlock
from .activations import Activation, ELU, GELU, LeakyReLU, PReLU, SELU, Swish
from .basic_layers import (
    BatchNorm, BatchNormReLU, Dense, Dropout, Embedding, Flatten, GroupNorm, HybridLambda, HybridSequential,
    InstanceNorm, Lambda, LayerNorm, Sequential,
)
from .conv_layers import (
    AvgPool1D, AvgPool2D, AvgPool3D, Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D,
    Conv3DTranspose, GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D, GlobalMaxPool1D, GlobalMaxPool2D,
    GlobalMaxPool3D, MaxPool1D, MaxPool2D, MaxPool3D, ReflectionPad2D,
)
__all__ = [
    "Activation", "AvgPool1D", "AvgPool2D", "AvgPool3D", "BatchNorm", "BatchNormReLU", "Block", "Conv1D",
    "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "ELU",
    "Embedding", "Flatten", "GELU", "GlobalAvgPool1D", "GlobalAvgPool2D", "GlobalAvgPool3D",
    "GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalMaxPool3D", "GroupNorm", "HybridBlock", "HybridLambda",
    "HybridSequential", "InstanceNorm", "Lambda", "LayerNorm", "LeakyReLU", "MaxPool1D", "MaxPool2D",
    "MaxPool3D", "PReLU", "ReflectionPad2D", "SELU", "Sequential", "Swish", "SymbolBlock", "activations",
    "basic_layers", "conv_layers",
]
