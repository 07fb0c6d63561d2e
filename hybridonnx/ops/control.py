"""Loops and branches whose bodies are graphs, and their gradients, which are loops and branches again.

A gradient goes through the body once more, backward, with the body's gradient. Drawn values are hidden
outputs, so that both meet the same, and so are a foreach's variables before each step; a while_loop is run
anew for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..attrs import Ints
from ..errors import AttributeValueError, DTypeError, ShapeError
from ._control import ControlFlow, filled, in_parts, joined, listed, numbered, of_step, placed, sizes_of
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import alike, show, unify
from ._subgraph import Subgraph, merged, stacked_shape, step_shape

_int32 = np.dtype("int32")
_ROUNDS = 16
"""More rounds of inference than variables of a loop have axes that change one after the other."""


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
        if len(locs) != self.num_args - 1 or locs != list(range(len(locs))):
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
        data, states, rest = in_parts(inputs, len(self.in_data_locs), len(self.in_state_locs))
        return data, states, rest

    def arranged(self, data: Sequence[Any], states: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        """The same in the order of the body's inputs."""
        pairs = (self.in_data_locs, data), (self.in_state_locs, states), (self.remain_locs, rest)
        return placed(self.num_args - 1, *pairs)

    def flow(self, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> tuple[Sequence[Spec], Sequence[Spec]]:
        body: Subgraph = self.subgraphs[0].with_draws()
        data, states, rest = self.split(inputs)
        counts = (*self._output_counts(), self.subgraphs[0].draws)
        stacks, last, draws, before = in_parts(outputs or [Spec()] * len(self.output_names()), *counts)
        tops = [s.shape[0] for s in (*data, *stacks, *draws, *before) if s.shape]
        (length,) = unify("_foreach: the first sizes of data", *[(top,) for top in tops]) or (None,)
        states = [merged("_foreach", a, b) for a, b in zip(states, last, strict=True)]
        for _ in range(2):  # what a step tells of its variables holds for the first one, too
            steps = [Spec(step_shape(s.shape), s.dtype) for s in data]
            of_steps = list(map(of_step, (*stacks, *draws)))
            seeds = [*of_steps[: len(stacks)], *states, *of_steps[len(stacks) :]]
            known, results = body.infer_specs(self.arranged(steps, states, rest), seeds)
            outs, new, draw_specs = in_parts(results, *self._output_counts())
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
        return (*super()._hidden_names(), *numbered("before", len(self.in_state_locs)))

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        self.require_constant_states()
        body: Subgraph = self.subgraphs[0].with_draws()
        arrays, noise = in_parts(inputs, self.num_args - 1)
        data, states, rest = self.split(arrays)
        steps: list[list[Array]] = []
        step = -1 if body.from_last else 1
        for parts in zip(*[x[::step] for x in (*data, *noise)], strict=True):
            now = [np.atleast_1d(part) for part in parts[: len(data)]]
            values = body.run(self.arranged(now, states, rest), self.training, parts[len(data) :])
            outs, new, draws = in_parts(values, *self._output_counts())
            steps.append([*outs, *draws, *states])
            states = new
        Y, S = self._output_counts()
        numbers = [*range(Y), *range(Y + S, len(self.output_names()))]
        stacks = self._stacks(arrays, steps[::step], numbers)
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
            return [np.zeros(sizes_of(spec), spec.dtype) for spec in self.noise_spec((), *inputs)]
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
        stacks, dstates, hidden = in_parts(dys, *self._output_counts())
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
        return listed(result, stack_count + S)

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
        stacks, drawn, before = ([i for i, head in enumerate(p) if head] for p in in_parts(heads, Y, K))
        back = body.gradient(self.training, [*stacks, *range(Y, Y + S), *[Y + S + i for i in drawn]])

        def build(F: Any, *symbols: Any) -> Sequence[Any]:
            data, draws, states, douts, ddraws, dbefore, dstates, sums, rest = in_parts(
                symbols, D, K, S, len(stacks), len(drawn), len(before), S, R
            )
            grads = back(*self.arranged(data, states, rest), *douts, *dstates, *ddraws, *draws)
            new_sums = [F._grad_add(s, grads[i]) for s, i in zip(sums, self.remain_locs, strict=True)]
            dnew = [grads[i] for i in self.in_state_locs]
            for i, grad in zip(before, dbefore, strict=True):
                dnew[i] = F._grad_add(dnew[i], grad)
            return [*[grads[i] for i in self.in_data_locs], *dnew, *new_sums]

        names = ("data", D), ("draw", K), ("state", S), ("dout", len(stacks)), ("ddraw", len(drawn))
        more = ("dbefore", len(before)), ("dstate", S), ("sum", R), ("rest", R)
        listed = [n for stem, k in (*names, *more) for n in numbered(stem, k)]
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
    is_open: ClassVar[bool] = False
    """Whether stacks have no room for steps that are not taken."""
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
                f"{self.names[0]}: max_iterations of at least 1 is required, got {self.max_iterations}."
            )
        count = self.num_args - 2
        inputs = [*self.cond_input_locs, *self.func_input_locs]
        fits = all(0 <= i < count for i in inputs)
        fits &= all(0 <= i < len(self.func_input_locs) for i in self.func_var_locs)
        if not fits or self.num_outputs != self.num_out_data + len(self.func_var_locs):
            raise AttributeValueError(
                f"{self.names[0]}: indices of {count} inputs and an output for each variable are required, "
                f"got {self.cond_input_locs}, {self.func_input_locs}, {self.func_var_locs} and "
                f"{self.num_outputs} outputs."
            )

    def _hidden_names(self) -> tuple[str, ...]:
        return ("steps", *numbered("draws", self._drawn))

    @property
    def _drawn(self) -> int:
        """How many values of each step the body draws; those of the condition are not needed again."""
        return self.subgraphs[1].draws if self.subgraphs else 0

    def _input_counts(self) -> Sequence[int]:
        return len(self.cond_input_locs), len(self.func_input_locs)

    def _result_counts(self) -> Sequence[int]:
        return 1, self.num_outputs

    @property
    def is_steady(self) -> bool:
        """Whether variables have the same sizes at each step."""
        return True

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
        at_all_steps = merged if self.is_steady else joined
        Y, V = self.num_out_data, len(self.func_var_locs)
        stacks, last, _, draws = in_parts(outputs or [Spec()] * len(self.output_names()), Y, V, 1)
        known = list(inputs)
        if self.is_steady:
            for index, spec in zip(self.variables, last, strict=True):
                known[index] = merged(self.names[0], known[index], spec)
        at = [known[i] for i in self.variables]
        for _ in range(2 if self.is_steady else _ROUNDS):
            before = at
            of_steps = list(map(of_step, (*stacks, *draws)))
            seeds = [*of_steps[:Y], *(at if self.is_steady else [Spec()] * V), *of_steps[Y:]]
            at, results = self._through(func, self.func_input_locs, known, at, seeds)
            outs, new, draw_specs = in_parts(results, Y, V)
            at = [at_all_steps(self.names[0], a, b) for a, b in zip(at, new, strict=True)]
            at, _ = self._through(cond, self.cond_input_locs, known, at, ())
            if all(alike(a.shape, b.shape) for a, b in zip(before, at, strict=True)):
                break
        length = None if self.is_open else self.max_iterations
        whole = [Spec(stacked_shape(length, s.shape), s.dtype) for s in outs]
        drawn = [Spec(stacked_shape(None, s.shape), s.dtype) for s in draw_specs]
        return known, [*whole, *at, Spec((1,), _int32), *drawn]

    def _through(
        self, graph: Subgraph, locs: Ints, known: list[Spec], at: Sequence[Spec], seeds: Sequence[Spec]
    ) -> tuple[list[Spec], list[Spec]]:
        """The variables at each step and a graph's outputs, from `known`, which is added to, and `at`."""
        current = dict(zip(self.variables, at, strict=True))
        ins, results = graph.infer_specs([current.get(i, known[i]) for i in locs], seeds)
        for index, spec in zip(locs, ins, strict=True):
            known[index] = merged(self.names[0], known[index], spec)
            if index in current:
                current[index] = known[index] if self.is_steady else spec
        return list(current.values()), results

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        self.require_constant_states()
        cond, func = self.subgraphs[0], self.subgraphs[1].with_draws()
        Y, V = self.num_out_data, len(self.func_var_locs)
        current = list(inputs)
        steps: list[list[Array]] = []
        while len(steps) < self.max_iterations and self._holds(cond, current):
            values = func.run([current[i] for i in self.func_input_locs], self.training)
            outs, new, draws = in_parts(values, Y, V)
            for index, value in zip(self.variables, new, strict=True):
                current[index] = value
            steps.append([*outs, *draws])
        numbers = [*range(Y), *range(Y + V + 1, len(self.output_names()))]
        stacks = self._stacks(inputs, steps, numbers)
        whole = [y if self.is_open else filled(y, self.max_iterations) for y in stacks[:Y]]
        count = np.array([len(steps)], np.int32)
        return (*whole, *[current[i] for i in self.variables], count, *stacks[Y:])

    def _holds(self, cond: Subgraph, current: Sequence[Array]) -> bool:
        (value,) = cond.run([current[i] for i in self.cond_input_locs], self.training)
        return is_true(self.names[0], value)

    # ---- gradient

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        V, Y, others = len(self.func_var_locs), self.num_out_data, [inputs[i] for i in self._others]
        _, _, (steps,), draws = in_parts(y, Y, V, 1)
        douts, dvars, _ = in_parts(dy, Y, V)
        variables = [inputs[i] for i in self.variables]
        before = self._call(F, self._history, [F.zeros_like(steps), *variables], [steps, *draws, *others], V)
        sums = [F.zeros_like(x) for x in others]
        grads = self._call(
            F, self._backward, [steps - 1, *dvars, *sums], [*before[:V], *douts, *draws, *others], 0
        )
        pairs = (self.variables, grads[1 : 1 + V]), (self._others, grads[1 + V :])
        return placed(len(inputs), *pairs)

    def _call(
        self,
        F: Any,
        graphs: tuple[Subgraph, Subgraph],
        variables: Sequence[Any],
        rest: Sequence[Any],
        stack_count: int,
    ) -> list[Any]:
        """A loop whose graphs take the variables, then the rest; there may be more room than memory."""
        every = tuple(range(len(variables) + len(rest)))
        result = F._open_while_loop(
            *variables,
            *rest,
            subgraphs=graphs,
            num_outputs=stack_count + len(variables),
            num_out_data=stack_count,
            max_iterations=self.max_iterations,
            steady=self.is_steady,
            cond_input_locs=every,
            func_input_locs=every,
            func_var_locs=tuple(range(len(variables))),
        )
        return listed(result, stack_count + len(variables))

    @cached_property
    def _history(self) -> tuple[Subgraph, Subgraph]:
        """The loop that gives the variables as they are before each step, in the known number of steps."""
        func: Subgraph = self.subgraphs[1]
        V, K = len(self.func_var_locs), func.draws
        silent = func.without_draws(self.training)

        def build(F: Any, *symbols: Any) -> Sequence[Any]:
            (step,), variables, (_,), draws, others = in_parts(symbols, 1, V, 1, K)
            outputs = silent(*self._arranged(variables, others), *[_at(F, x, step) for x in draws])
            return [*map(F._copy, variables), step + 1, *outputs[self.num_out_data :]]

        names = ("step", 1), ("var", V), ("steps", 1), ("draw", K), ("rest", len(self._others))
        listed = [n for stem, k in names for n in numbered(stem, k)]
        test = func.trace(listed, lambda F, *symbols: [F._lesser(symbols[0], symbols[1 + V])], self.training)
        return test, func.trace(listed, build, self.training)

    @cached_property
    def _backward(self) -> tuple[Subgraph, Subgraph]:
        """The loop back, from the last step to the first."""
        func: Subgraph = self.subgraphs[1]
        V, Y, K, R = len(self.func_var_locs), self.num_out_data, func.draws, len(self._others)
        back = func.gradient(self.training)

        def build(F: Any, *symbols: Any) -> Sequence[Any]:
            (step,), dvars, sums, before, douts, draws, others = in_parts(symbols, 1, V, R, V, Y, K)
            now = [[_at(F, x, step) for x in stacks] for stacks in (before, douts, draws)]
            grads = back(*self._arranged(now[0], others), *now[1], *dvars, *now[2])
            for index, grad in zip(self.func_input_locs, grads, strict=True):
                if index in self._others:
                    at = self._others.index(index)
                    sums[at] = F._grad_add(sums[at], grad)
            return [step - 1, *[grads[i] for i in self.func_var_locs], *sums]

        names = ("step", 1), ("dvar", V), ("sum", R), ("before", V), ("dout", Y), ("draw", K), ("rest", R)
        listed = [n for stem, k in names for n in numbered(stem, k)]
        test = func.trace(listed, lambda F, *symbols: [symbols[0] >= 0], self.training)
        return test, func.trace(listed, build, self.training)

    def _arranged(self, variables: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        """Variables and the rest in the order of the body's inputs."""
        inputs = placed(self.num_args - 2, (self.variables, variables), (self._others, others))
        return [inputs[i] for i in self.func_input_locs]


@operator("_open_while_loop")
class OpenWhileLoop(WhileLoop):
    """A `_while_loop` whose outputs have a part for each step that is taken, and none for others.

    Loops of ONNX's are it whose number of steps nothing bounds, or whose variables change their sizes, and
    gradients of loops.

    Attributes:
        steady: Whether the variables have the same sizes at each step.

    Returns:
        The outputs of the steps that were taken along a new first axis, then the variables' last values.
    """

    is_open: ClassVar[bool] = True
    steady: bool = False

    @property
    def is_steady(self) -> bool:
        return self.steady


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
    is_open: ClassVar[bool] = False
    """Whether the branches may give outputs of different shapes."""
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
                f"{self.names[0]}: indices of {count} inputs and at least one output are required, got "
                f"{self.cond_input_locs}, {self.then_input_locs}, {self.else_input_locs} and "
                f"{self.num_outputs} outputs."
            )

    def _hidden_names(self) -> tuple[str, ...]:
        return ("branch", *numbered("draws", sum(graph.draws for graph in self.subgraphs[1:])))

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
        branch = is_true(self.names[0], value)
        graph: Subgraph = branches[not branch].with_draws()
        locs = self.then_input_locs if branch else self.else_input_locs
        values = graph.run([inputs[i] for i in locs], self.training)
        visible, draws = in_parts(values, self.num_outputs)
        specs = self.infer([Spec(x.shape, x.dtype) for x in inputs])[1][self.num_outputs + 1 :]
        others = specs[branches[0].draws :] if branch else specs[: branches[0].draws]
        zeros = [np.zeros(sizes_of(spec), spec.dtype) for spec in others]
        all_draws = [*draws, *zeros] if branch else [*zeros, *draws]
        return (*visible, np.array([branch], np.int32), *all_draws)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        _, (branch,), draws = in_parts(y, self.num_outputs, 1)
        every = tuple(range(1, 1 + len(inputs) + self.num_outputs + len(draws)))
        operator = F._open_cond if self.is_open else F._cond
        result = operator(
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
        return listed(result, len(inputs))

    @cached_property
    def _backward(self) -> tuple[Subgraph, Subgraph, Subgraph]:
        """The condition, and the branches' gradients of all inputs."""
        N, Y = self.num_args - 3, self.num_outputs
        condition, *branches = self.subgraphs
        counts = [graph.draws for graph in branches]
        names = [*numbered("data", N), *numbered("dout", Y), *numbered("draw", sum(counts))]

        def backward(number: int, locs: Ints) -> Subgraph:
            back = branches[number].gradient(self.training)

            def build(F: Any, *symbols: Any) -> Sequence[Any]:
                inputs, douts, *draws = in_parts(symbols, N, Y, *counts)
                grads = back(*[inputs[i] for i in locs], *douts, *draws[number])
                sums = [None] * N
                for index, grad in zip(locs, grads, strict=True):
                    sums[index] = grad if sums[index] is None else F._grad_add(sums[index], grad)
                return [F.zeros_like(x) if s is None else s for x, s in zip(inputs, sums, strict=True)]

            graph: Subgraph = branches[number].trace(names, build, self.training)
            return graph

        test = condition.trace(["branch"], lambda F, branch: [F._copy(branch)], self.training)
        return test, backward(0, self.then_input_locs), backward(1, self.else_input_locs)


@operator("_open_cond")
class OpenCond(Cond):
    """A `_cond` whose branches may give outputs of different shapes, as ONNX's If does.

    Returns:
        The outputs of the branch, of its shapes.
    """

    is_open: ClassVar[bool] = True

    def flow(self, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> tuple[Sequence[Spec], Sequence[Spec]]:
        """What is known of outputs whichever branch runs; inputs may not fit the other one."""
        counts = self.num_outputs
        then, other = (
            in_parts(self._told(graph.with_draws(), [inputs[i] for i in locs]), counts)
            for graph, locs in zip(
                self.subgraphs[1:], (self.then_input_locs, self.else_input_locs), strict=True
            )
        )
        visible = [joined(self.names[0], a, b) for a, b in zip(then[0], other[0], strict=True)]
        return inputs, [*visible, Spec((1,), _int32), *then[1], *other[1]]

    def _told(self, graph: Subgraph, inputs: Sequence[Spec]) -> list[Spec]:
        """The outputs of a branch, of which nothing but the dtypes is known if the inputs do not fit."""
        try:
            return graph.infer_specs(inputs)[1]
        except ShapeError:
            return graph.infer_specs([Spec(None, spec.dtype) for spec in inputs])[1]
