# Written by scripts/stubs; do not edit.
from . import basic_layers
from .basic_layers import (
    Concurrent, HybridConcurrent, Identity, PixelShuffle1D, PixelShuffle2D, PixelShuffle3D, SparseEmbedding,
    SyncBatchNorm,
)
__all__ = [
    "Concurrent", "HybridConcurrent", "Identity", "PixelShuffle1D", "PixelShuffle2D", "PixelShuffle3D",
    "SparseEmbedding", "SyncBatchNorm", "basic_layers",
]
