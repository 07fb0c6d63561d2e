"""Networks on integers beside the same on float32: python benchmarks/int8.py [NETWORK…] [--mxnet PYTHON]

Networks of the zoo with random weights, hybridized, batch 1, some calls of each in turn; medians count.
"onnxruntime" is a session of what ONNX Runtime's own quantizer makes of the export, with batch norms folded,
weights per channel and the same range of weights; MXNet quantizes as its "auto" says. Random weights say
nothing about accuracy: that is tested.
"""

import argparse
import os
import statistics
import tempfile
import time

import numpy as np
import onnxruntime as ort
from _machine import description
from onnxruntime import quantization as tools
from training import Framework

import hybridonnx as mx
from hybridonnx.contrib import quantization
from hybridonnx.runtime.environment import processors, saturates

NETWORKS = ("resnet18_v1", "resnet50_v1", "mobilenetv2_1.0", "squeezenet1.1", "densenet121", "inceptionv3")
CALLS = 5
THREADS = int(os.environ.get("HYBRIDONNX_THREADS") or processors())
PAUSE = 0.1
"""Seconds after which the threads of the session before no longer look for work."""


def network(name, side):
    """A network whose batch norms are not the identity."""
    mx.random.seed(0)
    net = mx.gluon.model_zoo.vision.get_model(name)
    net.initialize(mx.init.Xavier())
    net(mx.nd.zeros((1, 3, side, side)))
    rng = np.random.default_rng(0)
    for key, parameter in net.collect_params().items():
        if key.endswith(("gamma", "running_var")):
            parameter.set_data(mx.nd.array(rng.uniform(0.5, 1.5, parameter.shape)))
        elif key.endswith(("beta", "running_mean")):
            parameter.set_data(mx.nd.array(rng.uniform(-0.1, 0.1, parameter.shape)))
    return net


def quantized_by_onnxruntime(net, batch, folder):
    """A session of what ONNX Runtime's quantizer makes of an export."""
    path = mx.onnx.export_model(net, f"{folder}/float.onnx", input_shapes=[batch.shape])
    settings = ort.SessionOptions()
    settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC  # folds batch norms
    settings.optimized_model_filepath = f"{folder}/folded.onnx"
    ort.InferenceSession(path, settings, providers=["CPUExecutionProvider"])

    class Reader(tools.CalibrationDataReader):
        feeds = iter([{"data": batch}])

        def get_next(self):
            return next(self.feeds, None)

    options = {"per_channel": True, "reduce_range": saturates(), "weight_type": tools.QuantType.QInt8}
    tools.quantize_static(f"{folder}/folded.onnx", f"{folder}/int8.onnx", Reader(), **options)
    settings = ort.SessionOptions()
    settings.intra_op_num_threads = THREADS
    return ort.InferenceSession(f"{folder}/int8.onnx", settings, providers=["CPUExecutionProvider"])


def compare(name, rounds, python):
    """Milliseconds on float32, on integers, and by ONNX Runtime's own file; and the seconds that it took.

    Then those of MXNet on float32 and on integers, if there is one.
    """
    side = 299 if name == "inceptionv3" else 224
    net = network(name, side)
    data = mx.nd.array(np.random.default_rng(1).standard_normal((1, 3, side, side)))
    begin = time.perf_counter()
    block = quantization.quantize_net_v2(
        net, "uint8", quantize_granularity="channel-wise", calib_data=[data], calib_mode="naive"
    )
    seconds = time.perf_counter() - begin
    net.hybridize()
    block.hybridize()
    with tempfile.TemporaryDirectory() as folder:
        session = quantized_by_onnxruntime(net, data.asnumpy(), folder)
        feeds = {session.get_inputs()[0].name: data.asnumpy()}
        calls = (
            lambda: net(data).wait_to_read(),
            lambda: block(data).wait_to_read(),
            lambda: session.run(None, feeds),
        )
        dtypes = ("float32", "auto") if python else ()
        script = "_int8_mxnet.py", name, str(side)
        processes = [Framework("MXNet", python, *script, dtype, threads=THREADS) for dtype in dtypes]
        times = [[] for _ in calls]
        for turn in range(rounds + 1):
            for call, kept in zip(calls, times, strict=True):
                time.sleep(PAUSE)
                call()
                start = time.perf_counter()
                for _ in range(CALLS):
                    call()
                if turn:
                    kept.append((time.perf_counter() - start) / CALLS * 1e3)
            for process in processes if turn else ():
                process.turn(CALLS)
    medians = [statistics.median(kept) for kept in [*times, *(process.times for process in processes)]]
    for process in processes:
        process.close()
    return medians, seconds


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="*", default=NETWORKS, metavar="NETWORK")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has MXNet 1.9.1")
    arguments = parser.parse_args()
    print(description(), f"{THREADS} threads", f"weights of {7 if saturates() else 8} bits", sep=", ")
    columns = [
        "Network",
        "float32, ms",
        "integers",
        "ratio",
        "onnxruntime",
        "ours / onnxruntime",
        "to quantize, s",
    ]
    if arguments.mxnet:
        columns += ["MXNet float32", "integers", "ours / MXNet on integers"]
    print("|", " | ".join(columns), "|")
    print("|---" * len(columns) + "|")
    for name in arguments.networks:
        (before, after, other, *mxnet), seconds = compare(name, arguments.rounds, arguments.mxnet)
        ratios = f"{after / before:.2f} | {other:.1f} | {after / other:.2f}"
        more = "".join(f" {value:.1f} |" for value in mxnet) + (f" {after / mxnet[1]:.2f} |" if mxnet else "")
        print(f"| {name} | {before:.1f} | {after:.1f} | {ratios} | {seconds:.1f} |{more}", flush=True)


if __name__ == "__main__":
    main()
