"""Further samplers and texts, where MXNet has them."""

from ...._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__, single={"IntervalSampler": ".sampler"}, submodules=("sampler", "text")
)
