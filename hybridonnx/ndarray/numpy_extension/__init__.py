"""`nd.npx`: operators of neural networks on arrays of mx.np, `F.npx` in a hybrid block that runs eagerly."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(__name__, submodules=("image", "random"), operators="functions")
