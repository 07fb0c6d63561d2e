"""A table of a block's layers: their output shapes and numbers of parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from math import prod
from typing import Any, ClassVar, Protocol

from ..errors import RequirementError
from ..ndarray.ndarray import NDArray
from .parameter import Parameter, ParameterDict

_WIDTH = 80


class Layer(Protocol):
    """What the table asks of a block."""

    is_container: ClassVar[bool]

    @property
    def name(self) -> str: ...
    @property
    def params(self) -> ParameterDict: ...
    def apply(self, fn: Callable[[Any], Any]) -> Any: ...
    def register_forward_hook(self, hook: Callable[..., Any]) -> Any: ...
    def __call__(self, *args: Any) -> Any: ...


def summarize(block: Layer, inputs: tuple[Any, ...]) -> None:
    """Run the block once on `inputs` and print a row for each layer in the order of their calls.

    Containers have no row of their own.
    """
    rows: OrderedDict[str, tuple[str, int]] = OrderedDict(Input=(_shapes_text(inputs), 0))
    ids: set[int] = set()
    counts = {"total": 0, "trainable": 0, "shared": 0}
    handles: list[Any] = []

    def hook(layer: Layer, _: Any, outputs: Any) -> None:
        size = 0
        for param in layer.params.values():
            count = _count(param)
            size += count
            counts["total"] += count
            counts["trainable"] += 0 if param.grad_req == "null" else count
            if id(param) in ids:
                counts["shared"] += count
            ids.add(id(param))
        rows[f"{type(layer).__name__}-{len(rows)}"] = (_shapes_text(outputs), size)

    def register(layer: Layer) -> None:
        if getattr(layer, "_active", False):
            raise RequirementError(f'"{layer.name}" must not be hybridized to print summary.')
        if not layer.is_container:
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


def _shapes_text(value: Any) -> str:
    """The shapes of nested arrays as text, without the outermost brackets of a list."""
    shapes = _shapes(value)
    return str(shapes)[1:-1] if isinstance(shapes, list) else str(shapes)


def _shapes(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value.shape
    if isinstance(value, list | tuple):
        shapes = [_shapes(v) for v in value]
        return shapes[0] if len(shapes) == 1 else shapes
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
