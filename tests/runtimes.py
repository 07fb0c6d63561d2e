"""What the installed ONNX Runtime is able to run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    NotImplemented,
    RuntimeException,
)

from hybridonnx.converters.opsets import newest
from hybridonnx.runtime.session import EMPTY_ARRAYS_END_PROCESS

NEWEST = newest()

VERSION = ort.__version__
RELEASE = tuple(map(int, VERSION.split(".")[:2]))
ONNX = tuple(map(int, onnx.__version__.split(".")[:2]))


takes_empty_arrays = pytest.mark.skipif(
    EMPTY_ARRAYS_END_PROCESS, reason="this ONNX Runtime refuses arrays without elements, or ends at them"
)


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


Run = Callable[[list[Any]], list[Any]]
"""From a model's inputs in order to its outputs: NumPy arrays, lists of them, or `None`."""


class CannotRunError(Exception):
    """ONNX Runtime has no kernel for a model, or no value for what goes into it."""


def plain(model: ModelProto) -> Run:
    """ONNX Runtime on a model, with values of every element type that it has."""
    names, packed = _fed_names(model), _packed_inputs(model)
    if packed:  # ONNX Runtime's Python takes no numbers of less than a byte
        return lambda inputs: plain(_with_constants(model, names, packed, inputs))(
            [x for name, x in zip(names, inputs, strict=True) if name not in packed]
        )
    try:
        session = started(model)
    except (Fail, InvalidArgument, NotImplemented, InvalidGraph, RuntimeException) as exc:
        raise CannotRunError(str(exc)) from exc
    special = {i.name for i in (*session.get_inputs(), *session.get_outputs()) if _is_special(i.type)}

    def run(inputs: list[Any]) -> list[Any]:
        feeds = dict(zip(names, inputs, strict=True))
        if not special:
            results: list[Any] = session.run(None, feeds)
            return results
        values = {name: _as_ort_value(x) for name, x in feeds.items()}
        return [_as_array(y) for y in session.run_with_ort_values(None, values)]

    return run


def evaluated(model: ModelProto) -> Run:
    """onnx's own evaluator on a model."""
    evaluator, names = ReferenceEvaluator(model), _fed_names(model)
    return lambda inputs: list(evaluator.run(None, dict(zip(names, inputs, strict=True))))


def with_older_versions(model: ModelProto) -> ModelProto:
    """The model with the version numbers in it lowered to the newest that ONNX Runtime takes."""
    copy = ModelProto.FromString(model.SerializeToString())
    copy.ir_version = min(copy.ir_version, 11)
    newest = {"": newest_opset(), "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}
    for opset in copy.opset_import:
        opset.version = min(opset.version, newest.get(opset.domain, opset.version))
    return copy


def _fed_names(model: ModelProto) -> list[str]:
    constants = {tensor.name for tensor in model.graph.initializer}
    return [info.name for info in model.graph.input if info.name not in constants]


def _packed_inputs(model: ModelProto) -> list[str]:
    return [i.name for i in model.graph.input if i.type.tensor_type.elem_type in _PACKED]


def _with_constants(model: ModelProto, names: list[str], packed: list[str], inputs: list[Any]) -> ModelProto:
    copy = ModelProto.FromString(model.SerializeToString())
    kept = [info for info in copy.graph.input if info.name not in packed]
    del copy.graph.input[:]
    copy.graph.input.extend(kept)
    for name, value in zip(names, inputs, strict=True):
        if name in packed:
            copy.graph.initializer.append(numpy_helper.from_array(value, name))
    return copy


_PACKED = {
    getattr(TensorProto, name): bits
    for name, bits in (("INT4", 4), ("UINT4", 4), ("FLOAT4E2M1", 4), ("INT2", 2), ("UINT2", 2))
    if hasattr(TensorProto, name)
}
"""Element types of less than a byte, with their bits."""
_SPECIAL = ("bfloat16", "float8", "int4", "uint4", "int2", "uint2", "float4")


def _is_special(kind: str) -> bool:
    return kind.startswith("tensor(") and kind[len("tensor(") :].startswith(_SPECIAL)


def _as_ort_value(array: Any) -> Any:
    element = helper.np_dtype_to_tensor_dtype(array.dtype)
    contiguous = np.ascontiguousarray(array).reshape(array.shape)  # which it gives an axis if there is none
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(contiguous, element)


def _as_array(value: Any) -> Any:
    """A copy of a tensor's memory as NumPy or ml_dtypes have its element type."""
    if not _is_special(value.data_type()):
        return value.numpy()
    element, shape = value.element_type(), tuple(value.shape())
    dtype, bits = helper.tensor_dtype_to_np_dtype(element), _PACKED.get(element, 0)
    count = int(np.prod(shape))
    size = -(-count * bits // 8) if bits else count * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    text = ctypes.string_at(value.data_ptr(), size)
    if bits:
        tensor = TensorProto(data_type=element, dims=shape, raw_data=text)
        return numpy_helper.to_array(tensor)
    return np.frombuffer(text, dtype).reshape(shape).copy()
