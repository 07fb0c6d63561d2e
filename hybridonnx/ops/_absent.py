"""MXNet's operators that are not here, and why."""

from __future__ import annotations

from fnmatch import fnmatchcase

_REASONS = {
    "_backward_* _contrib_backward_* _npi_backward_* *_backward": (
        "it is a gradient that MXNet's engine makes for itself. Use autograd or Symbol.gradient"
    ),
    "_npi_boolean_mask_assign_*": (
        "MXNet computes it in place alone, and fails on a graph's variables. "
        "Use array[mask] = value, or np.where"
    ),
    "_npi_share_memory": "graphs hold no memory. mx.np.shares_memory has its function on arrays",
    "_sg_mkldnn_* _sg_onednn_*": (
        "oneDNN's graph pass makes it. Save the model again without the pass (MXNET_SUBGRAPH_BACKEND=NONE)"
    ),
    "_contrib_dgl_*": "it samples graphs for DGL, which has its own code for that",
    "_contrib_tvm_*": "it is a test of MXNet's bridge to TVM",
    "_CachedOp _CachedOpThreadSafe _CustomFunction _NDArray _Native _NoGradient": (
        "it stands for Python objects or graphs of a running process, which no file holds"
    ),
    "_contrib_edge_id _contrib_getnnz": (
        "it reads how a CSR matrix is stored, and graphs hold dense arrays. nd.contrib has the function"
    ),
    "_imdecode": "every call of it fails in MXNet. Use nd.imdecode",
    "_contrib_quantized_rnn": (
        "oneDNN alone has it, and quantizes the weights by itself. Use RNN with dequantized data"
    ),
    "_CrossDeviceCopy": "MXNet's engine makes it between devices",
}


def absence(name: str) -> str:
    """Why an operator of MXNet's is not here; nothing if MXNet has none of this name, or it is missing."""
    for patterns, reason in _REASONS.items():
        if any(fnmatchcase(name, pattern) for pattern in patterns.split()):
            return reason
    return ""
