"""From MXNet to ONNX, under the name of older releases."""

from ...onnx import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
