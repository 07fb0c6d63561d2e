"""Comparisons by Polygraphy for polygraphy.py: a line of JSON asks for one, a line of JSON answers.

    python -P benchmarks/_polygraphy_compare.py     # -P, as the folder has a polygraphy.py of its own

A side of a comparison is a model, `{"path": …, "level": …}`, or the results of another program in an .npz
file, `{"results": …}`. With `golden` in place of `second` the first side's values are written for
`debug reduce`.
"""

import json
import sys
import time
from collections import OrderedDict

import numpy as np
import onnxruntime as ort
from polygraphy import constants
from polygraphy.backend.onnx import BytesFromOnnx, ModifyOutputs, OnnxFromPath
from polygraphy.backend.onnxrt import OnnxrtRunner, SessionFromOnnx
from polygraphy.comparator import Comparator, IterationResult, RunResults, SnrCompareFunc
from polygraphy.json import save_json
from polygraphy.logger import G_LOGGER


def results_of(side, inputs, layers):
    """What a side computes, as Polygraphy's results of one run."""
    if "results" in side:
        arrays = np.load(side["results"])
        names = [name for name in arrays.files if layers or name in side["outputs"]]
        values = OrderedDict((name, arrays[name]) for name in names)
        return RunResults([("network", [IterationResult(values, runner_name="network")])])
    model = OnnxFromPath(side["path"])
    if layers:
        model = ModifyOutputs(model, outputs=constants.MARK_ALL)
    level = getattr(ort.GraphOptimizationLevel, side.get("level", "ORT_ENABLE_ALL"))
    session = SessionFromOnnx(BytesFromOnnx(model), graph_optimization_level=level)
    return Comparator.run([OnnxrtRunner(session)], data_loader=[inputs])


def compare(first, second, inputs, layers):
    """CPU seconds, and by value the verdict by default, the least tolerance that passes, and SNR in dB."""
    start = time.process_time()
    runs = results_of(first, inputs, layers)
    runs.extend(results_of(second, inputs, layers))
    verdicts = Comparator.compare_accuracy(runs)
    seconds = time.process_time() - start
    ratios = Comparator.compare_accuracy(runs, compare_func=SnrCompareFunc())
    (a,), (b,) = (results for _, results in runs)
    values = {}
    for name, verdict in only(verdicts).items():
        values[name] = bool(verdict), tolerance(a[name], b[name]), float(only(ratios)[name].snr)
    return {"seconds": seconds, "values": values}


def only(accuracy):
    """The values of one comparison of one run."""
    (result,) = accuracy
    ((iteration,),) = result.values()
    return iteration


def tolerance(a, b):
    """The least number that passes as both tolerances: elements fail that exceed both."""
    a, b = (x.astype(np.promote_types(x.dtype, np.float32)) for x in (a, b))
    absolute = np.abs(a - b)
    relative = absolute / np.abs(np.where(b == 0, np.finfo(float).eps, b))
    least = np.minimum(absolute, relative)
    return float(np.where(np.isnan(least), np.inf, least).max(initial=0.0))


def golden(first, inputs, path):
    """Write all values of a side as outputs to compare with, and as inputs of parts of a model."""
    runs = results_of(first, inputs, layers=True)
    runs.save(f"{path}_outputs.json")
    ((_, (values,)),) = runs
    save_json([{**inputs, **{name: values[name] for name in values}}], f"{path}_inputs.json")
    return {}


def main():
    G_LOGGER.module_severity = G_LOGGER.CRITICAL
    for line in sys.stdin:
        job = json.loads(line)
        inputs = dict(np.load(job["inputs"]))
        if "golden" in job:
            answer = golden(job["first"], inputs, job["golden"])
        else:
            answer = compare(job["first"], job["second"], inputs, job["layers"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
