"""What all optimizers share: learning rates, weight decay, counts of updates, and copies in float32."""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from .._lazy import lazy_package
from ..dtypes import DTypeLike
from ..errors import suggest
from ..lr_scheduler import LRScheduler
from ..ndarray.ndarray import BaseSparseNDArray, NDArray, RowSparseNDArray
from ..ndarray.watch import overwrite, written
from ..ops import Array, steps
from ..symbol.symbol import Symbol
from ..typing import Arrays
from ._on_device import DeviceSteps

__all__ = ["Optimizer", "create", "register"]

_Class = TypeVar("_Class", bound="type[Optimizer]")
Index: TypeAlias = int | str
"""What tells parameters apart: a number, or a name."""
State: TypeAlias = Any
"""`None`, an array, or a tuple of states."""

_FAMILIES = ("sgd", "adam", "adaptive", "layerwise", "contrib")


@cache
def _load() -> None:
    """Register the optimizers of the package; other threads import them too, and so wait."""
    for family in _FAMILIES:
        importlib.import_module(f"{__package__}.{family}")


class Optimizer:
    """Updates weights in place from their gradients, each weight known by an index.

    Subclasses define `create_state(index, weight)` and `update(index, weight, grad, state)`. Those of this
    package define `_step` instead of `update`: it receives NumPy arrays, the rate and the weight decay.
    """

    opt_registry: ClassVar[dict[str, type[Optimizer]]] = {}
    aggregate_num = 0
    _state_before_master = False
    _lazy = False
    _elementwise = False

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: dict[Index, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: LRScheduler | None = None,
        sym: Symbol | None = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: dict[Index, object] | None = None,
    ) -> None:
        if param_idx2name is not None and not isinstance(param_idx2name, dict):
            raise AssertionError(
                "Optimizer: param_idx2name should be a dict of names by the index of the parameter, "
                f"got {param_idx2name!r}."
            )
        self.rescale_grad = rescale_grad
        self.lr_scheduler = lr_scheduler
        self.lr = self._first_rate(learning_rate)
        self.wd = wd
        self.lr_mult: dict[Any, float] = {}
        self.wd_mult: dict[Any, float] = {}
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self._index_update_count: dict[Any, int] = {}
        self._all_index_update_counts = {0: self._index_update_count}
        self._copied: frozenset[Any] = frozenset()
        self._device_steps = DeviceSteps(type(self).__name__)
        self.clip_gradient = clip_gradient
        self.multi_precision = multi_precision
        self.idx2name = dict(param_idx2name or {})
        self.sym_info = () if sym is None else (sym.attr_dict(), sym.list_arguments())
        self.param_dict = param_dict or {}
        self.set_lr_mult({})
        self.set_wd_mult({})

    def _first_rate(self, learning_rate: float | None) -> float | None:
        """The rate at the beginning; it outranks the scheduler's own."""
        if learning_rate is not None and not hasattr(learning_rate, "__float__"):
            raise TypeError(
                f"{type(self).__name__}: a number as learning_rate is required, got {learning_rate!r}."
            )
        if self.lr_scheduler is None:
            return 0.01 if learning_rate is None else learning_rate
        if learning_rate is not None:
            if self.lr_scheduler.base_lr != learning_rate:
                logging.getLogger(__name__).info(
                    "learning_rate=%s replaces the base_lr=%s of lr_scheduler.",
                    learning_rate,
                    self.lr_scheduler.base_lr,
                )
            self.lr_scheduler.base_lr = learning_rate
        return learning_rate

    # ---- by name

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Make a subclass known by its name, in any case."""
        if not (isinstance(klass, type) and issubclass(klass, Optimizer)):
            raise AssertionError(f"register: a subclass of Optimizer is required, got {klass!r}.")
        if klass.__module__.rpartition(".")[0] != __package__:
            _load()  # so that it may replace one of them
        name = klass.__name__.lower()
        before = Optimizer.opt_registry.get(name)
        if before not in (None, klass):
            warnings.warn(
                f"New optimizer {klass.__module__}.{klass.__name__} is overriding existing optimizer "
                f"{before.__module__}.{before.__name__}.",
                stacklevel=2,
            )
        Optimizer.opt_registry[name] = klass
        return klass

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> Optimizer:
        """An optimizer by the name of its class, in any case."""
        if not isinstance(name, str):
            raise TypeError(f"create: the name of an optimizer is required, got {type(name).__name__}.")
        _load()
        klass = Optimizer.opt_registry.get(name.lower())
        if klass is None:
            raise ValueError(f"Cannot find optimizer {name}.{suggest(name.lower(), Optimizer.opt_registry)}")
        return klass(**kwargs)

    # ---- states

    def create_state(self, index: Index, weight: NDArray) -> State:
        """What the optimizer keeps for a weight between updates: nothing."""
        return None

    def create_state_multi_precision(self, index: Index, weight: NDArray) -> State:
        """The same; for a float16 weight under `multi_precision`, that of a float32 copy, and the copy."""
        if weight.dtype != np.float16:
            return self.create_state(index, weight)
        if not self.multi_precision:
            warnings.warn(
                "Accumulating with float16 in optimizer can lead to poor accuracy or slow convergence. "
                "Consider using multi_precision=True option of the optimizer.",
                stacklevel=2,
            )
            return self.create_state(index, weight)
        master = weight.astype(np.float32)
        state = self.create_state(index, master)
        return (state, master) if self._state_before_master else (master, state)

    # ---- updates

    def update(self, index: Index | Sequence[Index], weight: Arrays, grad: Arrays, state: State) -> None:
        """Update one weight, or each of a list of weights, and the states."""
        whole = [*each(index, weight, grad, state)]
        indices = [part[0] for part in whole]
        self._update_count(indices)
        with self._device_steps:
            for (
                part
            ) in whole:  # `_get_lr` alone, as subclasses of users may answer `_get_lrs` for other counts
                self._update_one(self._get_lr(part[0]), self._get_wd(part[0]), *part)

    def update_multi_precision(
        self, index: Index | Sequence[Index], weight: Arrays, grad: Arrays, state: State
    ) -> None:
        """The same; float16 weights under `multi_precision` receive the values of their float32 copies."""
        self._copied = frozenset()
        if not self.multi_precision:
            self.update(index, weight, grad, state)
            return
        indices: list[Any] = []
        weights: list[NDArray] = []
        grads: list[NDArray] = []
        states: list[State] = []
        copies = {}
        for i, w, g, s in each(index, weight, grad, state):
            if w.dtype == np.float16:
                s, master = s if self._state_before_master else s[::-1]
                copies[i] = w, master
                w, g = master, self._widened(g)
            indices.append(i)
            weights.append(w)
            grads.append(g)
            states.append(s)
        self._copied = frozenset(copies)
        if isinstance(index, list | tuple):
            self.update(indices, weights, grads, states)
        else:
            self.update(indices[0], weights[0], grads[0], states[0])
        for narrow, master in copies.values():
            narrow._assign(master)

    def _widened(self, grad: NDArray) -> NDArray:
        """A float16 gradient in float32; as in MXNet lazy updates of SGD's kin are for float32 only."""
        return grad.astype(np.float32) if not self._state_before_master else _dense(grad)

    def _update_one(
        self, lr: float, wd: float, index: Any, weight: NDArray, grad: NDArray, state: State
    ) -> None:
        """Update one weight that was counted already."""
        arrays: list[Any] = [None if s is None else s._data for s in _listed(state)]
        rows = isinstance(grad, RowSparseNDArray) and self._by_rows(weight)
        if isinstance(weight, BaseSparseNDArray):
            dense = weight.asnumpy()
            hosts: list[Any] = [None if s is None else s._host for s in _listed(state)]
            self._advance(index, dense, grad if rows else grad._host, rows, lr, wd, hosts)
            weight._receive(dense)
            for array, values in zip(arrays, hosts, strict=True):
                if array is not values:  # it is on a device
                    overwrite(array, values)
            return
        if type(weight._data) is not np.ndarray:

            def step(w: Any, g: Any, states: Sequence[Any]) -> None:
                self._advance(index, w, g, rows, lr, wd, [*states])

            self._device_steps.take(weight, grad, rows, arrays, step)
            return
        written(weight._data)  # before as well: other threads see the new value before they are told
        self._advance(index, weight._data, grad if rows else grad._data, rows, lr, wd, arrays)
        written(weight._data)

    def _by_rows(self, weight: NDArray) -> bool:
        """Whether a row-sparse gradient changes only the rows that it stores."""
        return self._lazy

    def _advance(
        self, index: Any, w: Array, g: Any, rows: bool, lr: float, wd: float, state: list[Any]
    ) -> None:
        """Write the weights and the states anew; with `rows` the gradient is a row-sparse one."""
        if rows:
            self._step_rows(g, index, w, lr, wd, state)
        elif w.dtype == np.float16:
            self._step_wide(index, w, g, lr, wd, state)
        elif self._elementwise and w.size > steps.PART:
            steps.in_parts(partial(self._part, index, lr, wd), w, g, *state)
        else:
            self._step(index, w, g, lr, wd, *state)

    def _step_rows(self, grad: Any, index: Any, w: Array, lr: float, wd: float, state: list[Any]) -> None:
        """Step in the rows that the gradient has; the others stay as they are, and their states too."""
        rows = grad.stored.indices
        parts = [None if s is None else s[rows] for s in state]
        part = w[rows]
        self._step(index, part, grad.stored.data, lr, wd, *parts)
        for whole, new in zip((w, *state), (part, *parts), strict=True):
            if whole is not None:
                whole[rows] = new

    def _part(self, index: Any, lr: float, wd: float, w: Array, g: Array, *state: Array | None) -> None:
        self._step(index, w, g, lr, wd, *state)

    def _step_wide(self, index: Any, w: Array, g: Array, lr: float, wd: float, state: list[Any]) -> None:
        """Step in float32, and round once."""
        parts = [None if s is None else s.astype(np.float32) for s in state]
        part = w.astype(np.float32)
        self._step(index, part, g.astype(np.float32), lr, wd, *parts)
        for whole, new in zip((w, *state), (part, *parts), strict=True):
            if whole is not None:
                whole[...] = new

    def _step(self, *args: Any, **kwargs: Any) -> None:
        """`(index, w, g, lr, wd, *state)`: write the arrays `w` and `state` anew."""
        raise NotImplementedError(
            f"{type(self).__name__}: an optimizer defines update(index, weight, grad, state)."
        )

    def _scaled(self, g: Array, decay: float = 0.0, w: Array | None = None) -> Array:
        """The gradient, rescaled, with the weights' decay if asked for, then clipped; a new array."""
        return steps.scaled(g, wd=decay, w=w, **self._scaling())

    def _scaling(self) -> dict[str, Any]:
        """The factor of the gradient, and its bound, negative if there is none, as steps take them."""
        clip = self.clip_gradient
        bound = -1.0 if clip is None or not self._clips(clip) else float(clip)
        return {"rescale": float(self.rescale_grad), "clip": bound}

    def _clips(self, bound: float) -> bool:
        """Whether a value of `clip_gradient` is a bound: MXNet's operators receive no zeros."""
        return bool(bound > 0)

    # ---- rates

    @property
    def learning_rate(self) -> Any:
        """The rate now: that of the scheduler if there is one."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """Set the rate. Raises `UserWarning` if a scheduler sets it."""
        if self.lr_scheduler is not None:
            raise UserWarning(
                "set_learning_rate: no lr_scheduler is allowed, because it sets the rate. "
                "Change lr_scheduler.base_lr."
            )
        self.lr = lr

    def set_lr_scale(self, args_lrscale: Mapping[Index, float]) -> None:
        """Refused, as in MXNet: see `set_lr_mult`."""
        raise DeprecationWarning("set_lr_scale: use set_lr_mult.")

    def set_lr_mult(self, args_lr_mult: Mapping[Index, float]) -> None:
        """Multiply rates, by index or name, besides what the symbol's `__lr_mult__` say."""
        self.lr_mult = self._symbol_multipliers("__lr_mult__")
        self.lr_mult.update(args_lr_mult)

    def set_wd_mult(self, args_wd_mult: Mapping[Index, float]) -> None:
        """Multiply weight decays; without a word only weights and gammas decay."""
        self.wd_mult = {n: 0.0 for n in self.idx2name.values() if not self._decays(n)}
        self.wd_mult.update(self._symbol_multipliers("__wd_mult__"))
        self.wd_mult.update(args_wd_mult)

    def _decays(self, name: str) -> bool:
        return name.endswith(("_weight", "_gamma"))

    def _symbol_multipliers(self, key: str) -> dict[Any, float]:
        """The values of an attribute of the symbol's arguments."""
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        return {n: float(attributes[n][key]) for n in names if key in attributes.get(n, {})}

    def _get_lrs(self, indices: list[Any]) -> list[float]:
        rate = float(self.learning_rate)
        return [rate * self._multiplier(i, "lr_mult", self.lr_mult) for i in indices]

    def _get_wds(self, indices: list[Any]) -> list[float]:
        decay = float(self.wd)
        return [decay * self._multiplier(i, "wd_mult", self.wd_mult) for i in indices]

    def _get_lr(self, index: Any) -> float:
        return self._get_lrs([index])[0]

    def _get_wd(self, index: Any) -> float:
        return self._get_wds([index])[0]

    def _multiplier(self, index: Any, attribute: str, multipliers: dict[Any, float]) -> float:
        """By parameter, else by index, else by name, else 1."""
        if index in self.param_dict:
            return float(getattr(self.param_dict[index], attribute))
        if index in multipliers:
            return float(multipliers[index])
        return float(multipliers.get(self.idx2name.get(index), 1.0))

    # ---- counts

    def _set_current_context(self, device_id: int) -> None:
        """Count the updates of another device, whose weights are the same parameters."""
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _update_count(self, index: Any) -> None:
        """Count an update of each index; `num_update` is the highest count."""
        for i in index if isinstance(index, list | tuple) else [index]:
            count = self._index_update_count.get(i, self.begin_num_update) + 1
            self._index_update_count[i] = count
            self.num_update = max(count, self.num_update)


def each(index: Any, weight: Any, grad: Any, state: Any) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Indices, weights, gradients and states, one by one."""
    if not isinstance(index, list | tuple):
        yield index, weight, grad, state
        return
    yield from zip(index, weight, grad, state, strict=True)


def _dense(grad: NDArray) -> NDArray:
    return NDArray(grad._host.astype(np.float32), grad.context)


def _listed(state: State) -> list[Any]:
    if state is None:
        return []
    return list(state) if isinstance(state, list | tuple) else [state]


def zeros_like(weight: NDArray, dtype: DTypeLike | None = None) -> NDArray:
    """A state of zeros for a weight."""
    return NDArray(np.zeros(weight.shape, dtype or weight.dtype), weight.context)


register = Optimizer.register
create = Optimizer.create_optimizer


if not TYPE_CHECKING:
    _ELSEWHERE = """
AdaDelta AdaGrad Adam Adamax DCASGD FTML Ftrl LAMB LARS LBSGD NAG Nadam RMSProp SGD SGLD Signum Test
Updater ccSGD get_updater
""".split()
    """What MXNet's module has as well; the package knows where it is."""
    __getattr__, _ = lazy_package(__name__, single=dict.fromkeys(_ELSEWHERE, ".."))
