"""What operators that run graphs share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..dtypes import DType
from ..errors import MXNetError, ShapeError
from ._operator import Array, Operator, Spec
from ._shapes import Shape, show
from ._subgraph import Subgraph, merged
from ._symbolic import same


class ControlFlow(Operator):
    """What loops and branches share: graphs, and inference through them."""

    variadic: ClassVar[str] = "num_args"
    output_count: ClassVar[str] = "num_outputs"
    mode_dependent: ClassVar[bool] = True
    num_args: int
    num_outputs: int

    def visible(self) -> int:
        return self.num_outputs

    def counted(self) -> int:
        return self.num_outputs

    def output_names(self) -> tuple[str, ...]:
        count = self.num_outputs
        names = tuple(f"output{i}" for i in range(count)) if count > 1 else ("output",)[:count]
        return (*names, *self._hidden_names())

    def _hidden_names(self) -> tuple[str, ...]:
        return tuple(f"draws{i}" for i in range(sum(graph.draws for graph in self.subgraphs)))

    @classmethod
    def make(cls, attributes: Mapping[str, Any], lenient: bool = False) -> Self:
        own = {name: value for name, value in attributes.items() if name != "subgraphs"}
        op = super().make(own, lenient)
        return op.with_subgraphs(attributes["subgraphs"]) if "subgraphs" in attributes else op

    def in_mode(self, training: bool) -> Operator:
        return self if training == self.training else self._other_mode

    @cached_property
    def _other_mode(self) -> Operator:
        return replace(self, training=not self.training)

    def with_subgraphs(self, subgraphs: Sequence[Subgraph]) -> Self:
        op = super().with_subgraphs(subgraphs)
        for name, graph, inputs, results in zip(
            self.graphs, subgraphs, self._input_counts(), self._result_counts(), strict=True
        ):
            if (len(graph.names), graph.results) != (inputs, results):
                raise MXNetError(
                    f"{self.names[0]}: {name} with {inputs} variables and {results} outputs is required, "
                    f"got {len(graph.names)} and {graph.results}."
                )
        return op

    def _input_counts(self) -> Sequence[int]:
        """How many variables each graph has."""
        raise NotImplementedError

    def _result_counts(self) -> Sequence[int]:
        """How many outputs each graph has."""
        raise NotImplementedError

    def require_constant_states(self) -> None:
        """Raise if a graph changes auxiliary states, as a loop's inputs stay what they are."""
        state = next((name for graph in self.subgraphs if (name := graph.changing())), "")
        if self.training and state:
            raise MXNetError(
                f"{self.names[0]}: a body without changing auxiliary states is required when training, "
                f"got {state}. Use use_global_stats=True there, or do not hybridize the block that "
                "has the loop."
            )

    def _stacks(
        self, inputs: Sequence[Array], steps: Sequence[Sequence[Array]], numbers: Sequence[int]
    ) -> list[Array]:
        """The outputs of these numbers, from their values at each step that was taken."""
        if steps:
            return [_stack(values) for values in zip(*steps, strict=True)]
        specs = self.infer([Spec(x.shape, x.dtype) for x in inputs])[1]
        return [np.zeros((0, *sizes_of(of_step(specs[i]))), specs[i].dtype) for i in numbers]

    def flow(self, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> tuple[Sequence[Spec], Sequence[Spec]]:
        """What is known of inputs and outputs, hidden ones included, through the graphs."""
        raise NotImplementedError

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return [spec.shape for spec in self.flow([Spec(shape) for shape in shapes], ())[0]]

    def infer_shape(self, *shapes: Shape) -> Any:
        return [spec.shape for spec in self.flow([Spec(shape) for shape in shapes], ())[1]]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        known = [Spec(shape) for shape in outputs]
        return [spec.shape for spec in self.flow([Spec(shape) for shape in inputs], known)[0]]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return [spec.dtype for spec in self.flow([Spec(None, dtype) for dtype in dtypes], ())[0]]

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        return [spec.dtype for spec in self.flow([Spec(None, dtype) for dtype in dtypes], ())[1]]


def listed(value: Any, count: int) -> list[Any]:
    """The outputs of a call with `F`, each by itself."""
    return [value] if count == 1 else [value[i] for i in range(count)]


def _stack(values: Sequence[Array]) -> Array:
    """The values of all steps along a new first axis."""
    shapes = dict.fromkeys(value.shape for value in values)
    if len(shapes) > 1:
        raise ShapeError(
            "contrib: values of one shape at every step are required to be outputs of a loop, or to have "
            f"gradients, got {' and '.join(map(show, list(shapes)[:2]))}."
        )
    return np.stack(values)


def filled(stack: Array, length: int) -> Array:
    """The values of all steps, and zeros for the steps up to `length`."""
    if len(stack) == length:
        return stack
    return np.concatenate([stack, np.zeros((length - len(stack), *stack.shape[1:]), stack.dtype)])


def of_step(stack: Spec) -> Spec:
    """What one step gives, from what is known of all steps together."""
    return Spec(stack.shape and stack.shape[1:], stack.dtype)


def sizes_of(spec: Spec) -> tuple[int, ...]:
    if spec.shape is None or not all(isinstance(size, int) for size in spec.shape):
        raise ShapeError(f"contrib: the shape of a step's output is required without a step, got {spec}.")
    return spec.shape  # type: ignore[return-value]


def numbered(stem: str, count: int) -> list[str]:
    return [f"{stem}{i}" for i in range(count)]


def in_parts(values: Sequence[Any], *counts: int) -> list[list[Any]]:
    """`values` in parts of these lengths, and what is left."""
    parts, start = [], 0
    for count in counts:
        parts.append(list(values[start : start + count]))
        start += count
    return [*parts, list(values[start:])]


def placed(count: int, *pairs: tuple[Sequence[int], Sequence[Any]]) -> list[Any]:
    """A list of `count` values from (indices, values)."""
    result: list[Any] = [None] * count
    for indices, values in pairs:
        for index, value in zip(indices, values, strict=True):
            result[index] = value
    return result


def joined(owner: str, a: Spec, b: Spec) -> Spec:
    """What is known of a value that is one of two, which have one dtype."""
    both = merged(owner, Spec(None, a.dtype), Spec(None, b.dtype))
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return both
    return Spec(tuple([d if same(d, e) else None for d, e in zip(a.shape, b.shape, strict=True)]), both.dtype)
