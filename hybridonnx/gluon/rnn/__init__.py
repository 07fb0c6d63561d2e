"""Recurrent layers and cells, under MXNet's names: `rnn.LSTM`, `rnn.LSTMCell` and the others."""

from ..._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__, modules=("rnn_cell", "rnn_layer"), submodules=("rnn_cell", "rnn_layer")
)
