"""Every way to compute a convolution and its gradients, beside the one that is chosen.

    python benchmarks/convolutions.py [--batch N] [NETWORK ...]

For each layer of networks that are trained: milliseconds of the chosen way, of the fastest one and of all
others. Ways are sessions as those of a training step, run in turn; medians count. To be run in the
repository.
"""

import argparse
import contextlib
import os
import statistics
import time
from unittest import mock

import _training_turns as turns
import numpy as np
import onnxruntime as ort
from _machine import description
from _training_gluon import NETWORKS

import hybridonnx as mx
from hybridonnx.converters.to_onnx import Local, conv, lower_operator
from hybridonnx.ops import Spec, find
from hybridonnx.runtime.blocks import block_size
from hybridonnx.runtime.environment import processors
from hybridonnx.runtime.failures import FAILURES
from hybridonnx.runtime.session import StepSession
from hybridonnx.symbol.graph import output_name

_ROUNDS = 9
_SECONDS = 0.02
"""How long a way runs in a turn, at least once."""
_SAME = 0.97
"""From this part of the chosen way's time on another one is as fast."""
WAYS = {
    "_conv_weight_grad": {
        "no blocks": {"_correlates": False, "_depthwise_weight_grad": None},
        "blocks": {"_correlates": True},
        "slices": {"_correlates": False, "_depthwise_weight_grad": None, "_apart": False},
        "correlation": {
            "_correlates": False,
            "_depthwise_weight_grad": None,
            "_apart": False,
            "FEW": 1 << 20,
        },
    },
    "_conv_data_grad": {
        "Conv": {"_blocked": None, "_convolves": True},
        "ConvTranspose": {"_blocked": None, "_convolves": False},
        "blocks": {"pays": True},
    },
    "Convolution": {"Conv": {"_blocked": None}, "blocks": {"pays": True}},
}
"""By operator what its ways answer in place of the rules."""


@contextlib.contextmanager
def answers(way):
    """While rules give these answers."""
    with contextlib.ExitStack() as stack:
        for name, value in way.items():
            place = conv.BlockedConv if name == "pays" else conv
            is_rule = callable(getattr(place, name))
            replacement = (lambda *_, value=value, **__: value) if is_rule else value
            stack.enter_context(mock.patch.object(place, name, replacement))
        yield


def layers(name, batch):
    """The different convolutions of a network: each operator, the shapes of data and weight, and how many."""
    if name in NETWORKS:
        net, (count, *size) = NETWORKS[name](mx), turns.IMAGES[name][0]
    else:
        net, (count, *size) = mx.gluon.model_zoo.vision.get_model(name), turns.IMAGES["resnet18"][0]
        size = [size[0], 299, 299] if name == "inceptionv3" else size
    net.initialize()
    shape = (batch or count, *size)
    internals = net(mx.sym.var("data")).get_internals()
    shapes = dict(zip(internals.list_outputs(), internals.infer_shape(data=shape)[1], strict=True))
    result = {}
    for node in internals.nodes():
        if node.op_name == "Convolution":
            key = node.op, *[shapes[output_name(entry)] for entry in node.inputs[:2]]
            result[key] = result.get(key, 0) + 1
    return result


def call(op, arrays):
    """A call of one operator in a session like those of a training step; nothing if it has no such way."""
    try:
        specs = [Spec(array.shape, array.dtype) for array in arrays]
        lowered = lower_operator(op, specs, local=Local(block=block_size()))
        made = ort.InferenceSession(lowered.message, StepSession.options())
        feeds = dict(zip([value.name for value in made.get_inputs()], arrays, strict=True))
        made.run(None, feeds)
    except (mx.MXNetError, AssertionError, *FAILURES):
        return None
    return lambda: made.run(None, feeds)


def operators(convolution, data, weight):
    """The convolution without a bias and its gradients, each with arrays."""
    rng = np.random.default_rng(0)
    attributes = convolution.shared()
    x, w, dy = (
        rng.standard_normal(shape).astype(np.float32)
        for shape in (data, weight, convolution.infer_shape(data, weight))
    )
    yield find("Convolution").make({**attributes, "no_bias": True}), (x, w)
    yield find("_conv_data_grad").make(attributes), (dy, w, x)
    yield find("_conv_weight_grad").make(attributes), (dy, x, w)


def ways(op, arrays):
    """The chosen way and the others that give the same, as calls."""
    chosen = call(op, arrays)
    (right,) = chosen()
    result = {"chosen": chosen}
    for name, way in WAYS[op.names[0]].items():
        with answers(way):
            other = call(op, arrays)
        if other is not None:
            (y,) = other()
            if y.shape == right.shape and np.allclose(y, right, rtol=1e-3, atol=1e-3 * np.abs(right).max()):
                result[name] = other
    return result


def milliseconds(calls):
    """The medians of each of several calls, in turns."""
    times = {name: [] for name in calls}
    for name in [*calls] * _ROUNDS:
        begin, count = time.perf_counter(), 0
        while not count or time.perf_counter() - begin < _SECONDS:
            calls[name]()
            count += 1
        times[name].append(1e3 * (time.perf_counter() - begin) / count)
    return {name: statistics.median(kept) for name, kept in times.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = f"{', '.join(turns.IMAGES)}, or one of the zoo"
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=names)
    parser.add_argument("--batch", type=int, help="how many images; else as in training.py")
    options = parser.parse_args()
    threads = os.environ.get("HYBRIDONNX_THREADS") or processors()
    print(f"{description()}, {threads} threads, blocks of {block_size()}")
    print(
        "| Network | data | weight | operator | chosen, ms | fastest | ratio | others |\n" + "|---" * 8 + "|"
    )
    for network in options.networks or turns.IMAGES:
        total, least = 0.0, 0.0
        for (convolution, *shapes), count in layers(network, options.batch).items():
            for op, arrays in operators(convolution, *shapes):
                times = milliseconds(ways(op, arrays))
                chosen = times.pop("chosen")
                best = min(filter(lambda time: time <= _SAME * chosen, times.values()), default=chosen)
                total, least = total + count * chosen, least + count * best
                sizes = ["×".join(map(str, shape)) for shape in shapes]
                numbers = f"{chosen:.2f}", f"{best:.2f}", f"{best / chosen:.2f}"
                others = ", ".join(f"{name} {time:.2f}" for name, time in times.items())
                print("|", " | ".join([network, *sizes, op.names[0], *numbers, others]), "|", flush=True)
        print(f"| {network} | | | all | {total:.1f} | {least:.1f} | {least / total:.3f} | |", flush=True)


if __name__ == "__main__":
    main()
