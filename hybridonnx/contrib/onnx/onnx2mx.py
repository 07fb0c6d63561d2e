"""From ONNX to MXNet, under the name of older releases."""

from ...onnx import get_model_metadata, import_model, import_to_gluon

__all__ = ["get_model_metadata", "import_model", "import_to_gluon"]
