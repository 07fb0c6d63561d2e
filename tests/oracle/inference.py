"""Store what real MXNet 1.9.1 infers of inputs from parts of what is known, in inference.json.

    scripts/oracle inference.py

For some cases of each operator, by family and case: what was known, and the shapes of variables that MXNet
adds to it. What it refuses, or adds nothing to, is left out.
"""

import json
import sys
import warnings
from pathlib import Path

import mxnet as mx

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "oracle")]

from results import cases_of  # noqa: E402

from tests.inference_parts import chosen, completed, families, graph, parts  # noqa: E402


def facts(case, shapes, outputs):
    try:
        symbol = mx.sym.load_json(graph(case, outputs))
    except mx.MXNetError:  # an operator of our own
        return {}
    results = {}
    for name, known in parts(shapes, outputs):
        try:
            shapes_told = completed(symbol, known)
        except mx.MXNetError:
            continue
        if shapes_told:
            results[name] = shapes_told
    return results


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    stored = {}
    for path in families():
        by_case = {case.key(): facts(case, *shapes) for case, *shapes in chosen(cases_of(path))}
        stored[path.stem] = {key: value for key, value in by_case.items() if value}
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in stored.items())
    (ROOT / "tests" / "oracle" / "inference.json").write_text(f"{{\n{lines}\n}}\n")
    print(sum(len(v) for cases in stored.values() for v in cases.values()), "facts")
