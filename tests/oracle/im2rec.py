"""Writes im2rec.json: lists and records that MXNet 1.9.1's im2rec.py makes of tests/data/images.

Run it with the oracle environment's Python, and opencv-python-headless 4.8.1 where PYTHONPATH says:

    PYTHONPATH=FOLDER python tests/oracle/im2rec.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

import mxnet as mx  # noqa: E402

from tests import im2rec_calls as calls  # noqa: E402

SCRIPT = Path(mx.__file__).parent / "tools" / "im2rec.py"


def run(*arguments):
    subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def main():
    """Write the file."""
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = calls.lay_out(folder)
        for prefix, options in calls.LISTS.items():
            run("--list", folder / prefix, root, *options)
        results["lists"] = calls.lists(folder)
        results["records"] = {}
        for prefix, options in calls.RECORDS.items():
            below = folder / f"of_{prefix}"
            below.mkdir()
            (below / f"{prefix}.lst").write_text(calls.BAD_LINES if prefix == "bad_lines" else calls.LINES)
            run(below / prefix, root, *options)
            results["records"][prefix] = calls.records(below / f"{prefix}.rec")
    (FOLDER / "im2rec.json").write_text(json.dumps(results, indent=1) + "\n")


main()
