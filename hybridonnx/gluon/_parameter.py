"""One parameter: an array with a name, a gradient, and values drawn once its shape is known."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import autograd, initializer
from .._locks import new_lock, no_fork
from ..attrs import ShapeLike
from ..context import Context, cpu, current_context
from ..dtypes import DTypeLike, as_dtype, has_gradients
from ..errors import DeferredInitializationError, FormatError, MXNetError, RequirementError
from ..initializer import InitializerLike
from ..ndarray import creation, sparse
from ..ndarray.ndarray import NDArray
from ..ndarray.np_array import ndarray
from ..ndarray.np_shape import is_np_array, is_np_shape
from ..symbol.symbol import Symbol, var
from ..typing import ArrayLike, Contexts

making = new_lock()
"""Held while parameters are initialized, and blocks traced and compiled: other threads wait.

It is one for both, as initializers may call blocks, and blocks are initialized by their first input.
"""
_STORAGE = ("default", "row_sparse", "csr")


class _Deferred(NamedTuple):
    """An initialization that waits for the shape."""

    init: Any
    ctx: list[Context]
    default_init: Any
    data: NDArray | None


def _contexts(ctx: Any) -> list[Context]:
    if ctx is None:
        return [current_context()]
    return [ctx] if isinstance(ctx, Context) else list(ctx)


def _spelled_dtype(dtype: Any) -> Any:
    """A dtype as the user spelled it, which texts show; raises `DTypeError` for others."""
    known = as_dtype(dtype)
    return dtype if isinstance(dtype, str | type) else known.type if dtype is None else known


def shape_is_known(shape: Sequence[int] | None) -> bool:
    """Whether the rank and all sizes are known (an unknown size is 0 or -1, an unknown rank no sizes)."""
    return bool(shape) and all(d > 0 for d in shape or ())


class Parameter:
    """A named array of a block.

    `shape` may hold 0 for sizes that the first input tells; `grad_req` is "write", "add" or "null". Threads
    may read it while one initializes or writes it; gradients that several add up are all in the sum.
    """

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: ShapeLike | None = None,
        dtype: DTypeLike = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: InitializerLike = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        self._var: Symbol | None = None
        self._data: list[NDArray] | None = None
        self._deferred: _Deferred | None = None
        self._last_trainer: Callable[[], Any] | None = None
        self._differentiable = differentiable
        self._allow_deferred_init = allow_deferred_init
        self._grad_req = "null"
        self._users: weakref.WeakSet[Any] = weakref.WeakSet()
        self._shape = (shape,) if isinstance(shape, int) else None if shape is None else tuple(shape)
        self.name = name
        self._dtype: Any = _spelled_dtype(dtype)
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.grad_req = grad_req
        self.init = init
        for kind in (stype, grad_stype):
            if kind not in _STORAGE:
                raise RequirementError(
                    f"Parameter '{name}': stype must be one of {', '.join(_STORAGE)}, got {kind!r}."
                )
        self._stype, self._grad_stype = stype, grad_stype

    def __getstate__(self) -> dict[str, Any]:
        """What copies take over: not the blocks that compiled the arrays."""
        return {**self.__dict__, "_users": (), "_last_trainer": None, "gradients": self._gradients()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "gradients" not in state:
            raise FormatError(
                "Parameter: what hybridonnx pickled is required, got a pickle of MXNet's. Read it with "
                "MXNet, and hand it over by save_parameters and load_parameters."
            )
        gradients = state.pop("gradients")
        self.__dict__.update(state)
        self._users = weakref.WeakSet()
        self._init_grad(gradients)

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.name} (shape={self.shape}, dtype={self._dtype})"

    # ---- attributes

    @property
    def dtype(self) -> Any:
        """The element type as the user spelled it: NumPy's scalar type, or a name."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: DTypeLike) -> None:
        self.cast(dtype)

    @property
    def _trainer(self) -> Any:
        """The trainer that was made last with it, for those who read it; `None` if there is none any more."""
        return None if self._last_trainer is None else self._last_trainer()

    @_trainer.setter
    def _trainer(self, trainer: Any) -> None:
        self._last_trainer = None if trainer is None else weakref.ref(trainer)

    @property
    def stype(self) -> str:
        """The storage type."""
        return self._stype

    # ---- what subclasses written for MXNet read and set: values that another parameter has, too

    @property
    def _deferred_init(self) -> tuple[Any, ...]:
        """The initialization that waits for the shape, empty if there is none."""
        return self._deferred or ()

    @_deferred_init.setter
    def _deferred_init(self, value: Sequence[Any]) -> None:
        self._deferred = _Deferred(*value) if value else None

    @property
    def _grad(self) -> list[NDArray] | None:
        """The gradient of each of the arrays in `_data`; `None` if there are none."""
        arrays = [array.grad for array in self._data or () if array.grad is not None]
        return arrays or None

    @_grad.setter
    def _grad(self, gradients: Sequence[NDArray] | None) -> None:
        for array, gradient in zip(self._data or (), gradients or (), strict=False):
            if array.grad is not gradient:
                autograd.mark_variables(array, gradient, self._grad_req)

    @property
    def _ctx_list(self) -> list[Context] | None:
        """The contexts of the arrays in `_data`, which say it themselves: what is set is ignored."""
        return None if self._data is None else [array.context for array in self._data]

    @_ctx_list.setter
    def _ctx_list(self, contexts: object) -> None:
        pass

    _ctx_map = _ctx_list

    def _check_and_get(self, arrays: list[NDArray] | None, ctx: Any) -> Any:
        """The one of `_data` or `_grad` on a context, all of them if it is `list`."""
        present = self._check_initialized() if arrays is None or arrays is self._data else arrays
        return present if ctx is list else self._on(present, ctx)

    @property
    def grad_req(self) -> str:
        """What happens to gradients: "write", "add" or "null"."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in ("write", "add", "null"):
            raise RequirementError(f"{self.name}: grad_req must be 'write', 'add' or 'null', got {req!r}.")
        if not self._differentiable:
            req = "null"
        if self._grad_req == req:
            return
        self._grad_req = req
        if req == "null":
            for array in self._data or ():
                array._entry, array._leaf = None, None
        elif self._data is not None:
            self._init_grad()

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The sizes of the axes, 0 for unknown ones; `None` if nothing is known."""
        return self._shape

    @shape.setter
    def shape(self, new_shape: Any) -> None:
        new_shape = tuple(int(d) for d in new_shape)
        known = self._shape
        if known is not None:
            fits = len(known) == len(new_shape) and all(
                a in (0, -1) or a == b for a, b in zip(known, new_shape, strict=True)
            )
            if not fits:
                raise RequirementError(
                    f"{self.name}: a shape that agrees with {known} is required, got {new_shape}."
                )
        self._shape = new_shape

    # ---- initialization

    def initialize(
        self,
        init: InitializerLike = None,
        ctx: Contexts = None,
        default_init: InitializerLike = None,
        force_reinit: bool = False,
    ) -> None:
        """Draw the values, at once or when the shape is known. `init` outranks the parameter's own."""
        if self._data is not None and not force_reinit:
            warnings.warn(
                f"Parameter '{self.name}' is already initialized, ignoring. "
                "Set force_reinit=True to re-initialize.",
                stacklevel=2,
            )
            return
        if default_init is None:
            default_init = initializer.Uniform()
        first = init if init is not None else self.init if self.init is not None else default_init
        if not shape_is_known(self.shape):
            if not self._allow_deferred_init:
                raise ValueError(
                    f"Cannot initialize Parameter '{self.name}' because it has invalid shape: {self.shape}. "
                    "Give every size."
                )
            self._deferred = _Deferred(first, _contexts(ctx), default_init, None)
            self._data = None  # after that, as other threads ask which of the two it is
            return
        with making, no_fork():
            self._deferred = _Deferred(first, _contexts(ctx), default_init, None)
            self._finish_deferred_init()

    def _finish_deferred_init(self) -> None:
        """Draw the values now that the shape is known; until then other threads get those that there are."""
        with making, no_fork():
            if self._deferred is not None:
                self._draw(self._deferred)

    def _draw(self, deferred: _Deferred) -> None:
        if not shape_is_known(self.shape):
            raise RequirementError(
                f"Cannot initialize Parameter '{self.name}' because it has invalid shape: {self.shape}. "
                "Give in_units, in_channels and the like, or call the block once with data."
            )
        init, ctx, default_init, data = deferred
        complete = False
        try:
            with autograd.pause():
                if data is None:
                    data = creation.empty(self.shape or (), dtype=self.dtype, ctx=cpu())
                    description = initializer.InitDesc(self.name, {"__init__": init})
                    initializer.create(default_init)(description, data)
                self._set_arrays(data, ctx)
            complete = True
        finally:
            self._data = self._data if complete else None
            self._deferred = None

    def _set_arrays(self, data: NDArray, ctx: list[Context]) -> None:
        """Make `data` the values on these contexts."""
        kind = ndarray if is_np_array() else NDArray
        self._replace([kind(data._host if i == 0 else data.asnumpy(), c) for i, c in enumerate(ctx)])

    def _replace(self, arrays: list[NDArray], gradients: Sequence[NDArray | None] = ()) -> None:
        """Make arrays the values, with their gradients at once: other threads may use them already."""
        with making, no_fork():
            self._attach(arrays, gradients)
            self._data = arrays
            self._replaced()

    def _init_grad(self, values: Sequence[NDArray | None] = ()) -> None:
        """Attach gradients, of zeros or these values, unless the parameter has none."""
        self._attach(self._data or (), values)

    def _attach(self, arrays: Sequence[NDArray], gradients: Sequence[NDArray | None]) -> None:
        if self._grad_req == "null":
            return
        for array in arrays:
            array.attach_grad(self._grad_req, self._grad_stype)
        for array, value in zip(arrays, gradients, strict=False):
            if array.grad is not None and value is not None:
                array.grad[:] = value

    def _gradients(self) -> list[NDArray | None]:
        """The gradients, `None` where they are zero because nobody has asked for them."""
        leaves = [array._leaf for array in self._data or ()]
        return [None if leaf is None or leaf.is_zero else leaf.grad for leaf in leaves]

    def _replaced(self) -> None:
        """Let those who compiled the arrays know that they are others now."""
        for user in tuple(self._users):
            user._parameters_replaced()

    def _load_init(
        self,
        data: NDArray,
        ctx: Any,
        cast_dtype: bool = False,
        dtype_source: str = "current",
        adopt: bool = False,
    ) -> None:
        """Take the values of a file; with `adopt` the array itself, which nobody else has."""
        if self.shape is not None:
            self._check_loaded(data)
            self._shape = data.shape
        else:
            self._shape = data.shape
        if dtype_source not in ("current", "saved"):
            raise RequirementError(f"dtype_source: 'current' or 'saved' is required, got {dtype_source!r}.")
        if np.dtype(self.dtype) != np.dtype(data.dtype):
            if not cast_dtype:
                raise RequirementError(
                    f"Failed loading Parameter '{self.name}' from saved params: dtype "
                    f"{np.dtype(self.dtype).name} is required, got {np.dtype(data.dtype).name}. "
                    "Set cast_dtype=True to cast."
                )
            if dtype_source == "saved":
                self._dtype = data.dtype
            else:
                data = data.astype(self.dtype)
        if not has_gradients(data._data.dtype):
            self._grad_req = "null"
        contexts = self._contexts_to_load(ctx)
        if self._data is None or self._data[0].dtype != data.dtype:
            self._set_arrays(data if adopt else data.copyto(cpu()), contexts)
            self._deferred = None
            return
        self.set_data(data)

    def _contexts_to_load(self, ctx: Any) -> list[Context]:
        """Where loaded values go: where the values are already, which `ctx` has to agree with."""
        requested = None if ctx is None else _contexts(ctx)
        present = self.list_ctx() if self._data is not None or self._deferred is not None else None
        if requested and present and set(requested) != set(present):
            raise RequirementError(
                f"Failed to load Parameter '{self.name}' on {requested}: it is initialized on {present} "
                "already. Leave ctx out, or call reset_ctx first."
            )
        return present or requested or [cpu()]

    def _check_loaded(self, data: NDArray) -> None:
        assert self.shape is not None
        fits = len(self.shape) == len(data.shape) and all(
            a in (0, -1) or a == b for a, b in zip(self.shape, data.shape, strict=True)
        )
        if not fits:
            raise RequirementError(
                f"Failed loading Parameter '{self.name}' from saved params: shape {self.shape} is required, "
                f"got {data.shape}."
            )

    # ---- values

    def _check_initialized(self) -> list[NDArray]:
        deferred = self._deferred  # asked first: another thread ends it after there are values
        if self._data is not None:
            return self._data
        if deferred is not None:
            raise DeferredInitializationError(
                f"Parameter '{self.name}' has not been initialized yet because initialization was deferred. "
                "Actual initialization happens during the first forward pass. Please pass one batch of data "
                "through the network before accessing Parameters."
            )
        raise MXNetError(
            f"Parameter '{self.name}' has not been initialized. Call initialize() on the block, or load its "
            "parameters, before using it."
        )

    def _on(self, arrays: list[NDArray], ctx: Context | None) -> NDArray:
        if ctx is None:
            if len(arrays) == 1:
                return arrays[0]
            ctx = current_context()
        for array in arrays:
            if array.context == ctx:
                return array
        raise MXNetError(
            f"Parameter '{self.name}' was not initialized on context {ctx}. "
            f"It was only initialized on {[a.context for a in arrays]}."
        )

    def data(self, ctx: Context | None = None) -> NDArray:
        """The values on a context. Raises `DeferredInitializationError` while the shape is unknown."""
        self._require_dense("data")
        return self._values(ctx)

    def list_data(self) -> list[NDArray]:
        """The values on every context."""
        self._require_dense("list_data")
        return self._every_value()

    def _require_dense(self, method: str) -> None:
        if self._stype == "row_sparse":
            raise MXNetError(
                f"Parameter '{self.name}': {method} requires stype='default', got 'row_sparse'. "
                f"Use {'list_' * method.startswith('list')}row_sparse_data()."
            )

    def _values(self, ctx: Context | None = None) -> NDArray:
        """What `data` gives, of row_sparse parameters too, whose values are dense here."""
        return self._on(self._check_initialized(), ctx)

    @property
    def _is_computed(self) -> bool:
        """Whether a subclass makes other arrays of the values whenever it is asked for `data`."""
        return type(self).data is not Parameter.data

    def _used(self, ctx: Context | None) -> NDArray:
        """What blocks compute with."""
        return self.data(ctx) if self._is_computed else self._values(ctx)

    def _every_value(self) -> list[NDArray]:
        return list(self._check_initialized())

    def list_ctx(self) -> list[Context]:
        """The contexts that the values are on."""
        if self._data is None and self._deferred is not None:
            return self._deferred.ctx
        return [array.context for array in self._check_initialized()]

    def row_sparse_data(self, row_id: NDArray) -> NDArray:
        """The rows `row_id` of the values, if `stype` is "row_sparse"."""
        return self._rows(self._values(row_id.context), row_id)

    def list_row_sparse_data(self, row_id: NDArray) -> list[NDArray]:
        """The same on every context."""
        return [self._rows(array, row_id) for array in self._check_initialized()]

    def _rows(self, array: NDArray, row_id: NDArray) -> NDArray:
        if self._stype != "row_sparse":
            raise MXNetError(
                f"Parameter '{self.name}': row_sparse_data requires stype='row_sparse', got '{self._stype}'. "
                "Use data()."
            )
        rows = np.unique(row_id._host.astype(np.int64))
        part = sparse.row_sparse_array((array._host[rows], rows), array.shape, array.context, array.dtype)
        part._entry, part._leaf = array._entry, array._leaf  # gradients are the parameter's
        return part

    def set_data(self, data: Any) -> None:
        """Replace the values on every context."""
        self.shape = data.shape
        if self._data is None:
            if self._deferred is None:
                raise RequirementError(
                    f"Parameter '{self.name}' has not been initialized. Call initialize() first."
                )
            source = data if isinstance(data, NDArray) else creation.array(data, dtype=self.dtype)
            self._deferred = self._deferred._replace(data=source.copyto(cpu()))
            return
        for array in self._data:
            array[:] = data

    def _reduce(self) -> NDArray:
        """The mean of the values on all contexts, as a copy on the CPU."""
        first, *others = [array._host for array in self._check_initialized()]
        if not others:
            return NDArray(first.copy(), cpu())
        return NDArray((sum(others, first) / (1 + len(others))).astype(first.dtype), cpu())

    def reset_ctx(self, ctx: Contexts) -> None:
        """Move the values to other contexts."""
        contexts = _contexts(ctx)
        if self._data is not None:
            with autograd.pause():
                self._set_arrays(self._reduce(), contexts)
        elif self._deferred is not None:
            self._deferred = self._deferred._replace(ctx=contexts)
        else:
            raise ValueError(
                f"Cannot reset context for Parameter '{self.name}' because it has not been initialized."
            )

    def cast(self, dtype: DTypeLike) -> None:
        """Give values and gradient another dtype."""
        self._dtype = _spelled_dtype(dtype)
        self._var = None
        if self._data is None:
            return
        with autograd.pause():
            gradients = self._gradients()
            self._replace([array.detach().astype(self._dtype) for array in self._data], gradients)

    # ---- gradients

    def grad(self, ctx: Context | None = None) -> NDArray:
        """The gradient on a context."""
        return self._on(self.list_grad(), ctx)

    def list_grad(self) -> list[NDArray]:
        """The gradient on every context."""
        arrays = self._check_initialized()
        if self._grad_req == "null":
            raise MXNetError(
                f"Cannot get gradient array for Parameter '{self.name}' because grad_req='null'."
            )
        return [array.grad for array in arrays if array.grad is not None]

    def zero_grad(self) -> None:
        """Set the gradient to zero."""
        for gradient in self._gradients():
            if gradient is not None:
                gradient._clear()

    # ---- in graphs

    def _shape_in_graphs(self) -> tuple[int, ...] | None:
        """The shape, in which NumPy's semantics have -1 for unknown sizes."""
        if self.shape is None or not is_np_shape():
            return self.shape
        return tuple(d or -1 for d in self.shape)

    def var(self) -> Symbol:
        """The variable that stands for the parameter in graphs."""
        if self._var is None:
            self._var = var(
                self.name,
                shape=self._shape_in_graphs(),
                dtype=self.dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self.init,
                stype=self._stype,
            )
        return self._var


class Constant(Parameter):
    """A parameter that holds fixed values and has no gradient."""

    def __init__(self, name: str, value: ArrayLike) -> None:
        value = value if isinstance(value, NDArray) else creation.array(value)
        self.value: NDArray = value
        init = initializer.constant_of(value)
        super().__init__(name, grad_req="null", shape=value.shape, dtype=value.dtype, init=init)

    def __repr__(self) -> str:
        return f"Constant {self.name} (shape={self.shape}, dtype={self._dtype})"

    @property
    def grad_req(self) -> str:
        """Always "null"."""
        return "null"

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req != "null":
            warnings.warn(
                f"Constant parameter '{self.name}' does not support grad_req other than 'null'.", stacklevel=2
            )
