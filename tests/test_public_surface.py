"""What a user reaches from `import hybridonnx as mx` is a stored list, and nothing in it raises."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import hybridonnx as mx
from scripts import _surface

ROOT = Path(__file__).parents[1]
MXNETS = """
attribute autograd base callback context contrib gluon image img init initializer io kv kvstore
lr_scheduler metric mod model module mon monitor name nd ndarray onnx operator optimizer random recordio
rnd sym symbol test_utils util
""".split()
"""Modules of MXNet 1.9.1's root that are here, too."""
NOT_SHOWN = """
mx.annotations mx.importlib mx.Any mx.nd.Any mx.nd.cache mx.nd.annotations mx.nd.importlib mx.sym.Any
mx.gluon.annotations mx.gluon.Any mx.gluon.nn.Any mx.optimizer.Any mx.metric.annotations
mx.gluon.data.annotations mx.gluon.model_zoo.vision.Any mx.io.annotations mx.nothing mx.nd.nothing
""".split()


def test_list_is_fresh():
    stored = _surface.STORED.read_text(encoding="utf-8").splitlines()
    lines = _surface.text().splitlines()
    difference = [f"- {x}" for x in stored if x not in set(lines)]
    difference += [f"+ {x}" for x in lines if x not in set(stored)]
    assert stored == lines, "run scripts/surface where this is meant:\n" + "\n".join(difference[:80])


def test_root_shows_its_modules():
    assert set(MXNETS) <= set(dir(mx))
    assert {"errors", "__version__", "cpu", "gpu", "NDArray", "Symbol"} <= set(dir(mx))


@pytest.mark.parametrize("name", sorted(_surface.modules()))
def test_nothing_shown_raises(name):
    module = _surface.modules()[name]
    names = set(module.__all__)
    assert len(names) == len(module.__all__), "a name stands twice in __all__"
    assert names <= set(dir(module)), "dir shows what __all__ does"
    for shown in names:
        value = getattr(module, shown)
        if inspect.isroutine(value):
            inspect.signature(value)


def test_what_modules_import_is_not_shown():
    code = f"""
import hybridonnx as mx
for path in {NOT_SHOWN}:
    try:
        eval(path)
    except AttributeError:
        continue
    print(path)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not done.stdout.split()


def test_packages_show_nothing_else():
    strangers = []
    for path, module in _surface.modules().items():
        if hasattr(module, "__path__"):
            public = {n for n in vars(module) if not n.startswith("_")} - set(module.__all__)
            submodules = {n for n in public if getattr(vars(module)[n], "__name__", "") == f"{path}.{n}"}
            strangers += [f"{path}.{n}" for n in public - submodules]
    assert not strangers, "import it under a name with an underscore"


def test_star_import_gives_what_mxnets_gives():
    names: dict[str, object] = {}
    exec("from hybridonnx.gluon import *", names)
    expected = "Block HybridBlock Parameter ParameterDict SymbolBlock Trainer nn rnn loss data utils"
    assert set(expected.split()) <= names.keys()


def test_internal_modules_are_no_attributes():
    code = (
        "import hybridonnx as mx; print([n for n in ('ops', 'formats', 'dtypes', 'attrs') if hasattr(mx, n)])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
