"""Gradients of arrays: an operator's rule is traced once for each combination of shapes, and then run.

Only what leads to gradients that are asked for is computed, and what is computed on the way is not copied. A
rule that is faster in one session, by what its operator says, runs there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._profile import profile
from ..context import GPU, device_of
from ..errors import MXNetError
from ..ops import Array, Gradient, Operator, Spec, for_kernel
from . import invoke
from ._base import ArrayBase
from .invoke import ReferenceKernels, Way, own, run, way_of

_MOST_RULES = 512
"""For how many combinations of shapes an operator remembers its rule."""


class _Step(NamedTuple):
    """One operator of a rule: the values that it takes and makes, and takes as the last, by their numbers."""

    op: Operator
    way: Way
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    last: tuple[int, ...]


class _Rule(NamedTuple):
    """What computes an operator's gradients from arrays of certain shapes and dtypes."""

    whole: Gradient
    way: Way
    steps: tuple[_Step, ...]
    results: tuple[int, ...]
    values: int
    """The number of all."""


def gradients(
    op: Any,
    dys: Sequence[ArrayBase | None],
    ys: Sequence[ArrayBase],
    xs: Sequence[ArrayBase],
    wanted: Sequence[bool],
) -> list[ArrayBase | None] | None:
    """The gradients of the inputs, of their shapes, `None` where there is none or none is wanted.

    Nothing if the rule has to be asked each time.
    """
    heads = [dy for dy in dys if dy is not None]
    values = [*heads, *ys, *xs]
    dense = ys[0].dense
    for value in values:
        if type(value) is not dense or type(value._data) is not np.ndarray:
            return _gradients_on_device(op, dys, values, wanted) if value._ctx.device_typeid == GPU else None
    arrays = [value._data for value in values]
    rule = _rule_of(op, tuple([dy is not None for dy in dys]), tuple(wanted), arrays)
    if rule is None:
        return None
    shares: list[ArrayBase | None] = [None] * len(xs)
    for index, number, y in zip(rule.whole.wanted, rule.results, _run(rule, arrays, len(heads)), strict=True):
        same = number < len(heads)
        shares[index] = heads[number] if same else dense._on_tape(y, ys[0]._ctx, None)
    return shares


def _gradients_on_device(
    op: Any, dys: Sequence[ArrayBase | None], values: Sequence[ArrayBase], wanted: Sequence[bool]
) -> list[ArrayBase | None] | None:
    """The same on a device, where the whole rule is one session; nothing if it cannot be."""
    context, dense = values[0]._ctx, values[0].dense
    if not all(type(x) is dense and x._ctx == context for x in values) or not _is_traceable(op):
        return None
    arrays, heads = [x._data for x in values], tuple([dy is not None for dy in dys])
    rules: dict[Any, Gradient | None] = op.__dict__.setdefault(f"{invoke.WAYS}_on_device", {})
    key = heads, tuple(wanted), tuple([(a.shape, a.dtype.num) for a in arrays])
    if key not in rules:
        if len(rules) >= _MOST_RULES:
            rules.clear()
        rules[key] = _rule_on_device(op, heads, wanted, [Spec(a.shape, a.dtype) for a in arrays])
    rule = rules[key]
    way = None if rule is None else way_of(rule, arrays, device_of(context))
    results = None if way is None or way.session is None else way.session(arrays, None)
    if rule is None or results is None:
        return None
    by_input = dict(zip(rule.wanted, results, strict=True))
    return [dense._on_tape(by_input[i], context, None) if i in by_input else None for i in range(len(wanted))]


def _rule_on_device(
    op: Operator, heads: tuple[bool, ...], wanted: Sequence[bool], specs: Sequence[Spec]
) -> Gradient | None:
    """The rule as an operator; nothing if it gives no gradients, or draws."""
    try:
        whole = Gradient(
            of=op, heads=heads, wanted=tuple(i for i, is_wanted in enumerate(wanted) if is_wanted)
        )
        whole = Gradient(of=op, heads=heads, wanted=whole.possible(specs))
        steps = whole.program(specs).steps
    except MXNetError:
        return None
    draws = any(step.op.draws() or step.op.stateful or step.op.graphs for step in steps)
    return whole if whole.wanted and not draws else None


