"""Run Python with hybridonnx as `mxnet`: a script, -m module or -c code, with its arguments; or run a model.

    hybridonnx run [--replace] [--old-numpy] script.py arguments…
    hybridonnx run [--replace] [--old-numpy] -m module arguments…
    hybridonnx run model.onnx --input data=cat.jpg --output scores.npz

The rest is given to Python as it stands, options of Python's own included; without any it asks for input.
--replace takes hybridonnx where Apache MXNet is installed, too. --old-numpy gives NumPy the names that it
had then, such as np.float; see hybridonnx.old_numpy. hybridonnx run model.onnx --help tells more of models.
"""

from __future__ import annotations

import os
import subprocess
import sys

from ..config import AS_MXNET, OLD_NUMPY
from ._extra import call

__all__ = ["main"]

_OPTIONS = {"--replace": (AS_MXNET.name, "replace"), "--old-numpy": (OLD_NUMPY.name, "1")}

_MODELS = (".onnx", "-symbol.json")
_WITH_VALUES = {
    *("--input", "--max-memory", "--max-seconds", "--mean", "--output", "--params"),
    *("--scale", "--shape", "--size", "--std", "-o"),
}
"""Options for models, which Python has not, that take a value."""


def main(arguments: list[str]) -> int:
    """Give this process to a Python that finds hybridonnx as `mxnet`; on Windows, run it and wait.

    Where the first word that is no option is a model's file, that is run instead.

    Args:
        arguments: `--replace` and `--old-numpy` if they are wanted, then Python's; or a model's.

    Returns:
        The exit code, where there is one to return: 2 if Python is not started.
    """
    if _names_model(arguments):
        return call(["run", *arguments], "_run_model")
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


def _names_model(arguments: list[str]) -> bool:
    """Whether what is to be run is a model, no script."""
    words = iter(arguments)
    for word in words:
        if word in _WITH_VALUES:
            next(words, "")
        elif not word.startswith("-"):
            return word.endswith(_MODELS)
    return False
