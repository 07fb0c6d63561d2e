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

# ---- NumPy's functions

a = mx.np.array([[1, 2], [3, 4]], dtype="float32", ctx=mx.cpu())
assert_type(a, mx.np.ndarray)
assert_type(a + 1, mx.np.ndarray)
assert_type(2 * a, mx.np.ndarray)
assert_type(a @ a, mx.np.ndarray)
assert_type(a > 1, mx.np.ndarray)
assert_type(a == a, mx.np.ndarray)
assert_type(a[0], mx.np.ndarray)
assert_type(a[a > 1], mx.np.ndarray)
assert_type(a.mean(axis=0), mx.np.ndarray)
assert_type(a.reshape(-1).astype("int32").T, mx.np.ndarray)
assert_type(a.detach().as_in_ctx(mx.cpu()), mx.np.ndarray)
assert_type(a.grad, mx.np.ndarray | None)
assert_type(a.nonzero(), tuple[mx.np.ndarray, ...])
assert_type(a.as_nd_ndarray(), NDArray)
assert_type(mx.np.exp(a), mx.np.ndarray)
assert_type(mx.np.maximum(a, 0), mx.np.ndarray)
assert_type(mx.np.exp(1.0), Any)
assert_type(mx.np.zeros((2, 3), ctx=mx.cpu()), mx.np.ndarray)
assert_type(mx.np.concatenate([a, a], axis=1).sum(), mx.np.ndarray)
assert_type(mx.np.split(a, 2), list[mx.np.ndarray])
assert_type(mx.np.where(a > 1, a, 0.0), mx.np.ndarray)
assert_type(mx.np.where(a > 1), tuple[mx.np.ndarray, ...])
assert_type(mx.np.atleast_2d(a, a), list[mx.np.ndarray])
assert_type(mx.np.linspace(0, 1, 5), mx.np.ndarray)
assert_type(mx.np.linspace(0, 1, retstep=True), tuple[mx.np.ndarray, float])
assert_type(mx.np.meshgrid(a[0], a[1]), list[mx.np.ndarray])
assert_type(mx.np.may_share_memory(a, a), bool)
assert_type(mx.np.interp(a, a[0], a[1]), Any)
assert_type(mx.np.pi, float)
assert_type(mx.np.linalg.norm(a), mx.np.ndarray)
assert_type(mx.np.linalg.svd(a), tuple[mx.np.ndarray, mx.np.ndarray, mx.np.ndarray])
assert_type(mx.np.random.normal(0, 1, size=(2, 3)), mx.np.ndarray)
mx.np.random.shuffle(a)
assert_type(mx.npx.softmax(a, axis=-1), mx.np.ndarray)
assert_type(mx.npx.topk(a, k=1, ret_typ="both"), list[mx.np.ndarray])
assert_type(mx.npx.one_hot(a, 3), mx.np.ndarray)
assert_type(mx.npx.reshape(a, (-2, -1)), mx.np.ndarray)
assert_type(mx.npx.random.bernoulli(0.5, size=3), mx.np.ndarray)
assert_type(mx.npx.image.to_tensor(a), mx.np.ndarray)
assert_type(mx.npx.num_gpus(), int)
mx.npx.set_np()
mx.npx.waitall()
mx.np.no_such_function(a)  # type: ignore[attr-defined]
mx.np.linalg.no_such_function(a)  # type: ignore[attr-defined]
mx.npx.softmax("a")  # type: ignore[arg-type]
mx.np.sum(a, axes=0)  # type: ignore[call-arg]
s = mx.sym.np.zeros((2, 3))
assert_type(mx.sym.np.log(s + 1).mean().list_outputs(), list[str])

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
