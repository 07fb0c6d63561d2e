# Written by scripts/stubs; do not edit.
from . import image, random, utils
from ..base import with_metaclass
from ..context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from ..ndarray.creation import waitall
from ..ndarray.numpy_extension import (
    activation, arange_like, batch_dot, batch_flatten, batch_norm, cast, constraint_check, convolution,
    deconvolution, dropout, embedding, erf, erfinv, fully_connected, gamma, gammaln, gather_nd, layer_norm,
    leaky_relu, log_softmax, multibox_detection, multibox_prior, multibox_target, nonzero, one_hot, pick,
    pooling, relu, reshape, reshape_like, rnn, roi_pooling, sequence_mask, shape_array, sigmoid, slice,
    smooth_l1, softmax, topk,
)
from ..util import get_cuda_compute_capability, is_np_array, is_np_shape, reset_np, set_np
from .utils import load, save
__all__ = [
    "Context", "activation", "arange_like", "batch_dot", "batch_flatten", "batch_norm", "cast",
    "constraint_check", "convolution", "cpu", "cpu_pinned", "current_context", "deconvolution", "dropout",
    "embedding", "erf", "erfinv", "fully_connected", "gamma", "gammaln", "gather_nd",
    "get_cuda_compute_capability", "gpu", "gpu_memory_info", "image", "is_np_array", "is_np_shape",
    "layer_norm", "leaky_relu", "load", "log_softmax", "multibox_detection", "multibox_prior",
    "multibox_target", "nonzero", "num_gpus", "one_hot", "pick", "pooling", "random", "relu", "reset_np",
    "reshape", "reshape_like", "rnn", "roi_pooling", "save", "sequence_mask", "set_np", "shape_array",
    "sigmoid", "slice", "smooth_l1", "softmax", "topk", "utils", "waitall", "with_metaclass",
]
