"""What MXNet's features are here: each name of MXNet's, and whether it is so."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

__all__ = ["Feature", "Features", "feature_list"]

_NAMES = """
CUDA CUDNN NCCL CUDA_RTC TENSORRT CPU_SSE CPU_SSE2 CPU_SSE3 CPU_SSE4_1 CPU_SSE4_2 CPU_SSE4A CPU_AVX
CPU_AVX2 OPENMP SSE F16C JEMALLOC BLAS_OPEN BLAS_ATLAS BLAS_MKL BLAS_APPLE LAPACK MKLDNN OPENCV CAFFE
PROFILER DIST_KVSTORE CXX14 INT64_TENSOR_SIZE SIGNAL_HANDLER DEBUG TVM_OP
""".split()
"""The features that MXNet 1.9.1 names, in its order."""

_CPU = {
    "CPU_SSE": "SSE",
    "CPU_SSE2": "SSE2",
    "CPU_SSE3": "SSE3",
    "CPU_SSE4_1": "SSE41",
    "CPU_SSE4_2": "SSE42",
    "CPU_AVX": "AVX",
    "CPU_AVX2": "AVX2",
    "SSE": "SSE",
    "F16C": "F16C",
}
"""Instructions of the processor by NumPy's names, which NumPy and ONNX Runtime use where they are."""


@dataclass(frozen=True)
class Feature:
    """A feature's name, and whether it is there."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def feature_list() -> list[Feature]:
    """Whether each feature that MXNet names is here.

    Returns:
        The features, in MXNet's order. Those of the processor say what it has; OPENCV whether `cv2` is
        installed; BLAS_OPEN and the like what NumPy is built with; MKLDNN whether ONNX Runtime has oneDNN.
    """
    return [Feature(name, _is_here(name)) for name in _NAMES]


class Features(OrderedDict[str, Feature]):
    """The features by name."""

    instance: Features | None = None

    def __new__(cls) -> Features:
        if cls.instance is None:
            cls.instance = super().__new__(cls)
            OrderedDict.__init__(cls.instance, ((feature.name, feature) for feature in feature_list()))
        return cls.instance

    def __init__(self) -> None:
        pass  # it is filled once

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: str) -> bool:
        """Whether a feature is here.

        Args:
            feature_name: Its name, in any case.

        Returns:
            Whether it is.

        Raises:
            RuntimeError: If there is no feature of that name.
        """
        name = feature_name.upper()
        if name not in self:
            raise RuntimeError(f"Feature '{name}' is unknown, known features are: {list(self)}")
        return self[name].enabled


def _is_here(name: str) -> bool:
    if name in _CPU:
        return bool(_cpu_features().get(_CPU[name], False))
    if name.startswith("BLAS_"):
        return _blas() == name
    return _OTHERS[name]() if name in _OTHERS else False


def _cpu_features() -> dict[str, bool]:
    features: dict[str, bool] = import_module("numpy._core._multiarray_umath").__cpu_features__
    return features


def _blas() -> str:
    config: Any = np.show_config(mode="dicts")
    library = str(config["Build Dependencies"].get("blas", {}).get("name", "")).lower()
    names = {"openblas": "BLAS_OPEN", "mkl": "BLAS_MKL", "atlas": "BLAS_ATLAS", "accelerate": "BLAS_APPLE"}
    return next((name for part, name in names.items() if part in library), "")


def _has_onednn() -> bool:
    import onnxruntime

    return "DnnlExecutionProvider" in onnxruntime.get_available_providers()


def _has_cuda() -> bool:
    from .device import count

    return count(played=False) > 0


_OTHERS: dict[str, Callable[[], bool]] = {
    "CUDA": _has_cuda,
    "CUDNN": _has_cuda,
    "INT64_TENSOR_SIZE": lambda: True,  # NumPy's arrays have as many elements as memory
    "LAPACK": lambda: True,  # numpy.linalg has its own where no library is there
    "MKLDNN": _has_onednn,
    "OPENCV": lambda: find_spec("cv2") is not None,
    "PROFILER": lambda: True,
}
"""Features that are here, or may be; those that are in no table are not."""
