"""Further samplers, where MXNet has them."""

from ...data.sampler import IntervalSampler

__all__ = ["IntervalSampler"]
