"""A tour of mx.np: making, indexing, shapes, masks, reductions, linear algebra, gradients."""

import mxnet as mx
import numpy as onp
from _seeded import draw, show
from mxnet import autograd, np, npx

npx.set_np()
x = np.arange(12)
print(x, x.shape, x.size, x.dtype)
X = x.reshape(3, 4)
print(X)
print(np.zeros((2, 3)), np.ones((1, 2)), np.full((2,), 7), np.eye(2))
x, y = np.array([1, 2, 4, 8]), np.array([2, 2, 2, 2])
show("operations", np.concatenate([x + y, x - y, x * y, x / y, x**y, np.exp(x / 4)]))
Y = np.array([[2, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]])
show("joined", np.concatenate([X, Y], axis=1))
print(X == Y, X.sum())
a, b = np.arange(3).reshape(3, 1), np.arange(2).reshape(1, 2)
print(a + b)
print(X[-1], X[1:3], X[1, 2], float(X[0, 1]), int(X[0, 2]), X[X > 6])
X[1, 2] = 9
X[0:2, :] = 12
show("assigned", X)
X[X > 10] = -1
show("masked", X)
before = id(Y)
Y += X
print(id(Y) == before, isinstance(X.asnumpy(), onp.ndarray), type(np.array(X.asnumpy())).__name__)
A = np.arange(20).reshape(5, 4)
print(A.T.shape, A.sum(axis=0), A.mean(), A.sum(axis=1, keepdims=True).shape, A.cumsum(axis=0)[-1])
x, y = np.arange(4), np.ones(4)
print(np.dot(x, y), np.dot(A, x).shape, np.linalg.norm(np.array([3, -4])), np.abs(np.array([3.0, -4])).sum())
B = np.ones((4, 3))
show("products", np.dot(A, B))
show("tensordot", np.tensordot(A, B, axes=1))
show("einsum", np.einsum("ij,jk->ik", A, B))
S = np.array(draw("S", (3, 3), 1))
S = np.dot(S, S.T) + np.eye(3)
show("inverse", np.linalg.inv(S))
show("cholesky", np.linalg.cholesky(S))
show("eigenvalues", np.linalg.eigvalsh(S))
show("solve", np.linalg.solve(S, np.ones((3, 1))))
show("determinant", np.linalg.det(S))
show("singular", np.linalg.svd(S)[1])
show("statistics", [A.std(), A.var(), A.max(), A.min(), np.average(A), np.argmax(A)])
show("sorted", np.sort(np.array([3.0, 1, 2]))[::-1])
show("where", np.where(A > 9, A, -A)[2])
print(
    np.stack([x, y]).shape,
    np.split(A, 2, axis=1)[0].shape,
    np.vstack([x, y]).shape,
    np.squeeze(np.ones((1, 3, 1))).shape,
)
print(
    np.expand_dims(x, 0).shape,
    A.flatten().shape,
    np.swapaxes(np.ones((2, 3)), 0, 1).shape,
    np.tile(x, 2).shape,
)
print(np.unique(np.array([1, 2, 2, 3])), np.linspace(0, 1, 3), np.maximum(x, 2), np.clip(x, 1, 2))
print(
    np.array(5).shape,
    np.array(5).item(),
    np.array([True, False]).dtype,
    (x > 1).dtype,
    np.zeros((0, 3)).shape,
)
print(np.float32, np.pi > 3, np.array([1.5]).astype(np.int32), np.array([1, 2], dtype=np.int32).dtype)
x = np.arange(4.0)
x.attach_grad()
with autograd.record():
    y = 2 * np.dot(x, x)
y.backward()
print(x.grad, x.grad == 4 * x)
with autograd.record():
    y = (x * x).sum() + np.sin(x).mean()
y.backward()
show("gradient", x.grad)
with autograd.record():
    u = (x * x).detach()
    z = u * x
z.backward()
show("detached", x.grad)


def f(a):
    b = a * 2
    while np.linalg.norm(b) < 1000:
        b = b * 2
    return b if b.sum() > 0 else 100 * b


a = np.array(0.37)
a.attach_grad()
with autograd.record():
    d = f(a)
d.backward()
print(a.grad == d / a)
show("relu", npx.relu(np.array([-1.0, 2])))
show("softmax", npx.softmax(np.array([[1.0, 2, 3]])))
show("one hot", npx.one_hot(np.array([0, 2]), 3))
show("picked", npx.pick(np.array([[1.0, 2], [3, 4]]), np.array([1, 0])))
show("topk", npx.topk(np.array([3.0, 1, 2]), k=2, ret_typ="value"))
print(isinstance(np.ones(2).as_nd_ndarray(), mx.nd.NDArray), type(mx.nd.ones(2).as_np_ndarray()).__name__)
npx.save("arrays", {"a": A, "b": np.array(3.0)})
loaded = npx.load("arrays")
print(sorted(loaded), loaded["b"].shape, loaded["a"].shape)
mx.random.seed(1)
draws = np.random.normal(2, 0.5, size=(200, 50))
assert abs(float(draws.mean()) - 2) < 0.05 and np.random.uniform(size=(3,)).shape == (3,)
assert np.random.randint(0, 5, size=(10,)).max() < 5 and len(np.random.choice(5, 3)) == 3
