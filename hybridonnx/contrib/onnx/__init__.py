"""ONNX under the names that MXNet's `contrib.onnx` has."""

from ...onnx import export_model as export_model
from ...onnx import get_model_metadata as get_model_metadata
from ...onnx import import_model as import_model
from ...onnx import import_to_gluon as import_to_gluon
