"""Calls and imports that are interrupted at any step, and made again (`tests/fault_tasks.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridonnx import autograd, nd, sym
from hybridonnx.attribute import AttrScope
from hybridonnx.context import Context, current_context
from hybridonnx.gluon import nn
from hybridonnx.name import NameManager, Prefix, current
from hybridonnx.util import is_np_array, is_np_shape, np_array, np_shape
from tests.interrupts import Steps, points

ROOT = Path(__file__).resolve().parents[1]
FEW = ("scopes", "train_eagerly", "compile", "loader", "load")
FEW_WRITERS = ("checkpoint", "external", "indexed_records", "download")
MEMORY = (
    "train_compiled",
    "compile",
    "load",
    "import_onnx",
    "export_onnx",
    "external",
    "indexed_records",
    "loops",
)


def run(module, *arguments):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"tests.{module}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "HYBRIDONNX_THREADS": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=3000,
    )
    assert not done.returncode, f"{done.stderr}\n{done.stdout}"


def test_calls_that_are_interrupted():
    run("fault_tasks", 2, 1, *FEW, *FEW_WRITERS, "memory:train_eagerly", "memory:external")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_calls_that_are_interrupted_often(seed):
    run("fault_tasks", 40, f"often{seed}")


@pytest.mark.slow
def test_calls_without_memory_often():
    run("fault_tasks", 40, "memory", *(f"memory:{name}" for name in MEMORY))


@pytest.mark.slow
@pytest.mark.parametrize("task", ["import_onnx", "export_onnx", "train_compiled"])
def test_imports_that_are_interrupted(task):
    run("fault_imports", task, 15, 1)


RELOAD = """
import importlib, sys
import hybridonnx as mx
from hybridonnx import converters
from hybridonnx.converters import from_onnx, to_onnx
from hybridonnx.ops import load_all
from hybridonnx.ops._onnx_gradients import _table
mx.onnx.import_model
load_all(), _table.load_all(), to_onnx.supported()
for name in ("hybridonnx.ops.unary", "hybridonnx.ops._onnx_gradients.signal"):
    importlib.reload(importlib.import_module(name))
for name in ("from_onnx.unary", "to_onnx.sparse"):
    importlib.reload(importlib.import_module(f"hybridonnx.converters.{name}"))
print(mx.nd.relu(mx.nd.array([-1, 2])).asnumpy().tolist())
"""


def test_an_import_that_begins_anew_defines_things_again():
    done = subprocess.run(
        [sys.executable, "-c", RELOAD], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "[0.0, 2.0]\n", done.stderr


def test_interrupts_come_where_python_looks_for_signals():
    def calls(lock):
        with lock:
            return str(1)

    def loops(n):
        while n:
            n -= 1

    assert len(points(calls.__code__)) >= 2
    assert points(loops.__code__)
    with Steps() as steps:
        nd.ones((2,))
    assert steps.count > 10


SCOPES = {
    "recording": (lambda: autograd.record(), autograd.is_recording),
    "training": (lambda: autograd.train_mode(), autograd.is_training),
    "names": (lambda: NameManager(), current),
    "prefix": (lambda: Prefix("a_"), current),
    "attributes": (lambda: AttrScope(__a__="1"), lambda: sym.var("x").attr("__a__")),
    "context": (lambda: Context("cpu", 3), lambda: str(current_context())),
    "shapes": (lambda: np_shape(True), is_np_shape),
    "arrays": (lambda: np_array(True), is_np_array),
    "block": (lambda: nn.Dense(2, prefix="d_").name_scope(), lambda: nn.Dense(2).prefix[:2]),
}


@pytest.mark.parametrize("kind", SCOPES)
def test_a_scope_ends_those_inside_of_it(kind):
    """A block that an interrupt kept from ending holds no longer than those around it."""
    make, look = SCOPES[kind]
    before = look()
    with make():
        inside = look()
        make().__enter__()
        make().__enter__()
    assert look() == before != inside


@pytest.mark.parametrize("kind", SCOPES)
def test_a_scope_that_ends_after_those_around_it(kind):
    make, look = SCOPES[kind]
    before, outer, inner = look(), make(), make()
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    assert look() == before
