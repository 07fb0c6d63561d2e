"""Servers of stores for clusters, which there are none of: workers hold what is stored."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import MXNetError

__all__ = ["KVStoreServer"]


class KVStoreServer:
    """Would serve workers on other machines."""

    def __init__(self, kvstore: Any) -> None:
        self.kvstore = kvstore

    def run(self) -> NoReturn:
        """Refused. Raises `MXNetError`: there are no servers."""
        raise MXNetError(
            "KVStoreServer: there are no servers, as the workers hold what is stored. Start workers alone: "
            "hybridonnx launch -n 2 train.py."
        )
