"""A block as two files: its values, and its tree with the graphs of those blocks that are traced."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from ..errors import FormatError
from ..formats.files import open_to_read, staged_file
from ..ndarray.files import load as read_arrays
from ..ndarray.ndarray import NDArray


class Tree(Protocol):
    """What the files ask of a block."""

    @property
    def name(self) -> str: ...
    @property
    def _children(self) -> Mapping[str, Any]: ...
    def hybridize(self) -> None: ...
    def load_dict(self, param_dict: dict[str, NDArray]) -> None: ...
    def load_parameters(self, filename: str) -> None: ...
    def save_parameters(self, filename: str) -> None: ...
    def _graph_entry(self) -> dict[str, Any]: ...


def save(block: Tree, prefix: str) -> None:
    """Write `prefix-model.params` and `prefix-model.json`."""
    tree = dict([_entry(block, count())])
    with staged_file(f"{prefix}-model.json", [json.dumps(tree).encode()]) as file:
        block.save_parameters(f"{prefix}-model.params")
        file.take_place()


def _entry(block: Tree, numbers: Iterator[int]) -> tuple[str, dict[str, Any]]:
    """The key of a block, its kind and its number in the tree, and what there is to say of it."""
    key = _key(block, numbers)
    children = {child.name: name for name, child in block._children.items()}
    entry = {"orig_name": block.name, **block._graph_entry(), "children": children}
    return key, entry | dict(_entry(child, numbers) for child in block._children.values())


def _key(block: Tree, numbers: Iterator[int]) -> str:
    return f"{type(block).__name__.lower()}{next(numbers)}"


def load(block: Tree, prefix: str) -> None:
    """Read both files into a block of the same tree; what was traced is hybridized."""
    name = f"{prefix}-model.json"
    with open_to_read(name) as file:
        text = file.read()
    try:
        tree = json.loads(text)
    except ValueError as exc:
        raise FormatError(f"{name}: not valid JSON: {exc}.") from None
    blocks = list(_hybridized(block, tree, count(), Path(name), block.name))
    paths = dict(_paths(block, tree, count(), "", ""))
    if all(old == new for old, new in paths.items()):
        block.load_parameters(f"{prefix}-model.params")
    else:
        arrays: Any = read_arrays(f"{prefix}-model.params")
        block.load_dict({_moved(key, paths): value for key, value in arrays.items()})
    for traced in blocks:
        traced.hybridize()


def _paths(
    block: Tree, entries: Any, numbers: Iterator[int], old: str, new: str
) -> Iterator[tuple[str, str]]:
    """The paths of the blocks below in the file, whose keys may hold other counts, and in this tree."""
    entry = entries[_key(block, numbers)]
    yield old, new
    listed = entry.get("children")
    keys = [*listed.values()] if isinstance(listed, dict) else []
    own = block._children
    if len(keys) != len(own):  # children of one name
        keys = [*own]
    for key, (name, child) in zip(keys, own.items(), strict=True):
        yield from _paths(child, entry, numbers, f"{old}{key}.", f"{new}{name}.")


def _moved(key: str, paths: Mapping[str, str]) -> str:
    """The path of an array in this tree, by the longest path of a block in the file."""
    owner = max((path for path in paths if key.startswith(path)), key=len)
    return paths[owner] + key.removeprefix(owner)


def _hybridized(
    block: Tree, entries: Any, numbers: Iterator[int], path: Path, attribute: str
) -> Iterator[Tree]:
    """The blocks of which the file has graphs; raises `FormatError` if its tree is another one."""
    key = _key(block, numbers)
    entries = entries if isinstance(entries, dict) else {}
    if not isinstance(entries.get(key), dict):
        has = [name for name, value in entries.items() if isinstance(value, dict) and name != "children"]
        raise FormatError(
            f"{path}: an entry {key} is required for the block {attribute}, got {', '.join(has) or 'none'}. "
            "Load into a block of the kind that was saved."
        )
    entry = entries[key]
    if entry.get("hybridized"):
        yield block
    for name, child in block._children.items():
        yield from _hybridized(child, entry, numbers, path, f"{attribute}.{name}")
