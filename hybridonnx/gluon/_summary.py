"""A table of a block's layers: their output shapes and numbers of parameters."""

from __future__ import annotations

from collections import OrderedDict
from math import prod
from typing import Any

from ..errors import RequirementError
from ..ndarray.ndarray import NDArray
from .block import Block
from .nn.basic_layers import HybridSequential, Sequential
from .parameter import Parameter

_WIDTH = 80


def summarize(block: Block, inputs: tuple[Any, ...]) -> None:
    """Run the block once on `inputs` and print a row for each layer in the order of their calls.

    Containers have no row of their own.
    """
    rows: OrderedDict[str, tuple[str, int]] = OrderedDict(Input=(_shown(inputs), 0))
    seen: set[int] = set()
    counts = {"total": 0, "trainable": 0, "shared": 0}
    handles: list[Any] = []

    def hook(layer: Block, _: Any, outputs: Any) -> None:
        size = 0
        for param in layer.params.values():
            count = _count(param)
            size += count
            counts["total"] += count
            counts["trainable"] += 0 if param.grad_req == "null" else count
            if id(param) in seen:
                counts["shared"] += count
            seen.add(id(param))
        rows[f"{type(layer).__name__}-{len(rows)}"] = (_shown(outputs), size)

    def register(layer: Block) -> None:
        if getattr(layer, "_active", False):
            raise RequirementError(f'"{layer.name}" must not be hybridized to print summary.')
        if not isinstance(layer, Sequential | HybridSequential):
            handles.append(layer.register_forward_hook(hook))

    try:
        block.apply(register)
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    print(_table(rows, counts))


def _count(param: Parameter) -> int:
    return prod(param.shape or ())


def _shown(value: Any) -> str:
    """The shapes of nested arrays as text, without the outermost brackets of a list."""
    shapes = _shapes(value)
    return str(shapes)[1:-1] if isinstance(shapes, list) else str(shapes)


def _shapes(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value.shape
    if isinstance(value, list | tuple):
        found = [_shapes(v) for v in value]
        return found[0] if len(found) == 1 else found
    return value


def _row(*cells: Any) -> str:
    return f"{cells[0]:>20}  {cells[1]:>42} {cells[2]:>15}"


def _table(rows: OrderedDict[str, tuple[str, int]], counts: dict[str, int]) -> str:
    total, trainable, shared = counts["total"], counts["trainable"], counts["shared"]
    return "\n".join(
        [
            "-" * _WIDTH,
            _row("Layer (type)", "Output Shape", "Param #"),
            "=" * _WIDTH,
            *(_row(name, shape, size) for name, (shape, size) in rows.items()),
            "=" * _WIDTH,
            "Parameters in forward computation graph, duplicate included",
            f"   Total params: {total}",
            f"   Trainable params: {trainable}",
            f"   Non-trainable params: {total - trainable}",
            f"Shared params in forward computation graph: {shared}",
            f"Unique parameters in model: {total - shared}",
            "-" * _WIDTH,
        ]
    )
