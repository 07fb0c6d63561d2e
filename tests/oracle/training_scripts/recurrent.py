"""Recurrent networks: a language model, a classifier of sequences, cells that are unrolled."""

import numpy as np

from ._run import blobs


def language_model(mx, run):
    gluon, nn, rnn = mx.gluon, mx.gluon.nn, mx.gluon.rnn

    class Model(gluon.HybridBlock):
        def __init__(self, words, size, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.embedding = nn.Embedding(words, size)
                self.lstm = rnn.LSTM(size, num_layers=2, input_size=size)
                self.decoder = nn.Dense(words, flatten=False, in_units=size)

        def hybrid_forward(self, F, x, h, c):
            output, (h, c) = self.lstm(self.embedding(x), [h, c])
            return self.decoder(output), h, c

    words, steps, batch = 13, 7, 4
    text = np.random.RandomState(1).randint(0, words, batch * (steps * 6 + 1))
    text[3::4] = text[2::4]
    text = text.reshape(batch, -1).T
    net = run.ready(Model(words, 8, prefix="model_"))
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 1.0, "clip_gradient": 0.2, "wd": 1e-4}
    )
    perplexity = mx.metric.Perplexity(ignore_label=None)
    for _ in range(5):
        perplexity.reset()
        states = net.lstm.begin_state(batch_size=batch)
        for i in range(0, len(text) - 1, steps):
            data, target = mx.nd.array(text[i : i + steps]), mx.nd.array(text[i + 1 : i + steps + 1])
            states = [state.detach() for state in states]
            with mx.autograd.record():
                output, *states = net(data, *states)
                loss = loss_of(output.reshape((-1, words)), target.reshape((-1,)))
            loss.backward()
            grads = [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]
            run.show("norm", gluon.utils.clip_global_norm(grads, 0.25 * steps * batch))
            trainer.step(steps * batch)
            run.loss(loss)
            perplexity.update([target.reshape((-1,))], [output.reshape((-1, words)).softmax()])
        run.show("perplexity", perplexity.get()[1])
    run.parameters(net)


def _sequences(mx, rows=12, steps=6, size=4, seed=0):
    """Batches of (N, T, C), their lengths and classes."""
    x, y = blobs(rows, (steps, size), 3, seed)
    lengths = np.random.RandomState(seed).randint(2, steps + 1, rows).astype("float32")
    return mx.nd.array(x), mx.nd.array(lengths), mx.nd.array(y)


def bidirectional_gru(mx, run):
    gluon, nn, rnn = mx.gluon, mx.gluon.nn, mx.gluon.rnn

    class Classifier(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.gru = rnn.GRU(5, layout="NTC", bidirectional=True, input_size=4)
                self.out = nn.Dense(3, in_units=10)

        def hybrid_forward(self, F, x, lengths):
            y = F.SequenceMask(self.gru(x), lengths, use_sequence_length=True, axis=1)
            return self.out(F.broadcast_div(y.sum(axis=1), lengths.expand_dims(1)))

    net = run.ready(Classifier(prefix="classifier_"))
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = gluon.Trainer(net.collect_params(), "rmsprop", {"learning_rate": 0.01, "epsilon": 1e-3})
    for step in range(25):
        x, lengths, y = _sequences(mx, rows=12 if step % 5 < 4 else 7, seed=step % 5)
        with mx.autograd.record():
            loss = loss_of(net(x, lengths), y)
        loss.backward()
        trainer.step(len(y))
        run.loss(loss)
    run.parameters(net)


def _train_cell(mx, run, unrolled, size, steps=20):
    """Train a cell's `unroll` with a classifier on the last output."""
    gluon, nn = mx.gluon, mx.gluon.nn

    class Last(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.cell = unrolled()
                self.out = nn.Dense(3, in_units=size)

        def hybrid_forward(self, F, x, lengths):
            outputs, _ = self.cell.unroll(6, x, layout="NTC", merge_outputs=True, valid_length=lengths)
            return self.out(F.SequenceLast(outputs, lengths, use_sequence_length=True, axis=1))

    net = Last(prefix="last_")
    run.ready(net, *_sequences(mx)[:2])
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = gluon.Trainer(net.collect_params(), "nag", {"learning_rate": 0.1, "momentum": 0.5})
    for step in range(steps):
        x, lengths, y = _sequences(mx, seed=step % 4)
        with mx.autograd.record():
            loss = loss_of(net(x, lengths), y)
        loss.backward()
        trainer.step(len(y))
        run.loss(loss)
    run.parameters(net)


def lstm_cell(mx, run):
    _train_cell(mx, run, lambda: mx.gluon.rnn.LSTMCell(5, input_size=4), 5)


def residual_cells(mx, run):
    rnn = mx.gluon.rnn

    def build():
        stack = rnn.HybridSequentialRNNCell()
        with stack.name_scope():
            stack.add(rnn.ResidualCell(rnn.GRUCell(4, input_size=4)))
            stack.add(rnn.ResidualCell(rnn.LSTMCell(4, input_size=4)))
            stack.add(rnn.RNNCell(5, input_size=4))
        return stack

    _train_cell(mx, run, build, 5)


def cell_step_by_step(mx, run):
    """A cell that is called for each step by a loop outside of it."""
    gluon, nn = mx.gluon, mx.gluon.nn
    cell = run.ready(gluon.rnn.LSTMCell(5, input_size=4, prefix="cell_"), seed=1)
    head = run.ready(nn.Dense(3, in_units=5, prefix="head_"), seed=2)
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    params = cell.collect_params()
    params.update(head.collect_params())
    trainer = gluon.Trainer(params, "sgd", {"learning_rate": 0.2})
    for step in range(20):
        x, _, y = _sequences(mx, seed=step % 4)
        with mx.autograd.record():
            states = cell.begin_state(batch_size=len(y))
            total = 0
            for i in range(6):
                output, states = cell(x[:, i], states)
                total = total + loss_of(head(output), y) * (0.2 * i)
        total.backward()
        trainer.step(len(y))
        run.loss(total)
    run.parameters(cell)
    run.parameters(head)
