"""Tries all files, or those whose names begin as given, and writes what fails into failures.json.

`scripts/torch_models try` runs it. It prints what changed, how many files take each step, and the reasons.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.insert(0, str(FOLDER.parent.parent))

from tests.torch_files import STEPS, File, failures, names, steps, tried  # noqa: E402


def changes(name: str, before: dict[str, str], after: dict[str, str]) -> None:
    """Print which steps fail otherwise than before."""
    for step in STEPS:
        if step in before and step not in after:
            print(f"  + {name}: {step} works now")
        elif step in after and step not in before:
            print(f"  - {name}: {step}: {after[step]}", flush=True)


def general(why: str) -> str:
    """A reason without what is the model's own: names and numbers."""
    why = re.sub(r"(got|node|In) [^\s,()]*[._/0-9][^\s,()]*", r"\1 …", why)
    return re.sub(r"-?\d[\d.e+-]*", "#", why)


def summary(chosen: list[str], table: dict[str, dict[str, str]]) -> None:
    """Print how many files take each step, and why the others do not."""
    kinds = sorted(
        {name.split("-", 1)[1].rsplit("-", 2)[-2] + "-" + name.rsplit("-", 1)[1] for name in chosen}
    )
    print(f"{'step':<14}" + "".join(f"{kind:>16}" for kind in kinds) + f"{'all':>14}")
    for step in STEPS:
        cells = []
        for kind in [*kinds, ""]:
            of_kind = [name for name in chosen if name.endswith(kind)]
            takes = [name for name in of_kind if step in dict(steps(File.read(name)))]
            works = [n for n in takes if step not in table.get(n, {}) and "import" not in table.get(n, {})]
            cells.append(f"{len(works)}/{len(takes)}")
        print(f"{step:<14}" + "".join(f"{cell:>16}" for cell in cells))
    reasons: dict[str, list[str]] = {}
    for name in chosen:
        for step, why in table.get(name, {}).items():
            reasons.setdefault(f"{step}: {general(why)}", []).append(name)
    for why, where in sorted(reasons.items(), key=lambda item: -len(item[1])):
        models = Counter(name.rsplit("-", 2)[0] for name in where)
        print(f"{len(where):>4}  {why}\n      {', '.join(models)}")


def main(starts: list[str]) -> None:
    """Try the files."""
    warnings.simplefilter("error")
    table = failures() if (FOLDER / "failures.json").exists() else {}
    chosen = [name for name in names() if not starts or any(name.startswith(start) for start in starts)]
    times = {}
    for name in chosen:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            after = tried(name, Path(folder))
        times[name] = time.perf_counter() - start
        changes(name, table.get(name, {}), after)
        table[name] = after
    known = set(names())
    table = {name: table[name] for name in sorted(table) if table[name] and name in known}
    (FOLDER / "failures.json").write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")
    summary(chosen, table)
    slowest = sorted(times, key=lambda name: -times[name])[:8]
    print(f"{sum(times.values()):.0f} s; {', '.join(f'{name} {times[name]:.1f}' for name in slowest)}")


if __name__ == "__main__":
    main(sys.argv[1:])
