"""Sizes, names and places of source files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests import pages

ROOT = Path(__file__).parents[1]
FOLDERS = ("hybridonnx", "converters", "tests", "samples", "benchmarks", "scripts")
FILE_LINES = 800
FUNCTION_LINES = 50

VAGUE = {"utils", "util", "helpers", "helper", "common", "misc"}
MXNET_NAMES = {
    "hybridonnx/contrib/text/utils.py",
    "hybridonnx/misc.py",
    "hybridonnx/util.py",
    "hybridonnx/gluon/contrib/estimator/utils.py",
    "hybridonnx/gluon/utils.py",
    "hybridonnx/ndarray/utils.py",
    "hybridonnx/numpy/utils.py",
    "hybridonnx/numpy_extension/utils.py",
}

FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
LIBRARY = [path for path in FILES if path.relative_to(ROOT).parts[0] in ("hybridonnx", "converters")]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def test_files_are_short():
    lines = {shown(path): path.read_bytes().count(b"\n") for path in FILES}
    long = [f"{name} has {count} lines" for name, count in lines.items() if count > FILE_LINES]
    assert not long, f"at most {FILE_LINES} lines; split by what the parts do:\n" + "\n".join(long)


def test_functions_are_short():
    long = []
    for path in FILES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                count = (node.end_lineno or node.lineno) - node.lineno + 1
                if count > FUNCTION_LINES:
                    long.append(f"{shown(path)}:{node.lineno} {node.name} has {count} lines")
    assert not long, f"at most {FUNCTION_LINES} lines; give the steps names:\n" + "\n".join(long)


def test_modules_are_named_for_what_they_do():
    vague = [shown(p) for p in LIBRARY if {p.stem.strip("_"), p.parent.name} & VAGUE]
    vague = [name for name in vague if name not in MXNET_NAMES]
    assert not vague, f"these names say nothing: {', '.join(vague)}"


def test_every_module_has_a_layer():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(c["layers"] for c in config["contracts"] if c["name"].startswith("Layers"))
    placed = {name.strip(" ()") for layer in layers for name in layer.replace("|", ":").split(":")}
    modules = {f"hybridonnx.{path.stem}" for path in (ROOT / "hybridonnx").iterdir() if is_module(path)}
    missing = sorted(modules - placed)
    assert not missing, f"give a place among the layers of pyproject.toml: {', '.join(missing)}"


def is_module(path: Path) -> bool:
    return path.name != "__init__.py" and (path.suffix == ".py" or any(path.glob("*.py")))


@pytest.mark.parametrize("folder", ["converters/to_onnx", "converters/from_onnx", "tests/ops"])
def test_families_have_the_names_of_operator_families(folder):
    families = {path.stem for path in (ROOT / "hybridonnx/ops").glob("[!_]*.py")}
    strangers = sorted(shown(p) for p in (ROOT / folder).glob("[!_]*.py") if p.stem not in families)
    assert not strangers, f"no hybridonnx/ops file of the same name: {', '.join(strangers)}"


@pytest.mark.parametrize("package", ["hybridonnx", "converters"])
def test_package_roots_do_no_work(package):
    path = ROOT / package / "__init__.py"
    work = [f"{shown(path)}:{node.lineno}" for node in tree(path).body if does_work(node)]
    assert not work, "a package root says names and loads them on first use, nothing else:\n" + "\n".join(
        work
    )


def does_work(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return ast.unparse(node.test) not in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    return not isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.FunctionDef)


def test_nothing_is_unpickled():
    unsafe = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    faults = []
    for path in LIBRARY:
        for node in ast.walk(tree(path)):
            named = {a.name for a in node.names} if isinstance(node, ast.Import) else set()
            named |= {node.module or ""} if isinstance(node, ast.ImportFrom) else set()
            allows = (
                isinstance(node, ast.keyword)
                and node.arg == "allow_pickle"
                and ast.unparse(node.value) != "False"
            )
            if named & unsafe or allows:
                faults.append(f"{shown(path)}:{node.lineno}")  # type: ignore[attr-defined]
    assert not faults, "files may come from strangers:\n" + "\n".join(faults)


def test_the_oldest_packages_are_those_that_are_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needs = [
        *project["dependencies"],
        *(need for name in ("cli", "image", "mpi", "safetensors", "samples") for need in extras[name]),
    ]
    lowest = dict(need.partition(";")[0].split(">=") for need in needs)
    lines = (ROOT / ".ci" / "oldest.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert pins.keys() == lowest.keys()
    for name, version in pins.items():
        assert re.sub(r"(\.0)+$", "", version) == lowest[name], name


PAGES = sorted([*ROOT.glob("*.md"), *pages.pages()[1:], *ROOT.glob("*/README.md")])


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing, f"{shown(page)} links to what is not there: {', '.join(missing)}"


def test_files_that_the_architecture_names_are_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folders = {"ops": ROOT / "hybridonnx" / "ops", "to_onnx": ROOT / "converters" / "to_onnx"}
    rows = re.findall(r"^\| `(ops|to_onnx)/(_[^|]*) \|", text, re.MULTILINE)
    assert rows
    for folder, cell in rows:
        for name in re.findall(r"_\w+\.py", cell):
            assert (folders[folder] / name).exists(), f"{folder}/{name}"


def test_the_samples_have_a_line_each():
    page = (ROOT / "samples" / "README.md").read_text(encoding="utf-8")
    missing = [path.name for path in (ROOT / "samples").glob("*.py") if f"]({path.name})" not in page]
    assert not missing, f"say in samples/README.md what they show: {', '.join(missing)}"


FAMILIES_OF_LOWERINGS = """
import sys
from hybridonnx.converters.to_onnx import _registry
from hybridonnx.ops import find

lowers = _registry.lowers


def noted(*operators):
    file = sys._getframe(1).f_globals["__name__"].rpartition(".")[2]
    for operator in operators:
        cls = find(operator) if isinstance(operator, str) else operator
        family = cls.__module__.rpartition(".")[2].lstrip("_")
        if family != file:
            print(cls.__name__, "of", family, "is lowered in", file)
    return lowers(*operators)


_registry.lowers = noted
_registry.load_all()
print(len(_registry.load_all()) > 400)
"""


def test_lowerings_stand_in_the_files_of_their_operators_families():
    """As they are looked for there, before all others are loaded."""
    done = subprocess.run(
        [sys.executable, "-c", FAMILIES_OF_LOWERINGS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "True\n", done.stderr
