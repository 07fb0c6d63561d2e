"""Operators that are said in terms of others: they are a function of `F`, and every facet follows.

Tracing runs that function once for the shapes and dtypes of the inputs, and gives a `Program`: the operators,
one after the other. The kernel runs their kernels, the lowering theirs, and the gradient is a program too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..attrs import text
from ..dtypes import DType
from ..errors import AttributeValueError, MXNetError
from ._calls import bind
from ._operator import Array, Operator, Spec, record
from ._overloads import ARITHMETIC, COMPARISONS
from ._registry import find, operator
from ._shapes import Shape, unify


class Step(NamedTuple):
    """One operator of a program: the values that it takes and makes, by their numbers."""

    op: Operator
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class Program(NamedTuple):
    """What a composed operator runs: its inputs are the first values, and `results` are the outputs."""

    steps: tuple[Step, ...]
    results: tuple[int, ...]
    specs: tuple[Spec, ...]
    """What is known of each value."""


class UnknownRankError(MXNetError):
    """A composition asks for a rank or size that is not known yet."""


class Term:
    """A value while an operator is traced: shape and dtype, and arithmetic as arrays have it."""

    __slots__ = ("number", "trace")

    def __init__(self, trace: Trace, number: int) -> None:
        self.trace, self.number = trace, number

    @property
    def shape(self) -> Shape:
        """The sizes, of which some may be unknown."""
        shape = self.trace.specs[self.number].shape
        if shape is None:
            raise UnknownRankError("the rank is not known")
        return shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.trace.specs[self.number].dtype or np.dtype("float32")

    def size_of(self, axis: int) -> int:
        """The size of an axis, which has to be known."""
        size = self.shape[axis]
        if not isinstance(size, int):
            raise UnknownRankError("a size is not known")
        return size

    def __neg__(self) -> Term:
        negated: Term = self.trace.negative(self)
        return negated


def _method(array_name: str, scalar_name: str) -> Callable[[Term, Any], Any]:
    def method(self: Term, other: Any) -> Any:
        if isinstance(other, Term):
            return getattr(self.trace, array_name)(self, other)
        return getattr(self.trace, scalar_name)(self, scalar=other)

    return method


for _name, _forms in (ARITHMETIC | COMPARISONS).items():
    setattr(Term, f"__{_name}__", _method(_forms.broadcasting, _forms.scalar[0]))
for _name, _forms in ARITHMETIC.items():
    setattr(Term, f"__r{_name}__", _method(_forms.broadcasting, _forms.reflected[0]))


class Trace:
    """`F` while an operator is traced: every operator, as a function that adds a step."""

    def __init__(self, inputs: Sequence[Spec]) -> None:
        self.specs = list(inputs)
        self.steps: list[Step] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        cls = find(name)
        return lambda *args, **kwargs: self._call(cls, args, kwargs)

    def _call(self, cls: type[Operator], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        inputs, attributes = bind(cls, args, kwargs, _is_term)
        op = cls.make(attributes)
        if not op.variadic:
            by_name = dict(zip(op.inputs, inputs, strict=False))
            inputs = [by_name[name] for name in op.input_names()]
        results = self.add(op, [term.number for term in inputs])
        return results[0] if op.visible() == 1 else results[: op.visible()]

    def add(self, op: Operator, inputs: Sequence[int]) -> list[Term]:
        """The outputs of one more step, hidden ones included."""
        known = [self.specs[i] for i in inputs]
        if all(map(_is_known, known)) and op.passes_on(known):
            return [Term(self, inputs[0])]
        _, specs = op.infer(known)
        first = len(self.specs)
        self.specs += specs
        numbers = tuple(range(first, first + len(specs)))
        self.steps.append(Step(op, tuple(inputs), numbers))
        return [Term(self, number) for number in numbers]

    def term(self, number: int) -> Term:
        """A value by its number."""
        return Term(self, number)

    def program(self, results: Any) -> Program:
        """What was traced, with these values as outputs."""
        terms = results if isinstance(results, list | tuple) else (results,)
        numbers = tuple(term.number for term in terms)
        needed, steps = set(numbers), []
        for step in reversed(self.steps):
            if not needed.isdisjoint(step.outputs):
                needed.update(step.inputs)
                steps.append(step)
        return Program(tuple(steps[::-1]), numbers, tuple(self.specs))


def _is_term(value: Any) -> bool:
    return isinstance(value, Term)


_FLOAT32 = np.dtype("float32")


@record
class Composed(Operator):
    """An operator that is a function of others."""

    def compose(self, F: Any, *inputs: Any) -> Any:
        """The outputs: `F` has the operators, the inputs' ranks and dtypes are known and sizes may be."""
        raise NotImplementedError

    def program(self, inputs: Sequence[Spec]) -> Program:
        """The operators for inputs of these shapes and dtypes."""
        cache: dict[Any, Program] = self.__dict__.setdefault("_programs", {})
        key = tuple(inputs)
        program = cache.get(key) if all(_is_plain(spec) for spec in inputs) else None
        if program is None:
            trace = Trace(inputs)
            program = trace.program(self.compose(trace, *(trace.term(i) for i in range(len(inputs)))))
            if all(_is_plain(spec) for spec in inputs):
                if len(cache) >= _MOST_PROGRAMS:
                    cache.clear()
                cache[key] = program
        return program

    def _infer(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec]
    ) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
        """As the operators that the composition is made of infer."""
        known = tuple(outputs) or (Spec(),) * len(self.output_names())
        shapes = self.infer_inputs(*(spec.shape for spec in inputs))
        required = tuple(Spec(shape, spec.dtype) for shape, spec in zip(shapes, inputs, strict=True))
        if any(spec.shape is None for spec in required):
            return required, known
        self._refuse_extensions([spec.dtype for spec in required])
        try:
            program = self.program([Spec(s.shape, s.dtype or _FLOAT32) for s in required])
        except UnknownRankError:
            return required, known
        typed = all(spec.dtype is not None for spec in required)
        specs = [program.specs[number] for number in program.results]
        return required, tuple(
            Spec(unify(self.names[0], a.shape, b.shape), a.dtype if typed else b.dtype)
            for a, b in zip(specs, known, strict=True)
        )

    def forward(self, *inputs: Array) -> Array | tuple[Array, ...]:
        program = self.program([Spec(a.shape, a.dtype) for a in inputs])
        values: dict[int, Any] = dict(enumerate(inputs))
        for step in program.steps:
            results = step.op.forward(*(values[i] for i in step.inputs))
            several = results if isinstance(results, tuple | list) else (results,)
            for number, y in zip(step.outputs, several, strict=True):
                shape, dtype = program.specs[number]
                values[number] = np.asarray(y, dtype).reshape(shape)
        outputs = [values[number] for number in program.results]
        if len(outputs) == 1:
            only: Array = outputs[0]
            return only
        numbers = program.results
        return tuple(
            y.copy() if n in numbers[:i] else y for i, (n, y) in enumerate(zip(numbers, outputs, strict=True))
        )

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        heads = dy if isinstance(dy, tuple | list) else (dy,)
        results = F._composition_grad(*heads, *inputs, of=self._text())
        return results if len(inputs) > 1 else (results,)

    def _text(self) -> str:
        """The operator as text, from which `read` makes it."""
        attributes = {name: text(value) for name, value in self.attributes().items()}
        return json.dumps([self.names[0], attributes])


