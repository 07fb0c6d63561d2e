"""What two workers of a store for clusters get of Apache MXNet 1.9.1: dist_store.json, by rank.

scripts/oracle dist_store.py starts a scheduler, a server and the workers. Under `hybridonnx launch -n 2` the
calls are made of hybridonnx, and each worker prints a line of JSON.
"""

import json
import os
import socket
import subprocess
import sys

import mxnet as mx

CODES = [0.2, 0.3, 0.5, 0.7, -0.5, -0.2, -0.9, 0.0, 2.0]


PARTS = ("storing", "optimizing", "compressing")


def calls(part):
    """What a store gives for each of some calls, by their names."""
    kv, told = mx.kv.create("dist_sync"), {}

    def tell(name, array):
        told[name] = array.asnumpy().astype(float).tolist()

    globals()[part](kv, told, tell)
    told["is"] = [kv.type, kv.rank, kv.num_workers, kv.is_capable("optimizer")]
    return told


def storing(kv, told, tell):
    """What is stored, and summed."""
    rank, ones = kv.rank, mx.nd.ones((2, 3))
    out = mx.nd.zeros((2, 3))
    tell_error(told, "an unknown key", lambda: kv.push("zz", ones))
    kv.init("a", ones * (rank + 1) * 10)
    kv.pull("a", out=out)
    tell("init", out)
    kv.push("a", ones * (rank + 1))
    kv.pull("a", out=out)
    tell("push", out)
    kv.push("a", [ones * (rank + 1), ones])
    kv.pull("a", out=out)
    tell("push of two", out)
    gradient = ones * (rank + 1)
    kv.pushpull("a", gradient, out=out)
    tell("pushpull", out)
    gradient = ones * (rank + 1)  # MXNet writes the sum into what was pushed, too
    kv.pushpull("a", gradient)
    tell("pushpull in place", gradient)
    four = mx.nd.zeros((4,))
    kv.broadcast("b", mx.nd.ones((4,)) * (rank + 5), out=four)
    tell("broadcast", four)
    kv._barrier()


def optimizing(kv, told, tell):
    """The same of a store with an optimizer."""
    kv.set_optimizer(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9, wd=0.01, rescale_grad=0.5))
    kv.init("w", mx.nd.ones((4,)))
    out = mx.nd.zeros((4,))
    for step in range(3):
        kv.push("w", mx.nd.array([0.0, 1.0, 2.0, 3.0]) * (kv.rank + 1))
        kv.pull("w", out=out)
        tell(f"sgd {step}", out)


def compressing(kv, told, tell):
    """The same of a store with compression."""
    for name, params in {
        "1bit": {"type": "1bit"},
        "a threshold below 0": {"type": "2bit", "threshold": -1},
        "no type": {"threshold": 1},
    }.items():
        tell_error(told, name, lambda params=params: kv.set_gradient_compression(params))
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    kv.init("c", mx.nd.zeros((len(CODES),)))
    out = mx.nd.zeros((len(CODES),))
    for step in range(4):
        kv.push("c", mx.nd.array(CODES) * (1 if kv.rank == 0 else 0.5))
        kv.pull("c", out=out)
        tell(f"2bit {step}", out)


def tell_error(told, name, call):
    try:
        call()
        told[name] = "no error"
    except mx.MXNetError as exc:
        told[name] = "MXNetError" if isinstance(exc, mx.MXNetError) else type(exc).__name__


def results(part):
    """What the workers of MXNet's print, by rank; each of its processes has one store."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = dict(os.environ, DMLC_PS_ROOT_URI="127.0.0.1", DMLC_PS_ROOT_PORT=str(port), DMLC_INTERFACE="lo")
    base.update(DMLC_NUM_WORKER="2", DMLC_NUM_SERVER="1", OMP_NUM_THREADS="1")
    others = [
        subprocess.Popen([sys.executable, "-c", "import mxnet"], env=dict(base, DMLC_ROLE=role))
        for role in ("scheduler", "server")
    ]
    workers = [
        subprocess.Popen(
            [sys.executable, __file__, part], env=dict(base, DMLC_ROLE="worker"), stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    try:
        told = [json.loads(worker.communicate(timeout=15)[0]) for worker in workers]
    finally:
        for process in others + workers:
            process.kill()
    return sorted(told, key=lambda one: one["is"][1])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(calls(sys.argv[1])) + "\n")  # at once, as others write as well
    else:
        known = {part: results(part) for part in PARTS}
        with open(os.path.join(os.path.dirname(__file__), "dist_store.json"), "w") as file:
            json.dump(known, file, indent=1)
            file.write("\n")
