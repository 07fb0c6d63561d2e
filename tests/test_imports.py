"""Each module imports by itself, imports go one way, and importing the package costs next to nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"hybridonnx": ROOT / "hybridonnx", "hybridonnx.converters": ROOT / "converters"}
"""The packages by name; the second stands inside of the first by a link."""
SECONDS = 0.15
"""What `import hybridonnx, hybridonnx.gluon` may add to the import of NumPy."""

# Reads a tree of module names, imports each in a fork of the process that has imported the one above it,
# and prints the tracebacks of those that fail.
IMPORT_TREE = """
import importlib, json, os, sys, traceback
import numpy, onnx

def grow(tree):
    for name, below in tree.items():
        sys.stdout.flush()
        if os.fork() == 0:
            try:
                importlib.import_module(name)
            except BaseException:
                print(json.dumps((name, traceback.format_exc(limit=-3))), flush=True)
            else:
                grow(below)
            os._exit(0)
        if os.wait()[1]:
            print(json.dumps((name, "the interpreter died")))

grow(json.load(sys.stdin))
"""

IMPORT_TIME = """
import time
import numpy
start = time.process_time()
import hybridonnx, hybridonnx.gluon
print(time.process_time() - start)
"""


def modules() -> dict[str, Path]:
    """Every module, by its full name."""
    paths: dict[str, Path] = {}
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            inner = path.relative_to(folder).with_suffix("").parts
            parts = [package, *(inner[:-1] if inner[-1] == "__init__" else inner)]
            paths.setdefault(".".join(parts), path)
    return paths


MODULES = modules()


def python(code: str, stdin: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], input=stdin, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_each_module_imports_first():
    """Whatever is loaded before a module is something that it imports: what it forgets to import is missed.

    As imports make no circles, the order among them does not matter.
    """
    tree = import_tree(LOADS)
    failed = dict(map(json.loads, python(IMPORT_TREE, json.dumps(tree)).splitlines()))
    assert not failed, "\n".join(f"import {name}\n{report}" for name, report in failed.items())


Tree: TypeAlias = dict[str, "Tree"]


def import_tree(loads: Mapping[str, Collection[str]]) -> Tree:
    """Each module below its package, or one that it loads: that which loads most others."""
    before = {name: sorted(parent(name, loads) | {*needed}) for name, needed in loads.items()}
    size = {name: len(reachable(before, name)) for name in loads}
    trees: dict[str, Tree] = {name: {} for name in loads}
    root: Tree = {}
    for name, candidates in before.items():
        outside = [other for other in candidates if not other.startswith(f"{name}.")]
        (trees[max(outside, key=size.__getitem__)] if outside else root)[name] = trees[name]
    return root


def parent(name: str, modules: Collection[str]) -> set[str]:
    """The package that a module is in, which is loaded before it."""
    return {name.rpartition(".")[0]}.intersection(modules)


def test_import_tree_has_each_module_below_what_it_loads():
    loads = {"b": {"b.z"}, "b.y": {"a"}, "b.z": {"b.y"}, "a": set(), "c": {"a", "b.z"}}
    assert import_tree(loads) == {"b": {"b.y": {}, "b.z": {"c": {}}}, "a": {}}


def test_package_loads_neither_onnx_nor_onnxruntime():
    code = "import sys, hybridonnx, hybridonnx.gluon; print(*sys.modules)"
    assert not {"onnx", "onnxruntime", "hybridonnx.converters"} & set(python(code).split())


def test_package_root_loads_no_module_of_its_own():
    code = "import sys, hybridonnx; print(*sys.modules)"
    loaded = [name for name in python(code).split() if name.startswith("hybridonnx.")]
    assert not loaded, (
        f"loaded by the bare import: {', '.join(loaded)}; load names on first use, by __getattr__"
    )


def test_package_imports_quickly():
    seconds = min(float(python(IMPORT_TIME)) for _ in range(5))
    assert seconds <= SECONDS, (
        f"import hybridonnx, hybridonnx.gluon: {SECONDS} s are allowed, took {seconds:.3f} s"
    )


def test_an_operator_loads_no_other_families():
    calls = "mx.nd.relu(mx.nd.ones(2)); mx.sym.exp(mx.sym.var('x'))"
    code = f"import sys, hybridonnx as mx; {calls}; print(*sys.modules)"
    families = {name.removeprefix("hybridonnx.ops.") for name in python(code).split()}
    assert "unary" in families
    assert families.isdisjoint({"conv", "ctc", "rnn", "multibox", "np_linalg", "deformable"})


COMPILED = """
import sys, hybridonnx as mx
net = mx.gluon.nn.HybridSequential()
net.add(mx.gluon.nn.Conv2D(4, 3, in_channels=3), mx.gluon.nn.BatchNorm(in_channels=4))
net.add(mx.gluon.nn.Activation("relu"), mx.gluon.nn.MaxPool2D(), mx.gluon.nn.Flatten())
net.initialize()
net.hybridize()
net(mx.nd.ones((1, 3, 8, 8))).wait_to_read()
print(*sys.modules)
"""


def test_a_network_is_compiled_without_other_families():
    loaded = set(python(COMPILED).split())
    assert {"hybridonnx.converters.to_onnx.conv", "hybridonnx.converters.to_onnx.pool"} <= loaded
    assert loaded.isdisjoint({f"hybridonnx.{name}" for name in ("ops.rnn", "converters.to_onnx._recurrence")})
    assert "numpy.polynomial" not in loaded


def test_a_network_is_compiled_without_onnx():
    """Its import, and that of protobuf, take longer than the first call of a small network else does.

    That of ml_dtypes, whose types are not in the network, takes a tenth of it.
    """
    loaded = set(python(COMPILED).split())
    assert "onnxruntime" in loaded
    assert loaded.isdisjoint({"onnx", "google.protobuf", "ml_dtypes"})


def test_an_operator_runs_without_onnx():
    code = "import sys, hybridonnx as mx; x = mx.nd.ones((256, 256)); mx.nd.dot(x, x).wait_to_read(); "
    loaded = set(python(code + "print(*sys.modules)").split())
    assert "onnxruntime" in loaded
    assert loaded.isdisjoint({"onnx", "google.protobuf", "ml_dtypes"})


EACH_NAME = """
import os, sys
import hybridonnx.ops
from hybridonnx.ops import find
from hybridonnx.ops._families import FAMILIES
from hybridonnx.ops._registry import load_all
for family in sorted({*FAMILIES.values()}):
    child = os.fork()
    if not child:
        names = [name for name, own in FAMILIES.items() if own == family]
        wrong = [name for name in names if name not in find(name).names]
        print(*wrong, *[family] * load_all.cache_info().currsize, end=" ", flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, family
"""


def test_each_name_is_in_the_family_that_the_index_tells():
    assert not python(EACH_NAME).split()


def test_a_name_that_the_index_has_not_yet_works():
    code = (
        "from hybridonnx.ops import _families; del _families.FAMILIES['hard_sigmoid']; "
        "import hybridonnx as mx; print(mx.nd.hard_sigmoid(mx.nd.zeros(1)).asscalar())"
    )
    assert float(python(code)) == 0.5


parsed = cache(lambda path: ast.parse(path.read_bytes()))


def imported(name: str, path: Path, deferred: bool = True) -> Iterator[tuple[int, str]]:
    """Line and full name of what a module imports; with `deferred`, in functions and for types too."""
    parents = (name if path.name == "__init__.py" else name.rpartition(".")[0]).split(".")
    tree = parsed(path)
    for node in ast.walk(tree) if deferred else at_once(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = parents[: len(parents) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)


def at_once(node: ast.AST) -> Iterator[ast.AST]:
    """What runs when a module is imported."""
    yield node
    later = isinstance(node, ast.FunctionDef) or (
        isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    )
    for child in ast.iter_child_nodes(node) if not later else ():
        yield from at_once(child)


def roots_imported(name: str, path: Path) -> Iterator[str]:
    """Imports of names from a package above the module; such a package is only half loaded then."""
    for line, target in imported(name, path):
        source = target.rpartition(".")[0]
        takes_root = "hybridonnx" in (target, source) or name.startswith(f"{source}.")
        if takes_root and target not in MODULES.keys() - {"hybridonnx"}:
            yield f"{path.relative_to(ROOT)}:{line} imports {target}"


def test_no_module_imports_its_package_root():
    reports = [report for name, path in MODULES.items() for report in roots_imported(name, path)]
    assert not reports, "import the module that defines the name:\n" + "\n".join(reports)


def test_imports_make_no_circles():
    """No two modules need each other, by imports inside functions and for type checkers neither."""
    circles = [
        "\n".join(f"  {name} -> {needed}" for name in group for needed in sorted(NEEDS[name] & {*group}))
        for group in strongly_connected(NEEDS)
    ]
    assert not circles, "move what both need below both:\n" + "\n\n".join(circles)


def needs(name: str, path: Path, deferred: bool = True) -> set[str]:
    """The modules of the project that a module imports."""
    targets = {target for _, target in imported(name, path, deferred)}
    return {t if t in MODULES else t.rpartition(".")[0] for t in targets} & MODULES.keys() - {name}


NEEDS = {name: needs(name, path) for name, path in MODULES.items()}
LOADS = {name: needs(name, path, deferred=False) for name, path in MODULES.items()}


def strongly_connected(graph: Mapping[str, Collection[str]]) -> list[list[str]]:
    """The sets of several nodes that all reach each other, each sorted."""
    reached = {name: reachable(graph, name) for name in graph}
    groups = {tuple(sorted(other for other in reached[name] if name in reached[other])) for name in graph}
    return sorted(list(group) for group in groups if len(group) > 1)


def reachable(graph: Mapping[str, Collection[str]], start: str) -> set[str]:
    """The nodes that can be reached from `start` by at least one edge."""
    seen: set[str] = set()
    stack = [start]
    while stack:
        new = set(graph[stack.pop()]) - seen
        seen |= new
        stack += new
    return seen


def test_circles_are_seen():
    graph = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["e"], "e": []}
    assert strongly_connected(graph) == [["a", "b", "c"]]


def test_imports_anywhere_in_a_module_are_seen(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from ..symbol.graph import Node\n"
        "def f():\n    from . import random\n    import hybridonnx.errors\n"
    )
    names = {"hybridonnx.symbol.graph", "hybridonnx.ndarray.random", "hybridonnx.errors"}
    assert needs("hybridonnx.ndarray.module", path) == names


def private_imports(name: str, path: Path) -> Iterator[str]:
    """Imports of a module or name that begins with an underscore, from beside the package that it is in."""
    for line, target in imported(name, path):
        parts = target.split(".")
        private = [i for i, part in enumerate(parts) if part.startswith("_") and not part.endswith("__")]
        if not private or parts[0] != "hybridonnx":
            continue
        owner = ".".join(parts[: private[0]])
        package = owner if owner not in MODULES or is_package(owner) else owner.rpartition(".")[0]
        if name != package and not name.startswith(f"{package}."):
            yield f"{path.relative_to(ROOT)}:{line} imports {target}"


def is_package(name: str) -> bool:
    return MODULES[name].name == "__init__.py"


def test_underscored_names_are_private_to_their_package():
    reports = [report for name, path in MODULES.items() for report in private_imports(name, path)]
    assert not reports, "give it a public name, or a home below both:\n" + "\n".join(reports)
