"""Models of ONNX as symbols and parameters, under the name of older releases."""

from ....onnx import get_model_metadata, import_model

__all__ = ["get_model_metadata", "import_model"]
