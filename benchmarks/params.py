"""`.params` files beside plain copies of them: seconds, and memory beyond what was there before.

    python benchmarks/params.py [MEGABYTES [PYTHON_OF_MXNET]]

Best of three, and the seconds of real MXNet if its interpreter is given. The file, 1024 MB unless
said otherwise, goes to the folder for temporary files.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import hybridonnx as mx

MB = 1 << 20


def best(action, rounds=3):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(megabytes):
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder, "a.params"), Path(folder, "copy")
        weight = mx.nd.NDArray(np.full(4 * MB, 0.5, np.float32))
        data = {f"arg:w{k}": weight for k in range(max(1, megabytes // 16))}
        before = peak_bytes()
        save = best(lambda: mx.nd.save(path, data))
        saving, size = peak_bytes() - before, path.stat().st_size
        copying = best(lambda: shutil.copyfile(path, copy))
        before = peak_bytes()
        load = best(lambda: mx.nd.load(path))
        loading = peak_bytes() - before
    print(f"{size / MB:.0f} MB, copied in {copying:.2f} s")
    for what, seconds, used in (("load", load, loading), ("save", save, saving)):
        print(
            f"{what}: {seconds:.2f} s, {seconds / copying:.2f} x copying; memory {used / size:.2f} x the file"
        )


IN_MXNET = """
import sys, time
import mxnet as mx

def best(action):
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        action()
        mx.nd.waitall()
        seconds.append(time.perf_counter() - start)
    return min(seconds)

weight = mx.nd.full((1 << 22,), 0.5)
data = {f"arg:w{k}": weight for k in range(max(1, int(sys.argv[2]) // 16))}
save = best(lambda: mx.nd.save(sys.argv[1], data))
print(f"real MXNet: load {best(lambda: mx.nd.load(sys.argv[1])):.2f} s, save {save:.2f} s")
"""


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    main(size)
    if len(sys.argv) > 2:
        with tempfile.NamedTemporaryFile() as file:
            command = [sys.argv[2], "-W", "ignore", "-c", IN_MXNET, file.name, str(size)]
            subprocess.run(command, check=True)
