"""Sizes that the caller gives to the inputs of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import ValueInfoProto

from hybridonnx.errors import ConversionError, suggest
from hybridonnx.symbol.declared import InputShape, InputShapes, shapes_in_order


def narrowed(title: str, inputs: Sequence[ValueInfoProto], shapes: InputShapes) -> list[ValueInfoProto]:
    """The declarations of a model's inputs with the sizes that are given.

    What is given for a free size holds wherever the file has its name.
    """
    by_name = _by_name(title, [info.name for info in inputs], shapes)
    copies = []
    for info in inputs:
        copy = ValueInfoProto()
        copy.CopyFrom(info)
        copies.append(copy)
    names: dict[str, int | str] = {}
    for info in copies:
        if info.name in by_name:
            _narrow(title, info, by_name[info.name], names)
    for info, copy in zip(inputs, copies, strict=True):
        old, new = info.type.tensor_type.shape.dim, copy.type.tensor_type.shape.dim
        for before, dim in zip(old, new, strict=False):  # a file may leave all sizes out
            size = names.get(before.dim_param) if before.dim_param else None
            if isinstance(size, int):
                dim.dim_value = size
            elif size is not None:
                dim.dim_param = size
    return copies


def _by_name(title: str, names: Sequence[str], shapes: InputShapes) -> Mapping[str, InputShape]:
    """The shapes by the inputs' names."""
    if isinstance(shapes, Mapping):
        for name in shapes:
            if name not in names:
                raise ConversionError(
                    f"{title}: inputs of the model are required in input_shapes, which are "
                    f"{', '.join(names) or 'none'}, got {name!r}.{suggest(name, names)}"
                )
        return shapes
    return shapes_in_order(title, names, shapes, ConversionError)


def _narrow(title: str, info: ValueInfoProto, shape: InputShape, names: dict[str, int | str]) -> None:
    """Give an input its sizes, and take note of what names of the file became."""
    if not info.type.HasField("tensor_type"):
        raise ConversionError(f"{title}: input {info.name} is no tensor and has no shape. Leave it out.")
    shape = tuple(int(size) if isinstance(size, np.integer) else size for size in shape)
    _check(title, info.name, shape)
    known = info.type.tensor_type.shape
    if not info.type.tensor_type.HasField("shape"):
        known.SetInParent()
        for _ in shape:
            known.dim.add()
    if len(known.dim) != len(shape):
        raise ConversionError(
            f"{title}: {len(known.dim)} sizes are required for input {info.name}, got {tuple(shape)}."
        )
    for axis, (dim, size) in enumerate(zip(known.dim, shape, strict=True)):
        if size is None:
            continue
        fixed = dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else None
        if fixed is not None and size != fixed:
            raise ConversionError(
                f"{title}: size {fixed} is required at axis {axis} of input {info.name}, as the file fixes "
                f"it, got {size!r}."
            )
        if dim.dim_param and names.setdefault(dim.dim_param, size) != size:
            raise ConversionError(
                f"{title}: one size is required wherever the file has {dim.dim_param}, got "
                f"{names[dim.dim_param]!r} and {size!r}, which is at axis {axis} of input {info.name}."
            )
        if isinstance(size, int):
            dim.dim_value = size
        else:
            dim.dim_param = size


def _check(title: str, name: str, shape: InputShape) -> None:
    valid = all(
        size is None or (isinstance(size, str) and size) or (isinstance(size, int) and size >= 0)
        for size in shape
    )
    if isinstance(shape, str) or not valid:
        raise ConversionError(
            f"{title}: integers from 0 up, names or None are required as sizes of input {name}, "
            f"got {shape!r}."
        )
