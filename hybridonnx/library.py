"""Libraries of operators in C++, which MXNet loads and hybridonnx cannot."""

from __future__ import annotations

import os
from typing import NoReturn

from .errors import MXNetError

__all__ = ["load"]


def load(path: str, verbose: bool = True) -> NoReturn:
    """Refuse a library of operators.

    Args:
        path: The library's file.
        verbose: Without effect.

    Raises:
        MXNetError: Always.
    """
    if not os.path.exists(path):
        raise MXNetError(f"library.load: a file is required, got {path}, which does not exist.")
    raise MXNetError(
        f"library.load: {path} needs MXNet's own library, which is not here. Write the operator in Python: "
        "mx.operator.CustomOp, and hybridonnx.onnx.register_lowering for ONNX."
    )
