"""The profiler around training, its scopes and counters, and pictures of networks as text."""

import contextlib
import io
import json
import os
import tempfile

import mxnet as mx
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd, profiler
from mxnet.gluon import nn

folder = tempfile.mkdtemp()
filename = os.path.join(folder, "profile.json")
profiler.set_config(profile_all=True, aggregate_stats=True, continuous_dump=True, filename=filename)
net = nn.HybridSequential(prefix="net_")
net.add(nn.Conv2D(4, 3, activation="relu"), nn.MaxPool2D(), nn.Flatten(), nn.Dense(5))
net.initialize(Seeded(0.3))
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
loss = gluon.loss.SoftmaxCrossEntropyLoss()
x, y = nd.array(draw("x", (8, 1, 8, 8), 1)), nd.array([0, 1, 2, 3, 4, 0, 1, 2])


def run_training_iteration():
    with autograd.record():
        l = loss(net(x), y)
    l.backward()
    trainer.step(8)
    return l.mean().asscalar()


curve = [run_training_iteration()]
mx.nd.waitall()
profiler.set_state("run")
curve.append(run_training_iteration())
mx.nd.waitall()
profiler.set_state("stop")
text = profiler.dumps(reset=True)
print(isinstance(text, str) and len(text) > 0)
profiler.dump()
print(isinstance(json.load(open(filename)), dict))
profiler.set_state("run")
domain = profiler.Domain("steps")
task = domain.new_task("training")
counter = domain.new_counter("counted", 3)
marker = domain.new_marker("here")
task.start()
curve.append(run_training_iteration())
marker.mark("process")
counter.increment(2)
counter -= 1
task.stop()
with_frame = profiler.Frame(domain, "frame")
with_frame.start()
with_frame.stop()
event = profiler.Event("event")
event.start()
event.stop()
profiler.pause()
curve.append(run_training_iteration())
profiler.resume()
profiler.set_state("stop")
show("losses", curve)
symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
symbol = mx.sym.SoftmaxOutput(mx.sym.Activation(symbol, act_type="relu", name="relu"), name="softmax")
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    mx.viz.print_summary(symbol, shape={"data": (2, 4)})
print("fc(FullyConnected)" in printed.getvalue(), "Total params: 15" in printed.getvalue())
net.summary(x) if not net._active else print("summaries are for blocks that are not hybridized")
