# Written by scripts/stubs; do not edit.
from . import image, random
from ._operators import (
    activation, arange_like, batch_dot, batch_flatten, batch_norm, cast, constraint_check, convolution,
    deconvolution, dropout, embedding, erf, erfinv, fully_connected, gamma, gammaln, gather_nd, layer_norm,
    leaky_relu, log_softmax, multibox_detection, multibox_prior, multibox_target, nonzero, one_hot, pick,
    pooling, relu, reshape, reshape_like, rnn, roi_pooling, sequence_mask, shape_array, sigmoid, slice,
    smooth_l1, softmax, topk,
)
__all__ = [
    "activation", "arange_like", "batch_dot", "batch_flatten", "batch_norm", "cast", "constraint_check",
    "convolution", "deconvolution", "dropout", "embedding", "erf", "erfinv", "fully_connected", "gamma",
    "gammaln", "gather_nd", "image", "layer_norm", "leaky_relu", "log_softmax", "multibox_detection",
    "multibox_prior", "multibox_target", "nonzero", "one_hot", "pick", "pooling", "random", "relu", "reshape",
    "reshape_like", "rnn", "roi_pooling", "sequence_mask", "shape_array", "sigmoid", "slice", "smooth_l1",
    "softmax", "topk",
]
