"""Loops and branches on symbols: what the functions compute is cut out of the graph as subgraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import attribute
from .._locks import new_lock, no_fork
from .._nested import Format, flatten, regroup
from ..errors import AttributeValueError, MXNetError, RequirementError
from ..ndarray.control import as_list, as_variables, iterations, require_lengths
from ..ops import find
from .compose import call
from .cut import cut
from .graph import VARIABLE, Entry, Node, topological
from .subgraph import Body
from .symbol import Symbol, var

__all__ = ["cond", "foreach", "while_loop"]

_SCOPE = "__subgraph_name__"
"""The attribute that tells which subgraph a node was made for."""


def foreach(
    body: Callable[..., tuple[Any, Any]], data: Any, init_states: Any, name: str = "foreach"
) -> tuple[Any, Any]:
    """The results of `outputs, states = body(part, states)` for each part of `data` along the first axis.

    `data` and `init_states` are symbols or nested lists of them, and so are the outputs and states of `body`.

    Returns the outputs of all steps along a new first axis, and the last states.
    """
    arrays, data_form = _flat(data, "foreach: data")
    states, state_form = _flat(init_states, "foreach: init_states")
    forms: list[Format] = []

    def build(variables: Sequence[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
        parts, at = regroup(variables[: len(arrays)], data_form), variables[len(arrays) :]
        outputs, new = body(parts, regroup(at, state_form))
        flat, form = _flat(outputs, "foreach: outputs of body")
        new_flat, new_form = _flat(new, "foreach: states of body")
        if _single(new_form) != _single(state_form):
            raise RequirementError(
                f"foreach: states nested as {state_form}, as init_states are, are required of body, got "
                f"{new_form}."
            )
        forms.append(form)
        return flat, new_flat

    trace = _trace(build, [*arrays, *states], name)
    locs = _locations(trace, RequirementError)
    rest = [i for i, n in enumerate(trace.body.names) if n not in trace.variables]
    result = _operator(
        "_foreach",
        [*arrays, *states, *[trace.outer[trace.body.names[i]] for i in rest]],
        [trace.body],
        num_outputs=trace.body.results,
        num_out_data=trace.outputs,
        in_state_locs=locs[len(arrays) :],
        in_data_locs=locs[: len(arrays)],
        remain_locs=rest,
    )
    return regroup(result[: trace.outputs], forms[0]), regroup(result[trace.outputs :], state_form)


def while_loop(
    cond: Callable[..., Any],
    func: Callable[..., tuple[Any, Any]],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """The results of `outputs, loop_vars = func(*loop_vars)` as long as `cond(*loop_vars)` holds.

    After `max_iterations` the loop ends in any case. Outputs may be `None`.

    Returns the outputs of all steps along a new first axis of size `max_iterations`, zeros after the last
    step, and the last loop_vars.
    """
    most = iterations(max_iterations)
    as_variables(loop_vars)
    variables, var_form = _flat(loop_vars, "while_loop: loop_vars")
    forms: list[Format] = []

    def build_cond(symbols: Sequence[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
        result = cond(*as_list(regroup(symbols, var_form)))
        if not isinstance(result, Symbol):
            raise AttributeValueError(f"while_loop: a symbol is required of cond, got {result!r}.")
        return [], [result]

    def build_func(symbols: Sequence[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
        outputs, new = func(*as_list(regroup(symbols, var_form)))
        flat, form = _flat([] if outputs is None else outputs, "while_loop: outputs of func")
        new_flat, _ = _flat([] if new is None else new, "while_loop: variables of func")
        require_lengths("while_loop", new_flat, variables, flat, flat)
        forms.append(form)
        return flat, new_flat

    test = _trace(build_cond, variables, f"{name}_cond")
    step = _trace(build_func, variables, f"{name}_func")
    result = _while_loop(test, step, variables, most)
    return regroup(result[: step.outputs], forms[0]), regroup(result[step.outputs :], var_form)


def _while_loop(test: _Trace, step: _Trace, variables: Sequence[Symbol], most: int) -> list[Symbol]:
    """The outputs of a loop of a condition and a body."""
    var_locs = _locations(step, AttributeValueError)
    inputs: dict[Any, Symbol] = {}
    cond_locs = _union(inputs, test, variables)
    func_locs = _union(inputs, step, variables)
    return _operator(
        "_while_loop",
        list(inputs.values()),
        [test.body, step.body],
        num_outputs=step.body.results,
        num_out_data=step.outputs,
        max_iterations=most,
        cond_input_locs=cond_locs,
        func_input_locs=func_locs,
        func_var_locs=var_locs,
    )


def cond(pred: Any, then_func: Callable[[], Any], else_func: Callable[[], Any], name: str = "cond") -> Any:
    """The result of `then_func()` if `pred`, a symbol of one element, is not zero, else of `else_func()`."""
    forms: list[Format] = []

    def build(function: Callable[[], Any]) -> Callable[[Sequence[Symbol]], tuple[list[Symbol], list[Symbol]]]:
        def build_branch(_: Sequence[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
            flat, form = _flat(function(), "cond: outputs")
            forms.append(form)
            return flat, []

        return build_branch

    functions = {"pred": lambda: pred, "then": then_func, "else": else_func}
    traces = [_trace(build(function), [], f"{name}_{role}") for role, function in functions.items()]
    if traces[0].body.results != 1:
        raise AttributeValueError(f"cond: one output is required as pred, got {traces[0].body.results}.")
    if traces[1].body.results != traces[2].body.results:
        raise AttributeValueError(
            f"cond: as many outputs of else_func as of then_func, {traces[1].body.results}, are required, "
            f"got {traces[2].body.results}."
        )
    inputs: dict[Any, Symbol] = {}
    locs = [_shared(inputs, trace) for trace in traces]
    result = _operator(
        "_cond",
        list(inputs.values()),
        [trace.body for trace in traces],
        cond_input_locs=locs[0],
        then_input_locs=locs[1],
        else_input_locs=locs[2],
        num_outputs=traces[1].body.results,
    )
    return regroup(result, forms[1])


def _operator(
    op: str, inputs: Sequence[Symbol], subgraphs: Sequence[Body], **attributes: Any
) -> list[Symbol]:
    """The outputs of an operator that runs subgraphs."""
    attributes["num_args"] = len(inputs) + len(subgraphs)
    result = call(find(op), op, inputs, {**attributes, "subgraphs": subgraphs}, Symbol)
    return list(result)


# ---- inputs


def _locations(trace: _Trace, error: type[MXNetError]) -> list[int]:
    """Which of the body's inputs its own variables are."""
    unused = [n for n in trace.variables if n not in trace.body.names]
    if unused:
        raise error(
            "contrib: every array and variable of a loop must be used in its body, got one without use, "
            f"{unused[0].rpartition('-')[0]}. Leave it out."
        )
    return [trace.body.names.index(n) for n in trace.variables]


