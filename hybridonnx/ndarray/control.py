"""Loops and branches on arrays: Python's own, so that everything inside is recorded as elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._nested import flatten, regroup
from ..errors import AttributeValueError, RequirementError, ShapeError
from .ndarray import NDArray

__all__ = ["cond", "foreach", "while_loop"]


def foreach(body: Callable[..., tuple[Any, Any]], data: Any, init_states: Any) -> tuple[Any, Any]:
    """The results of `outputs, states = body(part, states)` for each part of `data` along the first axis.

    `data` and `init_states` are arrays or nested lists of them, and so are the outputs and states of `body`.

    Returns the outputs of all steps along a new first axis, and the last states.
    """
    arrays, form = _flat(data, "foreach: data")
    _flat(init_states, "foreach: init_states")
    shapes = [x.shape for x in arrays]
    lengths = {shape[0] for shape in shapes}
    if len(lengths) != 1 or not min(lengths):
        raise ShapeError(
            f"foreach: arrays of one first size above 0 are required as data, got {shapes}. "
            "Hybridize the block for a loop of no steps."
        )
    states, steps = init_states, []
    out_form: Any = None
    for i in range(lengths.pop()):
        outputs, states = body(regroup([x[i] for x in arrays], form), states)
        flat, out_form = _flat(outputs, "foreach: outputs of body")
        steps.append(flat)
    stacks = [NDArray.F.stack(*parts, axis=0) for parts in zip(*steps, strict=True)]
    return regroup(stacks, out_form), states


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., tuple[Any, Any]],
    loop_vars: Any,
    max_iterations: int | None = None,
) -> tuple[Any, Any]:
    """The results of `outputs, loop_vars = func(*loop_vars)` as long as `cond(*loop_vars)` holds.

    After `max_iterations` the loop ends in any case. Outputs may be `None`.

    Returns the outputs of all steps along a new first axis of size `max_iterations`, zeros after the last
    step (an empty list if there was none), and the last loop_vars.
    """
    most = iterations(max_iterations)
    variables = as_variables(loop_vars)
    steps: list[list[NDArray]] = []
    out_form: Any = []
    while len(steps) < most and _truth(cond(*variables), "while_loop: cond"):
        outputs, new = func(*variables)
        flat, out_form = _flat([] if outputs is None else outputs, "while_loop: outputs of func")
        variables = as_list(new)
        steps.append(flat)
        require_lengths("while_loop", variables, as_list(loop_vars), flat, steps[0])
    stacks = [_padded(parts, most) for parts in zip(*steps, strict=True)]
    single = isinstance(loop_vars, NDArray)
    return regroup(stacks, out_form), variables[0] if single else variables


def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any]) -> Any:
    """The result of `then_func()` if `pred`, an array of one element, is not zero, else of `else_func()`."""
    return then_func() if _truth(pred, "cond: pred") else else_func()


def iterations(max_iterations: Any) -> int:
    """The most steps of a loop as an integer."""
    if max_iterations is None:
        raise AttributeValueError("while_loop: max_iterations is required. Give the most steps.")
    try:
        return int(max_iterations.asscalar() if isinstance(max_iterations, NDArray) else max_iterations)
    except (TypeError, ValueError):
        raise AttributeValueError(
            f"while_loop: an integer is required as max_iterations, got {max_iterations!r}."
        ) from None


def as_list(value: Any) -> list[Any]:
    """Loop variables as a list, one alone as a list of one and `None` as an empty one."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def as_variables(loop_vars: Any) -> list[Any]:
    """The variables of a loop, at least one."""
    variables = as_list(loop_vars)
    if not variables:
        raise AttributeValueError("while_loop: at least one loop variable is required, got none.")
    return variables


def require_lengths(
    owner: str, variables: Sequence[Any], before: Sequence[Any], outputs: Sequence[Any], first: Sequence[Any]
) -> None:
    """Raise unless a step gives as many variables as it took, and as many outputs as the first one."""
    if len(variables) != len(before):
        raise AttributeValueError(
            f"{owner}: {len(before)} loop variables are required of func, got {len(variables)}."
        )
    if len(outputs) != len(first):
        raise AttributeValueError(
            f"{owner}: {len(first)} outputs at every step are required of func, got {len(outputs)}."
        )


def _padded(parts: Sequence[NDArray], length: int) -> NDArray:
    """The parts along a new first axis of this length, with zeros at its end."""
    stack: NDArray = NDArray.F.stack(*parts, axis=0)
    if len(parts) == length:
        return stack
    shape = (length - len(parts), *parts[0].shape)
    zeros = NDArray.F._zeros(shape=shape, dtype=parts[0].dtype, ctx=parts[0].context)
    result: NDArray = NDArray.F.concat(stack, zeros, dim=0)
    return result


def _truth(value: Any, owner: str) -> bool:
    try:
        return bool(value.asscalar() if isinstance(value, NDArray) else value)
    except ValueError:
        raise ShapeError(f"{owner}: one element is required, got the shape {value.shape}.") from None


def _flat(value: Any, role: str) -> tuple[list[NDArray], Any]:
    def refusal(item: Any) -> Exception:
        return RequirementError(
            f"{role}: an array or a (nested) list of arrays is required, got {item!r} of {type(item)}."
        )

    if value is None:
        raise refusal(value)
    return flatten(value, lambda item: 0 if isinstance(item, NDArray) else None, refusal)
