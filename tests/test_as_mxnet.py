"""`mxnet` and its modules under that name, in this process's children and theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hybridonnx
from hybridonnx.cli import main

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "hybridonnx" / "alias"
PYTHONS = [sys.executable]
RUN = [sys.executable, "-m", "hybridonnx", "run"]


def python(*arguments, cwd=None, **variables):
    """The finished process of Python, or of another command, with these variables."""
    command = [*(PYTHONS if arguments[0] != sys.executable else []), *arguments]
    usual = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "HYBRIDONNX_AS_MXNET")}
    environment = {**usual, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def printed(*arguments, **options):
    done = python(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


SAME = """
import {first}
import sys
import mxnet as mx
import mxnet.gluon.nn.basic_layers
import hybridonnx
from mxnet import gluon, nd
from mxnet.gluon.block import HybridBlock
from mxnet.gluon.data.vision.transforms import Compose
from mxnet.ndarray.ndarray import NDArray

names = [name for name in sys.modules if name.startswith("mxnet.")]
assert "mxnet.gluon.block" in names
assert all(sys.modules[name] is sys.modules["hybridonnx" + name[5:]] for name in names)
assert mxnet.gluon.nn.basic_layers.Dense is hybridonnx.gluon.nn.Dense
assert issubclass(hybridonnx.gluon.nn.Dense, HybridBlock)
assert isinstance(hybridonnx.nd.ones((2,)), NDArray)
assert all(sys.modules[name].__spec__.name == "hybridonnx" + name[5:] for name in names)
assert (mx.__name__, mx.__version__, mx.libinfo.__version__) == ("mxnet", "1.9.1", "1.9.1")
assert hybridonnx.__version__ != "1.9.1"
assert dir(mx) == dir(hybridonnx)
assert mx.sym is hybridonnx.symbol
"""


@pytest.mark.parametrize("first", ["hybridonnx.as_mxnet", "mxnet.gluon.block", "mxnet"])
def test_one_module_under_both_names(first):
    printed("-c", SAME.format(first=first), PYTHONPATH=os.pathsep.join([str(FOLDER), str(ROOT)]))


def test_a_failed_import_names_mxnets_module():
    code = "import hybridonnx.as_mxnet, mxnet.gluon.nothing"
    assert "ModuleNotFoundError: No module named 'mxnet.gluon.nothing'" in python("-c", code).stderr
    code = "import hybridonnx.as_mxnet\nfrom mxnet import nothing"
    assert "ImportError: cannot import name 'nothing' from 'mxnet'" in python("-c", code).stderr


def test_what_is_set_and_reloaded():
    printed(
        "-c",
        """
import hybridonnx.as_mxnet
import importlib, pkgutil, unittest.mock
import hybridonnx, mxnet
mxnet.mine = 5
assert hybridonnx.mine == 5
del mxnet.mine
assert not hasattr(mxnet, "mine")
with unittest.mock.patch("mxnet.cpu", "patched"):
    assert hybridonnx.cpu == mxnet.cpu == "patched"
assert mxnet.cpu(0) == hybridonnx.cpu(0)
assert importlib.reload(mxnet) is mxnet
assert importlib.reload(mxnet.name) is hybridonnx.name
assert importlib.util.find_spec("mxnet.nd") is None
assert importlib.util.find_spec("mxnet.gluon").origin == hybridonnx.gluon.__file__
assert "mxnet.gluon.loss" in {m.name for m in pkgutil.iter_modules(mxnet.gluon.__path__, "mxnet.gluon.")}
importlib.reload(hybridonnx.as_mxnet)
import mxnet as again
assert again.__version__ == "1.9.1"
""",
    )


CHILDREN = """
import hybridonnx.as_mxnet
import multiprocessing, subprocess, sys
import mxnet as mx

def version(queue):
    import mxnet
    queue.put((mxnet.__version__, mxnet.nd is sys.modules["hybridonnx.ndarray"]))

if __name__ == "__main__":
    for method in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=version, args=(queue,))
        process.start()
        assert queue.get(timeout=60) == ("1.9.1", True), method
        process.join()
    code = "import mxnet; print(mxnet.__version__)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "1.9.1\\n"
    data = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(mx.nd.arange(6)), 2, num_workers=2)
    assert [x.asnumpy().tolist() for x in data] == [[0, 1], [2, 3], [4, 5]]