def _union(inputs: dict[Any, Symbol], trace: _Trace, variables: Sequence[Symbol]) -> list[int]:
    """Where a graph's variables are among `inputs`, which they are added to; graphs share loop variables."""
    by_name = dict(zip(trace.variables, variables, strict=True))
    locs = []
    for n in trace.body.names:
        key = n if n in by_name else (n, id(trace))
        inputs.setdefault(key, by_name[n] if n in by_name else trace.outer[n])
        locs.append(list(inputs).index(key))
    return locs


def _shared(inputs: dict[Any, Symbol], trace: _Trace) -> list[int]:
    """The same for branches, which share the variables of the graph around them."""
    locs = []
    for n in trace.body.names:
        outer = trace.outer[n]
        key = n if outer.outputs[0].node.is_variable else (n, id(trace))
        inputs.setdefault(key, outer)
        locs.append(list(inputs).index(key))
    return locs


# ---- tracing


class _Trace(NamedTuple):
    """A subgraph that was cut out of the graph around it."""

    body: Body
    outputs: int
    """How many of its outputs are not variables of a loop."""
    variables: list[str]
    """The names of its own variables."""
    outer: Mapping[str, Symbol]
    """What stands for its other variables in the graph around."""


def _trace(
    build: Callable[[Sequence[Symbol]], tuple[list[Symbol], list[Symbol]]],
    inputs: Sequence[Symbol],
    name: str,
) -> _Trace:
    """What `build` makes of variables for `inputs`: outputs, and variables of a loop."""
    scope = _unique(name)
    with attribute.AttrScope(**{_SCOPE: scope}):
        variables = [var(_variable_name(symbol)) for symbol in inputs]
        outputs, states = build(variables)
        if not outputs and not states:
            raise RequirementError(f"{name}: at least one output is required, got none.")
        results = _distinct(outputs, states, scope)
    body, outer = _cut(results, scope)
    return _Trace(body, len(outputs), [v.outputs[0].node.name for v in variables], outer)