def _is_traceable(op: Any) -> bool:
    return isinstance(op, Operator) and not (op.stateful or op.graphs or op.stores_gradient())


def _rule_of(
    op: Any, heads: tuple[bool, ...], wanted: tuple[bool, ...], arrays: Sequence[Array]
) -> _Rule | None:
    """The rule, traced once for each combination of shapes and dtypes; nothing if it cannot be."""
    if not _is_traceable(op):
        return None
    cache: dict[Any, _Rule | None] = op.__dict__.setdefault(f"{invoke.WAYS}_back", {})
    key = heads, wanted, tuple([(a.shape, a.dtype.num) for a in arrays])
    try:
        return cache[key]
    except KeyError:
        pass
    if any(a.dtype.names is not None or a.dtype.hasobject for a in arrays):
        return None
    if len(cache) >= _MOST_RULES:
        cache.clear()
    rule = cache[key] = _traced(op, heads, wanted, arrays)
    return rule


def _traced(
    op: Operator, heads: tuple[bool, ...], wanted: tuple[bool, ...], arrays: Sequence[Array]
) -> _Rule | None:
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    asked = tuple(i for i, is_wanted in enumerate(wanted) if is_wanted)
    try:
        whole = Gradient(of=op, heads=heads, wanted=asked)
        whole = Gradient(of=op, heads=heads, wanted=whole.possible(specs))
        program, way = whole.program(specs), _way(whole, specs)
    except MXNetError:  # the rule says the same of arrays, or asks for what is known of these alone
        return None
    if any(spec.shape is None or None in spec.shape for spec in program.specs):
        return None
    if any(step.op.draws() or step.op.stateful or step.op.graphs for step in program.steps):
        return None
    seen, steps = set(program.results) | set(range(len(arrays))), []
    for step in reversed(program.steps):
        last = tuple({*step.inputs, *step.outputs} - seen)
        seen.update(last)
        its_way = _way(step.op, [program.specs[i] for i in step.inputs])
        steps.append(_Step(step.op, its_way, step.inputs, step.outputs, last))
    return _Rule(whole, way, tuple(steps[::-1]), program.results, len(program.specs))


def _way(op: Operator, specs: Sequence[Spec]) -> Way:
    return way_of(op, [_Known(spec) for spec in specs])  # type: ignore[misc]


class _Known:
    """What `way_of` asks of an array that is not there yet."""

    __slots__ = ("dtype", "shape")

    def __init__(self, spec: Spec) -> None:
        self.shape, self.dtype = spec.shape, spec.dtype


def _run(rule: _Rule, arrays: list[Array], heads: int) -> list[Array]:
    """The gradients. They may share memory with the first arrays, those of the outputs' gradients."""
    in_sessions = ReferenceKernels._scopes.innermost is None
    if rule.way.session is not None and in_sessions:
        results = run(rule.whole, arrays, rule.way)
        if results is not None:
            return results
    values: list[Any] = arrays + [None] * (rule.values - len(arrays))
    with np.errstate(all="ignore"):  # infinities and NaN are results like others
        for op, way, inputs, outputs, last in rule.steps:
            taken = [values[i] for i in inputs]
            several: Any
            if way.session is not None and in_sessions:
                several = run(op, taken, way)
            else:
                several = _computed(op, taken, way)
            for i, y in zip(outputs, several, strict=True):
                values[i] = y
            for i in last:
                values[i] = None
    others = arrays[heads:]
    results = []
    for i in rule.results:
        y = values[i]
        results.append(y if i < heads else own(y, others, y.dtype, y.shape))
    return results


def _computed(op: Operator, arrays: Sequence[Array], way: Way) -> list[Array]:
    """What the kernel gives, which may be views, of the inferred shapes and dtypes."""
    taken = for_kernel(op, arrays)
    if profile.operators:
        results: Any = profile.call("operator", op.names[0], op.forward, *taken)
    else:
        results = op.forward(*taken)
    several = results if isinstance(results, tuple | list) else (results,)
    return [
        y
        if type(y) is np.ndarray and y.dtype is dtype and y.shape == shape
        else np.asarray(y, dtype).reshape(shape)  # type: ignore[arg-type]
        for y, (shape, dtype) in zip(several, way.outputs, strict=True)
    ]
