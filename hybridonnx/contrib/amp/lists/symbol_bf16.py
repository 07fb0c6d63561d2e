"""Which operators mixed precision computes in bfloat16, in float32, or in the widest type of their inputs.

What bfloat16 has no list of its own for is as it is for float16, or float32.
"""

from .symbol_fp16 import CONDITIONAL_FP32_FUNCS, FP16_FP32_FUNCS, LOSS_OUTPUT_FUNCTIONS
from .symbol_fp16 import FP32_FUNCS as _FP32_BESIDE_FP16
from .symbol_fp16 import WIDEST_TYPE_CASTS as _WIDEST_BESIDE_FP16

__all__ = [
    "BF16_FP32_FUNCS",
    "BF16_FUNCS",
    "BF16_USE_FP32_PARAMS",
    "CONDITIONAL_FP32_FUNCS",
    "FP32_FUNCS",
    "LOSS_OUTPUT_FUNCTIONS",
    "WIDEST_TYPE_CASTS",
]

BF16_FP32_FUNCS = """
    abs _add BatchNorm BatchNormWithReLU clip Concat concat LRN Pooling relu shuffle _shuffle sqrt square
    tanh
""".split()
"""Computed in the type that their inputs have."""
BF16_FUNCS = ["Convolution", "FullyConnected"]
"""Computed in bfloat16."""
BF16_USE_FP32_PARAMS = {
    "BatchNormWithReLU": ["", "gamma", "beta", "moving_mean", "moving_var"],
    "BatchNorm": ["", "gamma", "beta", "moving_mean", "moving_var"],
}
"""Inputs that stay float32, by the names of the operators; the data has no name."""
_MULTIBOX = ["_contrib_MultiBoxDetection", "_contrib_MultiBoxPrior", "_contrib_MultiBoxTarget"]
_UNLISTED = {"CuDNNBatchNorm", "_TensorRT", "amp_cast", "amp_multicast"}
FP32_FUNCS = [
    *("Deconvolution", "RNN", "broadcast_mul"),
    *(
        name
        for name in (*FP16_FP32_FUNCS, *_FP32_BESIDE_FP16)
        if name not in {*BF16_FP32_FUNCS, *_MULTIBOX, *_UNLISTED}
    ),
]
"""Computed in float32."""
WIDEST_TYPE_CASTS = [
    *_MULTIBOX,
    *(
        name
        for name in _WIDEST_BESIDE_FP16
        if name not in {*BF16_FP32_FUNCS, *FP32_FUNCS} and not name.startswith("_contrib_interleaved_matmul_")
    ),
]
"""Computed in the widest type of their inputs."""
