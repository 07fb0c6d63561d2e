"""Language models with mx.np: recurrent networks from scratch and from layers, clipped, with perplexity."""

import math

from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn, rnn

npx.set_np()
text = "the time traveller for so it will be convenient to speak of him was expounding a recondite matter "
vocab = sorted(set(text))
size, hiddens, steps, batch = len(vocab), 16, 8, 2
corpus = np.array([vocab.index(c) for c in text * 2], dtype="int32")


def batches():
    count = (len(corpus) - 1) // batch * batch
    Xs, Ys = corpus[:count].reshape(batch, -1), corpus[1 : count + 1].reshape(batch, -1)
    for i in range(0, Xs.shape[1] - steps + 1, steps):
        yield Xs[:, i : i + steps], Ys[:, i : i + steps]


def parameters(kind):
    gates = {"rnn": "h", "gru": "zrh", "lstm": "ifoc"}[kind]
    params = {}
    for g in gates:
        params["W_x" + g] = np.array(draw(kind + "x" + g, (size, hiddens), 0.3))
        params["W_h" + g] = np.array(draw(kind + "h" + g, (hiddens, hiddens), 0.3))
        params["b_" + g] = np.zeros(hiddens)
    params["W_hq"], params["b_q"] = np.array(draw(kind + "hq", (hiddens, size), 0.3)), np.zeros(size)
    for param in params.values():
        param.attach_grad()
    return params


def rnn_step(X, state, p):
    (H,) = state
    H = np.tanh(np.dot(X, p["W_xh"]) + np.dot(H, p["W_hh"]) + p["b_h"])
    return H, (H,)


def gru_step(X, state, p):
    (H,) = state
    Z = npx.sigmoid(np.dot(X, p["W_xz"]) + np.dot(H, p["W_hz"]) + p["b_z"])
    R = npx.sigmoid(np.dot(X, p["W_xr"]) + np.dot(H, p["W_hr"]) + p["b_r"])
    H_tilda = np.tanh(np.dot(X, p["W_xh"]) + np.dot(R * H, p["W_hh"]) + p["b_h"])
    H = Z * H + (1 - Z) * H_tilda
    return H, (H,)


def lstm_step(X, state, p):
    H, C = state
    I, F, O = (npx.sigmoid(np.dot(X, p["W_x" + g]) + np.dot(H, p["W_h" + g]) + p["b_" + g]) for g in "ifo")
    C = F * C + I * np.tanh(np.dot(X, p["W_xc"]) + np.dot(H, p["W_hc"]) + p["b_c"])
    H = O * np.tanh(C)
    return H, (H, C)


class Scratch:
    def __init__(self, kind):
        self.params = parameters(kind)
        self.step = {"rnn": rnn_step, "gru": gru_step, "lstm": lstm_step}[kind]
        self.count = 2 if kind == "lstm" else 1

    def begin_state(self, rows):
        return tuple(np.zeros((rows, hiddens)) for _ in range(self.count))

    def __call__(self, X, state):
        outputs = []
        for x in npx.one_hot(X.T, size):
            H, state = self.step(x, state, self.params)
            outputs.append(np.dot(H, self.params["W_hq"]) + self.params["b_q"])
        return np.concatenate(outputs, axis=0), state

    def gradients(self):
        return [p.grad for p in self.params.values()]

    def update(self, lr):
        for p in self.params.values():
            p[:] -= lr * p.grad


class Concise(nn.Block):
    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.rnn, self.dense = layer, nn.Dense(size)
        self.initialize(Seeded(0.3), force_reinit=True)
        self.trainer = gluon.Trainer(self.collect_params(), "sgd", {"learning_rate": 1})

    def begin_state(self, rows):
        return self.rnn.begin_state(batch_size=rows)

    def forward(self, X, state):
        Y, state = self.rnn(npx.one_hot(X.T, size), state)
        return self.dense(Y.reshape(-1, Y.shape[-1])), state

    def gradients(self):
        return [p.grad() for p in self.collect_params().values()]

    def update(self, lr):
        self.trainer.set_learning_rate(lr)
        self.trainer.step(1)


def train(title, net, epochs=2, lr=0.7):
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    curve = []
    for _ in range(epochs):
        state, total, tokens = None, 0.0, 0
        for X, Y in batches():
            if state is None:
                state = net.begin_state(batch)
            else:
                state = [s.detach() for s in state]
            y = Y.T.reshape(-1)
            with autograd.record():
                y_hat, state = net(X, state)
                l = loss(y_hat, y).mean()
            l.backward()
            norm = math.sqrt(sum((g**2).sum() for g in net.gradients()))
            if norm > 1:
                for g in net.gradients():
                    g[:] *= 1 / norm
            net.update(lr)
            total, tokens = total + float(l) * y.size, tokens + y.size
        curve.append(math.exp(total / tokens))
    show(title + " perplexity", curve)
    outputs = [vocab.index("t")]
    state = net.begin_state(1)
    for _ in range(8):
        y, state = net(np.array([outputs[-1]], dtype="int32").reshape(1, 1), state)
        outputs.append(int(y.argmax(axis=1).reshape(1).item()))
    show(title + " last", y)


for kind in ("rnn", "gru", "lstm"):
    train(kind, Scratch(kind))
train("rnn layer", Concise(rnn.RNN(hiddens)))
train("gru layer", Concise(rnn.GRU(hiddens)))
train("deep lstm", Concise(rnn.LSTM(hiddens, num_layers=2)))
