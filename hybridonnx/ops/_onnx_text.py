"""The text of an ONNX node in a graph: an ONNX model of that one node, as JSON.

The JSON is protobuf's own of a ModelProto, so that any tool of ONNX's reads it. Rules read and write it here
without the onnx package.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError

_CODES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
}
"""ONNX's numbers of the element types that constants of rules have."""
_NAMES = {code: name for name, code in _CODES.items()}
_WHOLE = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 21, 22})
"""ONNX's numbers of the element types that have no fractions: integers, bool and strings."""
_DATA = {1: "floatData", 6: "int32Data", 7: "int64Data", 11: "doubleData"}
"""Where a tensor has its values if they are not raw."""


@dataclass(frozen=True)
class RawTensor:
    """A constant of an element type that rules do not know, as the text has it."""

    item: Mapping[str, Any]


@dataclass(frozen=True)
class NodeText:
    """What rules ask of an ONNX node."""

    op_type: str
    domain: str
    opset: int
    inputs: tuple[str, ...]
    """The names of its inputs inside of the text; absent ones are empty."""
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    constants: Mapping[str, NDArray[Any] | RawTensor]
    """Those of the inputs that are constants."""
    arguments: tuple[str, ...]
    """Those of the inputs that the operator takes, in its order."""
    results: tuple[str, ...]
    """Those of the outputs that the operator gives, in its order."""
    ranks: tuple[int | None, ...]
    """How many axes each of them has, where the text knows."""
    is_smooth: bool
    """Whether any of them may be of floating-point numbers, as gradients have to be."""


@cache
def read_node(text: str) -> NodeText:
    """The node of a text. Raises `FormatError` if it is none."""
    try:
        model = json.loads(text)
        graph = model["graph"]
        (node,) = graph["node"]
        domain = node.get("domain", "")
        opsets = {item.get("domain", ""): int(item["version"]) for item in model["opsetImport"]}
        return NodeText(
            node["opType"],
            domain,
            opsets[domain],
            tuple(node.get("input", ())),
            tuple(node.get("output", ())),
            {a["name"]: _attribute(a) for a in node.get("attribute", ())},
            {t["name"]: _tensor(t) for t in graph.get("initializer", ())},
            tuple(item["name"] for item in graph.get("input", ())),
            tuple(item["name"] for item in graph.get("output", ())),
            tuple(_rank(item) for item in graph.get("output", ())),
            not all(_elem_type(item) in _WHOLE for item in graph.get("output", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as exc:
        raise FormatError(
            f"model: an ONNX model of one node as JSON is required, got {text[:80]!r}: {exc!r}."
        ) from None


def node_text(
    op_type: str,
    inputs: Sequence[NDArray[Any] | RawTensor | bool],
    opset: int,
    attributes: Mapping[str, Any],
    outputs: Sequence[bool] = (True,),
    domain: str = "",
) -> str:
    """The text of a new node. Each input is a constant, or tells whether it is there, as each output does."""
    names = ["" if x is False else f"x{i}" for i, x in enumerate(inputs)]
    tensors = {n: x for n, x in zip(names, inputs, strict=True) if not isinstance(x, bool)}
    results = [f"y{i}" if there else "" for i, there in enumerate(outputs)]
    node = {"input": names, "output": results, "opType": op_type}
    if domain:
        node["domain"] = domain
    written = [_written(name, value) for name, value in attributes.items() if value is not None]
    graph = {
        "node": [{**node, "attribute": written} if written else node],
        "name": op_type,
        "initializer": [{**_tensor_fields(x), "name": name} for name, x in tensors.items()],
        "input": [{"name": name} for name in names if name and name not in tensors],
        "output": [{"name": name} for name in results if name],
    }
    imports = [{"domain": domain, "version": str(opset)}]
    return json.dumps({"irVersion": "8", "graph": graph, "opsetImport": imports})


def takes_constant(dtype: Any) -> bool:
    """Whether constants of rules may have a dtype."""
    return np.dtype(dtype).name in _CODES


def _attribute(item: Mapping[str, Any]) -> Any:
    kind = item["type"]
    if kind == "INT":
        return int(item["i"])
    if kind == "FLOAT":
        return float(item["f"])
    if kind == "STRING":
        return base64.b64decode(item.get("s", "")).decode()
    if kind == "INTS":
        return tuple(map(int, item.get("ints", ())))
    if kind == "FLOATS":
        return tuple(map(float, item.get("floats", ())))
    if kind == "STRINGS":
        return tuple(base64.b64decode(s).decode() for s in item.get("strings", ()))
    return _tensor(item["t"]) if kind == "TENSOR" else item


def _elem_type(item: Mapping[str, Any]) -> int | None:
    """ONNX's number of an output's element type, if the text knows."""
    code = item.get("type", {}).get("tensorType", {}).get("elemType")
    return None if code is None else int(code)


def _rank(item: Mapping[str, Any]) -> int | None:
    shape = item.get("type", {}).get("tensorType", {}).get("shape")
    return None if shape is None else len(shape.get("dim", ()))


def _written(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"name": name, "s": base64.b64encode(value.encode()).decode(), "type": "STRING"}
    if isinstance(value, float):
        return {"name": name, "f": value, "type": "FLOAT"}
    if isinstance(value, int | np.integer):
        return {"name": name, "i": str(int(value)), "type": "INT"}
    if all(isinstance(v, int | np.integer) for v in value):
        return {"name": name, "ints": [str(int(v)) for v in value], "type": "INTS"}
    return {"name": name, "floats": [float(v) for v in value], "type": "FLOATS"}


def _tensor(item: Mapping[str, Any]) -> NDArray[Any] | RawTensor:
    """The values of a tensor, if its element type is one that rules know."""
    shape, code = [int(d) for d in item.get("dims", ())], int(item["dataType"])
    if code not in _NAMES:
        return RawTensor(item)
    dtype = np.dtype(_NAMES[code])
    if "rawData" in item:
        return np.frombuffer(base64.b64decode(item["rawData"]), dtype.newbyteorder("<")).reshape(shape)
    return np.array(item.get(_DATA.get(code, "int32Data"), ()), object).astype(dtype).reshape(shape)


def _tensor_fields(x: NDArray[Any] | RawTensor) -> Mapping[str, Any]:
    if isinstance(x, RawTensor):
        return x.item
    raw = x.astype(x.dtype.newbyteorder("<")).tobytes()
    dims = [str(d) for d in x.shape]
    return {"dims": dims, "dataType": _CODES[x.dtype.name], "rawData": base64.b64encode(raw).decode()}
