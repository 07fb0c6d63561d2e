"""ONNX models that are written node by node, and sessions of ONNX Runtime that run them."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    NotImplemented,
    RuntimeException,
)

FAILURES = (Fail, InvalidArgument, InvalidGraph, NotImplemented, RuntimeException)
"""What ONNX Runtime raises for a model, or for inputs that do not fit it."""


class Draft:
    """A model under construction, with the shapes of its inputs: text is a free size."""

    def __init__(self, opset=18, **inputs):
        self.inputs, self.opset = inputs, opset
        self.integers = set()
        """The inputs that are int64; others are float32."""
        self.nodes, self.tensors = [], []

    def const(self, value, dtype="int64"):
        name = f"c{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def node(self, op_type, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        sources = [x if isinstance(x, str) else self.const(x) for x in inputs]
        self.nodes.append(helper.make_node(op_type, sources, names, **attributes))
        return names[0] if outputs == 1 else names

    def size(self, x, axis):
        """One size of a value, as a number."""
        return self.node("Gather", self.node("Shape", x), axis)

    def vector(self, *parts):
        """Numbers, and names of scalars, as one vector."""
        return self.node("Concat", *(self.node("Unsqueeze", p, [0]) for p in parts), axis=0)

    def model(self, *outputs):
        inputs = [
            helper.make_tensor_value_info(
                name, TensorProto.INT64 if name in self.integers else TensorProto.FLOAT, shape
            )
            for name, shape in self.inputs.items()
        ]
        results = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", inputs, results, self.tensors)
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def session(data):
    """A session of a file or its bytes that is quiet."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return ort.InferenceSession(data, options, ["CPUExecutionProvider"])
