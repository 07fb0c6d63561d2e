"""From ONNX to MXNet, under the names of older releases; each function is in the module of its name."""

from . import import_model, import_to_gluon

__all__ = ["import_model", "import_to_gluon"]