_MOST_PROGRAMS = 128
"""For how many combinations of shapes an operator remembers its program."""


def _is_known(spec: Spec) -> bool:
    return spec.shape is not None and _is_plain(spec)


def _is_plain(spec: Spec) -> bool:
    return all(isinstance(d, int) for d in spec.shape or ())


def _read(of: str) -> Composed:
    try:
        name, attributes = json.loads(of)
        op = find(name).make(attributes)
    except MXNetError:
        raise
    except (AttributeError, RecursionError, TypeError, ValueError):
        op = None
    if not isinstance(op, Composed):
        raise AttributeValueError(
            f"_composition_grad: an operator that is composed of others is required in of, got {of[:200]!r}."
        )
    return op


@operator("_composition_grad")
class CompositionGrad(Composed):
    """The gradients of an operator that is composed of others, from those of its outputs.

    Inputs:
        *args: The outputs' gradients, then the inputs of the operator.

    Attributes:
        num_args: The number of both.
        of: The operator and its attributes, as JSON.

    Returns:
        A gradient for each input, of its shape and dtype.

    ONNX: what the gradients of its parts become, such as Sub and Expand.
    """

    variadic: ClassVar[str] = "num_args"
    num_args: int
    of: str

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"gradient{i}" for i in range(self.num_args - len(_read(self.of).output_names())))

    def compose(self, F: Any, *inputs: Any) -> Any:
        op = _read(self.of)
        count = len(op.output_names())
        heads, xs = inputs[:count], inputs[count:]
        begin = len(F.steps)
        results = op.compose(F, *xs)
        grads: dict[int, Any] = {}
        for y, dy in zip(results if isinstance(results, list | tuple) else (results,), heads, strict=True):
            unify(self.names[0], y.shape, dy.shape)
            grads[y.number] = F._grad_add(grads[y.number], dy) if y.number in grads else dy
        _sweep(F, F.steps[begin:], grads)
        return [grads[x.number] if x.number in grads else F.zeros_like(x) for x in xs]


def _sweep(F: Trace, steps: Sequence[Step], grads: dict[int, Any]) -> None:
    """Extend `grads`, the gradients of values by number, to everything that they are computed from."""
    for op, inputs, outputs in reversed(steps):
        if op.not_differentiable or grads.keys().isdisjoint(outputs):
            continue
        ys, xs = [F.term(i) for i in outputs], [F.term(i) for i in inputs]
        dys = [grads[y.number] if y.number in grads else F.zeros_like(y) for y in ys]
        single = len(ys) == 1
        shares = op.gradient(F, dys[0] if single else tuple(dys), ys[0] if single else tuple(ys), *xs)
        for x, share in zip(xs, shares, strict=True):
            if share is None:
                continue
            if op.broadcasts and share.shape != x.shape:
                share = F._sum_like(share, x)
            share = F._cast_like(share, x) if share.dtype != x.dtype else share
            grads[x.number] = F._grad_add(grads[x.number], share) if x.number in grads else share
