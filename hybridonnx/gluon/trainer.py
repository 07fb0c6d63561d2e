"""The trainer: updates parameters by their gradients after each backward pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..context import Context
from ..formats.files import PathLike, open_to_read, write_atomically
from ..kvstore.base import KVStoreBase
from ..kvstore.distributed import DistKVStore
from ..kvstore.gradients import GradientSums
from ..kvstore.kvstore import create as create_store
from ..kvstore.store import KVStore, added
from ..ndarray.ndarray import NDArray
from ..optimizer.optimizer import Optimizer, create
from ..optimizer.updater import Updater, get_updater
from .parameter import Parameter, ParameterDict

__all__ = ["Trainer"]


class Trainer:
    """Applies an optimizer to parameters: `trainer.step(batch_size)` after `loss.backward()`.

    `params` of a dictionary are sorted by name. Parameters on several contexts are kept equal: their
    gradients are added up, unless `kvstore` is `None`. With `update_on_kvstore`, the default for several
    contexts, the first copy is updated and copied to the others; otherwise each copy is updated, with states
    of its own. It is for one thread at a time.

    With a store of several workers, such as "dist_sync", gradients are added up over these as well, and every
    worker updates its parameters, which begin as those of rank 0. `batch_size` is that of all workers then.
    """

    def __init__(
        self,
        params: ParameterDict,
        optimizer: str | Optimizer,
        optimizer_params: Mapping[str, Any] | None = None,
        kvstore: KVStoreBase | str | None = "device",
        compression_params: Mapping[str, object] | None = None,
        update_on_kvstore: bool | None = None,
    ) -> None:
        self._params = _listed(params)
        self._order = (
            list(params) if isinstance(params, Mapping | ParameterDict) else [p.name for p in params]
        )
        self._param2idx = {param.name: i for i, param in enumerate(self._params)}
        self._contexts = self._check_contexts()
        optimizer_params = optimizer_params or {}
        self._scale = self._amp_original_scale = float(optimizer_params.get("rescale_grad", 1.0))
        self._amp_loss_scaler: Any = None
        self._sums: GradientSums | None = None
        self._optimizer = self._make_optimizer(optimizer, optimizer_params)
        self._updaters = [get_updater(self._optimizer) for _ in self._contexts]
        self._kvstore = self._store(kvstore)
        self._compression_params = compression_params
        several = len(self._contexts) > 1
        if update_on_kvstore is None:
            together = several or self._shared_store is not None
            update_on_kvstore = together and self._kvstore is not None and self._own_store is None
        elif update_on_kvstore and self._own_store is not None:
            raise ValueError(f"Trainer: {type(kvstore).__name__} cannot update; leave out update_on_kvstore.")
        self._update_on_kvstore = bool(update_on_kvstore)
        self._kv_initialized = False
        self._kvstore_params = {"kvstore": kvstore, "update_on_kvstore": update_on_kvstore}
        self._params_to_init = list(self._params)
        self._distributed: bool | None = None
        for param in self._params:
            param._trainer = self

    def _init_kvstore(self) -> None:
        """What MXNet does before the first step, under the name that users' trainers call."""
        store = self._shared_store
        self._kv_initialized, self._distributed = True, store is not None
        if store is not None:
            if self._compression_params:
                store.set_gradient_compression(self._compression_params)
            self._sums = GradientSums(store, self._order)
        self._init_params()

    def _begin(self) -> None:
        """Be as after the first step: parameters that others write next are not those of rank 0 any more."""
        if not self._kv_initialized:
            self._init_kvstore()
        self._params_to_init = []

    def _init_params(self) -> None:
        """Take the parameters that have values by now; every context gets what the first one has."""
        if self._own_store is not None:
            for i, param in enumerate(self._params):
                if param in self._params_to_init and param._data:
                    self._own_store.broadcast(i, param.list_data()[0], param.list_data())
        elif self._kvstore is not None:
            if self._shared_store is not None:
                for i, param in enumerate(self._params):
                    if param in self._params_to_init and param._data:
                        self._shared_store.share(i, param._data[0])
            for first, *others in (param._data for param in self._params_to_init if param._data):
                for other in others:
                    other._assign(first)
        self._params_to_init = [param for param in self._params_to_init if param._data is None]

    def _allreduce_grads(self) -> None:
        self._allreduce()

    def _check_contexts(self) -> list[Context]:
        """The contexts of the parameters. Raises unless they all are on the same."""
        first: list[Context] | None = None
        for param in self._params:
            contexts = param.list_ctx()
            if first is not None and contexts != first:
                raise AssertionError(
                    "Trainer: all Parameters must be initialized on the same set of contexts, but Parameter "
                    f"{param.name} is initialized on {contexts} while previous Parameters are initialized "
                    f"on {first}."
                )
            first = contexts
        return first or []

    def _make_optimizer(self, optimizer: str | Optimizer, options: Mapping[str, Any]) -> Optimizer:
        params: dict[int | str, object] = dict(enumerate(self._params))
        if not isinstance(optimizer, Optimizer):
            return create(optimizer, param_dict=params, **options)
        if options:
            raise AssertionError(
                "Trainer: optimizer_params must be None if optimizer is an instance of Optimizer instead of "
                f"str, got {options}."
            )
        optimizer.param_dict = params
        return optimizer

    def _store(self, kvstore: Any) -> Any:
        if kvstore is None or isinstance(kvstore, KVStoreBase):
            return kvstore
        if not isinstance(kvstore, str):
            raise TypeError(f"Trainer: kvstore must be KVStore, str or None, got {type(kvstore).__name__}.")
        store = create_store(kvstore)
        return store if len(self._contexts) > 1 or isinstance(store, KVStore) else None

    @property
    def _own_store(self) -> Any:
        """A store of a class that users wrote, which has to be asked; others add up here."""
        return None if isinstance(self._kvstore, KVStore) else self._kvstore

    @property
    def _shared_store(self) -> DistKVStore | None:
        """The store that several workers have in common."""
        return self._kvstore if isinstance(self._kvstore, DistKVStore) else None

    # ---- rates

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer."""
        return self._optimizer

    @property
    def learning_rate(self) -> Any:
        """The rate now."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the rate. Raises `UserWarning` if a scheduler sets it."""
        self._optimizer.set_learning_rate(lr)

    # ---- steps

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters by their gradients, divided by `batch_size`.

        Raises `UserWarning` for a gradient that no backward pass has written since the last step;
        `ignore_stale_grad` passes over such parameters.
        """
        self._rescale(batch_size)
        if self._update_on_kvstore:
            self._sum_over_workers(ignore_stale_grad)
            self._update_first(ignore_stale_grad)
        else:
            self._allreduce()
            self._update_each(ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Add up the gradients of each parameter over the contexts; then `update` does the rest of a step."""
        self._refuse_on_kvstore("allreduce_grads")
        if not self._kv_initialized:
            self._init_kvstore()
        self._allreduce()

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Do what `step` does, without adding up gradients over the contexts."""
        self._refuse_on_kvstore("update")
        self._rescale(batch_size)
        self._update_each(ignore_stale_grad)

    def _refuse_on_kvstore(self, method: str) -> None:
        if self._update_on_kvstore:
            raise AssertionError(
                f"{method}() when parameters are updated on kvstore is not supported. "
                "Try setting `update_on_kvstore` to False when creating trainer."
            )

    def _rescale(self, batch_size: float) -> None:
        if not hasattr(batch_size, "__float__"):
            raise TypeError(f"Trainer: a number as batch_size is required, got {batch_size!r}.")
        if not batch_size:
            raise ZeroDivisionError(f"Trainer: a batch_size other than 0 is required, got {batch_size}.")
        if not self._kv_initialized:
            self._init_kvstore()
        self._optimizer.rescale_grad = self._scale / batch_size

    def _trained(self) -> list[tuple[int, Parameter]]:
        """The parameters that have gradients, once all have values."""
        for param in self._params:
            param._every_value()
        return [(i, p) for i, p in enumerate(self._params) if p.grad_req != "null"]

    def _allreduce(self) -> None:
        if self._own_store is not None:
            for i, param in self._trained():
                self._own_store.pushpull(i, param.list_grad(), priority=-i)
            return
        self._sum_over_workers(True)
        if self._kvstore is None or len(self._contexts) < 2:
            return
        if self._shared_store is not None:
            for _, param in self._trained():
                first, *others = param.list_grad()
                for other in others:
                    other._assign(first)
            return
        for _, param in self._trained():
            grads = param.list_grad()
            total = added(grads)
            for grad in grads:
                grad._assign(total)

    def _sum_over_workers(self, ignore_stale_grad: bool) -> None:
        """Write the sum of the gradients of all contexts and workers into those of the first context."""
        if self._sums is None:
            return
        weights = []
        for i, param in self._trained():
            arrays = param._every_value()
            self._require_fresh(param, arrays, ignore_stale_grad)
            first, *others = param.list_grad()
            for other in others:
                first._accumulate(other)
            weights.append((i, param.name, arrays))
        self._sums.write(weights)

    def _overflows(self) -> bool:
        """Whether mixed precision has a scale that is too large, so that this step must not be made."""
        return self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params)

    def _update_each(self, ignore_stale_grad: bool) -> None:
        if self._overflows():
            return
        parts: list[list[tuple[int, NDArray, NDArray]]] = [[] for _ in self._updaters]
        for i, param in self._trained():
            weights = param._every_value()
            self._require_fresh(param, weights, ignore_stale_grad)
            for n, (grad, data) in enumerate(zip(param.list_grad(), weights, strict=True)):
                if data._fresh_grad:
                    parts[n].append((i, grad, data))
                    data._fresh_grad = False
        for n, updater in enumerate(self._updaters):
            self._optimizer._set_current_context(n)
            _update(updater, parts[n])
        self._optimizer._set_current_context(0)

    def _update_first(self, ignore_stale_grad: bool) -> None:
        if self._overflows():
            return
        parts, copies = [], []
        for i, param in self._trained():
            weights = param._every_value()
            self._require_fresh(param, weights, ignore_stale_grad)
            if all(data._fresh_grad for data in weights):
                gradients = param.list_grad()
                parts.append((i, gradients[0] if self._sums is not None else added(gradients), weights[0]))
                copies += [(other, weights[0]) for other in weights[1:]]
                for data in weights:
                    data._fresh_grad = False
        _update(self._updaters[0], parts)
        for other, first in copies:
            other._assign(first)

    def _require_fresh(self, param: Parameter, weights: list[NDArray], ignore: bool) -> None:
        """Raise if a gradient was not written since it was used last, unless that is to be ignored.

        A step that fails here has used those of the parameters before up, and updates none, as in MXNet.
        """
        stale = next((data for data in weights if not data._fresh_grad), None)
        if stale is not None and not ignore:
            raise UserWarning(
                f"Gradient of Parameter `{param.name}` on context {stale.context} has not been updated by "
                "backward since last `step`. If this iteration is meant to use only some of the parameters, "
                "call step with ignore_stale_grad=True, which leaves the others as they are."
            )

    # ---- states

    def save_states(self, fname: PathLike) -> None:
        """Write the states of the optimizer, its counts and rates as a file of arrays; not MXNet's pickle."""
        write_atomically(fname, [self._updaters[0].get_states(dump_optimizer=True)])

    def load_states(self, fname: PathLike) -> None:
        """Continue from what `save_states` wrote, here or in MXNet, with classes as they were."""
        with open_to_read(fname) as file:
            states = file.read()
        for updater in self._updaters:
            updater.set_states(states)


def _update(updater: Updater, parts: list[tuple[int, NDArray, NDArray]]) -> None:
    """Update weights by their gradients."""
    if parts:
        indices, grads, weights = (list(part) for part in zip(*parts, strict=True))
        plain = [[x.as_nd_ndarray() for x in arrays] for arrays in (grads, weights)]
        updater(indices, *plain)


def _listed(params: Any) -> list[Parameter]:
    """The parameters of a dictionary, by name, or of a list, as they are."""
    if isinstance(params, Mapping | ParameterDict):
        params = [params[name] for name in sorted(params.keys())]
    if not isinstance(params, list | tuple):
        raise ValueError(
            f"Trainer: First argument must be a list or dict of Parameters, got {type(params).__name__}. "
            "Give net.collect_params()."
        )
    for param in params:
        if not isinstance(param, Parameter):
            raise ValueError(
                "Trainer: First argument must be a list or dict of Parameters, got list of "
                f"{type(param).__name__}."
            )
    return list(params)
