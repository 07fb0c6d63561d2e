"""Docstrings of operators as data: the sentence, then Inputs, Attributes, Returns and ONNX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from inspect import cleandoc
from textwrap import dedent
from typing import NamedTuple

from ._operator import Operator

_HEADER = re.compile(r"(Inputs|Attributes|Returns|ONNX):(.*)", re.DOTALL)
_ENTRY = re.compile(r"(\*?\w+):\s+(.*)", re.DOTALL)


class Doc(NamedTuple):
    """What an operator's docstring says; what it leaves out is its bases'."""

    sentence: str
    """The first line, always the class's own."""
    paragraphs: tuple[str, ...]
    """What stands outside of sections; the class's own as well."""
    inputs: dict[str, str]
    """Input name, or `*name` for any number of them, to its description, in the order of a call."""
    attributes: dict[str, str]
    """Attribute name to its description, in the schema's order."""
    returns: str
    """The visible outputs; a line for each if there are several."""
    onnx: str
    """The ONNX operators that the operator becomes, or "none" and the reason."""


def doc_of(cls: type[Operator]) -> Doc:
    """The docstring of an operator's class by its sections, completed from the docstrings of its bases."""
    owners = [c for c in cls.__mro__ if issubclass(c, Operator) and vars(c).get("__doc__")]
    docs = [_sections(vars(c)["__doc__"]) for c in owners]
    own = docs[0][""] if owners and owners[0] is cls else []
    sentence, _, rest = "".join(own[:1]).partition("\n")
    return Doc(
        sentence,
        tuple(" ".join(p.split()) for p in (rest, *own[1:]) if p.strip()),
        _merged([doc.get("Inputs", []) for doc in docs], () if cls.variadic else cls.inputs),
        _merged([doc.get("Attributes", []) for doc in docs], tuple(cls.schema())),
        next((_joined(doc["Returns"]) for doc in docs if "Returns" in doc), ""),
        next((" ".join(" ".join(doc["ONNX"]).split()) for doc in docs if "ONNX" in doc), ""),
    )


@cache
def _sections(doc: str) -> Mapping[str, Sequence[str]]:
    """The blocks of each section by its header, dedented; blocks outside of sections under ""."""
    sections: dict[str, list[str]] = {"": []}
    header = ""
    for block in re.split(r"\n\s*?\n(?=.)", cleandoc(doc)):
        match = _HEADER.match(block)
        if match:
            header, block = match[1], match[2]
        elif not block[0].isspace():
            header = ""
        lines = block if block.startswith("\n") or header == "" else " ".join(block.split())
        sections.setdefault(header, []).append(dedent(lines).strip())
    return sections


def _merged(sections: Sequence[Sequence[str]], names: Sequence[str]) -> dict[str, str]:
    """The first section's entries, and those of later ones that are called for, in the order of `names`."""
    own, *inherited = [dict(_entries(blocks)) for blocks in sections]
    entries = {n: doc[n] for doc in inherited[::-1] for n in doc if n in names or n[0] == "*"} | own
    return dict(sorted(entries.items(), key=lambda item: _rank(names, item[0])))


def _entries(blocks: Iterable[str]) -> Iterable[tuple[str, str]]:
    """The names and descriptions; what is indented deeper continues the description before it."""
    for match in map(_ENTRY.match, _items(blocks)):
        if match:
            yield match[1], " ".join(match[2].split())


def _items(blocks: Iterable[str]) -> list[str]:
    return re.split(r"\n(?=\S)", "\n".join(blocks))


def _joined(blocks: Sequence[str]) -> str:
    """The text on one line, unless all of its items are entries: then each is on a line of its own."""
    items = _items(blocks)
    separator = "\n" if all(map(_ENTRY.match, items)) else " "
    return separator.join(" ".join(item.split()) for item in items)


def _rank(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)
