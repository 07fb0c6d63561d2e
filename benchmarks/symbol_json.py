"""Loading and saving a graph of 20,000 nodes, beside real MXNet if its interpreter is given.

python benchmarks/symbol_json.py [PYTHON_OF_MXNET]
"""

import subprocess
import sys
import tempfile

MEASURE = """
import statistics, sys, time
import {package} as mx

def median(function):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)

x = mx.sym.var("data")
for i in range(6666):
    x = mx.sym.FullyConnected(x, num_hidden=64, no_bias=True, name=f"layer{{i}}")
    x = mx.sym.Activation(x, act_type="relu", name=f"act{{i}}")
path = sys.argv[1]
save = median(lambda: x.save(path))
load = median(lambda: mx.sym.load(path))
print(f"{package}: save {save:.3f} s, load {load:.3f} s")
"""


def measure(python, package):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        code = MEASURE.replace("{package}", package).replace("{{", "{").replace("}}", "}")
        subprocess.run([python, "-W", "ignore", "-c", code, file.name], check=True)


if __name__ == "__main__":
    measure(sys.executable, "hybridonnx")
    if len(sys.argv) > 1:
        measure(sys.argv[1], "mxnet")
