"""From ONNX to MXNet, under the name of older releases."""

from ...onnx import get_model_metadata as get_model_metadata
from ...onnx import import_model as import_model
from ...onnx import import_to_gluon as import_to_gluon