"""


def test_processes_that_are_started(tmp_path):
    (tmp_path / "script.py").write_text(CHILDREN)
    printed("script.py", cwd=tmp_path)


def test_run_is_python(tmp_path):
    """What a script, a module and code see is what they see in plain Python."""
    code = (
        "import sys, __main__\n"
        "sys.stderr.write(repr((sys.argv, __name__, getattr(__main__, '__file__', None))))\n"
        "class A: pass\nimport pickle; pickle.loads(pickle.dumps(A()))\n"
        "if len(sys.argv) > 1 and sys.argv[1] == 'exit': sys.exit(7)\n"
        "def f(): raise ValueError('mine')\nf()\n"
    )
    (tmp_path / "script.py").write_text(code)
    for arguments in (
        ["script.py", "a", "--b"],
        ["script.py", "exit"],
        ["-m", "script", "-x"],
        ["-c", code, "-c"],
        ["-W", "error", "-c", "import warnings; warnings.warn('w')"],
        ["nothing.py"],
    ):
        ours, plain = python(*RUN, *arguments, cwd=tmp_path), python(*arguments, cwd=tmp_path)
        assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_run_has_mxnet(tmp_path):
    (tmp_path / "script.py").write_text(
        "import mxnet as mx; print(mx.__version__, mx.nd.ones((2,)).sum().asscalar())"
    )
    assert printed(*RUN, "script.py", cwd=tmp_path) == "1.9.1 2.0"
    assert printed(*RUN, "script.py", cwd=tmp_path, HYBRIDONNX_AS_MXNET="0") == "1.9.1 2.0"
    path = printed(sys.executable, "-m", "hybridonnx", "path")
    assert Path(path) == FOLDER
    both = os.pathsep.join([path, str(ROOT)])
    assert printed("script.py", cwd=tmp_path, PYTHONPATH=both, HYBRIDONNX_AS_MXNET="1") == "1.9.1 2.0"
    refused = python(
        sys.executable, "-E", "-c", "from hybridonnx.cli import main; exit(main(['run']))", cwd=ROOT
    )
    assert refused.returncode == 2
    assert "-E and -I hide PYTHONPATH" in refused.stderr


@pytest.fixture
def real(tmp_path):
    """A folder with a package that stands for Apache MXNet."""
    package = tmp_path / "site" / "mxnet"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("__version__ = 'real'\n")
    return tmp_path / "site"


def test_an_installed_mxnet_gives_way_only_when_asked(real):
    path = os.pathsep.join([str(ROOT), str(real)])
    code = "import hybridonnx.as_mxnet; import mxnet; print(mxnet.__version__)"
    done = python("-c", code, PYTHONPATH=path)
    assert f"Apache MXNet is installed as well, at {real / 'mxnet' / '__init__.py'}" in done.stderr
    assert "HYBRIDONNX_AS_MXNET=replace" in done.stderr
    assert printed("-c", code, PYTHONPATH=path, HYBRIDONNX_AS_MXNET="replace") == "1.9.1"
    command = ["-c", "import mxnet; print(mxnet.__version__)"]
    assert printed(*RUN, "--replace", *command, PYTHONPATH=path) == "1.9.1"
    done = python(*RUN, *command, PYTHONPATH=path)
    assert done.returncode == 2
    assert "--replace" in done.stderr
    path = os.pathsep.join([str(FOLDER), path])
    assert printed(*command, PYTHONPATH=path, HYBRIDONNX_AS_MXNET="0") == "real"
    assert "Apache MXNet is installed as well" in python(*command, PYTHONPATH=path).stderr


def test_an_imported_mxnet_stays(real):
    path = os.pathsep.join([str(ROOT), str(real)])
    done = python("-c", "import mxnet, hybridonnx.as_mxnet", PYTHONPATH=path, HYBRIDONNX_AS_MXNET="replace")
    assert "required before the first import of mxnet, got Apache MXNet from" in done.stderr


def test_values_of_the_variable():
    done = python("-c", "import hybridonnx.as_mxnet", HYBRIDONNX_AS_MXNET="yes")
    assert "HYBRIDONNX_AS_MXNET: one of 0, 1, replace is required, got 'yes'" in done.stderr


def test_commands(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{hybridonnx.__version__}\n"
    assert main([]) == main(["--help"]) == 0
    assert "  run       Run Python with hybridonnx as `mxnet`" in capsys.readouterr().out
    assert main(["run", "--help"]) == 0
    assert "hybridonnx run [--replace] [--old-numpy] script.py" in capsys.readouterr().out
    assert main(["rnu"]) == main(["path", "x"]) == 2
    assert "did you mean run?" in capsys.readouterr().err


OLD_NAMES = """
import io
import mxnet as mx
import numpy as np
assert (np.float, np.int, np.object, np.bool) == (float, int, object, np.bool_)
assert (np.float_, np.string_, np.Inf, -np.NINF) == (np.float64, np.bytes_, np.inf, np.inf)
assert np.isnan(np.NaN) and np.math.pi > 3
assert (np.product([2, 3]), np.alltrue([1, 0]), np.round_(1.6), np.trapz([1, 2])) == (6, False, 2, 1.5)
assert np.in1d([[1, 2]], [2]).tolist() == [False, True]
assert np.msort([[2, 1], [1, 2]]).tolist() == [[1, 1], [2, 2]]
assert np.asscalar(np.ones((1, 1))) == 1.0
assert np.asfarray([1]).dtype == np.asfarray([1], int).dtype == np.float64
assert np.asfarray([1], np.float32).dtype == np.float32
np.save(parts := io.BytesIO(), [np.arange(2), np.arange(3)], allow_pickle=True)
parts.seek(0)
assert [x.tolist() for x in np.load(parts, allow_pickle=True)] == [[0, 1], [0, 1, 2]]
np.save(whole := io.BytesIO(), [np.arange(2), np.arange(2)])
whole.seek(0)
assert np.load(whole).tolist() == [[0, 1], [0, 1]]
words = np.fromstring(b"ab", np.uint8)
words[0] = 0
assert words.tolist() == [0, 98] and np.fromstring("1 2", sep=" ").tolist() == [1, 2]
assert mx.nd.array([1.5]).astype(np.int).dtype == np.int64
"""


def test_old_names_of_numpy(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(OLD_NAMES)
    printed(*RUN, "--old-numpy", str(script))
    printed(str(script), PYTHONPATH=os.pathsep.join([str(FOLDER), str(ROOT)]), HYBRIDONNX_OLD_NUMPY="1")
    done = python(*RUN, str(script))
    assert "has no attribute 'float'" in done.stderr


def test_what_the_import_of_mxnet_has_loaded():
    code = "import mxnet, multiprocessing as mp, sys; print(mp.pool.Pool, 'numpy.float' in sys.modules)"
    assert printed(*RUN, "-c", code) == "<class 'multiprocessing.pool.Pool'> False"
