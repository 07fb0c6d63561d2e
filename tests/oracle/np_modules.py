"""Store the arguments of mx.np's functions in real MXNet 1.9.1, and what functions beside operators do.

scripts/oracle np_modules.py

"arguments" maps modules to functions to their arguments, but for those that are made of descriptions of
operators; "same" are the names of mx.np's modules that are mx.np's own objects; "outcomes" is what the calls
of `tests/np_outcomes.py` give, or the class of the error.
"""

import importlib
import inspect
import json
import os
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import mxnet as mx  # noqa: E402

from tests.np_outcomes import outcomes  # noqa: E402

MODULES = """
numpy numpy.linalg numpy.random ndarray.numpy ndarray.numpy.linalg ndarray.numpy.random
symbol.numpy symbol.numpy.linalg
""".split()
SAME = "multiarray utils io fallback function_base stride_tricks arrayprint".split()
NAMES = json.loads((HERE / "public_names.json").read_text())["modules"]


def arguments(function):
    parameters = inspect.signature(function).parameters.values()
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(p.kind, "") + p.name + ("" if p.default is p.empty else f"={default(p.default)}")
        for p in parameters
    ]


def default(value):
    return f"{value.__module__}.{value.__name__}" if isinstance(value, type) else repr(value)


def functions(module):
    owner = importlib.import_module(f"mxnet.{module}")
    for name in NAMES[f"mxnet.{module}"]:
        value = getattr(owner, name)
        if callable(value) and not inspect.isclass(value) and value.__module__.startswith("mxnet"):
            texts = arguments(value)
            if "name=None" not in texts:
                yield name, texts


def same(module):
    owner = importlib.import_module(f"mxnet.numpy.{module}")
    return [n for n in NAMES[f"mxnet.numpy.{module}"] if getattr(mx.np, n, None) is getattr(owner, n)]


def lines(rows):
    return "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in rows.items()) + "}"


def main():
    facts = {
        "arguments": {module: dict(functions(module)) for module in MODULES},
        "same": {module: same(module) for module in SAME},
        "outcomes": outcomes(mx),
    }
    target = HERE / "np_modules.json"
    rows = [f"{json.dumps(key)}: {lines(value)}" for key, value in facts.items()]
    target.write_text("{" + ",\n".join(rows) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
    main()
