"""From MXNet to ONNX, under the module where MXNet has it."""

from .models import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
