"""What clients call models."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import MXNetError

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")


def model_name(path: str | os.PathLike[str]) -> str:
    """What a model is called by its file."""
    stem = Path(path).name.removesuffix(".json").removesuffix("-symbol").removesuffix(".onnx")
    return re.sub(r"[^A-Za-z0-9_.-]", "_", stem).lstrip(".-")[:200] or "model"


def require_model_name(owner: str, name: object) -> None:
    """Refuse what is no name in an address, or no folder's.

    Raises:
        MXNetError: If it has other letters than those, or is too long.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise MXNetError(
            f"{owner}: a model's name of letters, digits, _, . and -, of at most 200, is required, got "
            f"{name!r}."
        )
