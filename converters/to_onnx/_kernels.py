"""The element types in which nodes are computed where ONNX, or ONNX Runtime, lacks their own.

Files run elsewhere, by runtimes that lag behind: what counts is the oldest ONNX Runtime that
pyproject.toml allows, not the installed one. Newer kernels make nothing here needless until that moves, and
`scripts/_kernels.py` writes the table anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hybridonnx.dtypes import DType, name_of

from ..opsets import Signature
from ._kernel_table import WITHOUT_KERNEL

_LACKING: Mapping[tuple[str, str], frozenset[str]] = {
    key: frozenset(names.split()) for key, names in WITHOUT_KERNEL.items()
}
_FAILING: Mapping[tuple[str, str], frozenset[str]] = {
    ("ReduceMax", "T"): frozenset({"bool"}),
    ("ReduceMin", "T"): frozenset({"bool"}),
}
"""Element types whose kernels refuse arrays without elements."""
_WIDER_INTEGERS = (np.dtype("int32"), np.dtype("int64"))
_uint8 = np.dtype("uint8")
_float32 = np.dtype("float32")

_TOGETHER: Mapping[str, Mapping[str, Any]] = {
    "OneHot": {"T1": np.dtype("int64"), "T2": np.dtype("int64")},
}
"""Element types beside which kernels have all others, where they are of certain combinations."""

_EXACT = frozenset(
    "Abs Add ArgMax ArgMin Clip CumSum Div Einsum Equal Greater GreaterOrEqual Less LessOrEqual MatMul Max "
    "Min Mod Mul Neg NonZero OneHot ReduceMax ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Sign Sub "
    "TopK Trilu Unique Where".split()
)
"""Operators whose results on integers, cast back, are the same through any wider type, wrapped or not."""


def computed_in(kind: Signature, types: Mapping[str, DType]) -> dict[str, DType]:
    """For the type parameters, bound to `types`, that no kernel takes: the element types to compute in.

    Integers and bool get the next wider type if that changes no result, floating-point numbers float32, which
    `Graph` refuses for float64. A type parameter for which there is no such type is left out.
    """
    substitutes = {}
    for name, dtype in types.items():
        allowed = kind.types.get(name)
        if not allowed:
            continue
        key = kind.op_type, name
        usable = allowed - _LACKING.get(key, frozenset()) - _FAILING.get(key, frozenset())
        if name_of(dtype) not in usable:
            other = next((w for w in _candidates(kind.op_type, dtype) if w.name in usable), None)
            if other is not None:
                substitutes[name] = other
    beside = _TOGETHER.get(kind.op_type, {})
    return {**substitutes, **{name: dtype for name, dtype in beside.items() if types.get(name) != dtype}}


def _candidates(op_type: str, dtype: DType) -> tuple[DType, ...]:
    if name_of(dtype) in ("bfloat16", "float16", "float64"):
        return (_float32,)
    if op_type not in _EXACT or dtype.kind not in "biu":
        return ()
    if dtype.kind == "b" and op_type in ("ReduceMax", "ReduceMin"):
        return (_uint8,)  # whose limits, the results over no elements, are those of bool
    return tuple(wide for wide in _WIDER_INTEGERS if wide.itemsize > dtype.itemsize)
