"""Whatever writes files, to be killed, refused and interrupted: `python -m tests.fault_writers FOLDER`.

A writer is made once and writes its files, of value 1 or of value 2, into a folder. Run as a program, this
module takes orders as lines of JSON, and carries each out in a process of its own (`tests/test_faults.py`).
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import signal
import sys
import time
import traceback
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import hybridonnx as mx
from hybridonnx.gluon import nn
from tests.interrupts import Steps

WRITERS: dict[str, Any] = {}


def writer(make):
    """Register what makes a function of a folder and a value."""
    WRITERS[make.__name__] = make
    return make


def arrays(value):
    return {"w": mx.nd.full((128, 128), value), "b": mx.nd.full((7,), value)}


def network():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(64, in_units=64), nn.Dense(64, in_units=64))
    net.initialize()
    with mx.autograd.record():  # traced, and run on the kernels
        net.hybridize()
        net(mx.nd.ones((1, 64)))
    return net


def filled(net, value):
    for param in net.collect_params().values():
        param.set_data(mx.nd.full(param.shape, value))
    return net


def trainer_of(net):
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    for updater in trainer._updaters:
        for i, param in enumerate(net.collect_params().values()):
            updater.states[i] = mx.nd.zeros(param.shape)
    return trainer


def stepped(trainer, value):
    for states in trainer._updaters[0].states.values():
        states[:] = value
    return trainer


@writer
def params():
    return lambda folder, value: mx.nd.save(f"{folder}/arrays.params", arrays(value))


@writer
def symbol():
    def write(folder, value):
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=value, name="fc").save(
            f"{folder}/fc-symbol.json"
        )

    return write


@writer
def safetensors():
    import safetensors.numpy  # noqa: F401  (skipped where it is not)

    return lambda folder, value: mx.nd.save(f"{folder}/arrays.safetensors", arrays(value))


@writer
def parameters():
    net = network()
    return lambda folder, value: filled(net, value).save_parameters(f"{folder}/net.params")


@writer
def exported():
    net = network()
    return lambda folder, value: filled(net, value).export(f"{folder}/net", epoch=1)


@writer
def tree():
    net = network()
    return lambda folder, value: filled(net, value).save(f"{folder}/net")


@writer
def states():
    trainer = trainer_of(network())
    return lambda folder, value: stepped(trainer, value).save_states(f"{folder}/trainer.states")


def summed(value):
    """A model that tells by the name of its output which it is."""
    graph = mx.sym.broadcast_add(mx.sym.var("x"), mx.sym.var("w"), name=f"sum{value}")
    return graph, {"w": mx.nd.full((128, 128), value)}, [(128,)]


@writer
def onnx():
    return lambda folder, value: mx.onnx.export_model(*summed(value), onnx_file_path=f"{folder}/m.onnx")


@writer
def external():
    def write(folder, value):
        mx.onnx.export_model(*summed(value), onnx_file_path=f"{folder}/m.onnx", external_data=True)

    return write


@writer
def proven():
    def write(folder, value):
        path = f"{folder}/m.onnx"
        mx.onnx.export_model(*summed(value), onnx_file_path=path, external_data=True, verify=True)

    return write


@writer
def checkpoint():
    def write(folder, value):
        graph = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=value, name="fc")
        mx.model.save_checkpoint(f"{folder}/net", 3, graph, arrays(value), {"mean": mx.nd.full((9,), value)})

    return write


def training_that_saves(goes_on):
    net = network()
    trainer = trainer_of(net)

    def write(folder, value):
        checkpoint = mx.gluon.Checkpoint(folder, net, trainer, keep=1)
        if goes_on:
            checkpoint.load()
        checkpoint.step += 1
        filled(net, value)
        stepped(trainer, value)
        checkpoint.save()

    return write


@writer
def training():
    return training_that_saves(goes_on=True)


@writer
def training_begun_anew():
    return training_that_saves(goes_on=False)


@writer
def module():
    graph = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=64, name="fc")
    mod = mx.mod.Module(mx.sym.SoftmaxOutput(graph, mx.sym.var("label")), label_names=["label"])
    mod.bind([("data", (4, 64))], [("label", (4,))])
    mod.init_params()
    mod.init_optimizer(kvstore=None, optimizer="sgd", optimizer_params={"momentum": 0.9})
    weights, _ = mod.get_params()

    def write(folder, value):
        mod.set_params({name: mx.nd.full(x.shape, value) for name, x in weights.items()}, {})
        mod.save_checkpoint(f"{folder}/net", 3, save_optimizer_states=True)

    return write


@writer
def estimator():
    from hybridonnx.gluon.contrib.estimator import CheckpointHandler

    net = network()
    fitting = SimpleNamespace(net=net, trainer=trainer_of(net), logger=logging.getLogger("faults"))

    def write(folder, value):
        handler = CheckpointHandler(str(folder), model_prefix="net")
        filled(net, value)
        stepped(fitting.trainer, value)
        handler.train_begin(fitting)
        handler.batch_end(fitting)
        handler.epoch_end(fitting)

    return write


def records(value):
    return [bytes([value]) * (1000 + 37 * i) for i in range(60)]


@writer
def record_file():
    def write(folder, value):
        with mx.recordio.MXRecordIO(f"{folder}/a.rec", "w") as file:
            for record in records(value):
                file.write(record)

    return write


@writer
def indexed_records():
    def write(folder, value):
        with mx.recordio.MXIndexedRecordIO(f"{folder}/a.idx", f"{folder}/a.rec", "w") as file:
            for i, record in enumerate(records(value)):
                file.write_idx(100 * value + i, record)

    return write


@writer
def images_to_records():
    from hybridonnx.cli import im2rec

    def write(folder, value):
        images = Path(folder).parent / f"images{value}"
        if not images.exists():
            images.mkdir()
            for i in range(6):
                pixels = np.full((8, 8, 3), 20 * i + value, np.uint8)
                record = mx.recordio.pack_img(mx.recordio.IRHeader(0, 0, 0, 0), pixels, 6, ".png")
                (images / f"{i}.png").write_bytes(mx.recordio.unpack(record)[1])
        for options in (["--list"], ["--pass-through"]):
            assert not im2rec.main([*options, f"{folder}/images", str(images)])

    return write


@writer
def index():
    from hybridonnx.cli import rec2idx

    def write(folder, value):
        source = Path(folder).parent / f"source{value}.rec"
        if not source.exists():
            with mx.recordio.MXRecordIO(source, "w") as file:
                for record in records(value):
                    file.write(record[: 5 * value])
        assert not rec2idx.main([str(source), f"{folder}/a.idx"])

    return write


@writer
def page():
    from hybridonnx.pages.page import Page

    Page("", "").text()  # reads files of its own, which somebody else may not
    return lambda folder, value: Page(f"{value}", "Well.").write(f"{folder}/page.html")


@writer
def results():
    from hybridonnx.cli._arrays import write_arrays

    return lambda folder, value: write_arrays(f"{folder}/y.npz", {"y": np.full((128, 128), value)})


@writer
def download():
    with urllib.request.urlopen(
        Path(__file__).as_uri()
    ):  # before somebody else, who may not read what it needs
        import ssl  # noqa: F401

    def write(folder, value):
        source = Path(folder).parent / f"source{value}.bin"
        if not source.exists():
            source.write_bytes(bytes([value]) * 300_000)
        mx.gluon.utils.download(source.as_uri(), f"{folder}/got.bin", overwrite=True, retries=0)

    return write


@writer
def imported():
    def write(folder, value):
        source = Path(folder).parent / f"source{value}.onnx"
        if not source.exists():
            mx.onnx.export_model(*summed(value), onnx_file_path=str(source))
        mx.onnx.import_to_checkpoint(str(source), f"{folder}/m")

    return write


# ---- what is in a folder

TRAINED = ("net.params", "trainer.states")
"""What a state of a training has that does not depend on how far it is."""

_WEIGHTS = re.compile(rb"[\w.]+?\.([0-9a-f]{16})\.data")


def content(folder):
    """The files by name, those of folders that nothing names left out.

    A model has the weights that it names, which must be there, whatever their name, and what names the last
    state of a training has its files.
    """
    folder, known = Path(folder), {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() or path.name.startswith(".") or _WEIGHTS.fullmatch(path.name.encode()):
            continue
        data = path.read_bytes()
        beside = sorted({match[0].decode() for match in _WEIGHTS.finditer(data)})
        data = _WEIGHTS.sub(b"*.data", data)
        if path.name == "latest":
            state = json.loads(data)
            data = b"".join((folder / state["state"] / name).read_bytes() for name in TRAINED)
        if path.suffix == ".onnx":
            data += b"".join((folder / name).read_bytes() for name in beside)
        elif beside:  # a manifest, whose digests are those of names that differ
            data = re.sub(rb"[0-9a-f]{64}|\"bytes\": \d+", b"*", data)
        known[path.name] = data
    return known


def others(folder):
    """What a folder has beside these: weights, folders and temporary files."""
    return sorted({path.name for path in Path(folder).iterdir()} - set(content(folder)))


# ---- orders


def main(folder):
    made = {}
    for name, make in WRITERS.items():
        with contextlib.suppress(ImportError):
            made[name] = make()
    print(json.dumps(sorted(made)), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            answer = os.waitpid(order["wait"], 0)[1]
        else:
            answer = os.fork()
            if not answer:
                _child(made[order["writer"]], Path(folder, order["writer"]), order)
        print(answer, flush=True)


def _child(write, folder, order):
    """Carry an order out, and leave what there is to say of it in a file."""
    code = 1
    try:
        with (
            open(os.devnull, "w", encoding="utf-8") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),
        ):
            told = ORDERS[order["do"]](write, folder / order.get("into", "target"), order)
        if told is not None:
            (folder / "told.json").write_text(json.dumps(told))
        code = 0
    except BaseException:  # noqa: BLE001  (nothing is raised into the loop of the parent)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _write(write, folder, order):
    folder.mkdir(exist_ok=True)
    began = time.perf_counter()
    write(folder, order["value"])
    return {"seconds": time.perf_counter() - began}


def _loop(write, folder, order):
    while True:
        for value in (2, 1):
            write(folder, value)


def _count(write, folder, order):
    steps = Steps()
    with steps:
        write(folder, order["value"])
    return {"steps": steps.count}


def _die(write, folder, order):
    with Steps(order["at"], lambda: os.kill(os.getpid(), signal.SIGKILL)):
        write(folder, order["value"])


def _attempt(write, folder, value):
    """What is raised, in the words that tests ask for."""
    try:
        write(folder, value)
    except Exception as exc:  # noqa: BLE001  (whatever it is, it is told)
        return {
            "kinds": [kind.__name__ for kind in type(exc).__mro__],
            "text": str(exc),
            "errno": getattr(exc, "errno", None),
        }
    return None


def _limited(write, folder, order):
    """Write where no file may be longer than a limit, and then without one."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (order["limit"], before[1]))
    error = _attempt(write, folder, 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    whole1, whole2 = (content(folder.parent / f"whole{value}") for value in (1, 2))
    told = {"error": error, "left": others(folder), "as_before": content(folder) == whole1}
    write(folder, 2)
    return {**told, "as_asked": content(folder) == whole2}


def _tried(write, folder, order):
    """Write on a full disk, or as somebody who may not."""
    if order.get("user"):
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
    return {"error": _attempt(write, folder, order["value"])}


ORDERS = {
    "write": _write,
    "loop": _loop,
    "count": _count,
    "die": _die,
    "limited": _limited,
    "tried": _tried,
}

if __name__ == "__main__":
    main(sys.argv[1])
