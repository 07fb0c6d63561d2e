"""Write the index of a file of records: a line of a number from 0 on and an offset for each record.

hybridonnx rec2idx record.rec index.idx
"""

from __future__ import annotations

import sys

from ..errors import MXNetError
from ..formats.files import write_atomically
from ..formats.recordio import RecordMap

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Write an index.

    Args:
        arguments: The path of the file of records and that of the index.

    Returns:
        The exit code: 0, 1 if the file cannot be read, 2 for wrong arguments.
    """
    if len(arguments) != 2:
        print("rec2idx: the paths of a .rec file and of an .idx file are required.", file=sys.stderr)
        return 2
    record, index = arguments
    try:
        lines = [f"{k}\t{offset}\n".encode() for k, offset in enumerate(RecordMap(record).offsets())]
        write_atomically(index, lines)
    except (OSError, MXNetError) as exc:
        print(f"rec2idx: {exc}", file=sys.stderr)
        return 1
    return 0
