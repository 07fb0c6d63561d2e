"""MiB before and after calls whose batches change: python benchmarks/_batches_run.py CALLS"""

import sys
from pathlib import Path

import numpy as np

import hybridonnx as mx

SIZES = 40


def resident():
    """MiB that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    net = mx.gluon.model_zoo.vision.mobilenet0_25(classes=10)
    net.initialize()
    net.hybridize()
    batches = [mx.nd.ones((rows, 3, 32, 32)) for rows in np.random.default_rng(0).permutation(SIZES) + 1]
    for x in batches * 3:
        net(x).asnumpy()
    before = resident()
    for i in range(int(sys.argv[1])):
        net(batches[i % SIZES]).asnumpy()
    print(before, resident())
