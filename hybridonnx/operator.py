"""Operators written in Python: `CustomOp` computes, `CustomOpProp` describes, `register` names them.

    @mx.operator.register("square")
    class SquareProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Square()

    mx.nd.Custom(x, op_type="square")

They run on arrays, in executors and in hybridized blocks. `mx.onnx.register_lowering` says what they are in
ONNX files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import numpy as np

from . import autograd
from .attrs import Ints
from .autograd.tape import TapeNode
from .context import GPU, Context, as_context
from .dtypes import DType, as_dtype, flag_of
from .errors import ConversionError, MXNetError, ShapeError
from .ndarray.ndarray import NDArray
from .ops import Array, Attribute, Shape, custom, find, load_all, show
from .symbol.compose import call
from .symbol.symbol import Symbol

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "NDArrayOp",
    "NumpyOp",
    "PythonOp",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]


class CustomOp:
    """What one execution computes. Subclasses define `forward`, and `backward` if they have a gradient.

    Each execution has an object of its own, so what `forward` keeps in `self` is there for its `backward`.
    """

    def forward(
        self,
        is_train: bool,
        req: list[str],
        in_data: list[NDArray],
        out_data: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        """Write the outputs from the inputs, with `assign`. States in `aux` may be changed."""
        raise NotImplementedError(f"{type(self).__name__}: forward must be defined.")

    def backward(
        self,
        req: list[str],
        out_grad: list[NDArray],
        in_data: list[NDArray],
        out_data: list[NDArray],
        in_grad: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        """Write the inputs' gradients from those of the outputs, with `assign`."""
        raise NotImplementedError(f"{type(self).__name__}: backward must be defined to differentiate.")

    def assign(self, dst: NDArray, req: str, src: NDArray | float) -> None:
        """Write `src` into `dst`, add it, or do neither, as `req` says."""
        if req in ("write", "inplace"):
            dst[:] = src
        elif req == "add":
            dst[:] = dst + src
        elif req != "null":
            raise MXNetError(f"CustomOp.assign: write, inplace, add or null is required as req, got {req!r}.")


class CustomOpProp:
    """What an operator is: its inputs and outputs, their shapes and dtypes, and the `CustomOp`.

    `Custom`'s attributes are passed to `__init__` by name, as text. Without `need_top_grad` the gradient does
    not depend on the outputs' gradients, as that of a loss.
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def list_arguments(self) -> list[str]:
        """The inputs' names, without states."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """The outputs' names."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """The names of the states, which are inputs that the operator changes."""
        return []

    def infer_shape(self, in_shape: list[list[int]]) -> Any:
        """The shapes of inputs, outputs and states; here all outputs have the first input's shape.

        Sizes that are not known are 0, and shapes that are not known `[]`.
        """
        return in_shape, [in_shape[0]] * len(self.list_outputs()), []

    def infer_type(self, in_type: list[type[np.generic]]) -> Any:
        """The dtypes of inputs, outputs and states; here outputs and states have the first input's."""
        first = in_type[0]
        states = self.list_auxiliary_states()
        return in_type, [first] * len(self.list_outputs()), [first] * len(states)

    def infer_storage_type(self, in_stype: list[str]) -> Any:
        """The storage types, all dense; not asked for here."""
        dense = "default"
        states = self.list_auxiliary_states()
        return in_stype, [dense] * len(self.list_outputs()), [dense] * len(states)

    def infer_storage_type_backward(
        self,
        ograd_stype: list[str],
        in_stype: list[str],
        out_stype: list[str],
        igrad_stype: list[str],
        aux_stype: list[str],
    ) -> Any:
        """The storage types of all arrays of `backward`, all dense; not asked for here."""
        arrays = ograd_stype, in_stype, out_stype, igrad_stype, aux_stype
        return tuple(["default"] * len(stypes) for stypes in arrays)

    def declare_backward_dependency(
        self, out_grad: list[int], in_data: list[int], out_data: list[int]
    ) -> list[int]:
        """Which arrays `backward` reads; it gets all of them here."""
        return [*(out_grad if self.need_top_grad_ else ()), *in_data, *out_data]

    def create_operator(self, ctx: Context, in_shapes: list[list[int]], in_dtypes: list[int]) -> CustomOp:
        """The object that computes; dtypes are MXNet's type flags."""
        return CustomOp()


