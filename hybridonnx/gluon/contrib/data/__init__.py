"""Further samplers, where MXNet has them."""

from __future__ import annotations

from ...data.sampler import IntervalSampler

__all__ = ["IntervalSampler"]
