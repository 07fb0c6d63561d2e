"""Operators that users write in Python. What is registered is known here by a protocol alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, replace
from functools import lru_cache
from typing import Any, ClassVar, Protocol, Self

from ..attrs import read, text
from ..dtypes import DType
from ..errors import UnknownOperatorError, suggest
from ._operator import Array, Attribute, Operator
from ._registry import operator
from ._shapes import Shape


class Execution(Protocol):
    """One execution of a user's operator: what it keeps from `forward` is there for `backward`."""

    def forward(self, training: bool, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """The outputs. Arrays of auxiliary states may be written into."""
        ...

    def backward(self, dys: Sequence[Any], ys: Sequence[Any], inputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient of each input, `None` for auxiliary states."""
        ...


class Definition(Protocol):
    """What a user's operator is with certain attributes."""

    @property
    def arguments(self) -> tuple[str, ...]: ...
    @property
    def states(self) -> tuple[str, ...]: ...
    @property
    def outputs(self) -> tuple[str, ...]: ...

    def shapes(self, shapes: Sequence[Shape | None]) -> tuple[list[Shape | None], list[Shape | None]]:
        """All that the inputs' shapes tell of inputs, states included, and of outputs."""
        ...

    def dtypes(self, dtypes: Sequence[DType | None]) -> tuple[list[DType | None], list[DType | None]]:
        """The same of dtypes."""
        ...

    def start(self, device: Any) -> Execution:
        """An execution on a context."""
        ...


Maker = Callable[[dict[str, str]], Definition]
_makers: dict[str, Maker] = {}


def register(op_type: str, maker: Maker) -> None:
    """Make `op_type` known: `maker` takes the attributes' text by name."""
    _makers[op_type] = maker
    _kind.cache_clear()


def registered() -> list[str]:
    """Every known `op_type`."""
    return sorted(_makers)


@operator("Custom", "_npi_Custom")
class Custom(Operator):
    """An operator that a user has written in Python, a `CustomOp`, and registered under a name.

    Each combination of attributes has a class of its own, whose inputs and outputs are what the user's
    `CustomOpProp` lists. Further attributes are handed to its constructor as text.

    Inputs:
        data: The arrays that `list_arguments` names, then the auxiliary states of `list_auxiliary_states`.

    Attributes:
        op_type: The name that the operator is registered under.

    Returns:
        The arrays that `list_outputs` names, in the shapes that `infer_shape` gives.

    ONNX: none; it runs Python code. A file has what `mx.onnx.register_lowering` says it is.
    """

    mode_dependent = True
    stateful = True
    not_in_onnx = "it runs Python code. Say what it is in ONNX with mx.onnx.register_lowering"

    attribute_texts: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The attributes' text beside `op_type`."""
    definition: ClassVar[Definition]

    op_type: str

    _execution: ClassVar[Any] = None

    @classmethod
    def knows(cls, attributes: Mapping[str, str]) -> bool:
        return attributes.get("op_type") in _makers

    @classmethod
    def specialized(
        cls, attributes: Mapping[str, Any], is_input: Callable[[Any], bool] | None = None
    ) -> type[Operator]:
        op_type = str(attributes.get("op_type", ""))
        if op_type not in _makers:
            raise UnknownOperatorError(
                f"Custom: op_type must be the name of a registered operator, got {op_type!r}."
                f"{suggest(op_type, _makers)} Define it with a subclass of mx.operator.CustomOpProp under "
                f"@mx.operator.register({op_type!r})."
            )
        others = {k: v for k, v in attributes.items() if k != "op_type" and not (is_input and is_input(v))}
        return _kind(op_type, tuple((k, text(v)) for k, v in others.items()))

    @classmethod
    def schema(cls) -> dict[str, Attribute]:  # type: ignore[override]  # the base remembers
        others = {name: Attribute(str, "", False) for name, _ in cls.attribute_texts}
        return {"op_type": Attribute(str, MISSING, False), **others}

    @classmethod
    def make(cls, attributes: Mapping[str, Any], lenient: bool = False) -> Self:
        kind: Any = cls.specialized(attributes)
        return kind(op_type=read("Custom", "op_type", str, attributes["op_type"]))  # type: ignore[no-any-return]

    def attributes(self) -> dict[str, Any]:
        return {"op_type": self.op_type, **dict(self.attribute_texts)}

    def started(self, device: Any) -> Operator:
        op = replace(self)
        object.__setattr__(op, "_execution", self.definition.start(device))
        return op

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return self.definition.shapes(shapes)[0]

    def infer_shape(self, *shapes: Shape) -> Any:
        return self.definition.shapes(shapes)[1]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return self.definition.dtypes(dtypes)[0]

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        return self.definition.dtypes(dtypes)[1]

    def forward(self, *arrays: Array) -> tuple[Array, ...]:
        execution: Execution = self._execution or self.definition.start(None)
        return execution.forward(self.training, arrays)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        execution: Execution = self._execution or self.definition.start(None)
        several = isinstance(dy, tuple)
        return execution.backward(dy if several else (dy,), y if several else (y,), inputs)


def _updated(self: Custom, F: Any, y: Any, *inputs: Any) -> Sequence[Any]:
    """Nothing: the user's code writes into the states itself."""
    return ()


@lru_cache(maxsize=1024)
def _kind(op_type: str, attribute_texts: tuple[tuple[str, str], ...]) -> type[Custom]:
    """The class of the operators with these attributes."""
    definition = _makers[op_type](dict(attribute_texts))
    facts: dict[str, Any] = {
        "__module__": __name__,
        "__doc__": Custom.__doc__,
        "attribute_texts": attribute_texts,
        "definition": definition,
        "inputs": (*definition.arguments, *definition.states),
        "aux": definition.states,
        "outputs": definition.outputs,
    }
    if definition.states:
        facts["updated"] = _updated
    return type(f"Custom_{op_type}", (Custom,), facts)
