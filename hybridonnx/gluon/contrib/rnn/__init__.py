"""Further recurrent cells: `contrib.rnn.Conv2DLSTMCell` and the others, under MXNet's names."""

from ...._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__, modules=("conv_rnn_cell", "rnn_cell"), submodules=("conv_rnn_cell", "rnn_cell")
)
