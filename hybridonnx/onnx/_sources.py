"""Models of any kind as ONNX Runtime takes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import MissingFileError, MXNetError
from ..formats.files import scratch_folder
from ..gluon.hybrid_block import HybridBlock
from ..ndarray.ndarray import NDArray
from ..parity.models import title
from ._native import PARAMETERS, native
from .models import export_model


@contextmanager
def as_onnx(model: Any, shapes: Any, types: Any) -> Iterator[Any]:
    """The model as ONNX Runtime takes it, a file or bytes; MXNet's is exported to a folder of its own."""
    if isinstance(model, bytes):
        yield model
    elif hasattr(model, "SerializeToString"):
        yield model.SerializeToString()
    elif isinstance(model, str | os.PathLike) and not os.fspath(model).endswith((".json", *PARAMETERS)):
        path = os.fspath(model)
        if not os.path.isfile(path):
            raise MissingFileError(f"{path}: an ONNX file is required, and there is none.")
        yield path
    else:
        with scratch_folder() as folder:
            yield exported(model, shapes, types, os.path.join(folder, "model.onnx"))


def exported(model: Any, shapes: Any, types: Any, path: str, opset: int | None = None) -> str:
    """Write one of MXNet's models to an ONNX file."""
    if isinstance(model, HybridBlock):
        return export_model(model, path, shapes, types, opset_version=opset)
    known = native(model)
    if known is None or known.symbol is None:
        got = type(model).__name__ if known is None else title(model)
        raise MXNetError(
            "mx.onnx: a model is required: an ONNX file, its bytes, a HybridBlock, or a Symbol with its "
            f"parameters; got {got}."
        )
    arrays = {name: NDArray(array) for name, array in known.arrays.items()}
    return export_model(known.symbol, arrays, shapes, types, path, opset_version=opset)
