"""Graphs compiled by ONNX Runtime."""
