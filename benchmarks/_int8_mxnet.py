"""Real MXNet: python benchmarks/_int8_mxnet.py NETWORK SIDE DTYPE, where int8.py says when to run."""

import sys

import _training_turns as turns
import mxnet as mx
import numpy as np
from mxnet.contrib import quantization

if __name__ == "__main__":
    name, side, dtype = sys.argv[1:]
    mx.random.seed(0)
    net = mx.gluon.model_zoo.vision.get_model(name)
    net.initialize(mx.init.Xavier())
    data = mx.nd.array(np.random.default_rng(1).standard_normal((1, 3, int(side), int(side))))
    net(data)
    if dtype != "float32":
        net.hybridize()
        net(data)
        batches = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(data, mx.nd.zeros(1)), batch_size=1)
        net = quantization.quantize_net_v2(
            net, quantized_dtype=dtype, calib_data=batches, calib_mode="naive", num_calib_examples=1
        )
    net.hybridize(static_alloc=True, static_shape=True)
    turns.take_turns(mx.__version__, 0, lambda: float(net(data).sum().asscalar()))