_counts: Counter[str] = Counter()
_counting = new_lock()


def _unique(name: str) -> str:
    """A name that no other subgraph has, in which those around it can be told."""
    around = attribute.current().get(None).get(_SCOPE, "")
    name = f"{around}${name}" if around else name
    with no_fork(), _counting:
        number = _counts[name]
        _counts[name] += 1
    return f"{name}{number}"


def _variable_name(symbol: Symbol) -> str:
    """The name of the variable that stands for a symbol: not that of a variable which cutting makes."""
    entry = symbol.outputs[0]
    return f"{entry.node.name}-{entry.output}"


def _distinct(outputs: Sequence[Symbol], states: Sequence[Symbol], scope: str) -> list[Entry]:
    """The results, with a copy for those that are variables or made outside, and states that are outputs."""
    nodes = topological([symbol.outputs[0] for symbol in (*outputs, *states)])
    variables = {node.name for node in nodes if node.is_variable}
    others = {symbol.outputs[0].node.name for symbol in outputs}

    def result(symbol: Symbol, names: set[str]) -> Entry:
        node = symbol.outputs[0].node
        if node.name in names or node.attrs.get(_SCOPE, "") != scope:
            symbol = call(find("_copy"), "identity", [symbol], {}, Symbol)
        return symbol.outputs[0]

    entries = [result(symbol, variables) for symbol in outputs]
    return entries + [result(symbol, variables | others) for symbol in states]


def _cut(results: Sequence[Entry], scope: str) -> tuple[Body, dict[str, Symbol]]:
    """The graph made in `scope`, and what stands outside for its variables that were not made there.

    The graph has variables of its own: those made in it are copied, others are named after what they are for.
    """
    inside = _inside(results, scope)
    border: dict[Entry, Node] = {}
    for node in topological(results):
        if node not in inside:
            continue
        for entry in node.inputs:
            if entry.node.is_variable and entry.node in inside:
                border[entry] = Node(VARIABLE, entry.node.name, dict(entry.node.attrs))
            elif entry.node not in inside and entry not in border:
                border[entry] = Node(VARIABLE, Symbol([entry]).list_outputs()[0])
    names = [node.name for node in border.values()]
    repeated = next((n for n in names if names.count(n) > 1), None)
    if repeated is not None:
        raise RequirementError(
            f"{scope}: variables of different names are required in the body, got {repeated} twice. Give the "
            "symbols names, and none of them twice as data or variables."
        )
    body = Body(cut(results, border)[0])
    return body, {node.name: Symbol([entry]) for entry, node in border.items()}


def _inside(results: Sequence[Entry], scope: str) -> set[Node]:
    """The nodes made in a scope, and those that depend on its variables, such as a loaded block's."""
    inside: set[Node] = set()
    for node in topological(results):
        is_own = node.attrs.get(_SCOPE, "") == scope
        if is_own or any(e.node in inside and _is_own(e.node, scope) for e in node.inputs):
            inside.add(node)
    return inside


def _is_own(node: Node, scope: str) -> bool:
    return not node.is_variable or node.attrs.get(_SCOPE, "") == scope


def _single(form: Format) -> Format:
    """A format in which a symbol of several outputs is a list."""
    if isinstance(form, list):
        return [_single(item) for item in form]
    return [0] * form if form > 0 else form


def _flat(value: Any, role: str) -> tuple[list[Symbol], Format]:
    """The symbols of a nested list, each with one output."""

    def count(item: Any) -> int | None:
        return (len(item) if len(item) > 1 else 0) if isinstance(item, Symbol) else None

    def refusal(item: Any) -> Exception:
        return RequirementError(
            f"{role}: a symbol or a (nested) list of symbols is required, got {item!r} of {type(item)}."
        )

    if value is None:
        raise refusal(value)
    symbols, form = flatten(value, count, refusal)
    return [output for symbol in symbols for output in symbol], form
