"""The wheel, installed in a folder of its own, works beside modules that have the names of our folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"hybridonnx": ROOT / "hybridonnx", "hybridonnx/converters": ROOT / "converters"}
SHIPPED = (".py", ".pyi", ".typed", ".css", ".js")

SCRIPT = """
import sys
from pathlib import Path
import numpy as np
import converters
import hybridonnx as mx

assert converters.MINE, "the user's own converters"
assert Path(mx.__file__).is_relative_to(sys.argv[1]), mx.__file__
net = mx.gluon.nn.Dense(2, in_units=3)
net.initialize()
x = mx.nd.ones((4, 3))
expected = x.asnumpy() @ net.weight.data().asnumpy().T
net.hybridize()
np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-6)
mx.onnx.export_model(net, "net.onnx", input_shapes=[("batch", 3)])
again = mx.onnx.import_to_gluon("net.onnx")
np.testing.assert_allclose(again(x).asnumpy(), expected, rtol=1e-6)
assert mx.onnx.verify(net, "net.onnx", inputs=[x]).ok()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the files of the wheel, made from a copy of the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("hybridonnx", "converters"):
        shutil.copytree(
            ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(folder)]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_one_package(site):
    packages = [path.name for path in site.iterdir() if not path.name.endswith(".dist-info")]
    assert packages == ["hybridonnx"]
    installed = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.suffix in SHIPPED}
    source = set()
    for name, folder in FOLDERS.items():
        paths = (path.relative_to(folder) for path in folder.rglob("*") if path.suffix in SHIPPED)
        source |= {f"{name}/{path.as_posix()}" for path in paths}
    assert installed == source


@pytest.mark.parametrize("kind", ["module", "package"])
def test_foreign_converters(site, tmp_path, kind):
    """A script beside a `converters.py` or `converters/` of its own exports, imports and verifies."""
    if kind == "module":
        (tmp_path / "converters.py").write_text("MINE = True\n")
    else:
        (tmp_path / "converters").mkdir()
        (tmp_path / "converters" / "__init__.py").write_text("MINE = True\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "script.py", str(site)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_mxnet_is_served(site, tmp_path):
    """By the command, which the wheel installs, and where the folder alone is on the path."""
    (entries,) = site.glob("*.dist-info/entry_points.txt")
    assert "hybridonnx = hybridonnx.cli:main" in entries.read_text()
    code = "import mxnet as mx; print(mx.__version__, mx.__file__, mx.nd.ones((2,)).sum())"
    (tmp_path / "script.py").write_text(code)
    folder = str(site / "hybridonnx" / "alias")
    for arguments, path in ((["-m", "hybridonnx", "run", "script.py"], str(site)), (["script.py"], folder)):
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.startswith(f"1.9.1 {site}"), done.stderr
        assert "\n[2.]\n" in done.stdout
