"""From MXNet to ONNX, under the name of older releases."""

from ...onnx import export_model as export_model
from ...onnx import get_operator_support as get_operator_support
