"""The main job on real input: load, run, compile, export, and prove that the numbers agree.

Two models take the whole way: a face detector's refinement network (MTCNN) that somebody trained with MXNet
and published, and the network of MXNet's tutorial on hybrid blocks. Run it with `scripts/demo [FOLDER]`; the
files go to FOLDER, `demo-output` unless given.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort

import hybridonnx as mx

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tutorial_network import TutorialNetwork

CHECKPOINT = Path(__file__).resolve().parents[1] / "tests" / "data" / "checkpoints" / "mtcnn-det2"


def milliseconds(function):
    """The median time of a call, after two calls that are not counted."""
    times = []
    for _ in range(32):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times[2:])


def difference(outputs, expected):
    """The largest difference, as a part of the largest expected value."""
    outputs = outputs if isinstance(outputs, list | tuple) else [outputs]
    largest = 0.0
    for a, b in zip(outputs, expected, strict=True):
        a = a.asnumpy() if isinstance(a, mx.nd.NDArray) else a
        largest = max(largest, float(np.abs(a - b).max() / np.abs(b).max()))
    return largest


def walk(net, inputs, expected, prefix):
    """Run a block in every way, write its files at `prefix`, and return the rows of the table."""
    arrays = [mx.nd.array(a) for a in inputs.values()]
    rows = [("run eagerly", difference(net(*arrays), expected), milliseconds(lambda: net(*arrays)), "")]
    net.hybridize(static_alloc=True, static_shape=True)
    compiled = difference(net(*arrays), expected)
    rows.append(("hybridized", compiled, milliseconds(lambda: net(*arrays)), ""))

    symbol_file, params_file = net.export(str(prefix), epoch=1)
    again = mx.gluon.SymbolBlock.imports(symbol_file, list(inputs), params_file)
    rows.append(("MXNet files, read again", difference(again(*arrays), expected), None, symbol_file))
    rows.append(("", None, None, params_file))

    onnx_file = f"{prefix}.onnx"
    mx.onnx.export_model(symbol_file, params_file, [a.shape for a in arrays], np.float32, onnx_file)
    session = ort.InferenceSession(onnx_file, providers=["CPUExecutionProvider"])
    feeds = {i.name: inputs[i.name] for i in session.get_inputs()}
    plain = difference(session.run(None, feeds), expected)
    rows.append(("plain ONNX Runtime", plain, milliseconds(lambda: session.run(None, feeds)), onnx_file))
    back = mx.onnx.import_to_gluon(onnx_file, ctx=mx.cpu())
    rows.append(
        ("ONNX file, read again", difference(back(*map(mx.nd.array, feeds.values())), expected), None, "")
    )
    return rows


def show(title, against, rows):
    """Print one model's table; returns the largest difference."""
    print(f"\n{title}\nDifferences are from {against}, as a part of the largest value.\n")
    print(f"  {'':26}{'difference':>11}{'ms a run':>10}   file")
    for name, error, run, file in rows:
        cells = "" if error is None else f"{error:.1e}", "" if run is None else f"{run:.3f}"
        print(f"  {name:26}{cells[0]:>11}{cells[1]:>10}   {file}".rstrip())
    return max(error for _, error, _, _ in rows if error is not None)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
    folder.mkdir(parents=True, exist_ok=True)

    with np.load(CHECKPOINT / "golden.npz") as golden:
        expected = [golden[k] for k in sorted(golden) if k.startswith("output.")]
    rng = np.random.RandomState(0)
    shape = (expected[0].shape[0], 3, 24, 24)
    inputs = {
        "data": (rng.standard_normal(shape) * 0.5).astype(np.float32),
        "prob1_label": np.zeros(shape[0], np.float32),
    }
    net = mx.gluon.SymbolBlock.imports(
        str(CHECKPOINT / "model-symbol.json"), list(inputs), str(CHECKPOINT / "model-0000.params")
    )
    title = f"MTCNN's refinement network, trained with MXNet before version 0.9, from {CHECKPOINT.name}/"
    worst = show(title, "outputs stored from real MXNet 1.9.1", walk(net, inputs, expected, folder / "mtcnn"))

    mx.random.seed(42)
    net = TutorialNetwork()
    net.initialize()
    digits = mx.nd.random.normal(shape=(16, 1, 28, 28))
    rows = walk(net, {"data": digits.asnumpy()}, [net(digits).asnumpy()], folder / "tutorial")
    worst = max(
        worst, show("The network of MXNet's tutorial, 16 digits at a time", "the first eager run", rows)
    )

    print(f"\nThe largest difference anywhere is {worst:.1e}.")
    return 0 if worst <= 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
