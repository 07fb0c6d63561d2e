"""What is released: the wheel works beside modules named as our folders are, and builds do not differ."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
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


def copied(source):
    """A copy of what the package is made of."""
    source.mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"):
        shutil.copy(ROOT / name, source)
    for name in ("hybridonnx", "converters"):
        shutil.copytree(
            ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    return source


def built(source):
    """The wheel and the source distribution."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(source / "dist")]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return sorted((source / "dist").iterdir())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return built(copied(tmp_path_factory.mktemp("wheel") / "source"))


@pytest.fixture(scope="module")
def site(files):
    """A folder with the files of the wheel."""
    (wheel,) = (path for path in files if path.suffix == ".whl")
    folder = wheel.parent
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


def test_builds_are_the_same_byte_by_byte(files, tmp_path):
    """From another folder, of files with other times that others may not read."""
    source = copied(tmp_path / "elsewhere" / "with a space")
    for path in source.rglob("*"):
        os.utime(path, (1.5e9, 1.5e9), follow_symlinks=False)
        if path.is_file():
            path.chmod(0o600)
    again = built(source)
    assert [path.name for path in again] == [path.name for path in files]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in files]


def test_the_wheel_of_the_source_distribution(files, tmp_path):
    """It is the wheel of the sources."""
    wheel, source = sorted(files, key=lambda path: path.suffix != ".whl")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    again = next(path for path in built(folder) if path.suffix == ".whl")
    assert again.read_bytes() == wheel.read_bytes()


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
