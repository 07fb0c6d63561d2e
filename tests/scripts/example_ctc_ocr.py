"""Reading strips of digits: an LSTM over columns, CTC as a loss of symbols and of Gluon, decoding."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd

rng = np.random.RandomState(0)
glyphs = rng.rand(4, 3, 6)


def strip():
    numbers = rng.randint(0, 4, 3)
    columns = np.concatenate([np.concatenate([glyphs[n], np.zeros((1, 6))]) for n in numbers])
    return columns + rng.normal(0, 0.05, columns.shape), numbers + 1


pictures, labels = zip(*[strip() for _ in range(32)])
pictures, labels = np.array(pictures, "float32"), np.array(labels, "float32")
seq_len, batch = 12, 8

data = mx.sym.Variable("data")
label = mx.sym.Variable("label")
cell = mx.rnn.LSTMCell(num_hidden=16, prefix="lstm_")
outputs, _ = cell.unroll(
    seq_len, inputs=mx.sym.transpose(data, axes=(1, 0, 2)), layout="TNC", merge_outputs=True
)
pred = mx.sym.FullyConnected(mx.sym.reshape(outputs, shape=(-1, 16)), num_hidden=5, name="pred_fc")
pred_ctc = mx.sym.Reshape(data=pred, shape=(-4, seq_len, -1, 0))
loss = mx.sym.contrib.ctc_loss(data=pred_ctc, label=label)
ctc_loss = mx.sym.MakeLoss(loss)
softmax = mx.sym.BlockGrad(mx.sym.softmax(data=pred), name="softmax")
net = mx.sym.Group([softmax, mx.sym.BlockGrad(ctc_loss)] + [ctc_loss])
mod = mx.mod.Module(net, data_names=["data"], label_names=["label"])
train = mx.io.NDArrayIter(pictures, labels, batch, label_name="label")
mod.bind(train.provide_data, train.provide_label)
mod.init_params(Seeded(0.3))
mod.init_optimizer(optimizer="adam", optimizer_params={"learning_rate": 0.02})


def ctc_label(p):
    ret, before = [], 0
    for c in p:
        if c != 0 and c != before:
            ret.append(int(c))
        before = c
    return ret


curve = []
for epoch in range(6):
    train.reset()
    for b in train:
        mod.forward_backward(b)
        mod.update()
        curve.append(mod.get_outputs()[2].mean().asscalar())
show("module", curve)
probabilities = mod.get_outputs()[0].asnumpy().reshape((seq_len, batch, 5))
print([ctc_label(p) for p in probabilities.argmax(axis=2).T])


class Reader(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Reader, self).__init__(**kwargs)
        with self.name_scope():
            self.lstm = gluon.rnn.LSTM(10, bidirectional=True, layout="NTC")
            self.out = gluon.nn.Dense(5, flatten=False)

    def hybrid_forward(self, F, x):
        return self.out(self.lstm(x))


reader = Reader()
reader.initialize(Seeded(0.3))
loss = gluon.loss.CTCLoss()
trainer = gluon.Trainer(reader.collect_params(), "adam", {"learning_rate": 0.03})
curve = []
for epoch in range(5):
    for i in range(0, 32, 8):
        with autograd.record():
            l = loss(reader(nd.array(pictures[i : i + 8])), nd.array(labels[i : i + 8]) - 1)
        l.backward()
        gluon.utils.clip_global_norm([p.grad() for p in reader.collect_params().values()], 5)
        trainer.step(8)
        curve.append(l.mean().asscalar())
show("gluon", curve)
