# Written by scripts/stubs; do not edit.
from . import model_store, vision
__all__ = ["model_store", "vision"]
