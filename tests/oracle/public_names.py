"""Writes public_names.json: every public name of every public module of Apache MXNet 1.9.1.

Run it with the oracle environment's Python (mxnet 1.9.1, numpy 1.23.5):

    python tests/oracle/public_names.py

A module is public if no part of its name begins with an underscore. Its public names are those of its
`__all__`, those that its source assigns or defines at the top, and, in a package, what it takes from MXNet's
modules, but modules only if they are its own. Operators count where MXNet registers them (`mxnet.ndarray.op`,
`mxnet.ndarray`, …). Names from elsewhere, such as `os` and `np`, do not.

"modules" maps each module to its names, "failed" those that cannot be imported to why.
"""

import ast
import importlib
import inspect
import json
import os
import pkgutil
import sys
import types
import warnings
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
warnings.simplefilter("ignore")

import mxnet  # noqa: E402

HERE = Path(__file__).resolve().parent


def is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


def modules():
    """The public modules by name, and what keeps others from being imported."""
    failed = {}
    for found in pkgutil.walk_packages(mxnet.__path__, "mxnet.", onerror=lambda name: None):
        if is_public(found.name):
            try:
                importlib.import_module(found.name)
            except BaseException as error:  # noqa: BLE001
                failed[found.name] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    names = [name for name in sys.modules if name.split(".")[0] == "mxnet" and is_public(name)]
    return {name: sys.modules[name] for name in sorted(names)}, failed


def assigned(module):
    """What the source of a module defines or assigns at the top, in conditions and loops as well."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError):
        return set()
    names = set()
    queue = list(tree.body)
    while queue:
        node = queue.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, (ast.If, ast.Try)):
            parts = [node.body, node.orelse, *[h.body for h in getattr(node, "handlers", [])]]
            queue += [child for part in parts for child in part]
    return names


def home(value):
    """The module that defines a value, or is it."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    return getattr(value, "__module__", None) or ""


def is_own(module, name, value, sources):
    """Whether a name is the module's own to show."""
    if name in sources or name in getattr(module, "__all__", ()):
        return True
    where = home(value)
    if isinstance(value, types.ModuleType):
        return hasattr(module, "__path__") and where.startswith(f"{module.__name__}.") and is_public(where)
    if hasattr(module, "__path__"):
        return where.split(".")[0] == "mxnet" or bool(type(value).__module__.startswith("mxnet"))
    return where == module.__name__


def public_names(module):
    sources = assigned(module)
    values = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    own = {name for name, value in values.items() if is_own(module, name, value, sources)}
    listed = {name for name in getattr(module, "__all__", ()) if not name.startswith("_")}
    return sorted(own | listed)


def main():
    found, failed = modules()
    names = {name: public_names(module) for name, module in found.items()}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(names[name])}" for name in sorted(names))
    head = f'{{"mxnet_version": "{mxnet.__version__}",\n"failed": {json.dumps(failed)},\n"modules": '
    (HERE / "public_names.json").write_text(f"{head}{{\n{rows}\n}}}}\n")
    print(f"{len(names)} modules, {sum(map(len, names.values()))} names; failed: {failed}", file=sys.stderr)


if __name__ == "__main__":
    main()
