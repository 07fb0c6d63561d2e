"""From MXNet graphs to ONNX models: one family of operators a file, and the walk over the graph."""
