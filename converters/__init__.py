"""Conversion between MXNet graphs and ONNX models; the only folder that imports onnx."""
