"""The factor that losses are multiplied by, so that gradients do not vanish in float16."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["LossScaler"]


class LossScaler:
    """A factor that is halved after gradients that are not finite, and doubled after many that are.

    The next step has the new factor. It begins as 2^16 and is 2^24 at most.
    """

    def __init__(self) -> None:
        self._loss_scale = self._next_loss_scale = 2.0**16
        self._max_loss_scale = 2.0**24
        self._scale_seq_len = 2000
        self._unskipped = 0

    @property
    def loss_scale(self) -> float:
        """The factor of this step."""
        return self._loss_scale

    def has_overflow(self, params: Iterable[Any]) -> bool:
        """Whether a gradient of `params` is infinite or NaN; then the factor of the next step is another."""
        gradients = [g for param in params if param.grad_req != "null" for g in param.list_grad()]
        overflow = not all(np.isfinite(g._host).all() for g in gradients)
        self._loss_scale = self._next_loss_scale
        if overflow:
            self._next_loss_scale, self._unskipped = self._loss_scale / 2, 0
            logging.info("AMP: decreasing loss scale to %f", self._next_loss_scale)
            return True
        self._unskipped += 1
        if self._unskipped == self._scale_seq_len:
            self._next_loss_scale = min(self._max_loss_scale, self._loss_scale * 2)
            self._unskipped = 0
            logging.info("AMP: increasing loss scale to %f", self._next_loss_scale)
        return False
