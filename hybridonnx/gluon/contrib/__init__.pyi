# Written by scripts/stubs; do not edit.
from . import cnn, data, estimator, nn, rnn
__all__ = ["cnn", "data", "estimator", "nn", "rnn"]
