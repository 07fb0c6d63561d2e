"""What the scripts share: numbers that depend on names alone, and results as lines of text."""

import zlib

import mxnet as mx
import numpy as np


def draw(name, shape, sigma=0.1):
    """Normal numbers of the name, in float32."""
    rng = np.random.RandomState(zlib.crc32(str(name).encode()))
    return rng.normal(0, sigma, shape).astype("float32")


@mx.init.register
class Seeded(mx.init.Initializer):
    """Fills a parameter with normal numbers of its name; biases, gammas and betas as MXNet does."""

    def __init__(self, sigma=0.1):
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name, arr):
        arr[:] = draw(name, arr.shape, self.sigma)


def show(name, values):
    """Print one line: the name and its numbers."""
    if hasattr(values, "asnumpy"):
        values = values.asnumpy()
    numbers = np.asarray(values, dtype="float64").ravel()
    print(f"{name}: " + " ".join(f"{number:.7g}" for number in numbers), flush=True)
