"""Checks of graphs: outputs and gradients against expected values, differences, and other element types."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import autograd, ndarray, symbol
from ..context import Context, current_context
from ..dtypes import DTypeLike
from ..errors import AttributeValueError, RequirementError
from ..io import DataBatch, DataIter
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..symbol.symbol import Symbol
from .comparison import Tolerance, assert_almost_equal, default_atols, default_numeric_eps, default_rtols

__all__ = [
    "DummyIter",
    "check_consistency",
    "check_gluon_hybridize_consistency",
    "check_numeric_gradient",
    "check_speed",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "numeric_grad",
    "simple_forward",
]

Values = Mapping[str, Any] | Sequence[Any]
"""Arrays by name, or in the order of the names."""


class DummyIter(DataIter):
    """Gives the first batch of another iterator again and again, to measure what is not reading."""

    def __init__(self, real_iter: Any) -> None:
        super().__init__()
        self.real_iter = real_iter
        self.batch_size = real_iter.batch_size
        self.the_batch = next(real_iter)

    @property
    def provide_data(self) -> Any:
        """The inputs of the other iterator."""
        return self.real_iter.provide_data

    @property
    def provide_label(self) -> Any:
        """The labels of the other iterator."""
        return self.real_iter.provide_label

    def __iter__(self) -> DummyIter:
        return self

    def next(self) -> DataBatch:
        """The batch."""
        batch: DataBatch = self.the_batch
        return batch


def simple_forward(sym: Symbol, ctx: Context | None = None, is_train: bool = False, **inputs: Any) -> Any:
    """What a graph gives for arrays by name, as NumPy arrays: a list, or the array itself if it is one."""
    arrays = {name: ndarray.array(value) for name, value in inputs.items()}
    outputs = sym.bind(ctx or current_context(), args=arrays).forward(is_train=is_train)
    values = [y.asnumpy() for y in outputs]
    return values[0] if len(values) == 1 else values


def _array(value: Any, dtype: Any, ctx: Context) -> NDArray:
    if isinstance(value, NDArray):
        return value.as_in_context(ctx)
    kind = getattr(value, "dtype", None) if dtype == "asnumpy" else dtype
    return ndarray.array(value, dtype=kind, ctx=ctx)


def _parsed(
    names: Sequence[str], values: Values | None, dtype: Any, ctx: Context, what: str
) -> dict[str, Any]:
    """Arrays by name."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        values = dict(zip(names, values, strict=False))
    elif set(values) != set(names):
        raise AttributeValueError(
            f"The names of {what} must be those of the symbol, {sorted(names)}, got {sorted(values)}."
        )
    return {name: _array(value, dtype, ctx) for name, value in values.items()}


def _arguments(sym: Symbol, location: Values, dtype: Any, ctx: Context) -> dict[str, Any]:
    return _parsed(sym.list_arguments(), location, dtype, ctx, "location")


def _states(sym: Symbol, values: Values | None, dtype: Any, ctx: Context) -> dict[str, Any]:
    return _parsed(sym.list_auxiliary_states(), values, dtype, ctx, "aux_states")


def check_symbolic_forward(
    sym: Symbol,
    location: Values,
    expected: Values,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    aux_states: Values | None = None,
    ctx: Context | None = None,
    equal_nan: bool = False,
    dtype: DTypeLike = np.float32,
) -> list[Any]:
    """Compare a graph's outputs in prediction mode with what is expected.

    Args:
        sym: The graph.
        location: Its arguments, in their order or by name.
        expected: Its outputs, in their order or by name.
        rtol: The relative tolerance, by default the dtype's.
        atol: The absolute tolerance, by default the dtype's.
        aux_states: Its auxiliary states.
        ctx: The context.
        equal_nan: Whether NaN is equal to NaN.
        dtype: The element type of arguments that are no NDArrays; `"asnumpy"` keeps their own.

    Returns:
        The outputs.

    Raises:
        AssertionError: An output differs.
        ValueError: The arguments are not those of the graph.
    """
    ctx = ctx or current_context()
    arguments = _arguments(sym, location, dtype, ctx)
    states = _states(sym, aux_states, dtype, ctx)
    names = sym.list_outputs()
    wanted = [expected[name] for name in names] if isinstance(expected, Mapping) else expected
    executor = sym.bind(ctx, args=arguments, args_grad=None, grad_req="null", aux_states=states)
    outputs: list[Any] = list(executor.forward(is_train=False))
    for name, value, output in zip(names, wanted, outputs, strict=True):
        called = (f"EXPECTED_{name}", f"FORWARD_{name}")
        assert_almost_equal(value, output, rtol, atol, called, equal_nan=equal_nan)
    return outputs


