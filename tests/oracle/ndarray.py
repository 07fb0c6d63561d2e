"""Writes ndarray.json: what arrays and autograd of real MXNet 1.9.1 give for the snippets of ndarray_tables/.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/ndarray.py

Each group is a list of [snippet, what it gave], see ../snippets.py. `names` are the public names of the
array class and of the namespaces. What MXNet does wrong is not here: the tests say what is right.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
from mxnet import autograd, nd

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))

from snippets import outcome  # noqa: E402

TABLES = ("creation", "arithmetic", "methods", "indexing", "random", "autograd")
NAMESPACES = ("", "random", "linalg", "contrib", "image", "sparse")


def table(name):
    """The snippets of one table, by group."""
    spec = importlib.util.spec_from_file_location(f"table_{name}", FOLDER / "ndarray_tables" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.GROUPS


def names():
    """The public names of the array class, of namespaces of `nd`, of mx.random and of autograd."""
    namespaces = {"NDArray": [n for n in dir(nd.NDArray) if n not in dir(object)]}
    for space in NAMESPACES:
        module = getattr(nd, space) if space else nd
        namespaces[f"nd.{space}".rstrip(".")] = [n for n in dir(module) if "mxnet" in home(module, n)]
    for module in (mx.random, autograd, mx.context):
        short = module.__name__.split(".")[-1]
        namespaces[short] = [n for n in dir(module) if home(module, n) == module.__name__]
    return {space: sorted(n for n in each if is_public(n)) for space, each in namespaces.items()}


def home(module, name):
    """The module that defines what a module has."""
    return str(getattr(getattr(module, name), "__module__", ""))


def is_public(name):
    """Whether a name is public or special."""
    return not name.startswith("_") or name.startswith("__")


def written(group, rows):
    """A group as text, one item a line."""
    if isinstance(rows, dict):
        items = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in rows.items()]
        return f" {json.dumps(group)}: {{\n  " + ",\n  ".join(items) + "\n }"
    return f" {json.dumps(group)}: [\n  " + ",\n  ".join(map(json.dumps, rows)) + "\n ]"


def main():
    """Write the file."""
    space = {"mx": mx, "nd": nd, "autograd": autograd}
    facts = {}
    for name in TABLES:
        for group, texts in table(name).items():
            facts[group] = [[text, outcome(text, **space)] for text in texts]
    facts["names"] = names()
    parts = [written(group, rows) for group, rows in facts.items()]
    (FOLDER / "ndarray.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


main()
