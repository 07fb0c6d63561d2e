"""What a training loop does with a batch."""

from __future__ import annotations

from typing import Any

from .... import autograd
from ...utils import split_and_load

__all__ = ["BatchProcessor"]

Computed = tuple[Any, Any, Any, Any]
"""Data, labels, predictions and losses, each a list with one for each context."""


class BatchProcessor:
    """Computes predictions and losses of a batch, and gradients in training; subclasses do it otherwise."""

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[Any, Any]:
        """The batch's inputs and labels, a part for each context."""
        data, label = batch[0], batch[1]
        return split_and_load(data, ctx, batch_axis), split_and_load(label, ctx, batch_axis)

    def evaluate_batch(self, estimator: Any, val_batch: Any, batch_axis: int = 0) -> Computed:
        """Compute what a batch of an evaluation gives.

        Args:
            estimator: The loop.
            val_batch: The batch.
            batch_axis: The axis of its samples.

        Returns:
            Data, labels, predictions and losses.
        """
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(p, y) for p, y in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> Computed:
        """Compute what a batch of training gives, and the gradients.

        Args:
            estimator: The loop.
            train_batch: The batch.
            batch_axis: The axis of its samples.

        Returns:
            Data, labels, predictions and losses.
        """
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(p, y) for p, y in zip(pred, label, strict=True)]
        autograd.backward(loss)
        return data, label, pred, loss
