"""From training to use: export, SymbolBlock, Module, features, and a learning rate finder."""

import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 60)
images = nd.array(rng.rand(3, 3, 12, 12)[labels] + rng.normal(0, 0.3, (60, 3, 12, 12)))
labels = nd.array(labels)
folder = tempfile.mkdtemp()
loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()


def network():
    net = nn.HybridSequential(prefix="model_")
    with net.name_scope():
        net.add(nn.Conv2D(6, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
        net.add(
            nn.Conv2D(8, 3, use_bias=False),
            nn.LeakyReLU(0.1),
            nn.GlobalAvgPool2D(),
            nn.Flatten(),
            nn.Dense(3),
        )
    net.initialize(Seeded(0.3), force_reinit=True)
    net.hybridize()
    return net


class Learner:
    def __init__(self, net):
        self.net = net
        self.trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.001})
        self.step = 0

    def iteration(self, lr=None, take_step=True):
        if lr and lr != self.trainer.learning_rate:
            self.trainer.set_learning_rate(lr)
        i = self.step % 3 * 20
        self.step += 1
        with autograd.record():
            loss = loss_fn(self.net(images[i : i + 20]), labels[i : i + 20])
        loss.backward()
        if take_step:
            self.trainer.step(20)
        return nd.mean(loss).asscalar()


class LRFinder:
    def __init__(self, learner):
        self.learner = learner

    def find(self, lr_start=1e-3, lr_multiplier=1.6, smoothing=0.3):
        lr, results, smoothed, least = lr_start, [], None, None
        path = os.path.join(folder, "before.params")
        self.learner.net.save_parameters(path)
        self.learner.trainer.save_states(os.path.join(folder, "before.states"))
        while lr < 2:
            loss = self.learner.iteration(lr)
            smoothed = loss if smoothed is None else smoothing * loss + (1 - smoothing) * smoothed
            least = smoothed if least is None else min(least, smoothed)
            results.append((lr, loss))
            if smoothed > 2 * least or np.isnan(loss):
                break
            lr = lr * lr_multiplier
        self.learner.net.load_parameters(path)
        self.learner.trainer.load_states(os.path.join(folder, "before.states"))
        return results


learner = Learner(network())
learner.iteration(take_step=False)
learner.iteration()
show("finder", LRFinder(learner).find())
learner.trainer.set_learning_rate(0.1)
learner.trainer._optimizer.lr = 0.1
show("training", [learner.iteration(0.1) for _ in range(9)])
net, x = learner.net, images[:4]
expected = net(x)
show("network", expected)
net.export(os.path.join(folder, "model"), epoch=3)
symbol_file, params_file = (
    os.path.join(folder, "model-symbol.json"),
    os.path.join(folder, "model-0003.params"),
)
deployed = gluon.nn.SymbolBlock.imports(symbol_file, ["data"], params_file, ctx=mx.cpu())
show("symbol block", deployed(x))
sym, arg_params, aux_params = mx.model.load_checkpoint(os.path.join(folder, "model"), 3)
mod = mx.mod.Module(symbol=sym, context=mx.cpu(), label_names=None)
mod.bind(for_training=False, data_shapes=[("data", (4, 3, 12, 12))], label_shapes=mod._label_shapes)
mod.set_params(arg_params, aux_params, allow_missing=True)


class Batch(object):
    def __init__(self, data):
        self.data = data


mod.forward(Batch([x]))
prob = mx.nd.softmax(mod.get_outputs()[0]).asnumpy()
show("module", prob)
for i in np.argsort(np.squeeze(prob[0]))[::-1][:2]:
    print("class", i)
mod.forward(Batch([images[:2]]))
show("other size", mod.get_outputs()[0])
all_layers = sym.get_internals()
print(all_layers.list_outputs()[-4:])
fe_sym = all_layers[
    "model_flatten0_flatten0_output"
    if "model_flatten0_flatten0_output" in all_layers.list_outputs()
    else all_layers.list_outputs()[-4]
]
fe_mod = mx.mod.Module(symbol=fe_sym, context=mx.cpu(), label_names=None)
fe_mod.bind(for_training=False, data_shapes=[("data", (1, 3, 12, 12))])
fe_mod.set_params(arg_params, aux_params, allow_extra=True)
fe_mod.forward(Batch([images[:1]]))
show("features", fe_mod.get_outputs()[0])
executor = sym.bind(mx.cpu(), {**arg_params, "data": x}, aux_states=aux_params, grad_req="null")
show("executor", executor.forward()[0])
tuned = gluon.SymbolBlock(fe_sym, mx.sym.var("data"))
tuned.load_parameters(params_file, ignore_extra=True)
head = nn.HybridSequential()
head.add(tuned, nn.Dense(2))
head[1].initialize(Seeded(0.3))
trainer = gluon.Trainer(head.collect_params(), "sgd", {"learning_rate": 0.05})
curve = []
for step in range(6):
    i = step % 3 * 20
    with autograd.record():
        l = loss_fn(head(images[i : i + 20]), labels[i : i + 20] > 0)
    l.backward()
    trainer.step(20)
    curve.append(l.mean().asscalar())
show("tuned", curve)
double = network()
double.cast("float64")
show("double", double(x.astype("float64")))
