"""For scripts.py: runs a script some times and prints what each run took: _scripts_run.py SCRIPT RUNS."""

import contextlib
import io
import json
import os
import runpy
import sys
import tempfile
import time
from pathlib import Path

import mxnet as mx


def seconds(script):
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(script, run_name="__main__")
    mx.nd.waitall()
    return time.perf_counter() - start


def main():
    script, runs = sys.argv[1], int(sys.argv[2])
    sys.path.insert(0, str(Path(script).parent))
    mx.nd.ones((2, 2)).asnumpy()  # what is loaded on first use
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        times = [seconds(script) for _ in range(runs)]
        os.chdir("/")
    print(json.dumps(times))


main()