def _requests(sym: Symbol, grad_req: Any) -> dict[str, str]:
    names = sym.list_arguments()
    if isinstance(grad_req, str):
        return dict.fromkeys(names, grad_req)
    if isinstance(grad_req, Mapping):
        return {name: grad_req.get(name, "null") for name in names}
    return dict(zip(names, grad_req, strict=True))


def check_symbolic_backward(
    sym: Symbol,
    location: Values,
    out_grads: Values | None,
    expected: Values,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    aux_states: Values | None = None,
    grad_req: Any = "write",
    ctx: Context | None = None,
    grad_stypes: Mapping[str, str] | None = None,
    equal_nan: bool = False,
    dtype: DTypeLike = np.float32,
) -> dict[str, Any]:
    """Compare a graph's gradients with what is expected; arguments are those of `check_symbolic_forward`.

    Args:
        out_grads: The gradients of its outputs, in their order or by name.
        expected: The gradients of arguments, in their order or by name.
        grad_req: `"write"`, `"add"` (to draws) or `"null"`, for all or by name.
        grad_stypes: Storage types of gradients by name.

    Returns:
        The gradients by name.

    Raises:
        AssertionError: A gradient differs.
        ValueError: The arguments are not those of the graph.
    """
    ctx = ctx or current_context()
    arguments = _arguments(sym, location, dtype, ctx)
    states = _states(sym, aux_states, dtype, ctx)
    names = sym.list_arguments()
    wanted = dict(expected) if isinstance(expected, Mapping) else dict(zip(names, expected, strict=False))
    requests = _requests(sym, grad_req)
    requests = {name: kind if name in wanted else "null" for name, kind in requests.items()}
    before, gradients = _drawn_gradients({name: arguments[name] for name in wanted}, 1.0, grad_stypes)
    executor = sym.bind(ctx, args=arguments, args_grad=gradients, aux_states=states, grad_req=requests)
    executor.forward(is_train=True)
    executor.backward(_heads(sym, out_grads, executor.outputs, ctx))
    for name, value in wanted.items():
        start = before[name] if requests[name] == "add" else 0
        right = before[name] if requests[name] == "null" else value
        called = (f"EXPECTED_{name}", f"BACKWARD_{name}")
        got = _gradient(executor, name).asnumpy() - start
        assert_almost_equal(right, got, rtol, atol, called, equal_nan=equal_nan)
    return {name: executor.grad_dict[name] for name in wanted}


def _drawn_gradients(
    arguments: Mapping[str, Any], scale: float, stypes: Mapping[str, str] | None
) -> tuple[dict[str, Array], dict[str, Any]]:
    """What the gradients of arguments are before a backward pass: draws, as they are and as arrays."""
    before = {n: np.random.normal(0, scale, x.shape).astype(x.dtype) for n, x in arguments.items()}
    gradients = {
        n: ndarray.array(before[n], ctx=x.context, dtype=x.dtype).tostype((stypes or {}).get(n, "default"))
        for n, x in arguments.items()
    }
    return before, gradients


def _gradient(executor: Any, name: str) -> NDArray:
    gradient: NDArray = executor.grad_dict[name]
    return gradient


def _heads(sym: Symbol, out_grads: Values | None, outputs: Sequence[Any], ctx: Context) -> Any:
    if out_grads is None:
        return None
    if isinstance(out_grads, Mapping):
        out_grads = [out_grads[name] for name in sym.list_outputs()]
    return [_array(head, y.dtype, ctx) for head, y in zip(out_grads, outputs, strict=True)]


# ---- gradients by differences


