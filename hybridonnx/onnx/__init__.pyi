# Written by scripts/stubs; do not edit.
from . import mx2onnx
from .models import (
    Difference, Graph, Layer, NodeSupport, Parity, ParityError, Support, Value, Verdict, assert_parity, check,
    export_model, get_model_metadata, get_operator_support, import_model, import_to_gluon, register_lowering,
    verify,
)
__all__ = [
    "Difference", "Graph", "Layer", "NodeSupport", "Parity", "ParityError", "Support", "Value", "Verdict",
    "assert_parity", "check", "export_model", "get_model_metadata", "get_operator_support", "import_model",
    "import_to_gluon", "mx2onnx", "register_lowering", "verify",
]
