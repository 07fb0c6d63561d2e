"""What became of onnx's test cases: counts by kind and mode, reasons, what changed, and what is expected."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, TypeAlias

Results: TypeAlias = dict[str, dict[str, str]]
"""For each case its kind, its operators, and for each mode "ok" or the reason."""
EXAMPLES = 6
OURS = ("eager", "hybridized", "saved", "exported")
"""The modes that a failure in is a fault, or has a reason in one of the two tables."""
MODES = (*OURS, "plain", "runtime", "lowered")
"""The last three are ONNX Runtime alone: on the exported file, where onnx runs what that cannot in the mode
before; on the case's own file; and on that with the versions in it lowered."""
NOT_YET = Path(__file__).parent / "data" / "onnx_cases.json"
"""What fails and should not: `--store` writes it. It gets shorter."""


class Limit(NamedTuple):
    """Cases that cannot be right in some modes, and why."""

    pattern: str
    modes: Sequence[str]
    reason: str


LIMITS: list[Limit] = [
    Limit(
        r"test_resize_downsample_scales_(cubic|linear)_align_corners$",
        ("exported",),
        "ONNX Runtime aligns the corners of the rounded size, ONNX those of size times scale",
    ),
    Limit(
        r"test_maxunpool_export_with_output_shape$",
        ("exported",),
        "ONNX Runtime counts indices in output_shape, ONNX in the shape that kernel and strides give",
    ),
]


def read(path: str) -> Results:
    with open(path, encoding="utf-8") as file:
        results: Results = json.load(file)
    return results


def write(path: str, results: Results) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=0, sort_keys=True)
        file.write("\n")


def modes_of(results: Results) -> list[str]:
    return [mode for mode in MODES if any(mode in row for row in results.values())]


def counts(cells: Sequence[tuple[str, str, int, int]]) -> str:
    """A table of what `rows` gives, from any number of runs: how many cases are right."""
    right: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for row_kind, mode, good, size in cells:
        for kind in (row_kind, "all"):
            right[kind, mode] += good
            sizes[kind, mode] += size
    modes = list(dict.fromkeys(mode for _, mode, _, _ in cells))
    kinds = [*dict.fromkeys(kind for kind, _, _, _ in cells), "all"]
    lines = [f"{'':<20}{'cases':>8}" + "".join(f"{mode:>12}" for mode in modes)]
    for kind in kinds if cells else ():
        numbers = "".join(f"{right[kind, mode]:>12}" for mode in modes)
        lines.append(f"{kind:<20}{sizes[kind, modes[0]]:>8}{numbers}")
    return "\n".join(lines)


def form(reason: str) -> str:
    """A reason without what differs from case to case: names in quotes, numbers, shapes."""
    reason = re.sub(r"/\S+?:\d+ \S.*?(\) |\] )", "", reason)  # where ONNX Runtime's code says it
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "…", reason)
    reason = re.sub(r"\b(symbolblock)\d+", r"\1", reason)
    reason = re.sub(r"(got) [^,]+(, which is computed)", r"\1 …\2", reason)
    reason = re.sub(r": \d+ x \([^)]*(\)|$)", "", reason) if "unsupported operators" in reason else reason
    text = re.sub(r" \(read are [\d, ]*\)| Did you mean .*", "", text)
    text = re.sub(r"\([-\d, ]*\)|\[[-\d, ]*\]", "(…)", text)
    text = re.sub(r"(?<!\w)(?<!version )-?\d[\d.]*(e[-+]?\d+)?", "N", text)
    if "numbers differ" in text:
        text = text.split(", at ")[0]
    return text[:200]


def reasons(results: Results, modes: Sequence[str]) -> str:
    """What fails in each mode, the most frequent reason first, with examples.

    A case that fails the same way in the first mode is told there alone.
    """
    lines = []
    for mode in modes:
        groups: dict[str, list[str]] = defaultdict(list)
        bad = {name: row[mode] for name, row in results.items() if row.get(mode, "ok") != "ok"}
        for name, reason in bad.items():
            if mode == modes[0] or form(results[name].get(modes[0], "ok")) != form(reason):
                groups[form(reason)].append(name)
        if not bad:
            continue
        same = len(bad) - sum(map(len, groups.values()))
        as_before = f", {same} of them as in {modes[0]}" if mode != modes[0] else ""
        lines.append(f"== {mode}: {len(bad)} of {len(results)} fail{as_before}")
        for text, names in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            more = " …" if len(names) > EXAMPLES else ""
            lines.append(f"{len(names):>5}  {text}")
            lines.append(f"         {' '.join(sorted(names)[:EXAMPLES])}{more}")
    return "\n".join(lines)


