"""Older ways: FeedForward, states of Modules, chains of modules, groups of devices, vocabularies."""

import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet.contrib import text

rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 60)
points = (rng.normal(size=(3, 8))[labels] + rng.normal(0, 0.6, (60, 8))).astype("float32")


def scores():
    net = mx.sym.FullyConnected(mx.sym.Variable("data"), name="fc1", num_hidden=10)
    net = mx.sym.Activation(net, name="act", act_type="tanh")
    return mx.sym.FullyConnected(net, name="fc2", num_hidden=3)


softmax = mx.sym.SoftmaxOutput(scores(), name="softmax")
values = []
model = mx.model.FeedForward(
    softmax,
    ctx=mx.cpu(),
    num_epoch=4,
    learning_rate=0.1,
    momentum=0.9,
    initializer=Seeded(0.3),
    numpy_batch_size=20,
)
model.fit(
    mx.io.NDArrayIter(points, labels, 20),
    eval_data=mx.io.NDArrayIter(points, labels, 20),
    eval_metric="ce",
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("feed forward", values)
show("predicted", model.predict(mx.io.NDArrayIter(points[:4], batch_size=2)))
show("score", model.score(mx.io.NDArrayIter(points, labels, 20), "acc"))
prefix = os.path.join(tempfile.mkdtemp(), "ff")
model.save(prefix, 4)
again = mx.model.FeedForward.load(prefix, 4)
show("loaded", again.predict(points[:2]))

first = mx.mod.Module(
    mx.sym.FullyConnected(mx.sym.Variable("data"), name="fc1", num_hidden=10), label_names=None
)
second = mx.mod.Module(
    mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.tanh(mx.sym.Variable("data")), name="fc2", num_hidden=3), name="softmax"
    )
)
chain = mx.mod.SequentialModule()
chain.add(first).add(second, take_labels=True, auto_wiring=True)
values = []
chain.fit(
    mx.io.NDArrayIter(points, labels, 20),
    num_epoch=3,
    initializer=Seeded(0.3),
    eval_metric="ce",
    optimizer_params={"learning_rate": 0.1},
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("sequential", values)


def hinge_grad(scores, labels):
    scores, labels = scores.asnumpy(), labels.asnumpy().astype(int)
    margin = 1.0 - np.where(np.arange(3) == labels[:, None], 1, -1) * scores
    return mx.nd.array(-np.where(np.arange(3) == labels[:, None], 1, -1) * np.maximum(margin, 0) * 2)


body = mx.mod.Module(scores(), label_names=None)
loss = mx.mod.PythonLossModule(grad_func=hinge_grad)
chain = mx.mod.SequentialModule().add(body).add(loss, take_labels=True, auto_wiring=True)
iterator = mx.io.NDArrayIter(points, labels, 20)
chain.fit(
    iterator,
    num_epoch=3,
    initializer=Seeded(0.3),
    eval_metric="acc",
    optimizer_params={"learning_rate": 0.05},
)
show("python loss", chain.get_params()[0]["fc2_bias"])

with mx.AttrScope(ctx_group="dev1"):
    hidden = mx.sym.Activation(
        mx.sym.FullyConnected(mx.sym.Variable("data"), name="fc1", num_hidden=10), act_type="relu"
    )
with mx.AttrScope(ctx_group="dev2"):
    out = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(hidden, name="fc2", num_hidden=3), name="softmax")
parallel = mx.mod.Module(out, context=[mx.cpu(0)], group2ctxs={"dev1": mx.cpu(1), "dev2": mx.cpu(2)})
values = []
parallel.fit(
    mx.io.NDArrayIter(points, labels, 20),
    num_epoch=3,
    initializer=Seeded(0.3),
    eval_metric="ce",
    optimizer_params={"learning_rate": 0.1},
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("groups", values)

steps = 5
cell = mx.sym.RNN(
    mx.sym.swapaxes(mx.sym.Variable("data"), dim1=0, dim2=1),
    state=mx.sym.Variable("h"),
    state_cell=mx.sym.Variable("c"),
    parameters=mx.sym.Variable("rnn_weight"),
    state_size=6,
    num_layers=1,
    mode="lstm",
    state_outputs=True,
    name="rnn",
)
last = mx.sym.FullyConnected(mx.sym.SequenceLast(cell[0]), num_hidden=3, name="out")
net = mx.sym.Group(
    [mx.sym.SoftmaxOutput(last, name="softmax"), mx.sym.BlockGrad(cell[1]), mx.sym.BlockGrad(cell[2])]
)
sequences = (rng.normal(size=(3, steps, 4))[labels] + rng.normal(0, 0.4, (60, steps, 4))).astype("float32")
stateful = mx.mod.Module(net, state_names=["h", "c"])
iterator = mx.io.NDArrayIter(sequences, labels, 20)
stateful.bind(iterator.provide_data, iterator.provide_label)
stateful.init_params(Seeded(0.3))
stateful.init_optimizer(optimizer_params={"learning_rate": 0.3})
stateful.set_states(value=0)
curve = []
for epoch in range(3):
    iterator.reset()
    for batch in iterator:
        stateful.forward(batch)
        outputs = stateful.get_outputs(merge_multi_context=False)
        stateful.backward()
        stateful.update()
        stateful.set_states(states=outputs[1:])
        p = outputs[0][0].asnumpy()
        curve.append(-np.log(p[np.arange(20), batch.label[0].asnumpy().astype(int)]).mean())
show("states", curve)

counter = text.utils.count_tokens_from_str("hello world \n hello nice world \n hi world \n", to_lower=True)
vocabulary = text.vocab.Vocabulary(
    counter, most_freq_count=None, min_freq=1, unknown_token="<unk>", reserved_tokens=["<pad>"]
)
print(vocabulary.idx_to_token, vocabulary.to_indices(["hi", "there"]), len(vocabulary))
path = os.path.join(tempfile.mkdtemp(), "vectors.txt")
with open(path, "w") as file:
    for token in ("hello", "world", "nice"):
        file.write(token + " " + " ".join("%.4f" % v for v in draw(token, (4,), 1)) + "\n")
embedding = text.embedding.CustomEmbedding(path, " ", vocabulary=vocabulary)
show("vectors", embedding.idx_to_vec)
show("vector", embedding.get_vecs_by_tokens(["world", "absent"]))
embedding.update_token_vectors("hi", mx.nd.array([1, 2, 3, 4]))
show("updated", embedding.get_vecs_by_tokens("hi"))
