"""Prints converters/to_onnx/_kernel_table.py: the element types for which ONNX Runtime has no CPU kernels.

It is written with the oldest ONNX Runtime that pyproject.toml allows, in an environment with .ci/oldest.txt:

    PYTHONPATH=. python scripts/_kernels.py >converters/to_onnx/_kernel_table.py
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import onnxruntime
from onnx import ModelProto, defs, helper
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, InvalidGraph, RuntimeException
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NoKernel

from hybridonnx.converters.elements import dtype_of_type_string
from hybridonnx.converters.opsets import OLDEST, Signature, signature
from hybridonnx.converters.values import value_info
from hybridonnx.dtypes import BY_NAME, DType, as_dtype

NEWEST = 21
"""The newest opset of the oldest ONNX Runtime."""
USUAL = ("int64", "float32", "bool", "uint8")
"""What the other type parameters are while one is probed: the first of these that is possible."""
_Kind = defs.OpSchema.AttrType
_REQUIRED: dict[Any, Any] = {_Kind.INT: 1, _Kind.INTS: [1, 1], _Kind.FLOAT: 1.0, _Kind.STRING: "ij,jk->ik"}
"""Values for required attributes; an operator that needs another kind is passed over."""


def table(op_types: Iterable[str] | None = None) -> dict[tuple[str, str], list[str]]:
    """For each operator and type parameter the element types that MXNet has and no kernel takes."""
    every = {s.name for s in defs.get_all_schemas_with_history() if not s.domain and not s.deprecated}
    names = sorted(every if op_types is None else op_types)
    return {(name, parameter): row for name in names for parameter, row in _rows(name).items() if row}


def _rows(op_type: str) -> dict[str, list[str]]:
    rows: dict[str, set[str]] = {}
    for kind in _versions(op_type):
        for parameter in _parameters(kind):
            dtypes = [BY_NAME[name] for name in kind.types[parameter] & BY_NAME.keys()]
            refused = {dtype.name for dtype in dtypes if _lacks(kind, parameter, dtype)}
            rows[parameter] = rows.get(parameter, set()) | refused
    return {parameter: [n for n in BY_NAME if n in rows[parameter]] for parameter in sorted(rows)}


def _versions(op_type: str) -> list[Signature]:
    """The operator at every opset that changes it."""
    history = [s for s in defs.get_all_schemas_with_history() if s.name == op_type and not s.domain]
    opsets = {max(s.since_version, OLDEST) for s in history if s.since_version <= NEWEST}
    kinds = [signature(op_type, opset) for opset in sorted(opsets)]
    return [
        kind
        for kind in kinds
        if not kind.schema.deprecated and all(a.type in _REQUIRED for a in _required(kind))
    ]


def _required(kind: Signature) -> list[Any]:
    return [attribute for attribute in kind.schema.attributes.values() if attribute.required]


def _parameters(kind: Signature) -> set[str]:
    return {p.type for p in kind.inputs if kind.types.get(p.type)}


def _lacks(kind: Signature, parameter: str, dtype: DType) -> bool:
    """Whether no session starts, neither with usual types for the other parameters nor with this type."""
    others = _parameters(kind) - {parameter}
    usual = {other: _usual(kind.types[other]) for other in others}
    same = {other: dtype if dtype.name in kind.types[other] else usual[other] for other in others}
    return all(_refused(kind, {**types, parameter: dtype}) for types in (usual, same))


def _usual(allowed: frozenset[str]) -> DType:
    return as_dtype(next((name for name in USUAL if name in allowed), min(allowed)))


def _refused(kind: Signature, types: Mapping[str, DType]) -> bool:
    """Whether ONNX Runtime says of a model of this node alone that it has no implementation."""
    inputs = []
    for formal in kind.inputs:
        dtype = types.get(formal.type) or dtype_of_type_string(formal.type)
        if formal.optional or dtype is None:
            break
        for _ in range(2 if formal.variadic else 1):
            inputs.append(value_info(f"x{len(inputs)}", dtype, None))
    outputs = [f"y{i}" for i, formal in enumerate(kind.outputs) if not formal.optional]
    attributes = {a.name: _REQUIRED[a.type] for a in _required(kind)}
    node = helper.make_node(kind.op_type, [i.name for i in inputs], outputs, **attributes)
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    opset = helper.make_opsetid("", max(kind.since, OLDEST))
    graph = helper.make_graph([node], "node", inputs, results)
    return _has_no_kernel(helper.make_model(graph, opset_imports=[opset], ir_version=8))


def _has_no_kernel(model: ModelProto) -> bool:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    except NoKernel:
        return True
    except (Fail, InvalidArgument, InvalidGraph, RuntimeException):  # about something else in the node
        return False
    return False


HEAD = '''"""Element types of which ONNX Runtime {version} has no kernels, by scripts/_kernels.py."""

from __future__ import annotations

from collections.abc import Mapping

WITHOUT_KERNEL: Mapping[tuple[str, str], str] = {{
'''


def main() -> None:
    """Print the table as a module."""
    print(HEAD.format(version=onnxruntime.__version__), end="")
    for (op_type, parameter), names in table().items():
        print(f'    ("{op_type}", "{parameter}"): "{" ".join(names)}",')
    print('}\n"""Names of element types by operator and type parameter."""')


if __name__ == "__main__":
    main()
