"""Images a second from a file of records of JPEGs, 256×256, beside real MXNet, in turns.

    python benchmarks/images.py [--mxnet PYTHON] [--threads 2] [--rounds 5]

`ImageRecordIter` crops, mirrors and normalizes as for training on ImageNet; `ImageIter` does so in Python.
Without OpenCV, Pillow is measured alone. Each round runs an epoch by each in a process that stays.
"""

import argparse
import importlib.util
import io
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import hybridonnx as mx

COUNT, SIZE = 512, 256

EPOCHS = """
import random, sys, time
if "pillow" in sys.argv[1]:
    sys.modules["cv2"] = None
package, path, threads = sys.argv[2], sys.argv[3], int(sys.argv[4])
mx = __import__(package)
colours = dict(mean_r=123.68, mean_g=116.28, mean_b=103.53, std_r=58.4, std_g=57.1, std_b=57.4)
common = dict(path_imgrec=path, data_shape=(3, 224, 224), batch_size=64)
makers = {
    "ImageRecordIter": lambda: mx.io.ImageRecordIter(
        rand_crop=True, rand_mirror=True, shuffle=True, preprocess_threads=threads, verbose=False,
        **common, **colours),
    "ImageIter": lambda: mx.image.ImageIter(
        rand_crop=True, rand_mirror=True, mean=True, std=True, **common),
}
iterators = {}
print("ready", flush=True)
for name in map(str.strip, sys.stdin):
    it = iterators.setdefault(name, None) or makers[name]()
    iterators[name] = it
    start, images = time.perf_counter(), 0
    for batch in it:
        images += 64 - (batch.pad or 0)
        if package == "mxnet":
            batch.data[0].wait_to_read()
    it.reset()
    print(images / (time.perf_counter() - start), flush=True)
"""


def write(path):
    """A file of records of smooth, noisy pictures."""
    from PIL import Image

    rng = np.random.default_rng(0)
    y, x = np.mgrid[:SIZE, :SIZE]
    with mx.recordio.MXRecordIO(path, "w") as file:
        for number in range(COUNT):
            waves = [128 + 90 * np.sin(x * a + y * b + c) for a, b, c in rng.uniform(0.01, 0.3, (3, 3))]
            pixels = np.stack(waves, -1) + rng.normal(0, 12, (SIZE, SIZE, 3))
            content = io.BytesIO()
            Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(content, "JPEG", quality=90)
            header = mx.recordio.IRHeader(0, float(number % 10), number, 0)
            file.write(mx.recordio.pack(header, content.getvalue()))


class Runner:
    """A process that runs an epoch when it is told to."""

    def __init__(self, label, python, package, path, threads):
        command = [python, "-W", "ignore", "-c", EPOCHS, label, package, str(path), str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._line() == "ready"

    def _line(self):
        return self.process.stdout.readline().strip()

    def epoch(self, name):
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        return float(self._line())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mxnet", help="an interpreter that has MXNet")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "images.rec")
        write(path)
        kinds = {"pillow": (sys.executable, "hybridonnx")}
        if importlib.util.find_spec("cv2"):
            kinds["opencv"] = (sys.executable, "hybridonnx")
        if options.mxnet:
            kinds["mxnet"] = (options.mxnet, "mxnet")
        runners = {label: Runner(label, *kind, path, options.threads) for label, kind in kinds.items()}
        for name in ("ImageRecordIter", "ImageIter"):
            rates = {label: [] for label in runners}
            for k in range(options.rounds + 1):
                for label, runner in runners.items():
                    rate = runner.epoch(name)
                    rates[label] += [rate] if k else []
            medians = {label: statistics.median(values) for label, values in rates.items()}
            said = ", ".join(f"{label} {median:.0f}" for label, median in medians.items())
            ratios = [f"{x} {medians[x] / medians['mxnet']:.2f}" for x in medians if "mxnet" in medians]
            print(f"{name}: {said} images/s; of MXNet's: {', '.join(ratios) or 'not measured'}", flush=True)
        for runner in runners.values():
            runner.process.stdin.close()
            runner.process.wait()


if __name__ == "__main__":
    main()
