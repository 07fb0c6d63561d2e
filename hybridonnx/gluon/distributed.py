"""Training in several processes in the manner of Horovod: a trainer, and parameters that begin as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RequirementError
from ..kvstore.kvstore import create
from ..ndarray.ndarray import NDArray
from ..optimizer.optimizer import Optimizer
from .parameter import Parameter, ParameterDict
from .trainer import Trainer

__all__ = ["DistributedTrainer", "broadcast_parameters"]


class DistributedTrainer(Trainer):
    """A trainer that takes the mean of the gradients over all workers, which `hybridonnx launch` starts.

    `step` takes the rows of this worker alone, so that scripts of one process need no other number. It has no
    store that updates: `allreduce_grads`, what is done to the sums, and `update` make a step as well.
    `optimizer` and `optimizer_params` are those of `Trainer`, and `compression_params` too.
    """

    def __init__(
        self,
        params: ParameterDict,
        optimizer: str | Optimizer,
        optimizer_params: Mapping[str, Any] | None = None,
        compression_params: Mapping[str, object] | None = None,
    ) -> None:
        store = create("dist_sync")
        super().__init__(params, optimizer, optimizer_params, store, compression_params, False)
        self._scale /= store.num_workers

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        rank: int = self._kvstore.rank
        return rank

    @property
    def num_workers(self) -> int:
        """The number of workers."""
        count: int = self._kvstore.num_workers
        return count


def broadcast_parameters(
    params: ParameterDict | Mapping[str, Parameter | NDArray], root_rank: int = 0
) -> None:
    """Write the parameters of one worker, moving means and variances included, into those of all others.

    Args:
        params: What `collect_params()` gives, or arrays by name. All have values by now.
        root_rank: The number of that worker.

    Raises:
        RequirementError: There is no such worker, or shapes that the first input tells are open.
    """
    store = create("dist_sync")
    if not 0 <= root_rank < store.num_workers:
        raise RequirementError(
            f"broadcast_parameters: a rank from 0 to {store.num_workers - 1} is required, got {root_rank}."
        )
    values = sorted(params.items())
    open_ones = [name for name, value in values if isinstance(value, Parameter) and value._data is None]
    if open_ones:
        raise RequirementError(
            f"broadcast_parameters: parameters that have values are required, got {open_ones[0]!r}, whose "
            "shape the first input tells. Call the block once before, or let the Trainer begin with those of "
            "rank 0."
        )
    for name, value in values:
        for array in [value] if isinstance(value, NDArray) else value.list_data():
            store.share(name, array, root_rank)
