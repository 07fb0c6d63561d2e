"""Run Python with hybridonnx as `mxnet`: a script, -m module or -c code, with its arguments.

    hybridonnx run [--replace] [--old-numpy] script.py arguments…
    hybridonnx run [--replace] [--old-numpy] -m module arguments…

The rest is given to Python as it stands, options of Python's own included; without any it asks for input.
--replace takes hybridonnx where Apache MXNet is installed, too. --old-numpy gives NumPy the names that it
had then, such as np.float; see hybridonnx.old_numpy.
"""

from __future__ import annotations

import os
import subprocess
import sys

from ..config import AS_MXNET, OLD_NUMPY

__all__ = ["main"]

_OPTIONS = {"--replace": (AS_MXNET.name, "replace"), "--old-numpy": (OLD_NUMPY.name, "1")}


def main(arguments: list[str]) -> int:
    """Give this process to a Python that finds hybridonnx as `mxnet`; on Windows, run it and wait.

    Args:
        arguments: `--replace` and `--old-numpy` if they are wanted, then Python's.

    Returns:
        The exit code, where there is one to return: 2 if Python is not started.
    """
    if AS_MXNET() == "0":
        os.environ[AS_MXNET.name] = "1"
    while arguments[:1] and arguments[0] in _OPTIONS:
        variable, value = _OPTIONS[arguments[0]]
        os.environ[variable], arguments = value, arguments[1:]
    if sys.flags.ignore_environment:
        print(
            "hybridonnx run: Python's options -E and -I hide PYTHONPATH, by which it works.", file=sys.stderr
        )
        return 2
    try:
        from ..as_mxnet import environment
    except ImportError as error:
        print(error, file=sys.stderr)
        return 2
    variables = environment(dict(os.environ))
    command = [sys.executable, *subprocess._args_from_interpreter_flags(), *arguments]  # type: ignore[attr-defined]
    if os.name == "nt":
        return subprocess.call(command, env=variables)
    sys.stdout.flush()
    os.execve(sys.executable, command, variables)
