"""Loops and branches whose bodies are graphs, and their gradients, which are loops and branches again.

A gradient goes through the body once more, backward, with the body's gradient. Drawn values are hidden
outputs, so that both meet the same, and so are a foreach's variables before each step; a while_loop is run
anew for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError, MXNetError, ShapeError
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Shape, show, unify
from ._subgraph import Subgraph, merged, stacked_shape, step_shape

_int32 = np.dtype("int32")


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
        self, inputs: Sequence[Array], steps: Sequence[Sequence[Array]], length: int, numbers: Sequence[int]
    ) -> list[Array]:
        """The outputs of these numbers, from their values at each step."""
        if steps:
            return [_stack(values, length) for values in zip(*steps, strict=True)]
        specs = self.infer([Spec(x.shape, x.dtype) for x in inputs])[1]
        return [np.zeros(_sizes(specs[i]), specs[i].dtype) for i in numbers]

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


def _listed(value: Any, count: int) -> list[Any]:
    """The outputs of a call with `F`, each by itself."""
    return [value] if count == 1 else [value[i] for i in range(count)]


def _stack(values: Sequence[Array], length: int) -> Array:
    """The values of all steps, and zeros for the steps up to `length`."""
    stack = np.stack(values)
    if len(values) == length:
        return stack
    return np.concatenate([stack, np.zeros((length - len(values), *stack.shape[1:]), stack.dtype)])


def _sizes(spec: Spec) -> tuple[int, ...]:
    if spec.shape is None or not all(isinstance(size, int) for size in spec.shape):
        raise ShapeError(f"contrib: the shape of a step's output is required without a step, got {spec}.")
    return spec.shape  # type: ignore[return-value]


def _names(stem: str, count: int) -> list[str]:
    return [f"{stem}{i}" for i in range(count)]


def _parts(values: Sequence[Any], *counts: int) -> list[list[Any]]:
    """`values` in parts of these lengths, and what is left."""
    parts, start = [], 0
    for count in counts:
        parts.append(list(values[start : start + count]))
        start += count
    return [*parts, list(values[start:])]


def _placed(count: int, *pairs: tuple[Sequence[int], Sequence[Any]]) -> list[Any]:
    """A list of `count` values from (indices, values)."""
    result: list[Any] = [None] * count
    for indices, values in pairs:
        for index, value in zip(indices, values, strict=True):
            result[index] = value
    return result


# ---- foreach


@operator("_foreach")
class ForEach(ControlFlow):
    """A loop over the first axis of arrays, with variables that go from step to step.

    Inputs:
        *data: The arrays that the loop goes over, the variables' first values, then what every step takes.

    Attributes:
        num_args: The number of inputs and graphs.
        num_outputs: The number of the body's outputs.
        num_out_data: How many of them are stacked; the others are the variables' next values.
        in_state_locs: Which of the body's inputs are the variables.
        in_data_locs: Which of the body's inputs are the arrays' parts.
        remain_locs: Which of the body's inputs are the rest.

    Returns:
        The outputs of all steps along a new first axis, then the variables' last values.

    ONNX: Scan.
    """

    graphs: ClassVar[tuple[str, ...]] = ("fn",)
    noise: ClassVar[str] = "steps"
    takes_no_head: ClassVar[bool] = True
    num_args: int
    num_outputs: int
    num_out_data: int
    in_state_locs: Ints
    in_data_locs: Ints
    remain_locs: Ints

    def check(self) -> None:
        locs = sorted((*self.in_data_locs, *self.in_state_locs, *self.remain_locs))
        if locs != list(range(self.num_args - 1)):
            raise AttributeValueError(
                f"_foreach: each of {self.num_args - 1} inputs once is required in in_data_locs, "
                f"in_state_locs and remain_locs, got {self.in_data_locs}, {self.in_state_locs} "
                f"and {self.remain_locs}."
            )
        if self.num_outputs != self.num_out_data + len(self.in_state_locs) or not self.in_data_locs:
            raise AttributeValueError(
                f"_foreach: data and {self.num_out_data + len(self.in_state_locs)} outputs are required, got "
                f"{len(self.in_data_locs)} and {self.num_outputs}."
            )

    def _input_counts(self) -> Sequence[int]:
        return (self.num_args - 1,)

    def _result_counts(self) -> Sequence[int]:
        return (self.num_outputs,)

    def split(self, inputs: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """The arrays, the variables and the rest among the inputs."""
        data, states, rest = _parts(inputs, len(self.in_data_locs), len(self.in_state_locs))
        return data, states, rest

    def arranged(self, data: Sequence[Any], states: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        """The same in the order of the body's inputs."""
        pairs = (self.in_data_locs, data), (self.in_state_locs, states), (self.remain_locs, rest)
        return _placed(self.num_args - 1, *pairs)

    def flow(self, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> tuple[Sequence[Spec], Sequence[Spec]]:
        body: Subgraph = self.subgraphs[0].with_draws()
        data, states, rest = self.split(inputs)
        counts = (*self._output_counts(), self.subgraphs[0].draws)
        stacks, last, draws, before = _parts(outputs or [Spec()] * len(self.output_names()), *counts)
        tops = [s.shape[0] for s in (*data, *stacks, *draws, *before) if s.shape]
        (length,) = unify("_foreach: the first sizes of data", *[(top,) for top in tops]) or (None,)
        states = [merged("_foreach", a, b) for a, b in zip(states, last, strict=True)]
        for _ in range(2):  # what a step tells of its variables holds for the first one, too
            steps = [Spec(step_shape(s.shape), s.dtype) for s in data]
            of_steps = [Spec(s.shape and s.shape[1:], s.dtype) for s in (*stacks, *draws)]
            seeds = [*of_steps[: len(stacks)], *states, *of_steps[len(stacks) :]]
            known, results = body.infer_specs(self.arranged(steps, states, rest), seeds)
            outs, new, draw_specs = _parts(results, *self._output_counts())
            first = [known[i] for i in self.in_state_locs]
            states = [merged("_foreach", a, b) for a, b in zip(first, new, strict=True)]
        rest = [known[i] for i in self.remain_locs]
        arrays = [_whole(s, known[i], length) for s, i in zip(data, self.in_data_locs, strict=True)]
        parts = *outs, *draw_specs, *states
        whole = [Spec(stacked_shape(length, s.shape), s.dtype) for s in parts]
        return [*arrays, *states, *rest], [*whole[: len(outs)], *states, *whole[len(outs) :]]

    def _output_counts(self) -> tuple[int, int]:
        return self.num_out_data, len(self.in_state_locs)

    def _hidden_names(self) -> tuple[str, ...]:
        return (*super()._hidden_names(), *_names("before", len(self.in_state_locs)))

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        self.require_constant_states()
        body: Subgraph = self.subgraphs[0].with_draws()
        arrays, noise = _parts(inputs, self.num_args - 1)
        data, states, rest = self.split(arrays)
        steps: list[list[Array]] = []
        step = -1 if body.from_last else 1
        for parts in zip(*[x[::step] for x in (*data, *noise)], strict=True):
            now = [np.atleast_1d(part) for part in parts[: len(data)]]
            values = body.run(self.arranged(now, states, rest), self.training, parts[len(data) :])
            outs, new, draws = _parts(values, *self._output_counts())
            steps.append([*outs, *draws, *states])
            states = new
        Y, S = self._output_counts()
        numbers = [*range(Y), *range(Y + S, len(self.output_names()))]
        stacks = self._stacks(arrays, steps[::step], len(steps), numbers)
        return (*stacks[:Y], *states, *stacks[Y:])

    # ---- draws, which are made for all steps at once

    def draws(self) -> bool:
        return bool(self.subgraphs) and self.subgraphs[0].draws_early(self.training)

    def noise_count(self) -> int:
        return sum(op.noise_count() for op, _ in self._sources([Spec()] * (self.num_args - 1)))

    def draw(self, rng: np.random.Generator, *inputs: Spec) -> Any:
        sources = self._sources(inputs)
        steps = [
            [array for op, specs in sources for array in as_list(op.draw(rng, *specs))]
            for _ in range(self._length(inputs))
        ]
        if not steps:
            return [np.zeros(_sizes(spec), spec.dtype) for spec in self.noise_spec((), *inputs)]
        steps = steps[::-1] if self.subgraphs[0].from_last else steps
        return [np.stack(arrays) for arrays in zip(*steps, strict=True)]

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Any:
        length = self._length(inputs)
        of_steps = [
            spec
            for op, specs in self._sources(inputs)
            for spec in as_list(op.noise_spec(op.infer(specs)[1], *specs))
        ]
        return [Spec(stacked_shape(length, spec.shape), spec.dtype) for spec in of_steps]

    def _length(self, inputs: Sequence[Spec]) -> Any:
        (length,) = (inputs[0].shape or (None,))[:1]
        return length

    def _sources(self, inputs: Sequence[Spec]) -> list[tuple[Operator, list[Spec]]]:
        """The body's operators that draw, with the specs of their inputs at each step."""
        data, states, rest = self.split(self.flow(inputs, ())[0])
        parts = [Spec(step_shape(s.shape), s.dtype) for s in data]
        body: Subgraph = self.subgraphs[0]
        return body.sources(self.arranged(parts, states, rest), self.training)

    # ---- gradient

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        data, states, rest = self.split(inputs)
        D, S, R = len(data), len(states), len(rest)
        ys, dys = (_tuple(y), _tuple(dy))
        stacks, dstates, hidden = _parts(dys, *self._output_counts())
        heads = tuple([head is not None for head in (*stacks, *hidden)])
        steps = [*data, *ys[self.num_outputs :], *[head for head in (*stacks, *hidden) if head is not None]]
        last = ys[self.num_out_data :]
        firsts = [F.zeros_like(x) if d is None else d for d, x in zip(dstates, last, strict=False)]
        sums = [F.zeros_like(x) for x in rest]
        if heads not in self._backwards:
            self._backwards[heads] = self._backward(heads)
        grads = self._call(F, self._backwards[heads], steps, [*firsts, *sums], rest, D)
        ddata = [F.reshape_like(g, x) for g, x in zip(grads[:D], data, strict=True)]
        return [*ddata, *grads[D : D + S + R]]

    def _call(
        self,
        F: Any,
        body: Subgraph,
        data: Sequence[Any],
        states: Sequence[Any],
        rest: Sequence[Any],
        stack_count: int,
    ) -> list[Any]:
        """A loop whose body takes data, variables and the rest in this order."""
        D, S, R = len(data), len(states), len(rest)
        result = F._foreach(
            *data,
            *states,
            *rest,
            subgraphs=(body,),
            num_outputs=stack_count + S,
            num_out_data=stack_count,
            in_state_locs=tuple(range(D, D + S)),
            in_data_locs=tuple(range(D)),
            remain_locs=tuple(range(D + S, D + S + R)),
        )
        return _listed(result, stack_count + S)

    @cached_property
    def _backwards(self) -> dict[tuple[bool, ...], Subgraph]:
        """What `_backward` gave before."""
        return {}

    def _backward(self, heads: tuple[bool, ...]) -> Subgraph:
        """The body of the loop back: a step's gradients from those of the step after it.

        `heads` says which of the stacks, of the drawn values and of the variables before each step have
        gradients.
        """
        body: Subgraph = self.subgraphs[0]
        D, (Y, S), R, K = len(self.in_data_locs), self._output_counts(), len(self.remain_locs), body.draws
        stacks, drawn, before = ([i for i, head in enumerate(p) if head] for p in _parts(heads, Y, K))
        back = body.gradient(self.training, [*stacks, *range(Y, Y + S), *[Y + S + i for i in drawn]])

        def build(F: Any, *symbols: Any) -> Sequence[Any]:
            data, draws, states, douts, ddraws, dbefore, dstates, sums, rest = _parts(
                symbols, D, K, S, len(stacks), len(drawn), len(before), S, R
            )
            grads = back(*self.arranged(data, states, rest), *douts, *dstates, *ddraws, *draws)
            new_sums = [F.elemwise_add(s, grads[i]) for s, i in zip(sums, self.remain_locs, strict=True)]
            dnew = [grads[i] for i in self.in_state_locs]
            for i, grad in zip(before, dbefore, strict=True):
                dnew[i] = F.elemwise_add(dnew[i], grad)
            return [*[grads[i] for i in self.in_data_locs], *dnew, *new_sums]

        names = ("data", D), ("draw", K), ("state", S), ("dout", len(stacks)), ("ddraw", len(drawn))
        more = ("dbefore", len(before)), ("dstate", S), ("sum", R), ("rest", R)
        listed = [n for stem, k in (*names, *more) for n in _names(stem, k)]
        return body.trace(listed, build, self.training, from_last=not body.from_last)


def as_list(value: Any) -> list[Any]:
    """What was drawn for one execution, or its specs, as a list."""
    return value if isinstance(value, list) else [value]


def _whole(array: Spec, part: Spec, length: Any) -> Spec:
    """An array from what is known of it and of its parts; a part of one element may be of either rank."""
    if array.shape is None and (part.shape is None or part.shape == (1,)):
        return Spec(None, part.dtype)
    if array.shape is not None and len(array.shape) == 1:
        return Spec((length,), part.dtype)
    return Spec(stacked_shape(length, part.shape), part.dtype)


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


# ---- while_loop


@operator("_while_loop")
class WhileLoop(ControlFlow):
    """A loop with variables that go from step to step, as long as a condition of them holds.

    Inputs:
        *data: The variables' first values, and what every step takes.

    Attributes:
        num_args: The number of inputs and graphs.
        num_outputs: The number of the body's outputs.
        num_out_data: How many of them are stacked; the others are the variables' next values.
        max_iterations: The most steps.
        cond_input_locs: Which of the inputs the condition takes.
        func_input_locs: Which of the inputs the body takes.
        func_var_locs: Which of the body's inputs are the variables.

    Returns:
        The outputs of all steps along a new first axis of max_iterations, zeros after the last step, then the
        variables' last values.

    ONNX: Loop.
    """

    graphs: ClassVar[tuple[str, ...]] = ("cond", "func")
    num_args: int
    num_outputs: int
    num_out_data: int
    max_iterations: int
    cond_input_locs: Ints
    func_input_locs: Ints
    func_var_locs: Ints

    def check(self) -> None:
        if self.max_iterations < 1:
            raise AttributeValueError(
                f"_while_loop: max_iterations of at least 1 is required, got {self.max_iterations}."
            )
        count = self.num_args - 2
        inputs = [*self.cond_input_locs, *self.func_input_locs]
        fits = all(0 <= i < count for i in inputs)
        fits &= all(0 <= i < len(self.func_input_locs) for i in self.func_var_locs)
        if not fits or self.num_outputs != self.num_out_data + len(self.func_var_locs):
            raise AttributeValueError(
                f"_while_loop: indices of {count} inputs and an output for each variable are required, got "
                f"{self.cond_input_locs}, {self.func_input_locs}, {self.func_var_locs} and "
                f"{self.num_outputs} outputs."
            )

    def _hidden_names(self) -> tuple[str, ...]:
        return ("steps", *_names("draws", self._drawn))

    @property
    def _drawn(self) -> int:
        """How many values of each step the body draws; those of the condition are not needed again."""
        return self.subgraphs[1].draws if self.subgraphs else 0

    def _input_counts(self) -> Sequence[int]:
        return len(self.cond_input_locs), len(self.func_input_locs)

    def _result_counts(self) -> Sequence[int]:
        return 1, self.num_outputs

    @property
    def variables(self) -> list[int]:
        """Which of the inputs are the variables' first values."""
        return [self.func_input_locs[i] for i in self.func_var_locs]

    @property
    def _others(self) -> list[int]:
        """Which of the inputs every step takes."""
        return [i for i in range(self.num_args - 2) if i not in self.variables]

    def flow(self, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> tuple[Sequence[Spec], Sequence[Spec]]:
        cond, func = self.subgraphs[0], self.subgraphs[1].with_draws()
        Y, V = self.num_out_data, len(self.func_var_locs)
        stacks, last, _, draws = _parts(outputs or [Spec()] * len(self.output_names()), Y, V, 1)
        known = list(inputs)
        for index, spec in zip(self.variables, last, strict=True):
            known[index] = merged("_while_loop", known[index], spec)
        for _ in range(2):
            of_steps = [Spec(s.shape and s.shape[1:], s.dtype) for s in (*stacks, *draws)]
            seeds = [*of_steps[:Y], *[known[i] for i in self.variables], *of_steps[Y:]]
            ins, results = func.infer_specs([known[i] for i in self.func_input_locs], seeds)
            for index, spec in zip(self.func_input_locs, ins, strict=True):
                known[index] = merged("_while_loop", known[index], spec)
            outs, new, draw_specs = _parts(results, Y, V)
            for index, spec in zip(self.variables, new, strict=True):
                known[index] = merged("_while_loop", known[index], spec)
            ins, _ = cond.infer_specs([known[i] for i in self.cond_input_locs])
            for index, spec in zip(self.cond_input_locs, ins, strict=True):
                known[index] = merged("_while_loop", known[index], spec)
        whole = [Spec(stacked_shape(self.max_iterations, s.shape), s.dtype) for s in (*outs, *draw_specs)]
        variables = [known[i] for i in self.variables]
        return known, [*whole[:Y], *variables, Spec((1,), _int32), *whole[Y:]]

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        self.require_constant_states()
        cond, func = self.subgraphs[0], self.subgraphs[1].with_draws()
        Y, V = self.num_out_data, len(self.func_var_locs)
        current = list(inputs)
        steps: list[list[Array]] = []
        while len(steps) < self.max_iterations and self._holds(cond, current):
            values = func.run([current[i] for i in self.func_input_locs], self.training)
            outs, new, draws = _parts(values, Y, V)
            for index, value in zip(self.variables, new, strict=True):
                current[index] = value
            steps.append([*outs, *draws])
        numbers = [*range(Y), *range(Y + V + 1, len(self.output_names()))]
        stacks = self._stacks(inputs, steps, self.max_iterations, numbers)
        count = np.array([len(steps)], np.int32)
        return (*stacks[:Y], *[current[i] for i in self.variables], count, *stacks[Y:])

    def _holds(self, cond: Subgraph, current: Sequence[Array]) -> bool:
        (value,) = cond.run([current[i] for i in self.cond_input_locs], self.training)
        return is_true("_while_loop", value)

    # ---- gradient

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        V, Y, others = len(self.func_var_locs), self.num_out_data, [inputs[i] for i in self._others]
        _, _, (steps,), draws = _parts(y, Y, V, 1)
        douts, dvars, _ = _parts(dy, Y, V)
        variables = [inputs[i] for i in self.variables]
        before = self._call(F, self._history, [F.zeros_like(steps), *variables], [steps, *draws, *others], V)
        sums = [F.zeros_like(x) for x in others]
        grads = self._call(
            F, self._backward, [steps - 1, *dvars, *sums], [*before[:V], *douts, *draws, *others], 0
        )
        pairs = (self.variables, grads[1 : 1 + V]), (self._others, grads[1 + V :])
        return _placed(len(inputs), *pairs)

    def _call(
        self,
        F: Any,
        graphs: tuple[Subgraph, Subgraph],
        variables: Sequence[Any],
        rest: Sequence[Any],
        stack_count: int,
    ) -> list[Any]:
        """A loop whose graphs take the variables, then the rest."""
        every = tuple(range(len(variables) + len(rest)))
        result = F._while_loop(
            *variables,
            *rest,
            subgraphs=graphs,
            num_outputs=stack_count + len(variables),
            num_out_data=stack_count,
            max_iterations=self.max_iterations,
            cond_input_locs=every,
            func_input_locs=every,
            func_var_locs=tuple(range(len(variables))),
        )
        return _listed(result, stack_count + len(variables))

    @cached_property
    def _history(self) -> tuple[Subgraph, Subgraph]:
        """The loop that gives the variables as they are before each step, in the known number of steps."""
        func: Subgraph = self.subgraphs[1]
        V, K = len(self.func_var_locs), func.draws
        silent = func.without_draws(self.training)

        def build(F: Any, *symbols: Any) -> Sequence[Any]:
            (step,), variables, (_,), draws, others = _parts(symbols, 1, V, 1, K)
            outputs = silent(*self._arranged(variables, others), *[_at(F, x, step) for x in draws])
            return [*map(F._copy, variables), step + 1, *outputs[self.num_out_data :]]

        names = ("step", 1), ("var", V), ("steps", 1), ("draw", K), ("rest", len(self._others))
        listed = [n for stem, k in names for n in _names(stem, k)]
        test = func.trace(listed, lambda F, *symbols: [F._lesser(symbols[0], symbols[1 + V])], self.training)
        return test, func.trace(listed, build, self.training)

    @cached_property
    def _backward(self) -> tuple[Subgraph, Subgraph]:
        """The loop back, from the last step to the first."""
        func: Subgraph = self.subgraphs[1]
        V, Y, K, R = len(self.func_var_locs), self.num_out_data, func.draws, len(self._others)
        back = func.gradient(self.training)

        def build(F: Any, *symbols: Any) -> Sequence[Any]:
            (step,), dvars, sums, before, douts, draws, others = _parts(symbols, 1, V, R, V, Y, K)
            now = [[_at(F, x, step) for x in stacks] for stacks in (before, douts, draws)]
            grads = back(*self._arranged(now[0], others), *now[1], *dvars, *now[2])
            for index, grad in zip(self.func_input_locs, grads, strict=True):
                if index in self._others:
                    at = self._others.index(index)
                    sums[at] = F.elemwise_add(sums[at], grad)
            return [step - 1, *[grads[i] for i in self.func_var_locs], *sums]

        names = ("step", 1), ("dvar", V), ("sum", R), ("before", V), ("dout", Y), ("draw", K), ("rest", R)
        listed = [n for stem, k in names for n in _names(stem, k)]
        test = func.trace(listed, lambda F, *symbols: [symbols[0] >= 0], self.training)
        return test, func.trace(listed, build, self.training)

    def _arranged(self, variables: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        """Variables and the rest in the order of the body's inputs."""
        inputs = _placed(self.num_args - 2, (self.variables, variables), (self._others, others))
        return [inputs[i] for i in self.func_input_locs]


def _at(F: Any, stack: Any, step: Any) -> Any:
    """What a stack has of one step."""
    return F._np_squeeze(F.take(stack, step, axis=0), axis=(0,))


def is_true(owner: str, value: Array) -> bool:
    """Whether a condition holds."""
    if value.size != 1:
        raise ShapeError(f"{owner}: a condition of one element is required, got {show(value.shape)}.")
    return bool(value.reshape(-1)[0])


# ---- cond


@operator("_cond")
class Cond(ControlFlow):
    """One of two graphs, as a condition says.

    Inputs:
        *data: What the condition and the two graphs take.

    Attributes:
        num_args: The number of inputs and graphs.
        num_outputs: The number of outputs of each branch.
        cond_input_locs: Which of the inputs the condition takes.
        then_input_locs: Which of the inputs the branch takes that runs if the condition is not zero.
        else_input_locs: Which of the inputs the other branch takes.

    Returns:
        The outputs of the branch.

    ONNX: If.
    """

    graphs: ClassVar[tuple[str, ...]] = ("cond", "then_branch", "else_branch")
    num_args: int
    num_outputs: int
    cond_input_locs: Ints
    then_input_locs: Ints
    else_input_locs: Ints

    def check(self) -> None:
        count = self.num_args - 3
        locs = (*self.cond_input_locs, *self.then_input_locs, *self.else_input_locs)
        if not all(0 <= i < count for i in locs) or self.num_outputs < 1:
            raise AttributeValueError(
                f"_cond: indices of {count} inputs and at least one output are required, got "
                f"{self.cond_input_locs}, {self.then_input_locs}, {self.else_input_locs} and "
                f"{self.num_outputs} outputs."
            )

    def _hidden_names(self) -> tuple[str, ...]:
        return ("branch", *_names("draws", sum(graph.draws for graph in self.subgraphs[1:])))

    def _input_counts(self) -> Sequence[int]:
        return len(self.cond_input_locs), len(self.then_input_locs), len(self.else_input_locs)

    def _result_counts(self) -> Sequence[int]:
        return 1, self.num_outputs, self.num_outputs

    def flow(self, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> tuple[Sequence[Spec], Sequence[Spec]]:
        known, draw_specs, count = list(inputs), [], self.num_outputs
        visible = list(outputs[:count]) or [Spec()] * count
        all_locs = self.cond_input_locs, self.then_input_locs, self.else_input_locs
        for number, (graph, locs) in enumerate(zip(self.subgraphs, all_locs, strict=True)):
            seeds = visible if number else ()
            ins, results = graph.with_draws().infer_specs([known[i] for i in locs], seeds)
            for index, spec in zip(locs, ins, strict=True):
                known[index] = merged("_cond", known[index], spec)
            if number:
                visible = [self._one(a, b) for a, b in zip(visible, results[:count], strict=True)]
                draw_specs += results[count:]
        return known, [*visible, Spec((1,), _int32), *draw_specs]

    def _one(self, a: Spec, b: Spec) -> Spec:
        """What both branches give."""
        if a.dtype is not None and b.dtype is not None and a.dtype != b.dtype:
            raise DTypeError(
                f"_cond: outputs of one dtype in both branches are required, got {a.dtype} and {b.dtype}. "
                "Cast with astype."
            )
        return Spec(unify("_cond: outputs of both branches", a.shape, b.shape), a.dtype or b.dtype)

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        self.require_constant_states()
        condition, *branches = self.subgraphs
        (value,) = condition.run([inputs[i] for i in self.cond_input_locs], self.training)
        branch = is_true("_cond", value)
        graph: Subgraph = branches[not branch].with_draws()
        locs = self.then_input_locs if branch else self.else_input_locs
        values = graph.run([inputs[i] for i in locs], self.training)
        visible, draws = _parts(values, self.num_outputs)
        specs = self.infer([Spec(x.shape, x.dtype) for x in inputs])[1][self.num_outputs + 1 :]
        others = specs[branches[0].draws :] if branch else specs[: branches[0].draws]
        zeros = [np.zeros(_sizes(spec), spec.dtype) for spec in others]
        all_draws = [*draws, *zeros] if branch else [*zeros, *draws]
        return (*visible, np.array([branch], np.int32), *all_draws)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        _, (branch,), draws = _parts(y, self.num_outputs, 1)
        every = tuple(range(1, 1 + len(inputs) + self.num_outputs + len(draws)))
        result = F._cond(
            branch,
            *inputs,
            *dy[: self.num_outputs],
            *draws,
            subgraphs=self._backward,
            num_outputs=len(inputs),
            cond_input_locs=(0,),
            then_input_locs=every,
            else_input_locs=every,
        )
        return _listed(result, len(inputs))

    @cached_property
    def _backward(self) -> tuple[Subgraph, Subgraph, Subgraph]:
        """The condition, and the branches' gradients of all inputs."""
        N, Y = self.num_args - 3, self.num_outputs
        condition, *branches = self.subgraphs
        counts = [graph.draws for graph in branches]
        names = [*_names("data", N), *_names("dout", Y), *_names("draw", sum(counts))]

        def backward(number: int, locs: Ints) -> Subgraph:
            back = branches[number].gradient(self.training)

            def build(F: Any, *symbols: Any) -> Sequence[Any]:
                inputs, douts, *draws = _parts(symbols, N, Y, *counts)
                grads = back(*[inputs[i] for i in locs], *douts, *draws[number])
                sums = [None] * N
                for index, grad in zip(locs, grads, strict=True):
                    sums[index] = grad if sums[index] is None else F.elemwise_add(sums[index], grad)
                return [F.zeros_like(x) if s is None else s for x, s in zip(inputs, sums, strict=True)]

            graph: Subgraph = branches[number].trace(names, build, self.training)
            return graph

        test = condition.trace(["branch"], lambda F, branch: [F._copy(branch)], self.training)
        return test, backward(0, self.then_input_locs), backward(1, self.else_input_locs)
