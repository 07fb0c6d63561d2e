"""ONNX files: write models to them, read models from them, and compare both."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    modules=(
        "models",
        "benchmark",
        "checkpoint",
        "inspection",
        "manifest",
        "model_diff",
        "model_profile",
        "pipeline",
        "prediction",
    ),
    submodules=("mx2onnx",),
)