def numeric_grad(
    executor: Any,
    location: Mapping[str, Any],
    aux_states: Mapping[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: DTypeLike = np.float32,
) -> dict[str, Array]:
    """Gradients by differences of an executor whose one output is a number.

    Args:
        executor: The executor.
        location: The values of its arguments, as arrays by name.
        aux_states: The values of its auxiliary states, set anew before each run.
        eps: The distance of the two points that a difference is taken between.
        use_forward_train: Whether it runs in training mode.
        dtype: The element type of the result.

    Returns:
        The gradient of each floating-point argument by name.

    Raises:
        AssertionError: The element type is no floating-point type.
    """
    if np.dtype(dtype) not in default_numeric_eps():
        raise RequirementError(f"numeric_grad: float16, float32 or float64 is required, got {dtype!r}.")
    values = {
        name: np.array(x.asnumpy() if isinstance(x, NDArray) else x, order="C")
        for name, x in location.items()
    }

    def output() -> float:
        for name, state in (aux_states or {}).items():
            executor.aux_dict[name][:] = state
        return float(executor.forward(is_train=use_forward_train)[0].asnumpy().reshape(-1)[0])

    for name, value in values.items():
        executor.arg_dict[name][:] = value
    slopes = {name: np.zeros(x.shape, dtype) for name, x in values.items() if x.dtype.kind == "f"}
    for name, slope in slopes.items():
        _difference(executor.arg_dict[name], values[name].reshape(-1), slope.reshape(-1), eps, output)
    return slopes


def _difference(argument: Any, points: Array, slope: Array, eps: float, output: Callable[[], float]) -> None:
    """Write the slope of an output along each element of an argument."""
    for i, at in enumerate(points.copy()):
        ends = []
        for step in (eps / 2, -eps / 2):
            points[i] = at + step
            argument[:] = points.reshape(argument.shape)
            ends.append(output())
        points[i] = at
        slope[i] = (ends[0] - ends[1]) / eps
    argument[:] = points.reshape(argument.shape)


def check_numeric_gradient(
    sym: Symbol,
    location: Values,
    aux_states: Values | None = None,
    numeric_eps: float | None = None,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    grad_nodes: Any = None,
    use_forward_train: bool = True,
    ctx: Context | None = None,
    grad_stype_dict: Mapping[str, str] | None = None,
    dtype: DTypeLike = np.float32,
) -> None:
    """Compare a graph's gradients with differences, along a random direction of its output.

    Args:
        sym: The graph, with one output.
        numeric_eps: The distance of the points of differences, by default the dtype's.
        grad_nodes: Names of arguments to check, or what is requested of each; all where not given.
        grad_stype_dict: Storage types of gradients by name.
        dtype: The element type, float16, float32 or float64.

    Raises:
        AssertionError: A gradient differs, or `dtype` is no floating-point type.
    """
    kind = np.dtype(dtype)
    if kind not in default_numeric_eps():
        raise RequirementError(f"check_numeric_gradient: a floating-point dtype is required, got {dtype!r}.")
    ctx = ctx or current_context()
    arguments = _arguments(sym, location, dtype, ctx)
    states = _states(sym, aux_states, dtype, ctx)
    if grad_nodes is None:
        grad_nodes = sym.list_arguments()
    requests = dict(grad_nodes) if isinstance(grad_nodes, Mapping) else dict.fromkeys(grad_nodes, "write")

    before, gradients = _drawn_gradients({n: arguments[n] for n in requests}, 0.01, grad_stype_dict)
    executor = _along_a_direction(sym, arguments, gradients, requests, states)
    executor.forward(is_train=True)
    executor.backward()
    symbolic = {name: _gradient(executor, name).asnumpy() for name in requests}
    points = {name: arguments[name] for name in requests}
    eps = default_numeric_eps()[kind] if numeric_eps is None else numeric_eps
    numeric = numeric_grad(executor, points, states, eps, use_forward_train, dtype)
    rtol, atol = rtol or default_rtols()[kind], atol or default_atols()[kind]
    for name, request in requests.items():
        expected = np.zeros_like(before[name]) if request == "null" else numeric[name]
        if request != "write":
            expected = expected + before[name]
        called = (f"NUMERICAL_{name}", f"BACKWARD_{name}")
        assert_almost_equal(expected, symbolic[name], rtol, atol, called)


def _along_a_direction(
    sym: Symbol,
    arguments: Mapping[str, Any],
    gradients: Mapping[str, Any],
    requests: Mapping[str, str],
    states: Mapping[str, Any],
) -> Any:
    """An executor that gives the sum of a graph's output with random weights, on copies of the arguments."""
    name = "__random_proj"
    loss = symbol.MakeLoss(symbol.sum(sym * symbol.var(name)))
    shape = sym.infer_shape(**{n: x.shape for n, x in arguments.items()})[1][0]
    first = next(iter(arguments.values()))
    direction = ndarray.array(np.random.rand(*shape) + 0.1, dtype=first.dtype, ctx=first.context)
    return loss.bind(
        first.context,
        args={name: direction, **{n: x.copy() for n, x in arguments.items()}},
        args_grad=dict(gradients),
        grad_req={**dict.fromkeys(loss.list_arguments(), "null"), **requests},
        aux_states={n: x.copy() for n, x in states.items()},
    )


# ---- the same graph in several ways


def check_consistency(
    sym: Any,
    ctx_list: Sequence[Mapping[str, Any]],
    scale: float = 1.0,
    grad_req: Any = "write",
    arg_params: Mapping[str, Any] | None = None,
    aux_params: Mapping[str, Any] | None = None,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    raise_on_err: bool = True,
    ground_truth: Mapping[str, Any] | None = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: DTypeLike = np.float64,
) -> dict[str, Any]:
    """Run a graph on several contexts or with several element types, and compare with the most precise.

    Args:
        sym: The graph, or a list with one for each of `ctx_list`.
        ctx_list: What `simple_bind` gets for each: `ctx`, shapes by name, `type_dict`.
        scale: The standard deviation of the arguments that are drawn.
        grad_req: What is requested of gradients; `"null"` compares outputs alone.
        arg_params: Values of arguments.
        aux_params: Values of auxiliary states, 0 where not given.
        raise_on_err: Whether a difference raises; else it is printed.
        ground_truth: Outputs and gradients to compare with, by name.
        use_uniform: Whether arguments are drawn uniformly, as `rand_type`.

    Returns:
        The outputs and gradients that were compared with, by name.

    Raises:
        AssertionError: Two differ, or there is one run alone and no `ground_truth`.
    """
    if len(ctx_list) < 2 and ground_truth is None:
        raise RequirementError(f"check_consistency: two runs or more are required, got {len(ctx_list)}.")
    symbols = sym if isinstance(sym, list | tuple) else [sym] * len(ctx_list)
    runs = [s.simple_bind(grad_req=grad_req, **kwargs) for s, kwargs in zip(symbols, ctx_list, strict=True)]
    names = symbols[0].list_outputs()
    _fill(runs, dict(arg_params or {}), dict(aux_params or {}), scale, use_uniform, rand_type)

    best = max(range(len(runs)), key=lambda i: _precision(runs[i]))
    results = _run_all(runs, names, best, grad_req != "null")
    truth = results[best] if ground_truth is None else dict(ground_truth)
    for i, result in enumerate(results):
        if ground_truth is None and i == best:
            continue
        for name in result.keys() & truth.keys():
            _compare(name, i, best, (result[name], truth[name]), rtol, atol, equal_nan, raise_on_err)
    return truth


def _precision(run: Any) -> int:
    """The bytes of an element of the most precise argument."""
    return max(int(np.dtype(x.dtype).itemsize) for x in run.arg_dict.values())


def _run_all(runs: Sequence[Any], names: Sequence[str], best: int, trains: bool) -> list[dict[str, Any]]:
    """The outputs, and in training the gradients, of all executors by name."""
    for run in runs:
        run.forward(is_train=trains)
    results = [dict(zip(names, run.outputs, strict=True)) for run in runs]
    if trains:
        heads = [np.random.normal(size=y.shape) for y in runs[best].outputs]
        for run, result in zip(runs, results, strict=True):
            run.backward([ndarray.array(h, dtype=y.dtype) for h, y in zip(heads, run.outputs, strict=True)])
            result.update({n: g for n, g in run.grad_dict.items() if g is not None})
    return results


def _fill(
    runs: Sequence[Any],
    arguments: dict[str, Any],
    states: dict[str, Any],
    scale: float,
    uniform: bool,
    kind: Any,
) -> None:
    """Give all executors the same arguments and states."""
    for name, array in runs[0].arg_dict.items():
        if name not in arguments:
            draw = (
                np.random.uniform(-0.92, 0.92, array.shape) if uniform else np.random.normal(size=array.shape)
            )
            arguments[name] = (draw * scale).astype(kind)
    for run in runs:
        for name, array in run.arg_dict.items():
            array[:] = ndarray.array(arguments[name], dtype=array.dtype)
        for name, array in run.aux_dict.items():
            array[:] = states.get(name, 0)


def _compare(
    name: str, i: int, best: int, pair: tuple[Any, Any], rtol: Any, atol: Any, equal_nan: bool, raises: bool
) -> None:
    try:
        assert_almost_equal(*pair, rtol, atol, equal_nan=equal_nan)
    except AssertionError as exc:
        print(f"{name}: run {i} differs from run {best}.")
        if raises:
            raise
        print(exc)


def check_speed(
    sym: Symbol,
    location: Mapping[str, Any] | None = None,
    ctx: Context | None = None,
    N: int = 20,
    grad_req: Any = None,
    typ: str = "whole",
    **kwargs: Any,
) -> float:
    """The seconds that a run of a graph takes, as the mean of N.

    Args:
        sym: The graph.
        location: Its arguments by name; drawn where not given.
        ctx: The context.
        N: How many runs are timed, after one that is not.
        grad_req: What is requested of gradients, `"write"` where not given.
        typ: `"whole"` for forward and backward, or `"forward"`.
        kwargs: Shapes, and what else `simple_bind` takes, where `location` is not given.

    Returns:
        Seconds.

    Raises:
        ValueError: `typ` is something else.
    """
    ctx, grad_req = ctx or current_context(), grad_req or "write"
    if typ not in ("whole", "forward"):
        raise AttributeValueError(f"check_speed: typ whole or forward is required, got {typ!r}.")
    if location is None:
        executor = sym.simple_bind(grad_req=grad_req, ctx=ctx, **kwargs)
        location = {n: np.random.normal(size=a.shape, scale=1.0) for n, a in executor.arg_dict.items()}
    else:
        executor = sym.simple_bind(
            grad_req=grad_req, ctx=ctx, **{n: np.shape(v) for n, v in location.items()}
        )
    for name, value in location.items():
        executor.arg_dict[name][:] = np.asarray(value, executor.arg_dict[name].dtype)

    def run() -> None:
        outputs = executor.forward(is_train=typ == "whole")
        if typ == "whole":
            executor.backward(outputs)

    run()
    start = time.time()
    for _ in range(N):
        run()
    return (time.time() - start) / N


def check_gluon_hybridize_consistency(
    net_builder: Callable[..., Any],
    data_l: Sequence[Any],
    numpy_func: Callable[..., Any] | None = None,
    test_grad: bool = True,
    rtol: float = 1e-4,
    atol: float = 1e-4,
) -> None:
    """Compare a block's output and gradients hybridized with those of the same block that is not.

    Args:
        net_builder: Called with `prefix=`, gives the block.
        data_l: Its inputs.
        numpy_func: Called with the inputs as NumPy arrays, gives what the output ought to be.
        test_grad: Whether to compare gradients.
        rtol: The relative tolerance.
        atol: The absolute tolerance.

    Raises:
        AssertionError: Something differs.
    """
    values: dict[str, Any] = {}
    results = []
    for hybridize in (False, True):
        net = net_builder(prefix="net_")
        net.initialize()
        if hybridize:
            net.hybridize()
        net(*data_l)  # parameters have their shapes now
        for name, p in net.collect_params().items():
            p.set_data(values.setdefault(name, p.data().copy()))
        results.append(_differentiated(net, [x.copy() for x in data_l], test_grad))
    (eager, eager_grads), (hybrid, hybrid_grads) = results
    assert_almost_equal(eager, hybrid, rtol, atol)
    if numpy_func is not None:
        assert_almost_equal(numpy_func(*[x.asnumpy() for x in data_l]), eager, rtol, atol)
    for name, slope in eager_grads.items():
        assert_almost_equal(slope, hybrid_grads[name], rtol, atol, names=(name, name))


def _differentiated(net: Any, inputs: Sequence[Any], trains: bool) -> tuple[Array, dict[str, Array]]:
    """A block's output, and in training the gradients of inputs and parameters."""
    if not trains:
        return net(*inputs).asnumpy(), {}
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        out = net(*inputs)
    out.backward()
    slopes = {f"input {i}": x.grad.asnumpy() for i, x in enumerate(inputs)}
    params = net.collect_params().items()
    return out.asnumpy(), {**slopes, **{n: p.grad().asnumpy() for n, p in params if p.grad_req != "null"}}
