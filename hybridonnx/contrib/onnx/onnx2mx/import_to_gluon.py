"""Models of ONNX as blocks, under the name of older releases."""

from ....onnx import import_to_gluon

__all__ = ["import_to_gluon"]
