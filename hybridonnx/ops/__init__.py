"""What operators mean: attributes, shapes, NumPy kernels and gradients, one family a file."""