def differences(before: Results, after: Results) -> str:
    """The cases that became right, those that became wrong, and those whose reason changed."""
    lines = []
    common = [name for name in after if name in before]
    for mode in modes_of(after):
        mended, broken, other = [], [], []
        for name in common:
            was, now = before[name].get(mode), after[name].get(mode)
            if was is None or now is None or was == now:
                continue
            if now == "ok":
                mended.append(name)
            elif was == "ok":
                broken.append(f"{name}: {now}")
            elif form(was) != form(now):
                other.append(f"{name}: {was[:150]} → {now[:150]}")
        lines.append(f"== {mode}: {len(mended)} mended, {len(broken)} broken, {len(other)} fail otherwise")
        lines += [f"  + {name}" for name in mended]
        lines += [f"  - {line}" for line in broken]
        lines += [f"  ~ {line}" for line in other]
    return "\n".join(lines)


def packages() -> dict[str, str]:
    """The versions that decide which cases there are and which of them can be right."""
    return {name: version(name) for name in ("onnx", "onnxruntime")}


def stored_packages() -> dict[str, str]:
    """The versions that what fails was written down with."""
    versions: dict[str, str] = json.loads(NOT_YET.read_text(encoding="utf-8"))["packages"]
    return versions


def limit(name: str, mode: str) -> str | None:
    return next((row.reason for row in LIMITS if mode in row.modes and re.match(row.pattern, name)), None)


def store(results: Results) -> None:
    """Write down what fails, all but the limits, by reason and modes."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, row in sorted(results.items()):
        by_reason: dict[str, list[str]] = defaultdict(list)
        for mode in OURS:
            if row[mode] != "ok" and limit(name, mode) is None:
                by_reason[form(row[mode])].append(mode)
        for reason, modes in by_reason.items():
            groups[reason, " ".join(modes)].append(name)
    rows = [
        {"reason": reason, "modes": modes, "cases": names}
        for (reason, modes), names in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    text = json.dumps({"packages": packages(), "fail": rows}, indent=1, ensure_ascii=False)
    NOT_YET.write_text(text + "\n", encoding="utf-8")


def surprises(results: Results) -> list[str]:
    """What fails in one of our modes though no table says so, and what a table says that does not fail."""
    stored = json.loads(NOT_YET.read_text(encoding="utf-8"))
    reasons = {
        (name, mode): row["reason"]
        for row in stored["fail"]
        for name in row["cases"]
        for mode in row["modes"].split()
    }
    lines = []
    for name, row in results.items():
        for mode in OURS:
            reason = limit(name, mode) or reasons.get((name, mode))
            if reason is None and row[mode] != "ok":
                lines.append(f"{name}, {mode}: {row[mode]}")
            if reason is not None and row[mode] == "ok":
                lines.append(f"{name}, {mode}: right, but expected to fail: {reason}")
    return lines


def rows(results: Results) -> list[tuple[str, str, int, int]]:
    """For each kind and mode how many cases are right, and how many there are."""
    tally: Counter[tuple[str, str, bool]] = Counter(
        (row["kind"], mode, row[mode] == "ok") for row in results.values() for mode in modes_of(results)
    )
    return [
        (kind, mode, tally[kind, mode, True], tally[kind, mode, True] + tally[kind, mode, False])
        for kind, mode in dict.fromkeys((kind, mode) for kind, mode, _ in tally)
    ]


def show_progress(done: int, count: int) -> None:
    if sys.stderr.isatty() and (done % 20 == 0 or done == count):
        print(f"\r{done} of {count}", end="\n" if done == count else "", file=sys.stderr, flush=True)
