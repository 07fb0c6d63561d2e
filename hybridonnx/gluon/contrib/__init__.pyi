# Written by scripts/stubs; do not edit.
from . import data, nn, rnn
__all__ = ["data", "nn", "rnn"]
