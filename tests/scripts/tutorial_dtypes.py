"""Types of numbers: what arithmetic, reductions, comparisons, casts and losses make of each."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd

base = np.array([[1.7, -2.5, 3.2], [0.0, 5.9, -6.1]])
for dtype in ("float16", "float32", "float64", "uint8", "int8", "int32", "int64"):
    x = nd.array(np.abs(base) if dtype == "uint8" else base, dtype=dtype)
    results = [x + 1, x * 2, x - 0.5, x / 2, x % 3, 7 - x, x**2, -x if dtype != "uint8" else x, x == x, x > 1]
    print(dtype, [r.dtype.__name__ for r in results])
    for name, r in zip("add mul sub div mod rsub pow neg eq gt".split(), results):
        show("%s %s" % (dtype, name), r)
    reductions = [x.sum(), x.mean(), x.max(), x.argmax(axis=1), nd.sum(x, axis=0), x.prod()]
    print([r.dtype.__name__ for r in reductions], [r.shape for r in reductions])
    for r in reductions:
        show(dtype, r)
    more = [nd.one_hot(nd.array([0, 1]), 2), nd.concat(x, x, dim=0), nd.stack(x, x), nd.clip(x, 0, 3)]
    if dtype != "float16":
        more = [nd.sort(x), nd.argsort(x), nd.topk(x), *more]
    print([m.dtype.__name__ for m in more])
    show(dtype + " clipped", more[-1])
print(
    nd.array([1, 2]).dtype,
    nd.array(np.array([1, 2])).dtype,
    nd.array(np.array([1.0])).dtype,
    nd.array([True]).dtype,
)
print(
    nd.array(nd.array([1], dtype="int32")).dtype,
    nd.array(np.float16([1])).dtype,
    nd.arange(3).dtype,
    nd.ones(1).dtype,
)
for pair in (("float32", "float64"), ("int32", "float32"), ("float16", "float32"), ("int32", "int64")):
    a, b = nd.ones((2,), dtype=pair[0]), nd.ones((2,), dtype=pair[1])
    try:
        print(pair, (a + b).dtype.__name__)
    except mx.MXNetError:
        print(pair, "refused")
    a += 1
    b[:] = a
    print(a.dtype.__name__, b.dtype.__name__)
    show("assigned", b)
x = nd.array([300.7, -1.5, 2.5, 1e10])
for dtype in ("int32", "int64", "uint8"):
    small = x[1:3] if dtype != "uint8" else x[2:3]
    show("cast " + dtype, small.astype(dtype))
show("float16 overflow", nd.array([70000.0, 1e-8]).astype("float16"))
same = x.astype("float32", copy=False)
print(same is x, x.astype("float32") is x)
double = nd.array(draw("d", (4, 3), 1), dtype="float64")
double.attach_grad()
with autograd.record():
    y = (double.softmax() * double).sum()
y.backward()
print(y.dtype, double.grad.dtype)
show("double", double.grad)
with autograd.record():
    half = double.astype("float32") * 2
    y = half.sum()
y.backward()
print(double.grad.dtype)
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(4, activation="relu", dtype="float64"), gluon.nn.Dense(2, dtype="float64"))
net.initialize(Seeded(0.4))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
loss = gluon.loss.SoftmaxCrossEntropyLoss()
for target in (
    nd.array([0, 1, 1, 0]),
    nd.array([0, 1, 1, 0], dtype="int32"),
    nd.array([0, 1, 1, 0], dtype="float64"),
):
    with autograd.record():
        l = loss(net(double), target)
    l.backward()
    trainer.step(4)
    print(l.dtype)
    show("loss", l)
show("sum of large", nd.ones((5000,), dtype="float16").sum())
show("integers", nd.array([2**24 + 1, 5], dtype="int64") + nd.array([1, 1], dtype="int64"))
show(
    "embedding",
    nd.Embedding(nd.array([1, 0], dtype="int32"), nd.array([[1, 2], [3, 4]]), input_dim=2, output_dim=2),
)
show("taken", nd.take(nd.array([10, 20, 30], dtype="int32"), nd.array([2, 0])))
show("picked", nd.pick(nd.array([[1, 2], [3, 4]], dtype="float64"), nd.array([1, 0], dtype="int32")))
show("where", nd.where(nd.array([1, 0], dtype="int32"), nd.array([1.5, 2]), nd.array([3, 4.5])))
show("dot", nd.dot(nd.array([[1, 2]], dtype="float64"), nd.array([[3], [4]], dtype="float64")))
show("logic", nd.concat(nd.logical_and(x, x > 0), nd.logical_not(x), nd.logical_xor(x, x), dim=0))
print(
    nd.zeros((2,), dtype=np.uint8).dtype,
    nd.full((1,), 3, dtype="int64").dtype,
    nd.random.randint(0, 5, shape=(2,)).dtype,
)
print(nd.contrib.isnan(nd.array([np.nan, 1])).dtype, nd.contrib.isinf(nd.array([np.inf])).asnumpy())
show("ratio", nd.array([1, 0]) / nd.array([0, 0]))
show(
    "rounded",
    nd.concat(nd.round(nd.array([0.5, 1.5, -0.5, 2.5])), nd.rint(nd.array([0.5, 1.5, -0.5, 2.5])), dim=0),
)
