# Written by scripts/stubs; do not edit.
from ..symbol.recording import get_symbol
from .function import Function
from .gradients import backward, grad, mark_variables
from .scopes import (
    is_recording, is_training, pause, predict_mode, record, set_recording, set_training, train_mode,
)
__all__ = [
    "Function", "backward", "get_symbol", "grad", "is_recording", "is_training", "mark_variables", "pause",
    "predict_mode", "record", "set_recording", "set_training", "train_mode",
]
