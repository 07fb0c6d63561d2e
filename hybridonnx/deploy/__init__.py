"""Models at work: predictions of many rows, on one machine or several, and servers of models."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={
        "Batches": ".serve_options",
        "Limits": ".serve_options",
        "Pixels": ".pixels",
        "Predictor": ".prediction",
        "Report": ".report",
        "Server": ".server",
        "TritonOptions": ".triton_options",
        "predict": ".batch",
        "predictor": ".prediction",
        "serve": ".server",
        "triton": ".triton_repository",
    },
    submodules=(),
)
