"""One eager call of an operator: check, draw, run, record."""

from __future__ import annotations

import contextvars
import importlib
import logging
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from .. import config
from .._locks import no_fork
from .._profile import profile
from .._scopes import Innermost, Scope
from ..autograd.scopes import state
from ..autograd.tape import TapeNode
from ..context import GPU, Context, cpu, current_context, device_of, share_memory, usable
from ..dtypes import DType, is_bfloat16
from ..errors import DTypeError, MXNetError, RequirementError, without_places
from ..ops import (
    Array,
    Noise,
    Operator,
    Shape,
    Spec,
    bind,
    drawing,
    for_kernel,
    generator,
    mixing,
    options_by_name,
    show,
    with_updates,
)
from ._base import ArrayBase, refuse_in_place

logger = logging.getLogger("hybridonnx")


def call(cls: type[Operator], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """An operator called as MXNet's users write it: arrays, then attributes; also `out`, `ctx` and `name`."""
    if mixing.rule is None and _all_arrays(args):
        kwargs.pop("name", None)  # which says something of symbols alone
        op = _plain_operator(cls, args, kwargs)
        if op is not None:
            return invoke(op, args)
    out = ctx = None
    if len(args) > len(cls.inputs):
        attributes = {key: value for key, value in kwargs.items() if key not in _OPTIONS}
        args = options_by_name(cls.specialized(attributes, _is_array), args, kwargs, ("out", "name"))
    if kwargs:
        out = kwargs.pop("out", None)
        kwargs.pop("name", None)
        ctx = kwargs.pop("ctx", None)
        if ctx is not None and "ctx" in cls.schema():
            kwargs["ctx"], ctx = str(ctx), None
    if cls.requires_out and out is None:
        raise RequirementError(f"{cls.names[0]}: an array as out is required, got none.")
    if mixing.rule is not None:
        args, kwargs = mixing.arguments(cls, args, kwargs)
    cls = cls.specialized(kwargs, _is_array)
    inputs, attributes = bind(cls, args, kwargs, _is_array)
    op = cls.make(attributes)
    return invoke(op, select(op, inputs), out, ctx)


def _plain_operator(cls: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Operator | None:
    """The operator of a call whose positional arguments are its inputs, and whose keywords are attributes."""
    if not kwargs:
        return _without_attributes(cls, len(args))
    if _KEYS.issuperset(map(type, kwargs.values())):
        op: Operator | None = _with_keys(cls, len(args), (*kwargs,), *kwargs.values())
        return op
    return _with_attributes(cls, len(args), kwargs)


def _with_attributes(cls: Any, count: int, attributes: Mapping[str, Any]) -> Operator | None:
    counts = _counts(cls, count, tuple(attributes))
    if counts is None:
        return None
    op: Operator = cls.make({**attributes, **counts} if counts else attributes)
    return op if counts or op.input_names() == cls.inputs[:count] else None


_KEYS = frozenset({bool, int, str, types.NoneType})
"""The types of attributes that calls are known by; a cache tells them apart."""


@lru_cache(maxsize=8192, typed=True)
def _with_keys(cls: Any, count: int, names: tuple[str, ...], *values: Any) -> Operator | None:
    return _with_attributes(cls, count, dict(zip(names, values, strict=True)))


@cache
def _without_attributes(cls: Any, count: int) -> Operator | None:
    counts = _counts(cls, count, ())
    required = {name for name, attribute in cls.schema().items() if attribute.required}
    if counts is None or not required <= counts.keys():
        return None
    op: Operator = cls.make(counts)
    return op if counts or op.input_names() == cls.inputs[:count] else None


@cache
def _counts(cls: Any, count: int, names: tuple[str, ...]) -> dict[str, Any] | None:
    """What so many positional arrays add to attributes of these names; nothing if they may be no inputs."""
    if cls.skips or cls.requires_out or not {*cls.inputs, *_OPTIONS}.isdisjoint(names):
        return None
    if cls.specialized.__func__ is not Operator.specialized.__func__:  # type: ignore[attr-defined]
        return None  # it depends on the call which inputs there are
    if not cls.variadic:
        return {} if count <= len(cls.inputs) else None
    number = cls.count_of(count)
    is_plain = cls.variadic not in names and cls.counted_inputs(number) == count and not cls.graphs
    return {cls.variadic: number} if is_plain and cls.schema().keys() >= {*names} else None


_OPTIONS = ("out", "name", "ctx")
"""What a call takes beside inputs and attributes."""


def _all_arrays(args: Sequence[Any]) -> bool:
    for value in args:  # noqa: SIM110  (twice as fast as all)
        if not isinstance(value, ArrayBase):
            return False
    return True


def _is_array(value: Any) -> bool:
    return isinstance(value, ArrayBase)


def select(op: Operator, inputs: Sequence[Any]) -> list[Any]:
    """Those of the inputs, given in the order of the class's, that the operator's attributes ask for."""
    names = op.input_names()
    if op.variadic or (names is op.inputs and len(names) == len(inputs) and _complete(inputs)):
        return list(inputs)
    by_name: Mapping[str, Any] = {n: v for n, v in zip(op.inputs, inputs, strict=False) if v is not None}
    extra = [n for n in by_name if n not in names]
    missing = [n for n in names if n not in by_name]
    if extra or missing:
        raise MXNetError(
            f"{op.names[0]}: inputs {', '.join(names) or 'none'} are required with these attributes, "
            f"got {', '.join(by_name) or 'none'}."
        )
    return [by_name[n] for n in names]


def _complete(inputs: Sequence[Any]) -> bool:
    return all(value is not None for value in inputs)


_MOST_SHAPES = 512
"""How many combinations of shapes an operator remembers."""


class ReferenceKernels(Scope):
    """A `with` block in which all operators run on their kernels, the reference of everything else."""

    _scopes: ClassVar[Innermost] = Innermost()

    def __enter__(self) -> None:
        self._scopes.innermost = self, None, self._scopes.innermost


_reference = ReferenceKernels._scopes


class Way(NamedTuple):
    """How an operator runs on arrays of certain shapes and dtypes."""

    outputs: tuple[Spec, ...]
    session: Session | None
    """What runs it in ONNX Runtime, if that is faster than its kernel."""
    dtype: DType | None
    """That of the output, if there is one and the kernel alone computes it from dense arrays; else `None`."""
    kernel: Callable[..., Any] | None = None
    """The operator's kernel for such arrays, where it is what computes."""
    reason: str = ""
    """Why it has no session on a device, if that is to be told."""


WAYS = "_ways"
"""The attribute in which an operator remembers its ways."""


Session: TypeAlias = Callable[[Sequence[Array], Noise | None], list[Array] | None]
"""The outputs for inputs and what was drawn; `None` if it refuses values, of which the kernel says more."""


def way_of(op: Operator, arrays: Sequence[Array], device: Any = None) -> Way:
    """How an operator runs on arrays, of a device, decided once for each combination of shapes and dtypes."""
    cache: dict[Any, Way] = op.__dict__.setdefault(WAYS, {})
    key: Any = tuple([(a.shape, a.dtype.num) for a in arrays])
    if device is not None:
        key = device, key
    way = cache.get(key)
    if way is None:
        if len(cache) >= _MOST_SHAPES:
            cache.clear()
        inputs = tuple([Spec(a.shape, a.dtype) for a in arrays])
        outputs = _infer(op, inputs)
        if device is not None:
            way = _way_on(device, op, inputs, outputs)
        else:
            session = _session(op, inputs, outputs)
            dtype = None if session else _plain_dtype(op, inputs, outputs)
            way = Way(outputs, session, dtype, None if session else op.kernel_for(*inputs))
        if all(a.dtype.names is None for a in arrays):  # containers of all types have one number
            cache[key] = way
    return way


def _plain_dtype(op: Operator, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> DType | None:
    """The output's dtype, if an execution is nothing but a call of the kernel that gives one array."""
    if (
        op.stateful
        or op.draws()
        or op.aux
        or op.stored_rows
        or op.stores_of_dense()
        or len(outputs) != 1
        or not inputs
    ):
        return None
    widened = any(is_bfloat16(spec.dtype) for spec in inputs)
    return None if widened or outputs[0].shape == () else outputs[0].dtype


def _session(op: Operator, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> Session | None:
    """The session for an operator that is faster in one than on its kernel."""
    mode = config.EAGER()
    if mode not in _MODES:
        raise MXNetError(f"HYBRIDONNX_EAGER: one of {', '.join(_MODES)} is required, got {mode!r}.")
    if mode == "numpy" or (mode != "sessions" and not (op.saves and inputs[0].dtype.kind == "f")):  # type: ignore[union-attr]
        return None
    shapes, results = _shapes(inputs), _shapes(outputs)
    if _is_empty(shapes, results):
        return None
    saving = op.saves * op.work(shapes, results)
    if mode != "sessions" and saving < CALL:
        return None
    try:
        return _engine(None).session(op, inputs, outputs, saving)  # type: ignore[no-any-return]
    except MXNetError as exc:
        logger.info("eager: %s stays on its kernel. %s", op.names[0], without_places(exc))
        return None


def _way_on(device: Any, op: Operator, inputs: Sequence[Spec], outputs: tuple[Spec, ...]) -> Way:
    """How an operator runs on a device: constants and arrays without elements are made on the processor."""
    if not inputs or _is_empty(_shapes(inputs), _shapes(outputs)):
        return Way(outputs, None, None)
    try:
        return Way(outputs, _engine(device).session(op, inputs, outputs, 0.0), None)
    except MXNetError as exc:
        return Way(outputs, None, None, reason=without_places(exc))


def _engine(device: Any) -> Any:
    """What makes sessions of operators."""
    return importlib.import_module(f"{__package__.partition('.')[0]}.runtime.eager").engine_of(device)


def _shapes(specs: Sequence[Spec]) -> list[Any]:
    """The shapes, () where sizes depend on values."""
    return [() if spec.shape is None or None in spec.shape else spec.shape for spec in specs]


def _is_empty(*shapes: Sequence[Any]) -> bool:
    """Whether an array has no elements."""
    return any(0 in shape for group in shapes for shape in group)


_MODES = ("auto", "numpy", "sessions")
CALL = 15_000.0
"""Nanoseconds that a session has to save: the call of one takes about as many more than that of a kernel."""


def _infer(op: Operator, inputs: tuple[Spec, ...]) -> tuple[Spec, ...]:
    required, outputs = op.infer(inputs)
    if required != inputs:
        for name, a, b in zip(op.input_names(), required, inputs, strict=True):
            if a != b:
                raise MXNetError(
                    f"{op.names[0]}: {name} of shape {show(a.shape)} and dtype {a.dtype} is required, "
                    f"got {show(b.shape)} and {b.dtype}."
                )
    return outputs


def invoke(op: Operator, inputs: Sequence[ArrayBase], out: Any = None, ctx: Context | None = None) -> Any:
    """Run an operator on arrays, into `out` if given. One array, or a list if several outputs are visible."""
    if out is not None:
        op = op.for_out([Spec(t._data.shape, t._data.dtype) for t in _targets(out)])
    if out is None and not op.mode_dependent:
        result = _invoke_plain(op, inputs)
        if result is not None:
            return result
    visible = invoke_all(op, inputs, ctx)[: op.visible()]
    if out is not None:
        return _write(op, visible, out)
    return visible[0] if len(visible) == 1 else visible


def _invoke_plain(op: Operator, inputs: Sequence[ArrayBase]) -> ArrayBase | None:
    """The output of a kernel that gives one array of dense ones; `None` where there is more to do."""
    dense = type(inputs[0]) if inputs else None
    if dense is None or dense is not dense.dense:
        return None
    arrays = []
    for x in inputs:
        if type(x) is not dense:
            return None
        array = x._data
        if type(array) is not np.ndarray:  # it is on a device
            return None
        arrays.append(array)
    outputs, _, dtype, kernel, _ = way_of(op, arrays)
    if dtype is None or profile.operators:
        return None
    y: Any = quietly(kernel, *arrays)
    if type(y) is not np.ndarray or y.base is not None or y.dtype is not dtype or not y.flags.c_contiguous:
        (y,) = y if isinstance(y, tuple | list) else (y,)
        y = own(y, arrays, dtype, outputs[0].shape)
    else:
        for a in arrays:
            if y is a:
                y = y.copy()
    device = inputs[0]._ctx
    output = dense._on_tape(y, device, None)
    if state.recording:
        record(op, inputs, (output,), device)
    return output


class _Quiet(threading.local):
    """A context of each thread in which NumPy tells of no infinities and NaN: results like others."""

    def __init__(self) -> None:
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        self.run = context.run


_quiet = _Quiet()


def quietly(kernel: Any, *arrays: Any) -> Any:
    """What a kernel gives. A context takes a tenth of the time of `np.errstate`."""
    try:
        return _quiet.run(kernel, *arrays)
    except RuntimeError as exc:
        if not str(exc).startswith("cannot enter context"):
            raise
    with np.errstate(all="ignore"):  # this is called while the thread is in a kernel, as by a destructor
        return kernel(*arrays)


def invoke_all(
    op: Operator, inputs: Sequence[ArrayBase], ctx: Context | None = None, noise: Noise | None = None
) -> list[Any]:
    """Run an operator on arrays. All outputs, hidden ones included. `noise` was drawn for it before."""
    if op.mode_dependent:
        op = op.in_mode(state.training)
    if op.stored_rows and op.of_stored_rows([x.stype for x in inputs]):
        return _invoke_rows(op, inputs)
    arrays = [x._data for x in inputs]
    context = inputs[0]._ctx if inputs else usable(ctx or _context(op))
    device = _common_device(op, inputs, context)
    trains = op.training and op.aux and not op.stateful and not op.draws()
    whole = with_updates(op) if trains else op
    way = way_of(whole, arrays, device)
    if op.stateful:
        whole = op = op.started(context)
    results = run(whole, arrays, way, noise) if device is None else _run_on(device, whole, arrays, way, noise)
    dense, count = _class_of(inputs), len(op.output_names()) if trains else len(results)
    outputs = [dense._on_tape(y, context, None) for y in results[:count]]
    if op.stores is not None and (op.stores_of_dense() or not _all_dense(inputs)):
        values = arrays if device is None else [x._host for x in inputs]
        storage = op.stores([x._pattern() for x in inputs], values)
        outputs[0] = outputs[0] if storage is None else outputs[0]._stored_as(storage)
    if state.recording:
        record(op, inputs, outputs, context)
    if trains:
        _receive_states(op, inputs, results[count:])
    elif op.aux and (op.training or op.always_updates):
        _update(op, inputs, outputs)
    return outputs


def _common_device(op: Operator, inputs: Sequence[ArrayBase], context: Context) -> Any:
    """The device that all inputs are on; `None` of the processor."""
    for i, x in enumerate(inputs):
        if x._ctx is not context and not share_memory(x._ctx, context):
            raise MXNetError(
                f"{op.names[0]}: inputs on one context are required, got the first on {context} and number "
                f"{i + 1} on {x._ctx}. Use as_in_context({context})."
            )
    return device_of(context) if context.device_typeid == GPU else None


def _class_of(inputs: Sequence[ArrayBase]) -> type[ArrayBase]:
    """The class of the outputs: `mx.np.ndarray` if an input is one."""
    for x in inputs:
        if x._as_numpy:
            return x.dense
    return ArrayBase.dense


def _all_dense(inputs: Sequence[ArrayBase]) -> bool:
    return {x.stype for x in inputs} <= _DENSE


_DENSE = {"default"}


def run(op: Operator, arrays: Sequence[Array], way: Way, noise: Noise | None = None) -> list[Array]:
    """The outputs as new contiguous arrays of the inferred dtypes."""
    if noise is None and op.noise and op.draws():
        noise = _drawn(op, arrays)
    if way.session is not None and _reference.innermost is None:
        results = _in_session(op, way.session, arrays, noise)
        if results is not None:
            return results
    return _run_kernel(op, arrays, way.outputs, noise)


def _run_on(device: Any, op: Operator, arrays: Sequence[Any], way: Way, noise: Noise | None) -> list[Any]:
    """The same of a device's arrays; what it lacks runs on the processor, which is told."""
    if op.stateful:  # users' code takes arrays of any device
        return list(op.forward(*arrays))
    if noise is None and op.noise and op.draws():
        noise = _drawn(op, arrays)
    reason = way.reason
    if way.session is not None:
        results = _in_session(op, way.session, arrays, noise)
        if results is not None:
            return results
        reason = "ONNX Runtime refused its values, as the logger tells at its level debug."
    with cpu():
        values = _run_kernel(op, [a.host() for a in arrays], way.outputs, noise)
    if reason:
        device.tell(op.names[0], reason)
    return [device.put(y) for y in values]


def _in_session(
    op: Operator, session: Session, arrays: Sequence[Array], noise: Noise | None
) -> list[Array] | None:
    if profile.operators:
        results: Any = profile.call("operator", op.names[0], session, arrays, noise)
    else:
        results = session(arrays, noise)
    return results  # type: ignore[no-any-return]


def _drawn(op: Operator, arrays: Sequence[Array]) -> Noise:
    """What a random operator draws, on the processor for every device: one seed is one sequence."""
    with no_fork(), drawing():
        rng = generator()
        return op.draw(rng, *[Spec(a.shape, a.dtype) for a in arrays])


def _run_kernel(
    op: Operator, arrays: Sequence[Array], specs: Sequence[Spec], noise: Noise | None
) -> list[Array]:
    if noise is not None:
        arrays = [*arrays, *noise] if isinstance(noise, list) else [*arrays, noise]
    values = for_kernel(op, arrays)
    with np.errstate(all="ignore"):  # infinities and NaN are results like others
        if profile.operators:
            results: Any = profile.call("operator", op.names[0], op.forward, *values)
        else:
            results = op.forward(*values)
    several = results if isinstance(results, tuple | list) else (results,)
    return [own(y, arrays, spec.dtype, spec.shape) for y, spec in zip(several, specs, strict=True)]


def own(y: Any, arrays: Sequence[Array], dtype: DType | None, shape: Shape | None) -> Array:
    """What a kernel gave, as a contiguous array of this dtype that shares no memory with `arrays`."""
    if type(y) is np.ndarray and y.base is None and y.ndim and y.dtype == dtype and y.flags.c_contiguous:
        return y.copy() if any(y is a for a in arrays) else y
    array = np.asarray(y, dtype=dtype, order="C")
    for a in arrays:
        if array is a or (array.base is not None and np.may_share_memory(array, a)):
            array = array.copy()
            break
    if array.ndim == 0 and shape and all(d == 1 for d in shape):
        return array.reshape(shape)  # type: ignore[arg-type]
    return array


def _context(op: Operator) -> Context:
    """Where an operator without inputs makes an array; kernels that are the reference do on the processor."""
    if _reference.innermost is not None:
        return cpu()
    name = getattr(op, "ctx", None)
    if not name:
        return current_context()
    kind, _, number = str(name).rstrip(")").partition("(")
    return Context(kind, int(number or 0))


def view(op: Operator, x: ArrayBase, data: Array) -> ArrayBase:
    """An array over memory of another, as an operator gives it, which is recorded."""
    viewed = x.dense._on_tape(data, x._ctx, None)
    if state.recording:
        record(op, (x,), (viewed,), x._ctx)
    return viewed


def record(op: Operator, inputs: Sequence[ArrayBase], outputs: Sequence[ArrayBase], ctx: Context) -> None:
    """Put an execution on the tape, if an input is there."""
    entries, depends = [], False
    for x in inputs:
        entry = x._entry
        depends = depends or entry is not None
        entries.append(entry)
    if not depends:
        return
    if op.not_differentiable:  # what it computed from is reached all the same, by a gradient of zero
        node = TapeNode(op, entries, (), (), ctx)
    else:
        node = TapeNode(op, entries, [x._recorded() for x in inputs], [y._data for y in outputs], ctx)
    for i, y in enumerate(outputs):
        y._origin = node, i


def _update(op: Operator, inputs: Sequence[ArrayBase], outputs: Sequence[ArrayBase]) -> None:
    dense = ArrayBase.dense
    xs = [dense._on_tape(x._data, x._ctx, None) for x in inputs]
    ys = [dense._on_tape(y._data, y._ctx, None) for y in outputs]
    before, state.recording = state.recording, False
    try:
        values = op.updated(dense.F, ys if len(ys) > 1 else ys[0], *xs)
    finally:
        state.recording = before
    _receive_states(op, inputs, [value._data for value in values])


def _receive_states(op: Operator, inputs: Sequence[ArrayBase], values: Sequence[Array]) -> None:
    names = op.input_names()
    for name, value in zip(op.aux_names(), values, strict=False):
        inputs[names.index(name)]._receive(value)


def _invoke_rows(op: Operator, inputs: Sequence[Any]) -> list[Any]:
    """Run an operator on the rows that one of its inputs stores: of outputs and states the others stay.

    The outputs' other rows are those of the first input.
    """
    names, dense = op.input_names(), ArrayBase.dense
    rows = inputs[names.index(op.stored_rows)].stored.indices
    parts = [
        dense(x.stored.data if name == op.stored_rows else x._host[rows], x._ctx)
        for name, x in zip(names, inputs, strict=True)
    ]
    results = invoke_all(op, parts)
    for name in op.aux_names():
        index = names.index(name)
        inputs[index]._receive(parts[index]._host, rows)
    outputs = []
    for y in results[: op.visible()]:
        whole = inputs[0].asnumpy()
        whole[rows] = y._host
        outputs.append(dense(whole, y._ctx))
    return outputs


def _into(op: Operator, target: ArrayBase, y: ArrayBase) -> Any:
    """What an array given as `out` receives."""
    if type(op).into is Operator.into or type(y._data) is np.ndarray:
        return op.into(target._data, y._data)
    return device_of(y._ctx).put(op.into(target._host, y._host))


def _targets(out: Any) -> list[Any]:
    return list(out) if isinstance(out, list | tuple) else [out]


def _write(op: Operator, outputs: Sequence[ArrayBase], out: Any) -> Any:
    targets = _targets(out)
    if len(targets) != len(outputs):
        raise MXNetError(f"{op.names[0]}: out of {len(outputs)} arrays is required, got {len(targets)}.")
    for target, y in zip(targets, outputs, strict=True):
        if not share_memory(target._ctx, y._ctx):
            raise MXNetError(f"{op.names[0]}: out on {y._ctx} is required, got {target._ctx}.")
        value = _into(op, target, y)
        if target._data.dtype != value.dtype:
            raise DTypeError(
                f"{op.names[0]}: out of dtype {value.dtype} is required, got {target._data.dtype}. "
                f"Cast with astype('{value.dtype}')."
            )
        if target.shape != value.shape:
            raise MXNetError(
                f"{op.names[0]}: out of shape {show(value.shape)} is required, got {show(target.shape)}."
            )
        if state.recording and target._entry is not None:
            refuse_in_place()
        if y.stype == "default":
            target._receive(value)
        else:
            target._assign(y)
        if y._entry is not None:
            target._entry = y._entry
    return out
