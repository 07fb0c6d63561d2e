"""What the installed ONNX Runtime is able to run."""

from __future__ import annotations

from functools import cache
from typing import Any

import onnxruntime as ort
from onnx import ModelProto, TensorProto, helper
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, NotImplemented

from hybridonnx.converters.opsets import NEWEST

VERSION = ort.__version__
RELEASE = tuple(map(int, VERSION.split(".")[:2]))


def started(model: Any) -> Any:
    """A quiet session on the CPU."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


@cache
def newest_opset() -> int:
    """The newest opset that ONNX Runtime takes, which it only says when it refuses a model."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", [x], [y])
    return _at_newest(helper.make_model(graph, ir_version=8), NEWEST).opset_import[0].version


def runnable(model: Any) -> Any:
    """A model of one domain at the newest opset, up to its own, at which ONNX Runtime has its operators.

    For operators that change by element types at most.
    """
    return _at_newest(model, model.opset_import[0].version)


def _at_newest(model: Any, most: int) -> Any:
    copy = ModelProto.FromString(model.SerializeToString())
    for opset in range(most, 0, -1):
        copy.opset_import[0].version = opset
        try:
            started(copy)
        except (Fail, InvalidArgument, NotImplemented):
            continue
        return copy
    raise AssertionError("ONNX Runtime takes the model at no opset")
