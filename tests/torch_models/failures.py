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
    why = re.sub(r": \d+ x \([^)]*\)", "", why)
    why = re.sub(r"got (\(.*\)|'\w+')( is|, in|\.|$)", r"got …\2", why)
    why = re.sub(r"^(\w+: )[\w.:/]+: the loss's", r"\1the loss's", why)
    why = re.sub(r"(got|node|In) [^\s,()]*[._/0-9][^\s,()]*", r"\1 …", why)
    return re.sub(r"-?\d[\d.e+-]*", "#", why)


def counts(taken: dict[str, list[str]], table: dict[str, dict[str, str]]) -> None:
    """Print how many of the files that take each step pass it, by exporter and sizes."""
    kinds = sorted({"-".join(name.rsplit("-", 2)[1:]) for name in taken})
    print(f"{'step':<14}" + "".join(f"{kind:>16}" for kind in [*kinds, "all"]))
    for step in STEPS:
        cells = []
        for kind in [*kinds, ""]:
            takes = [name for name, its in taken.items() if name.endswith(kind) and step in its]
            passes = [name for name in takes if not {step, "import"} & table.get(name, {}).keys()]
            cells.append(f"{len(passes)}/{len(takes)}")
        print(f"{step:<14}" + "".join(f"{cell:>16}" for cell in cells))


def reasons(taken: dict[str, list[str]], table: dict[str, dict[str, str]]) -> None:
    """Print why steps fail, with the number of files, most first."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name in taken:
        for step, why in table.get(name, {}).items():
            groups.setdefault(general(why), {}).setdefault(name, []).append(step)
    for why, where in sorted(groups.items(), key=lambda item: -len(item[1])):
        models = dict.fromkeys(name.rsplit("-", 2)[0] for name in where)
        failing = dict.fromkeys(step for its in where.values() for step in its)
        print(f"{len(where):>4}  {', '.join(failing)}: {why}\n      {', '.join(models)}")


def main(starts: list[str]) -> None:
    """Try the files."""
    warnings.simplefilter("error")
    table = failures() if (FOLDER / "failures.json").exists() else {}
    taken, times = {}, {}
    for name in names():
        if starts and not any(name.startswith(start) for start in starts):
            continue
        before, start = table.get(name, {}), time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            table[name] = tried(name, Path(folder), before)
        times[name] = time.perf_counter() - start
        taken[name] = [step for step, _ in steps(File.read(name))]
        changes(name, before, table[name])
    known = {name: table[name] for name in sorted(set(names()) & table.keys()) if table[name]}
    (FOLDER / "failures.json").write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
    counts(taken, table)
    reasons(taken, table)
    slowest = sorted(times, key=lambda name: -times[name])[:8]
    print(f"{sum(times.values()):.0f} s; {', '.join(f'{name} {times[name]:.1f}' for name in slowest)}")


if __name__ == "__main__":
    main(sys.argv[1:])
