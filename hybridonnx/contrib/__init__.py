"""What MXNet keeps apart as contributed: ONNX, text, and operators whose names begin with `_contrib_`."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={
        "nd": "..ndarray:contrib",
        "ndarray": "..ndarray:contrib",
        "sym": "..symbol:contrib",
        "symbol": "..symbol:contrib",
        "quant": "..contrib:quantization",
    },
    submodules=(
        "amp",
        "autograd",
        "io",
        "onnx",
        "quantization",
        "svrg_optimization",
        "tensorboard",
        "text",
    ),
)
