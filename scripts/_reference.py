"""What the reference shows, as plain data: every public name with its arguments and its docstring.

`python -m scripts._reference build/docs/objects.inv` tells which names the pages that Sphinx made lack.
"""

from __future__ import annotations

import inspect
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from scripts._surface import PACKAGE, attributes, is_ours, modules

_HEADER = re.compile(r"(Args|Inputs|Attributes|Options|Returns|Yields|Raises|ONNX):(.*)", re.DOTALL)
_ENTRY = re.compile(r"(\*{0,2}[\w.]+(?: \(required\))?):\s+(.*)", re.DOTALL)


class Part(NamedTuple):
    """A part of a docstring: a paragraph, a block of code, or a section."""

    kind: str
    """`paragraph`, `code`, or the header of a section."""
    text: str = ""
    entries: tuple[tuple[str, str], ...] = ()
    """The names in a section, and what it says of them."""


class Entry(NamedTuple):
    """One public name."""

    path: str
    kind: str
    """As Sphinx's domain for Python has it: module, class, exception, function, method, attribute, data."""
    arguments: tuple[tuple[str, str], ...] | None = None
    """Each argument and its default as text, or nothing; none of what is not called."""
    parts: tuple[Part, ...] = ()
    same_as: str = ""
    """The path at which this is described, if not here."""
    members: tuple[Entry, ...] = ()
    """Of a class."""


def entries(module: ModuleType) -> list[Entry]:
    """Everything that a module shows, by name."""
    names = sorted(module.__all__, key=str.lower)
    return [_entry(f"{module.__name__}.{name}", getattr(module, name)) for name in names]


def _entry(path: str, value: Any) -> Entry:
    if isinstance(value, ModuleType):
        return Entry(path, "module", same_as=value.__name__ if value.__name__ != path else "")
    home = _homes().get(id(value), path)
    if home != path:
        return Entry(path, _kind(value), same_as=home)
    members: list[Entry] = []
    if inspect.isclass(value) and is_ours(value):
        bases = [cls for cls in value.__mro__ if is_ours(cls) and (cls is value or not _is_shown(cls))]
        own = [(name, item) for name, item in attributes(value, bases) if name != "__init__"]
        members = [_member(f"{path}.{name}", item) for name, item in own]
    return Entry(path, _kind(value), _arguments(value), tuple(parts(_doc(value))), members=tuple(members))


def _member(path: str, value: Any) -> Entry:
    called = callable(value) and not inspect.isclass(value)
    arguments = _arguments(value) if called else None
    return Entry(path, "method" if called else "attribute", arguments, tuple(parts(_doc(value))))


@cache
def _homes() -> dict[int, str]:
    """Where each class and function that several modules show is described."""
    paths: dict[int, list[tuple[str, str]]] = {}
    for path, module in modules().items():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isroutine(value):
                paths.setdefault(id(value), []).append((path, f"{path}.{name}"))
    return {key: min(found, key=_distance)[1] for key, found in paths.items()}


def _distance(place: tuple[str, str]) -> tuple[Any, ...]:
    """How far a module is from where readers look: the root and `contrib` come last."""
    module, path = place
    return module == PACKAGE, ".contrib." in f"{module}.", module.count("."), module, path


def _is_shown(cls: type) -> bool:
    return id(cls) in _homes()


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"


# ---- arguments and docstrings


def _arguments(value: Any) -> tuple[tuple[str, str], ...] | None:
    """The arguments of what is called; none where Python cannot tell, or of what is not called."""
    if not callable(value):
        return None
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):  # of built-in functions
        return None
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown: list[tuple[str, str]] = []
    named = False
    for item in (p for p in parameters if p.name != "self"):
        if item.kind is inspect.Parameter.VAR_POSITIONAL:
            named = True
        elif item.kind is inspect.Parameter.KEYWORD_ONLY and not named:
            shown.append(("*", ""))
            named = True
        shown.append((stars.get(item.kind, "") + item.name, _default(item)))
    return tuple(shown)


def _default(item: inspect.Parameter) -> str:
    if item.default is inspect.Parameter.empty or repr(item.default) == "<required>":
        return ""
    if inspect.isroutine(item.default) or inspect.isclass(item.default):
        return str(getattr(item.default, "__name__", "…"))
    text = repr(item.default)
    return "…" if " at 0x" in text else text


def _doc(value: Any) -> str:
    """The docstring of what is ours, or where it comes from; nothing of plain values."""
    if isinstance(value, property) or inspect.isroutine(value) or inspect.isclass(value):
        home = str(getattr(value, "__module__", None) or "")
        if home.split(".")[0] == "numpy":
            return f"NumPy's own `numpy.{getattr(value, '__name__', '')}`."
        return inspect.getdoc(value) or ""
    return str(getattr(value, "__doc__", "") or "") if is_ours(type(value)) else ""


def parts(doc: str) -> Iterator[Part]:
    """A docstring in order: paragraphs, code, which is indented, and sections."""
    for block in _blocks(inspect.cleandoc(doc)):
        header = _HEADER.match(block)
        if header:
            yield _section(header[1], inspect.cleandoc(header[2]))
        elif block.startswith(("    ", ">>> ")):
            yield Part("code", inspect.cleandoc(block))
        else:
            yield Part("paragraph", " ".join(block.split()))


def _blocks(doc: str) -> Iterator[str]:
    """What blank lines separate; a section has all that is indented behind its header."""
    pending = ""
    for block in re.split(r"\n\s*\n", doc):
        indented = block.startswith("    ")
        if indented and pending and (_HEADER.match(pending) or pending.startswith("    ")):
            pending += "\n\n" + block
            continue
        if pending.strip():
            yield pending
        pending = block
    if pending.strip():
        yield pending


def _section(header: str, text: str) -> Part:
    """A section by its entries, or as text where it has none."""
    items = [_ENTRY.match(item) for item in re.split(r"\n(?=\S)", text)]
    if header != "ONNX" and items and all(items):
        return Part(header, "", tuple((m[1], " ".join(m[2].split())) for m in items if m))
    return Part(header, " ".join(text.split()))


# ---- what pages have


def paths() -> Iterator[str]:
    """The path of everything that the reference shows."""
    for module in modules().values():
        yield module.__name__
        yield from _paths(entries(module))


def _paths(items: Iterable[Entry]) -> Iterator[str]:
    for item in items:
        yield item.path
        yield from _paths(item.members)


def listed(inventory: Path) -> set[str]:
    """The names in the inventory that Sphinx writes."""
    _, _, _, _, packed = inventory.read_bytes().split(b"\n", 4)
    return {line.split(" ")[0] for line in zlib.decompress(packed).decode().splitlines()}


def main(arguments: Sequence[str]) -> int:
    """Tell which names the pages lack."""
    known = listed(Path(arguments[0]))
    lacking = [path for path in paths() if path not in known]
    print(
        "\n".join(["not in the reference:", *lacking]) if lacking else f"{len(known)} names in the reference"
    )
    return bool(lacking)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
