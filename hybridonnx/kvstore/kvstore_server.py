"""Servers of stores for clusters, which there are none of."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import MXNetError

__all__ = ["KVStoreServer"]


class KVStoreServer:
    """Would serve workers on other machines."""

    def __init__(self, kvstore: Any) -> None:
        self.kvstore = kvstore

    def run(self) -> NoReturn:
        """Refused. Raises `MXNetError`: training runs in one process."""
        raise MXNetError("KVStoreServer: training runs in one process; there are no servers or workers.")
