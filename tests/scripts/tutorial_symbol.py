"""Symbols: composed, inferred, bound, run forward and backward, grouped, saved, cut."""

import json

import mxnet as mx
import numpy as np
from _seeded import draw, show

a = mx.sym.Variable("a")
b = mx.sym.Variable("b")
c = a + b
print(c, c.name, c.list_arguments())
d = a * b
e = mx.sym.dot(a, b)
f = mx.sym.reshape(d + e, shape=(1, 4))
g = mx.sym.broadcast_to(f, shape=(2, 4))
print(g.list_outputs(), g.infer_shape(a=(2, 2), b=(2, 2)))
net = mx.sym.Variable("data")
net = mx.sym.FullyConnected(data=net, name="fc1", num_hidden=6)
net = mx.sym.Activation(data=net, name="relu1", act_type="relu")
net = mx.sym.BatchNorm(net, name="bn", fix_gamma=False)
net = mx.sym.FullyConnected(data=net, name="fc2", num_hidden=3)
net = mx.sym.SoftmaxOutput(data=net, name="out")
print(net.list_arguments(), net.list_auxiliary_states())
arg_shapes, out_shapes, aux_shapes = net.infer_shape(data=(5, 4))
print(arg_shapes, out_shapes, aux_shapes)
print(net.infer_type(data="float32")[1])
print(net.get_internals().list_outputs())
print(net.get_internals()["fc1_output"].list_arguments())
print(net.attr_dict().get("fc1"))
print(json.loads(net.tojson())["heads"])

executor = net.simple_bind(ctx=mx.cpu(), data=(5, 4), grad_req="write")
for name, array in executor.arg_dict.items():
    if name.endswith("weight"):
        array[:] = draw(name, array.shape, 0.5)
    elif name == "bn_gamma":
        array[:] = 1
executor.aux_dict["bn_moving_var"][:] = 1
data = draw("data", (5, 4), 1)
labels = np.array([0, 1, 2, 1, 0])
curve = []
for step in range(10):
    outputs = executor.forward(is_train=True, data=data, out_label=labels)
    executor.backward()
    for name, grad in executor.grad_dict.items():
        if name not in ("data", "out_label"):
            executor.arg_dict[name][:] -= 0.1 * grad
    curve.append(-np.log(outputs[0].asnumpy()[range(5), labels]).mean())
show("bound", curve)
show("aux", executor.aux_dict["bn_moving_mean"])
show("predicts", executor.forward(is_train=False)[0])
larger = executor.reshape(data=(7, 4), out_label=(7,), allow_up_sizing=True)
show("reshaped", larger.forward(is_train=False, data=np.ones((7, 4)))[0][0])

ex = c.bind(ctx=mx.cpu(), args={"a": mx.nd.ones([2, 3]), "b": mx.nd.ones([2, 3])})
show("bind", ex.forward()[0])
x = mx.nd.array([1.0, 2, 3])
grad = mx.nd.zeros(3)
cube = (a * a * a).bind(mx.cpu(), {"a": x}, args_grad={"a": grad}, grad_req={"a": "add"})
for _ in range(2):
    cube.forward(is_train=True)
    cube.backward(mx.nd.ones(3))
show("added", grad)
show("eval", (a - b).eval(ctx=mx.cpu(), a=mx.nd.ones(3), b=x)[0])
group = mx.sym.Group([a + 1, mx.sym.sum(a * 2)])
print(group.list_outputs(), len(group))
show("group", [out.sum().asscalar() for out in group.eval(a=x)])
composed = mx.sym.FullyConnected(mx.sym.var("data2"), name="next", num_hidden=2)
together = composed(data2=net, name="composed")
print(together.list_arguments())
shared = mx.sym.Variable("w")
tied = mx.sym.FullyConnected(
    mx.sym.FullyConnected(a, weight=shared, num_hidden=3, no_bias=True),
    weight=shared,
    num_hidden=3,
    no_bias=True,
)
print(tied.list_arguments())
again = mx.sym.load_json(net.tojson())
print(again.tojson() == net.tojson(), again.list_arguments() == net.list_arguments())
with mx.AttrScope(ctx_group="dev1", __lr_mult__="2"):
    v = mx.sym.Variable("v")
    h = mx.sym.FullyConnected(v, num_hidden=2, name="h")
print(h.attr("ctx_group"), v.attr("__lr_mult__"), sorted(h.attr_dict()))
with mx.name.Prefix("block_"):
    print(mx.sym.FullyConnected(a, num_hidden=2).list_arguments())
loss = mx.sym.MakeLoss(
    mx.sym.mean(mx.sym.square(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="r")))
)
ex = loss.simple_bind(mx.cpu(), data=(4, 2))
ex.copy_params_from({"r_weight": mx.nd.array([[1, 2]]), "r_bias": mx.nd.zeros(1)})
ex.forward(is_train=True, data=mx.nd.array([[1, 2], [3, 4], [5, 6], [7, 8]]))
ex.backward()
show("loss", ex.outputs[0])
show("gradient", ex.grad_dict["r_weight"])
