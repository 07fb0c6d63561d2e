"""A block as two files: its values, and its tree with the graphs of those blocks that are traced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from ..errors import FormatError
from ..formats.files import open_to_read, write_atomically
from .block import Block
from .hybrid_block import HybridBlock


def save(block: Block, prefix: str) -> None:
    """Write `prefix-model.params` and `prefix-model.json`."""
    block.save_parameters(f"{prefix}-model.params")
    tree = dict([_entry(block, count())])
    write_atomically(f"{prefix}-model.json", [json.dumps(tree).encode()])


def _entry(block: Block, numbers: Iterator[int]) -> tuple[str, dict[str, Any]]:
    """The key of a block, its kind and its number in the tree, and what there is to say of it."""
    key = _key(block, numbers)
    told: dict[str, Any] = {"orig_name": block.name}
    if isinstance(block, HybridBlock):
        if block._traced is not None:
            inputs, out = block._traced
            told |= {"in_format": block._in_format, "out_format": block._out_format}
            told |= {"inputs": [v.tojson() for v in inputs], "symbol": out.tojson()}
        told["hybridized"] = block._traced is not None
    told["children"] = {child.name: name for name, child in block._children.items()}
    told |= dict(_entry(child, numbers) for child in block._children.values())
    return key, told


def _key(block: Block, numbers: Iterator[int]) -> str:
    return f"{type(block).__name__.lower()}{next(numbers)}"


def load(block: Block, prefix: str) -> None:
    """Read both files into a block of the same tree; what was traced is hybridized."""
    name = f"{prefix}-model.json"
    with open_to_read(name) as file:
        text = file.read()
    try:
        tree = json.loads(text)
    except ValueError as exc:
        raise FormatError(f"{name}: JSON is required, got text of which Python says: {exc}.") from None
    traced = list(_traced(block, tree, count(), Path(name), block.name))
    block.load_parameters(f"{prefix}-model.params")
    for found in traced:
        found.hybridize()


def _traced(
    block: Block, entries: Any, numbers: Iterator[int], path: Path, place: str
) -> Iterator[HybridBlock]:
    """The blocks of which the file has graphs; raises `FormatError` if its tree is another one."""
    key = _key(block, numbers)
    entries = entries if isinstance(entries, dict) else {}
    if not isinstance(entries.get(key), dict):
        has = [name for name, value in entries.items() if isinstance(value, dict) and name != "children"]
        raise FormatError(
            f"{path}: an entry {key} is required for the block {place}, got {', '.join(has) or 'none'}. "
            "Load into a block of the kind that was saved."
        )
    entry = entries[key]
    if entry.get("hybridized") and isinstance(block, HybridBlock):
        yield block
    for name, child in block._children.items():
        yield from _traced(child, entry, numbers, path, f"{place}.{name}")
