"""A user's code, which type checkers read: what calls return is known without running them."""

from typing import Any, assert_type

import numpy as np

import hybridonnx as mx
from hybridonnx.gluon import nn
from hybridonnx.ndarray import NDArray
from hybridonnx.symbol import Symbol

# ---- arrays

x = mx.nd.array([[1.0, 2.0]], ctx=mx.cpu(), dtype="float32")
assert_type(x, NDArray)
assert_type(mx.nd.zeros((2, 3)), NDArray)
assert_type(x + 1, NDArray)
assert_type(2 / x, NDArray)
assert_type(x > 0, NDArray)
assert_type(x.shape, tuple[int, ...])
assert_type(x.reshape((2, 1)), NDArray)
assert_type(x.sum(axis=1, keepdims=True), NDArray)
assert_type(x.grad, NDArray | None)
assert_type(mx.nd.Convolution(x, x, kernel=(1, 1), num_filter=1, no_bias=True), NDArray)
assert_type(mx.nd.concat(x, x, dim=0), NDArray)
assert_type(mx.nd.moments(x, axes=0), list[NDArray])
assert_type(mx.nd.topk(x, k=1), NDArray)
assert_type(mx.nd.topk(x, k=1, ret_typ="both"), list[NDArray])
assert_type(mx.nd.maximum(x, 0), NDArray)
assert_type(mx.nd.random.uniform(0, 1, shape=(2, 3)), NDArray)
assert_type(mx.nd.random.uniform_like(x), NDArray)
assert_type(mx.nd.contrib.isnan(x), NDArray)
assert_type(mx.nd.contrib.arange_like(x), NDArray)
assert_type(mx.nd.sparse.csr_matrix((2, 3)), mx.nd.sparse.CSRNDArray)

# ---- symbols

data = mx.sym.var("data")
assert_type(data, Symbol)
assert_type(data * 2, Symbol)
assert_type(mx.sym.FullyConnected(data, num_hidden=3, name="fc"), Symbol)
assert_type(mx.sym.Group([data, data.sum()]), Symbol)
assert_type(data.list_arguments(), list[str])
assert_type(mx.sym.random.normal(shape=(2,)), Symbol)

# ---- gluon


class Net(mx.gluon.HybridBlock):
    """A layer and its output."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(3, activation="relu")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.dense(x)


net = Net()
net.initialize(mx.init.Xavier(), ctx=mx.cpu())
net.hybridize()
assert_type(nn.Dense(3), nn.Dense)
assert_type(net(x), NDArray)
assert_type(net(data), Symbol)
assert_type(net.collect_params(), mx.gluon.ParameterDict)
assert_type(net.dense.weight, mx.gluon.Parameter)
assert_type(net.dense.weight.data(), NDArray)

loss_function = mx.gluon.loss.SoftmaxCrossEntropyLoss()
trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
dataset = mx.gluon.data.ArrayDataset(np.zeros((4, 2), np.float32), np.zeros(4, np.float32))
loader = mx.gluon.data.DataLoader(dataset, batch_size=2, shuffle=True)
metric = mx.metric.Accuracy()
for images, labels in loader:
    with mx.autograd.record():
        loss = loss_function(net(images), labels)
    loss.backward()
    trainer.step(len(images))
    metric.update([labels], [net(images)])

assert_type(loss_function(x, x), NDArray)
assert_type(mx.gluon.model_zoo.vision.resnet18_v1(), mx.gluon.model_zoo.vision.ResNetV1)
assert_type(mx.gluon.SymbolBlock.imports("model.onnx", ["data"]), mx.gluon.SymbolBlock)

# ---- ONNX

assert_type(mx.onnx.export_model(net, "model.onnx", input_shapes=[("batch", 3)]), str)
assert_type(mx.onnx.verify(net, "model.onnx", inputs=x), mx.onnx.Parity)
assert_type(mx.onnx.import_to_gluon("model.onnx"), mx.gluon.SymbolBlock)
symbol, arguments, states = mx.onnx.import_model("model.onnx")
assert_type(symbol, Symbol)
assert_type(arguments, dict[str, NDArray])