_Prop = TypeVar("_Prop", bound=Callable[..., Any])


def register(reg_name: str) -> Callable[[_Prop], _Prop]:
    """Register a subclass of `CustomOpProp`, for use with `Custom(…, op_type=reg_name)`."""
    if not isinstance(reg_name, str) or not reg_name:
        raise MXNetError(f"register: a name is required for the operator, got {reg_name!r}.")

    def registered(prop: _Prop) -> _Prop:
        custom.register(reg_name, lambda attributes: _Definition(reg_name, prop, attributes))
        return prop

    return registered


def get_all_registered_operators() -> list[str]:
    """The names of all operators."""
    return sorted({cls.names[0] for cls in load_all().values()})


class OperatorArguments(NamedTuple):
    """What a call of an operator takes: inputs, then attributes."""

    narg: int
    """How many there are."""
    names: list[str]
    types: list[str]
    """What each is, in MXNet's words."""


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """The names and types of an operator's inputs and attributes."""
    cls = find(op_name)
    names = ["data"] if cls.variadic else list(cls.inputs)
    types = ["NDArray-or-Symbol[]" if cls.variadic else "NDArray-or-Symbol"] * len(names)
    for name, attribute in cls.schema().items():
        names.append(name)
        types.append(_type_text(attribute))
    return OperatorArguments(len(names), names, types)


_TYPE_TEXTS = {bool: "boolean", int: "int", float: "float", str: "string", Ints: "Shape(tuple)"}
"""Types of attributes in MXNet's words."""


def _type_text(attribute: Attribute) -> str:
    kinds = (
        get_args(attribute.kind) if get_origin(attribute.kind) in (Union, UnionType) else (attribute.kind,)
    )
    kind = kinds[0]
    choices = ", ".join(repr(choice) for choice in sorted(map(str, get_args(kind))))
    described = f"{{{choices}}}" if get_origin(kind) is Literal else _TYPE_TEXTS.get(kind, "tuple or string")
    optional = " or None" * (len(kinds) > 1)
    if attribute.required:
        return f"{described}{optional}, required"
    value = attribute.default
    default = (
        int(value) if isinstance(value, bool) else list(value) if isinstance(value, tuple) else repr(value)
    )
    return f"{described}{optional}, optional, default={default}"


# ---- the older form: an object that is called with symbols


class PythonOp:
    """What `NumpyOp` and `NDArrayOp` share: operators as MXNet had them before `CustomOp`.

    Calling the object gives a Symbol. Without `need_top_grad` the gradient does not depend on that of the
    outputs, which `backward` does not get then.
    """

    _hint = ""
    _count = count()

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def __call__(self, *args: Symbol, **kwargs: Any) -> Symbol:
        """The operator applied to symbols; inputs that are left out become variables."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Symbol, **kwargs: Any) -> Symbol:
        """The operator applied to symbols. Files cannot hold it, as it is an object of this process."""
        op_type = vars(self).get("_op_type")
        if op_type is None:
            op_type = self._op_type = f"{self._hint}_{type(self).__name__}{next(PythonOp._count)}"
            register(op_type)(lambda **_: _PythonProp(self))
        return call(find("Custom"), self._hint, args, {**kwargs, "op_type": op_type}, Symbol)

    def forward(self, in_data: list[Any], out_data: list[Any]) -> None:
        """Write the outputs; here the first is the first input."""
        out_data[0][:] = in_data[0]

    def backward(
        self, out_grad: list[Any], in_data: list[Any], out_data: list[Any], in_grad: list[Any]
    ) -> None:
        """Write the inputs' gradients; here the first is 1."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape: list[list[int]]) -> Any:
        """The shapes of inputs and outputs; here the only output has the first input's."""
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """The outputs' names."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """The inputs' names."""
        return ["data"]

    def need_top_grad(self) -> bool:
        """Whether the gradient depends on that of the outputs."""
        return self.need_top_grad_

    def _seen(self, arrays: list[NDArray], is_target: bool = False) -> list[Any]:
        """Arrays as `forward` and `backward` take them."""
        return arrays


