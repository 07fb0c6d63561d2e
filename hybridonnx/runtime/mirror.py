"""What a backward session computes again instead of keeping it: mirrored nodes, as MXNet calls them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from operator import attrgetter
from typing import NamedTuple

from .. import config
from ..symbol.graph import Entry, Node
from ..symbol.infer import Specs

_LONGEST = 4
"""The most operators in a row; what the last of these gives is kept, and a chain begins there again."""
_SMALLER = 2
"""How many times smaller than an input what is always kept is, such as what pooling gives."""


class Mirror(NamedTuple):
    """What is computed again, and what is kept of it."""

    nodes: set[Node]
    """The nodes that are computed again where gradients ask for what they give."""
    kept: list[Entry]
    """What is kept though it is of these nodes, as it is small."""


def mirrored(
    forward: Collection[Node], border: Iterable[Entry], specs: Specs, sizes: Mapping[str, int], training: bool
) -> Mirror:
    """Those of the nodes `forward` that are computed again from what is kept anyway.

    `border` are the entries that gradients ask for, `sizes` what free sizes are at first, by name. With
    MXNET_BACKWARD_DO_MIRROR every node may be computed again that costs less than keeping what it gives,
    without it those marked with `force_mirroring` alone.
    """
    everything = config.BACKWARD_DO_MIRROR()
    candidates = {node for node in forward if everything or _is_forced(node)}
    mirror, asked = Mirror(set(), []), frozenset(border)
    if not candidates:
        return mirror
    depths: dict[Entry, int] = {}
    """How many operators in a row compute an entry from what is kept, for those that are at hand."""
    for node in sorted(forward, key=attrgetter("serial")):
        outputs = [Entry(node, i) for i in range(node.count())]
        if node.is_variable:
            depths[outputs[0]] = 0
            continue
        depth = 1 + max((depths.get(entry, _LONGEST) for entry in node.inputs), default=_LONGEST)
        if node in candidates and depth <= _LONGEST and _is_cheap(node, training):
            mirror.nodes.add(node)
            depths |= dict.fromkeys(outputs, depth)
            largest = max(specs[entry].bytes(sizes) for entry in node.inputs)
            keep = [e for e in outputs if e in asked and specs[e].bytes(sizes) * _SMALLER <= largest]
            mirror.kept.extend(keep)
        else:
            keep = [entry for entry in outputs if entry in asked]
        depths |= dict.fromkeys(keep, 0)
    return mirror


def _is_forced(node: Node) -> bool:
    return node.attrs.get("__force_mirroring__", "").lower() in ("true", "1")


def _is_cheap(node: Node, training: bool) -> bool:
    op = node.op
    is_cheap = op.elementwise or op.broadcasts or op.cheap
    return bool(is_cheap and not op.stateful and not op.in_mode(training).draws())
