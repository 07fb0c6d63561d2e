"""Linear and softmax regression with mx.np: arrays, autograd, sgd by hand, then Gluon."""

import random

from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn

npx.set_np()


def synthetic_data(w, b, num_examples):
    X = np.array(draw("X", (num_examples, len(w)), 1))
    y = np.dot(X, w) + b
    y += np.array(draw("noise", y.shape, 0.01))
    return X, y.reshape((-1, 1))


def data_iter(batch_size, features, labels):
    num_examples = len(features)
    indices = list(range(num_examples))
    random.shuffle(indices)
    for i in range(0, num_examples, batch_size):
        batch_indices = np.array(indices[i : min(i + batch_size, num_examples)])
        yield features[batch_indices], labels[batch_indices]


random.seed(2)
true_w = np.array([2, -3.4])
true_b = 4.2
features, labels = synthetic_data(true_w, true_b, 100)
w = np.array(draw("w", (2, 1), 0.01))
b = np.zeros(1)
w.attach_grad()
b.attach_grad()


def linreg(X, w, b):
    return np.dot(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr, batch_size):
    for param in params:
        param[:] = param - lr * param.grad / batch_size


for epoch in range(3):
    for X, y in data_iter(10, features, labels):
        with autograd.record():
            l = squared_loss(linreg(X, w, b), y)
        l.backward()
        sgd([w, b], 0.1, 10)
    train_l = squared_loss(linreg(features, w, b), labels)
    show("epoch %d" % (epoch + 1), float(train_l.mean()))
show("error in w", true_w - w.reshape(true_w.shape))
show("error in b", true_b - b)

loader = gluon.data.DataLoader(gluon.data.ArrayDataset(features, labels), 10, shuffle=False)
net = nn.Sequential()
net.add(nn.Dense(1))
net.initialize(Seeded(sigma=0.01))
loss = gluon.loss.L2Loss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})
for epoch in range(3):
    for X, y in loader:
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(10)
    l = loss(net(features), labels)
    show("concise %d" % (epoch + 1), l.mean().asnumpy())
print(type(net[0].weight.data()).__name__, net[0].weight.data().shape)

y = np.array([0, 2])
y_hat = np.array([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]])
show("picked", y_hat[[0, 1], y.astype("int32")])


def softmax(X):
    X_exp = np.exp(X)
    partition = X_exp.sum(1, keepdims=True)
    return X_exp / partition


def cross_entropy(y_hat, y):
    return -np.log(y_hat[range(len(y_hat)), y])


kinds = np.array([random.randrange(3) for _ in range(60)], dtype="int32")
images = np.array(draw("prototypes", (3, 4, 4), 1))[kinds] + np.array(draw("pixels", (60, 4, 4), 0.3))
W, b = np.array(draw("W", (16, 3), 0.01)), np.zeros(3)
W.attach_grad()
b.attach_grad()
curve, accuracy = [], []
for epoch in range(8):
    with autograd.record():
        y_hat = softmax(np.dot(images.reshape((-1, W.shape[0])), W) + b)
        l = cross_entropy(y_hat, kinds)
    l.backward()
    sgd([W, b], 0.5, 60)
    curve.append(float(l.mean()))
    accuracy.append(float((y_hat.argmax(axis=1).astype(kinds.dtype) == kinds).astype("float32").mean()))
show("softmax", curve)
show("accuracy", accuracy)
