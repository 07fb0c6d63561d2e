"""docs/mxnet_names.md and the pages of docs/mxnet_names: what each public name of MXNet 1.9.1 is here.

Names and what is missing are of `tests/mxnet_names.py`, the states of `tests/mxnet_signatures.py`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from tests.mxnet_names import NAMES, STORED, counted, coverage, is_here, missing, reason
from tests.mxnet_signatures import STATES, State, state

DOCS = Path(__file__).resolve().parents[1] / "docs"
TRAINING = (
    "module model rnn optimizer lr_scheduler metric kvstore initializer callback monitor executor".split()
)
GROUPS = {
    "gluon": ("Gluon", ["mxnet.gluon*"]),
    "numpy": ("NumPy's interface", ["mxnet.numpy*", "mxnet.*.numpy*"]),
    "ndarray": ("Arrays", ["mxnet.ndarray*"]),
    "symbol": ("Symbols", ["mxnet.symbol*"]),
    "training": ("Training without Gluon", [f"mxnet.{name}*" for name in TRAINING]),
    "data": ("Images, iterators and files", ["mxnet.image*", "mxnet.io*", "mxnet.recordio"]),
    "contrib": ("Contributions", ["mxnet.contrib*"]),
    "others": ("The root and all others", ["mxnet*"]),
}
"""The pages: their titles, and the patterns of their modules, of which the first one that fits counts."""
TOGETHER = ("same", "named", "module", "NumPy's")
"""States of which a page tells the names alone, in one line for each module."""
INTRODUCTION = """# MXNet's public names

Every public name of every module of Apache MXNet 1.9.1 against what `import mxnet` gives here, made by
`scripts/names`. What serves MXNet's own library or hardware is not counted; the reasons are below.
"""
MEASURED = """MXNet's signatures were stored with MXNet itself, the defaults of operators with its listing;
ours are read from the library. The two are compared, of a class those of its constructor and of each public
method. Whether a function does nothing or refuses is read from its source. What no signature shows is a
sentence. Numbers are not the matter here: the tests compare them with results that MXNet stored. What several
modules show counts in each.

| State | Names | Means |
|---|---|---|"""
BY_MODULE = """## By module

The pages name each of them:

```{toctree}
:maxdepth: 1
"""


@cache
def pages() -> dict[Path, str]:
    """All pages by their paths."""
    result = {DOCS / "mxnet_names.md": index()}
    for stem in GROUPS:
        result[DOCS / "mxnet_names" / f"{stem}.md"] = page(stem)
    return result


# ---- the pages of names


@cache
def states() -> dict[str, dict[str, State]]:
    """The state of each name that is counted and here, by module."""
    return {m: {n: state(m, n) for n in names if is_here(m, n)} for m, names in counted().items()}


def group_of(module: str) -> str:
    """The page that tells of a module."""
    return next(stem for stem, (_, rows) in GROUPS.items() if any(fnmatchcase(module, row) for row in rows))


def page(stem: str) -> str:
    """The page of one group of modules."""
    here = {module: names for module, names in states().items() if group_of(module) == stem}
    count = f"{sum(map(len, here.values())):,} names in {len(here)} modules"
    lines = [f"# MXNet's names: {GROUPS[stem][0]}", "", f"{count}, made by `scripts/names`."]
    lines.append("[MXNet's public names](../mxnet_names.md) says what the states mean.")
    for module, names in here.items():
        lines += ["", f"## {module}", "", *section(names)]
    return "\n".join([*lines, ""])


def section(names: dict[str, State]) -> Iterator[str]:
    """What a page says of one module: the names that are all the same, then a row for each of the others."""
    for kind in TOGETHER:
        alike = [
            name
            for name, found in names.items()
            if found.name == kind and not found.details + found.sentences
        ]
        if alike:
            yield f"- {kind} ({len(alike)}): {code(alike)}"
    rows = {n: s for n, s in names.items() if s.name not in TOGETHER or s.details + s.sentences}
    if rows:
        if len(rows) < len(names):
            yield ""
        yield from ("| Name | State | What |", "|---|---|---|")
        for name, found in rows.items():
            yield f"| `{name}` | {found.name} | {cell(found)} |"


def cell(found: State) -> str:
    """What a table says of a name: sentences, then what was measured."""
    told = " ".join([*found.sentences, *([f"{'; '.join(found.details)}."] if found.details else [])])
    outside = re.sub(r"`[^`]*`|[<*]", lambda m: m[0] if m[0][0] == "`" else "\\" + m[0], told)
    return outside.replace("..", ".").replace("|", "\\|").replace("\n", " ")


def code(names: list[str], most: int | None = None) -> str:
    """Names as code, and how many more there are than `most`."""
    more = f" and {len(names) - most} more" if most is not None and len(names) > most else ""
    return " ".join(f"`{name}`" for name in names[:most]) + more


# ---- the page of all modules


def index() -> str:
    """The page of all modules: states, how many names are here, what is missing, and what is not counted."""
    gaps, rows = missing(), coverage()
    here, count = (sum(column) for column in zip(*rows.values(), strict=True))
    total = f"**{here:,} of {count:,} names, {100 * here / count:.1f} %.**"
    found = Counter(s.name for names in states().values() for s in names.values())
    lines = [INTRODUCTION, total, "", MEASURED]
    lines += [f"| {name} | {found[name]:,} | {meaning} |" for name, meaning in STATES.items() if found[name]]
    lines += ["", BY_MODULE, *(f"mxnet_names/{stem}" for stem in GROUPS), "```", ""]
    lines += ["| Module | Here | Of | As MXNet's | Missing |", "|---|---|---|---|---|"]
    for module, (there, every) in rows.items():
        address = f"mxnet_names/{group_of(module)}.md#{module.replace('.', '')}"
        alike = sum(s.name in TOGETHER for s in states()[module].values())
        lines.append(
            f"| [`{module}`]({address}) | {there} | {every} | {alike} | {code(gaps.get(module, []))} |"
        )
    return "\n".join([*lines, *left_out(), ""])


def left_out() -> Iterator[str]:
    """The table of what is not counted."""
    yield from ("", "## Not counted", "", "| Why | Names |", "|---|---|")
    reasons: dict[str, list[str]] = {}
    for module, names in NAMES.items():
        for name in names:
            if (why := reason(module, name)) is not None:
                reasons.setdefault(why, []).append(name)
    yield from (f"| {why} | {code(sorted(set(names)), 40)} |" for why, names in reasons.items())


def main() -> None:
    """Make what is missing the expected, and write the pages."""
    rows = {module: " ".join(names) for module, names in missing().items()}
    STORED.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
