"""The types that users see: stubs are fresh, a user's code reveals its types, and few arguments are `Any`."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import hybridonnx as mx
from scripts import _stubs, _untyped

ROOT = Path(__file__).parents[1]
SHARE = 0.10
"""The share of public arguments that may be `Any`."""
NUMPY_SHARE = 0.15
"""The same of mx.np and mx.npx."""


def test_stubs_are_fresh():
    texts = _stubs.stubs()
    stale = [
        p.relative_to(ROOT) for p, text in texts.items() if not p.exists() or p.read_text("utf-8") != text
    ]
    strangers = sorted(p.relative_to(ROOT) for p in (ROOT / "hybridonnx").rglob("*.pyi") if p not in texts)
    assert not stale, f"run scripts/stubs: {', '.join(map(str, stale))}"
    assert not strangers, f"no longer written: {', '.join(map(str, strangers))}"


@pytest.mark.parametrize(
    "path", sorted(p for p in _stubs.stubs() if p.name == "op.pyi"), ids=lambda p: p.parent.name
)
def test_stubs_have_the_arguments_of_the_functions(path):
    module = getattr(mx, path.parent.name).op
    seen = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            a = node.args
            names = {p.arg for p in [*a.args, *a.kwonlyargs, a.vararg, a.kwarg] if p is not None}
            assert names == set(inspect.signature(getattr(module, node.name)).parameters), node.name
            seen.add(node.name)
    assert seen == {n for n in dir(module) if not n.startswith("_")}


@pytest.mark.parametrize(
    "name", ["numpy", "numpy.linalg", "numpy.random", "numpy_extension", "numpy_extension.random"]
)
@pytest.mark.parametrize("frontend", ["ndarray", "symbol"])
def test_stubs_have_the_arguments_of_numpys_functions(frontend, name):
    home, _, group = name.partition(".")
    module = importlib.import_module(f"hybridonnx.{frontend}.{name}")
    stub = ROOT / f"hybridonnx/{frontend}/{home}/_{f'{group}_' if group else ''}operators.pyi"
    seen = set()
    for node in ast.parse(stub.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not is_overload(node):
            a = node.args
            names = [
                p.arg for p in [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg] if p is not None
            ]
            assert names == list(inspect.signature(getattr(module, node.name)).parameters), node.name
            assert ast.get_docstring(node), node.name
        if isinstance(node, ast.FunctionDef):
            seen.add(node.name)
    assert len(seen) > 2
    assert seen <= set(dir(module))


def is_overload(node: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)


@pytest.mark.parametrize("name", ["numpy", "numpy_extension", "symbol.numpy", "symbol.numpy_extension"])
def test_stubs_name_all_that_numpys_modules_show(name):
    tree = ast.parse((ROOT / "hybridonnx" / Path(*name.split(".")) / "__init__.pyi").read_text("utf-8"))
    listed = next(n.value for n in tree.body if isinstance(n, ast.Assign))
    assert set(ast.literal_eval(listed)) == set(importlib.import_module(f"hybridonnx.{name}").__all__)


@pytest.mark.parametrize(("of_numpy", "most"), [(False, SHARE), (True, NUMPY_SHARE)])
def test_few_arguments_say_nothing(of_numpy, most):
    share = _untyped.share(lambda argument: argument.is_of_numpy() == of_numpy)
    assert share <= most, f"{share:.1%} of the public arguments are Any; scripts/untyped lists them"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_user_code_reveals_its_types(tmp_path):
    from mypy import api

    arguments = ["--config-file=", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}"]
    report, errors, code = api.run([*arguments, str(ROOT / "tests/data/typing/user.py")])
    assert code == 0, report + errors
