"""Train in several processes that know each other by MPI: a script, with its arguments, in each of them.

    hybridonnx launch -n 2 train.py --epochs 5
    hybridonnx launch -n 16 --hostfile hosts.txt --restarts 3 train.py
    hybridonnx launch -n 2 -m package.train

-n N, --workers N    processes
--hostfile FILE      machines, one a line; `name:4` has four processes
--restarts N         times that the job is started again after a process has failed; the script goes on from
                     its last checkpoint (mx.gluon.Checkpoint)
--timeout SECONDS    how long a process waits for the others before it ends the job; 600 unless given
--threads N          threads of each process; together they are as many as processors unless given

The script makes mx.kv.create("dist_sync"), or a Trainer with kvstore="dist_sync". `import mxnet` finds
hybridonnx, as under hybridonnx run. A line for each process tells what it did last when a job has failed.
Needs the extra `mpi`: pip install "hybridonnx[mpi]".
"""

from __future__ import annotations

import os
import sys

from ..config import AS_MXNET, THREADS, TIMEOUT
from ..errors import MXNetError
from ..kvstore.launch import launch

__all__ = ["main"]

_NUMBERS = {"-n": "workers", "--workers": "workers", "--restarts": "restarts"}
_VARIABLES = {"--timeout": TIMEOUT.name, "--threads": THREADS.name}


def main(arguments: list[str]) -> int:
    """Start the processes, and wait for them.

    Args:
        arguments: Options, then Python's arguments: a script, or -m and a module, with theirs.

    Returns:
        The job's exit code; 2 if the options are wrong, 3 if there is no MPI.
    """
    numbers, variables, hostfile, rest = {"workers": 0, "restarts": 0}, {}, None, [*arguments]
    while rest and rest[0] in (*_NUMBERS, *_VARIABLES, "--hostfile"):
        option, value, rest = rest[0], rest[1] if len(rest) > 1 else "", rest[2:]
        if option == "--hostfile":
            hostfile = value
        elif not value.isdigit():
            return _refuse(f"a number is required after {option}, got {value!r}.")
        elif option in _NUMBERS:
            numbers[_NUMBERS[option]] = int(value)
        else:
            variables[_VARIABLES[option]] = value
    if numbers["workers"] < 1:
        return _refuse("the number of processes is required, as in -n 2.")
    if not rest:
        return _refuse("a script is required, as in hybridonnx launch -n 2 train.py.")
    from ..as_mxnet import environment

    environ = environment({**os.environ, **variables})
    if AS_MXNET() == "0":
        environ[AS_MXNET.name] = "1"
    try:
        return launch([sys.executable, *rest], numbers["workers"], hostfile, numbers["restarts"], environ)
    except MXNetError as exc:
        print(f"hybridonnx {exc}", file=sys.stderr)
        return 3


def _refuse(text: str) -> int:
    print(f"hybridonnx launch: {text}", file=sys.stderr)
    return 2
