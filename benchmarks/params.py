"""`.params` files beside plain copies of them: seconds, and memory beyond what was there before.

    python benchmarks/params.py [MEGABYTES]

Best of three. The file, 1024 MB unless said otherwise, goes to the folder for temporary files.
"""

import resource
import shutil
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1024)