class NumpyOp(PythonOp):
    """An operator whose `forward` and `backward` compute with NumPy arrays."""

    _hint = "_native"

    def _seen(self, arrays: list[NDArray], is_target: bool = False) -> list[Any]:
        if any(x.context.device_typeid == GPU for x in arrays):
            raise MXNetError(
                "NumpyOp: arrays of the processor are required, got some on a GPU. Use a CustomOp."
            )
        views = [x._data.view() for x in arrays]
        for view in views:
            view.flags.writeable = is_target
        return views


class NDArrayOp(PythonOp):
    """An operator whose `forward` and `backward` compute with NDArrays."""

    _hint = "_ndarray"

    def declare_backward_dependency(
        self, out_grad: list[int], in_data: list[int], out_data: list[int]
    ) -> list[int]:
        """Which arrays `backward` reads; it gets all of them here."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


class _PythonProp(CustomOpProp):
    """A `PythonOp` described as a newer operator."""

    def __init__(self, op: PythonOp) -> None:
        super().__init__(op.need_top_grad())
        self._op = op

    def list_arguments(self) -> list[str]:
        return self._op.list_arguments()

    def list_outputs(self) -> list[str]:
        return self._op.list_outputs()

    def infer_shape(self, in_shape: list[list[int]]) -> Any:
        return self._op.infer_shape(in_shape)

    def create_operator(self, ctx: Context, in_shapes: list[list[int]], in_dtypes: list[int]) -> CustomOp:
        return _PythonExecution(self._op)


class _PythonExecution(CustomOp):
    """One execution of a `PythonOp`."""

    def __init__(self, op: PythonOp) -> None:
        self._op = op

    def forward(
        self,
        is_train: bool,
        req: list[str],
        in_data: list[NDArray],
        out_data: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        op = self._op
        op.forward(in_data=op._seen(in_data), out_data=op._seen(out_data, True))

    def backward(
        self,
        req: list[str],
        out_grad: list[NDArray],
        in_data: list[NDArray],
        out_data: list[NDArray],
        in_grad: list[NDArray],
        aux: list[NDArray],
    ) -> None:
        op = self._op
        op.backward(
            out_grad=op._seen(out_grad) if op.need_top_grad() else [],
            in_data=op._seen(in_data),
            out_data=op._seen(out_data),
            in_grad=op._seen(in_grad, True),
        )


# ---- what the graph asks


class _Definition:
    """A user's `CustomOpProp` with certain attributes, as operators describe themselves."""

    def __init__(self, op_type: str, prop: Callable[..., Any], attributes: dict[str, str]) -> None:
        self.op_type = op_type
        self._prop_type, self._attributes = prop, attributes
        with self.named("the constructor"):
            self.prop = self.new()
            self.arguments = tuple(self.prop.list_arguments())
            self.states = tuple(self.prop.list_auxiliary_states())
            self.outputs = tuple(self.prop.list_outputs())
            self.needs_dy = bool(getattr(self.prop, "need_top_grad_", True))

    def new(self) -> Any:
        """A new `CustomOpProp`."""
        return self._prop_type(**self._attributes)

    @contextmanager
    def named(self, method: str) -> Iterator[None]:
        """A scope whose errors tell that they come from this operator; they are MXNetErrors, as in MXNet."""
        where = f"In {method} of the custom operator {self.op_type!r}."
        try:
            yield
        except MXNetError as exc:
            exc.add_note(where)
            raise
        except Exception as exc:
            error = MXNetError(f"Custom: {type(exc).__name__}: {exc}")
            error.add_note(where)
            raise error from exc

    def shapes(self, shapes: Sequence[Shape | None]) -> tuple[list[Shape | None], list[Shape | None]]:
        """What `infer_shape` tells; nothing if it fails and some shape is unknown yet."""
        complete = all(s is not None and None not in s for s in shapes[: len(self.arguments)])
        if complete:
            with self.named("infer_shape"):
                return self.prop_shapes(self.prop, shapes)
        with suppress(Exception):
            return self.prop_shapes(self.prop, shapes)
        return list(shapes), [None] * len(self.outputs)

    def prop_shapes(
        self, prop: Any, shapes: Sequence[Shape | None]
    ) -> tuple[list[Shape | None], list[Shape | None]]:
        """What a `CustomOpProp` tells of shapes."""
        known = shapes[: len(self.arguments)]
        is_open = any(s is None or None in s for s in known)
        answer = prop.infer_shape([[d or 0 for d in s or ()] for s in known])
        inputs, outputs, states = self._parts("infer_shape", answer)
        return (
            [_shape(s, is_open) for s in (*inputs, *states)],
            [_shape(s, is_open) for s in outputs],
        )

    def dtypes(self, dtypes: Sequence[DType | None]) -> tuple[list[DType | None], list[DType | None]]:
        """What `infer_type` tells; nothing if it fails and some dtype is unknown yet."""
        if all(d is not None for d in dtypes[: len(self.arguments)]):
            with self.named("infer_type"):
                return self.prop_dtypes(self.prop, dtypes)
        with suppress(Exception):
            return self.prop_dtypes(self.prop, dtypes)
        return list(dtypes), [None] * len(self.outputs)

    def prop_dtypes(
        self, prop: Any, dtypes: Sequence[DType | None]
    ) -> tuple[list[DType | None], list[DType | None]]:
        """What a `CustomOpProp` tells of dtypes."""
        types = [None if d is None else d.type for d in dtypes[: len(self.arguments)]]
        inputs, outputs, states = self._parts("infer_type", prop.infer_type(types))
        return (
            [None if t is None else as_dtype(t) for t in (*inputs, *states)],
            [None if t is None else as_dtype(t) for t in outputs],
        )

    def _parts(self, method: str, answer: Any) -> tuple[list[Any], list[Any], list[Any]]:
        """The three lists that `infer_shape` and `infer_type` return; that of states may be left out."""
        lists = [list(part) for part in answer] if isinstance(answer, list | tuple) else []
        if len(lists) == 2:
            lists.append([])
        lengths = [len(self.arguments), len(self.outputs), len(self.states)]
        if [len(part) for part in lists] != lengths:
            raise MXNetError(
                f"{method}: lists for {lengths[0]} inputs, {lengths[1]} outputs and {lengths[2]} states are "
                f"required of the custom operator {self.op_type!r}, got {answer!r}."
            )
        return lists[0], lists[1], lists[2]

    def start(self, device: Any) -> _Execution:
        """An execution with a `CustomOp` of its own."""
        return _Execution(self, as_context(device))


