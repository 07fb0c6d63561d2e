# Written by scripts/stubs; do not edit.
from . import rnn_cell, rnn_layer
from .rnn_cell import (
    BidirectionalCell, DropoutCell, GRUCell, HybridRecurrentCell, HybridSequentialRNNCell, LSTMCell,
    ModifierCell, RNNCell, RecurrentCell, ResidualCell, SequentialRNNCell, ZoneoutCell,
)
from .rnn_layer import GRU, LSTM, RNN
__all__ = [
    "BidirectionalCell", "DropoutCell", "GRU", "GRUCell", "HybridRecurrentCell", "HybridSequentialRNNCell",
    "LSTM", "LSTMCell", "ModifierCell", "RNN", "RNNCell", "RecurrentCell", "ResidualCell",
    "SequentialRNNCell", "ZoneoutCell", "rnn_cell", "rnn_layer",
]
