"""A character language model: RNN, GRU and LSTM from scratch, states kept between batches."""

import math

from _seeded import draw, show
from mxnet import autograd, gluon, nd

text = "so she sat down by the river and the river sang to her of stones and of the sea " * 6
idx_to_char = sorted(set(text))
char_to_idx = {char: i for i, char in enumerate(idx_to_char)}
corpus = [char_to_idx[char] for char in text]
vocab_size, num_hiddens = len(idx_to_char), 24


def data_iter_consecutive(corpus_indices, batch_size, num_steps, ctx=None):
    corpus_indices = nd.array(corpus_indices, ctx=ctx)
    batch_len = corpus_indices.shape[0] // batch_size
    indices = corpus_indices[0 : batch_size * batch_len].reshape((batch_size, batch_len))
    for i in range((batch_len - 1) // num_steps):
        i = i * num_steps
        yield indices[:, i : i + num_steps], indices[:, i + 1 : i + num_steps + 1]


def to_onehot(X, size):
    return [nd.one_hot(x, size) for x in X.T]


def weights(name, gates):
    def three(gate):
        w_x = nd.array(draw(f"{name} x {gate}", (vocab_size, num_hiddens), 0.1))
        w_h = nd.array(draw(f"{name} h {gate}", (num_hiddens, num_hiddens), 0.1))
        return [w_x, w_h, nd.zeros(num_hiddens)]

    params = [p for gate in range(gates) for p in three(gate)]
    params += [nd.array(draw(f"{name} q", (num_hiddens, vocab_size), 0.1)), nd.zeros(vocab_size)]
    for param in params:
        param.attach_grad()
    return params


def zeros(batch_size):
    return nd.zeros(shape=(batch_size, num_hiddens))


def rnn(inputs, state, params):
    W_xh, W_hh, b_h, W_hq, b_q = params
    (H,) = state
    outputs = []
    for X in inputs:
        H = nd.tanh(nd.dot(X, W_xh) + nd.dot(H, W_hh) + b_h)
        outputs.append(nd.dot(H, W_hq) + b_q)
    return outputs, (H,)


def gru(inputs, state, params):
    W_xz, W_hz, b_z, W_xr, W_hr, b_r, W_xh, W_hh, b_h, W_hq, b_q = params
    (H,) = state
    outputs = []
    for X in inputs:
        Z = nd.sigmoid(nd.dot(X, W_xz) + nd.dot(H, W_hz) + b_z)
        R = nd.sigmoid(nd.dot(X, W_xr) + nd.dot(H, W_hr) + b_r)
        H_tilda = nd.tanh(nd.dot(X, W_xh) + nd.dot(R * H, W_hh) + b_h)
        H = Z * H + (1 - Z) * H_tilda
        outputs.append(nd.dot(H, W_hq) + b_q)
    return outputs, (H,)


def lstm(inputs, state, params):
    W_xi, W_hi, b_i, W_xf, W_hf, b_f, W_xo, W_ho, b_o, W_xc, W_hc, b_c, W_hq, b_q = params
    (H, C) = state
    outputs = []
    for X in inputs:
        i_gate = nd.sigmoid(nd.dot(X, W_xi) + nd.dot(H, W_hi) + b_i)
        f_gate = nd.sigmoid(nd.dot(X, W_xf) + nd.dot(H, W_hf) + b_f)
        o_gate = nd.sigmoid(nd.dot(X, W_xo) + nd.dot(H, W_ho) + b_o)
        c_tilda = nd.tanh(nd.dot(X, W_xc) + nd.dot(H, W_hc) + b_c)
        C = f_gate * C + i_gate * c_tilda
        H = o_gate * C.tanh()
        outputs.append(nd.dot(H, W_hq) + b_q)
    return outputs, (H, C)


def grad_clipping(params, theta):
    norm = nd.array([0])
    for param in params:
        norm += (param.grad**2).sum()
    norm = norm.sqrt().asscalar()
    if norm > theta:
        for param in params:
            param.grad[:] *= theta / norm


def predict(prefix, num_chars, model, states, params):
    state = tuple(zeros(1) for _ in range(states))
    output = [char_to_idx[prefix[0]]]
    for t in range(num_chars + len(prefix) - 1):
        X = to_onehot(nd.array([output[-1]]).reshape((1, 1)), vocab_size)
        (Y, state) = model(X, state, params)
        if t < len(prefix) - 1:
            output.append(char_to_idx[prefix[t + 1]])
        else:
            output.append(int(Y[0].argmax(axis=1).asscalar()))
    return "".join([idx_to_char[i] for i in output])


def train(name, model, gates, states, lr):
    params = weights(name, gates)
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    curve = []
    for epoch in range(4):
        l_sum, n = 0.0, 0
        state = tuple(zeros(8) for _ in range(states))
        for X, Y in data_iter_consecutive(corpus, 8, 10):
            for s in state:
                s.detach()
            with autograd.record():
                (outputs, state) = model(to_onehot(X, vocab_size), state, params)
                outputs = nd.concat(*outputs, dim=0)
                y = Y.T.reshape((-1,))
                l = loss(outputs, y).mean()
            l.backward()
            grad_clipping(params, 1e-2)
            for param in params:
                param[:] = param - lr * param.grad / 1
            l_sum += l.asscalar() * y.size
            n += y.size
        curve.append(math.exp(l_sum / n))
    show(name + " perplexity", curve)
    print(name, "-", predict("sat ", 10, model, states, params))


train("rnn", rnn, 1, 1, 1e2)
train("gru", gru, 3, 1, 1e2)
train("lstm", lstm, 4, 2, 1e2)
