"""Recurrent cells of symbols, sentences in buckets, and checkpoints: what came before `gluon.rnn`."""

from .._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__, modules=("rnn_cell", "rnn", "io"), submodules=("io", "rnn", "rnn_cell")
)
