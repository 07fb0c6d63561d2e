"""Functions of mx.np.linalg that are NumPy's own, on the values."""

from ..ndarray.numpy.linalg import cond, lstsq, matrix_power, matrix_rank, multi_dot, qr

__all__ = ["cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr"]
