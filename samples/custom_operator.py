"""An operator of one's own, written in Python with its gradient, and what it is in an ONNX file.

    python samples/custom_operator.py [FILE]

The operator is Mish, x * tanh(log(1 + exp(x))). A small network with it is trained, exported, and compared.
"""

import sys

import numpy as np

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn


class Mish(mx.operator.CustomOp):
    """The values and the gradient; the prop says the rest."""

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0]
        self.assign(out_data[0], req[0], x * nd.tanh(nd.Activation(x, act_type="softrelu")))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x = in_data[0]
        t = nd.tanh(nd.Activation(x, act_type="softrelu"))
        self.assign(in_grad[0], req[0], out_grad[0] * (t + x * (1 - t * t) * nd.sigmoid(x)))


@mx.operator.register("mish")
class MishProp(mx.operator.CustomOpProp):
    """One input called data, one output of its shape: what `CustomOpProp` says by itself."""

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Mish()


@mx.onnx.register_lowering("mish")
def mish(g, prop, x):
    """The same in ONNX's operators."""
    return x * g.Tanh(g.Softplus(x))


class Network(gluon.HybridBlock):
    """Two dense layers with Mish in between."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.hidden = nn.Dense(16)
            self.out = nn.Dense(1)

    def hybrid_forward(self, F, x):
        return self.out(F.Custom(self.hidden(x), op_type="mish"))


def main(path="mish.onnx"):
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (256, 2)).astype("float32")
    y = np.sin(x[:, :1]) * x[:, 1:]
    net, loss = Network(), gluon.loss.L2Loss()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    for epoch in range(200):
        with autograd.record():
            error = loss(net(nd.array(x)), nd.array(y))
        error.backward()
        trainer.step(len(x))
        if epoch % 50 == 0:
            print(f"epoch {epoch}: error {error.mean().asscalar():.4f}")
    print(f"at the end: error {error.mean().asscalar():.4f}")
    mx.onnx.export_model(net, path, input_shapes=[("batch", 2)])
    print(mx.onnx.verify(net, path, [x]))


if __name__ == "__main__":
    main(*sys.argv[1:2])
