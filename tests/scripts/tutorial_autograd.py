"""Gradients: scopes, head gradients, control flow, grad_req, own functions, second order."""

import mxnet as mx
from _seeded import show
from mxnet import autograd, nd

x = nd.array([[1, 2], [3, 4]])
x.attach_grad()
with autograd.record():
    y = 2 * x * x
y.backward()
show("4x", x.grad)


def f(a):
    b = a * 2
    while b.norm().asscalar() < 1000:
        b = b * 2
    if b.sum() >= 0:
        c = b[0]
    else:
        c = b[1]
    return c


a = nd.array([0.3, -0.7])
a.attach_grad()
with autograd.record():
    c = f(a)
c.backward()
show("control flow", a.grad)
with autograd.record():
    y = x * 2
    z = y * x
z.backward(nd.array([[10, 1.0], [0.1, 0.01]]))
show("head", x.grad)
x.attach_grad(grad_req="add")
for _ in range(3):
    with autograd.record():
        y = x.exp()
    y.backward()
show("added", x.grad)
x.grad[:] = 0
print(autograd.is_recording(), autograd.is_training())
with autograd.record():
    print(autograd.is_recording(), autograd.is_training())
    with autograd.pause():
        print(autograd.is_recording(), autograd.is_training())
        w = x * 3
    with autograd.predict_mode():
        print(autograd.is_recording(), autograd.is_training())
    y = (x * w).sum() + nd.BlockGrad(x).sum()
y.backward()
show("paused", x.grad)


class Sigmoid(autograd.Function):
    def forward(self, x):
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


x = nd.array([-1.0, 0.5, 2])
x.attach_grad()
func = Sigmoid()
with autograd.record():
    m = func(x)
m.backward()
show("function", x.grad)
with autograd.record():
    y = nd.sin(x)
    (dx,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
    z = nd.exp(dx)
z.backward()
show("second", x.grad)
a, b = nd.array([2.0]), nd.array([3.0])
autograd.mark_variables([a, b], [nd.zeros(1), nd.zeros(1)])
with autograd.record():
    u = a * b
    v = a + u.detach() * b
autograd.backward([u, v], [nd.array([1.0]), nd.array([2.0])])
show("two heads", [a.grad.asscalar(), b.grad.asscalar()])
with autograd.record():
    y = nd.dot(x, x)
y.backward(retain_graph=True)
show("first", x.grad)
y.backward()
show("again", x.grad)
x = nd.array([1.0, 2, 3, 4])
x.attach_grad()
with autograd.record():
    parts = nd.split(x, 2, axis=0)
    y = (parts[0] * 2 + parts[1].square()) * nd.concat(x[0:1], x[3:4], dim=0)
    y = nd.where(y > 5, y, y * 0.1)
y.backward()
show("slices", x.grad)
with autograd.record():
    dropped = nd.Dropout(x, p=0.5, mode="training")
dropped.backward()
assert set(x.grad.asnumpy()) <= {0.0, 2.0}
no_grad = nd.ones(2)
try:
    (no_grad * 2).backward()
except mx.MXNetError:
    print("not recorded")
