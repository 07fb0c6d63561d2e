"""Gluon's hybrid programming model on ONNX Runtime, with MXNet's names and file formats."""
