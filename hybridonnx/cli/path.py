"""Print the folder that makes `import mxnet` hybridonnx where PYTHONPATH has it.

    export PYTHONPATH="$(hybridonnx path)${PYTHONPATH:+:$PYTHONPATH}"
    python script.py

HYBRIDONNX_AS_MXNET=0 turns it off; HYBRIDONNX_AS_MXNET=replace is for where Apache MXNet is installed, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Print the folder.

    Args:
        arguments: None.

    Returns:
        The exit code.
    """
    if arguments:
        print(f"hybridonnx path: no arguments are taken, got {' '.join(arguments)}.", file=sys.stderr)
        return 2
    print(Path(__file__).resolve().parents[1] / "alias")
    return 0
