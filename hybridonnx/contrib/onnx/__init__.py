"""ONNX under the names that MXNet's `contrib.onnx` has."""

from . import mx2onnx as mx2onnx
from . import onnx2mx as onnx2mx
from .mx2onnx import export_model as export_model
from .onnx2mx import get_model_metadata as get_model_metadata
from .onnx2mx import import_model as import_model
from .onnx2mx import import_to_gluon as import_to_gluon
