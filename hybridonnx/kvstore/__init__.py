"""Stores of arrays by key, which add up what is pushed: `mx.kv.create("local")`."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={
        "KVStore": ".kvstore",
        "KVStoreBase": ".base",
        "KVStoreServer": ".kvstore_server",
        "create": ".kvstore",
    },
    submodules=("base", "kvstore", "kvstore_server"),
)