def _shape(answer: Sequence[int], is_open: bool) -> Shape | None:
    """A shape as users tell it; sizes of 0 are unknown ones if any of the inputs' is."""
    sizes = tuple(int(d) for d in answer)
    if not sizes:
        return None
    return tuple(None if d == 0 and is_open else d for d in sizes)


class _Execution:
    """A `CustomOp` between its `forward` and its `backward`."""

    def __init__(self, definition: _Definition, ctx: Context) -> None:
        self._definition, self._ctx = definition, ctx
        self._op: Any = None

    def _create(self, arrays: Sequence[Array]) -> tuple[list[Shape | None], list[DType | None]]:
        """Make the `CustomOp` for these inputs; the shapes and dtypes of the outputs."""
        definition = self._definition
        prop = definition.new()
        shapes = definition.prop_shapes(prop, [a.shape for a in arrays])[1]
        dtypes = definition.prop_dtypes(prop, [a.dtype for a in arrays])[1]
        self._op = prop.create_operator(
            self._ctx, [list(a.shape) for a in arrays], [flag_of(a.dtype) for a in arrays]
        )
        return shapes, dtypes

    def _wrapped(self, arrays: Sequence[Array]) -> tuple[list[NDArray], list[NDArray]]:
        """Arguments and states as the user's code takes them."""
        views = [NDArray._on_tape(a, self._ctx, None) for a in arrays]
        count = len(self._definition.arguments)
        return views[:count], views[count:]

    def forward(self, training: bool, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """Call the user's `forward`."""
        with self._definition.named("forward"), autograd.pause(train_mode=training):
            shapes, dtypes = self._create(arrays)
            out_data = [NDArray(_zeros(s, d), self._ctx) for s, d in zip(shapes, dtypes, strict=True)]
            data, aux = self._wrapped(arrays)
            self._op.forward(
                is_train=training,
                req=["write"] * len(out_data),
                in_data=data,
                out_data=list(out_data),
                aux=aux,
            )
        return tuple(y._data for y in out_data)

    def backward(self, dys: Sequence[Any], ys: Sequence[Any], inputs: Sequence[Any]) -> Sequence[Any]:
        """Call the user's `backward`."""
        definition = self._definition
        if not all(isinstance(x, NDArray) for x in (*dys, *inputs)):
            raise ConversionError(
                f"Custom: the gradient of {definition.op_type!r} is Python code and no graph. "
                "Use autograd.record or an executor's backward."
            )
        count = len(definition.arguments)
        requires_grad = [x._entry is not None for x in inputs[:count]]
        training = autograd.is_training()
        with definition.named("backward"), autograd.pause(train_mode=training):
            if self._op is None:
                self._create([x._data for x in inputs])
            data, aux = self._wrapped([x._data for x in inputs])
            grads = [NDArray(np.zeros(x.shape, x._data.dtype), self._ctx) for x in data]
            self._op.backward(
                req=["write" if w else "null" for w in requires_grad],
                out_grad=[
                    _detached(dy) if self._definition.needs_dy else NDArray(_NOTHING, self._ctx) for dy in dys
                ],
                in_data=data,
                out_data=[_detached(y) for y in ys],
                in_grad=list(grads),
                aux=aux,
            )
        in_grads = [g if w else None for g, w in zip(grads, requires_grad, strict=True)]
        if autograd.is_recording():
            self._refuse_second(in_grads, [*dys, *inputs])
        return [*in_grads, *[None] * len(aux)]

    def _refuse_second(self, grads: Sequence[NDArray | None], sources: Sequence[NDArray]) -> None:
        """Put the gradients on the tape such that differentiating them is an error."""
        arrays = [g for g in grads if g is not None]
        op = _NotAgain(self._definition.op_type)
        node = TapeNode(
            op, [x._entry for x in sources], [x._data for x in sources], [g._data for g in arrays], self._ctx
        )
        for i, gradient in enumerate(arrays):
            gradient._entry = (node, i)


class _NotAgain:
    """The gradient of a custom operator on the tape: it has none itself."""

    not_differentiable = ""
    broadcasts = False
    index_inputs = ()
    ignores_head = False
    takes_no_head = False

    def __init__(self, op_type: str) -> None:
        self._op_type = op_type

    def gradient(self, *_: Any) -> Sequence[Any]:
        """Refuse."""
        raise MXNetError(
            f"Custom: {self._op_type!r} has first derivatives only, as its backward is Python "
            "code. Write it with operators, or as autograd.Function."
        )


_NOTHING = np.zeros(())
"""What `backward` gets for the gradient of an output on which the inputs' does not depend."""


def _detached(array: NDArray) -> NDArray:
    return NDArray._on_tape(array._data, array._ctx, None)


def _zeros(shape: Shape | None, dtype: DType | None) -> Array:
    if shape is None or None in shape:
        raise ShapeError(f"Custom: infer_shape must tell the outputs' shapes, got {show(shape)}.")
    return np.zeros([d or 0 for d in shape], dtype or np.float32)
