"""Writes user_scripts.json: what the scripts of tests/scripts print with real MXNet 1.9.1.

Run it with the oracle environment's Python; names of scripts restrict what is run anew:

    python tests/oracle/user_scripts.py [d2l_ssd …]

Each runs in a process of its own. It prints how many lines are new, changed and gone.
"""

import json
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

from tests import user_scripts  # noqa: E402


def main():
    """Write the file."""
    before = user_scripts.stored() if user_scripts.STORED.exists() else {}
    results = {name: before[name] for name in user_scripts.names() if name in before}
    for name in sys.argv[1:] or user_scripts.names():
        start = time.perf_counter()
        try:
            lines = user_scripts.lines([sys.executable, "-W", "ignore"], name, MXNET_SUBGRAPH_BACKEND="NONE")
        except RuntimeError as exc:
            print(exc, flush=True)
            continue
        seconds = time.perf_counter() - start
        rows = user_scripts.differences(lines, before.get(name, []))
        changed = sum(away > 0 for away, _, _ in rows)
        print(f"{name}: {len(lines)} lines, {changed} differ from before, {seconds:.1f} s", flush=True)
        results[name] = lines
    text = json.dumps(dict(sorted(results.items())), indent=0, ensure_ascii=False)
    user_scripts.STORED.write_text(text + "\n", encoding="utf-8")


main()
