"""From ONNX models to MXNet graphs: one family of operators a file, and the walk over the model."""
