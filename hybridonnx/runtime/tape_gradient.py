"""The gradient of a tape as one session: the operators' rules, applied to symbols for the tape's values."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from .. import name
from ..autograd.sweep import sweep
from ..errors import ConversionError, MXNetError, without_places
from ..ndarray.tapes import Source, Tape
from ..ops import Array, Spec
from ..symbol.compose import Outputs
from ..symbol.gradient import Chains, F
from ..symbol.graph import VARIABLE, Entry, Node, topological
from ..symbol.infer import infer
from .graph_session import UnsupportedOperators, graph_session
from .session import exchanges

logger = logging.getLogger("hybridonnx")

_MOST = 6000
"""Up to how many operators a gradient is compiled: sessions start in a time that grows with the square."""


class TapeGradient:
    """The gradients that are asked for of tapes of one structure.

    Raises:
        MXNetError: If ONNX Runtime cannot compute them all.
    """

    def __init__(self, tape: Tape) -> None:
        sources = dict.fromkeys(
            [source for taken in tape.sources for source in taken]
            + [Source(i, True, j) for i, node in enumerate(tape.nodes) for j in range(len(node.outputs))]
        )
        names = {source: f"value{i}" for i, source in enumerate(sources)}
        heads = [f"head{i}" for i in range(len(tape.heads))]
        arrays = [*map(tape.array, sources), *[tape.array(Source(i, True, j)) for i, j in tape.heads]]
        texts = [*names.values(), *heads]
        specs = {text: Spec(a.shape, a.dtype) for text, a in zip(texts, arrays, strict=True)}
        if not all(exchanges(spec.dtype, shared=True) for spec in specs.values()):
            raise ConversionError("ONNX Runtime has no arrays of its dtypes.")
        results = _swept(tape, names, heads)
        entries = [result.outputs[0] for result in results if result is not None]
        asked = [tape.array(source) for source in tape.asked()]
        _check(entries, specs, [a for a, result in zip(asked, results, strict=True) if result is not None])
        try:
            self._session = graph_session(entries, specs, tape.training, lambda _: None, None, views=True)
        except UnsupportedOperators as exc:
            raise ConversionError(str(exc)) from exc
        self._has = [result is not None for result in results]
        inputs = set(self._session.inputs)
        self._sources = [(text, source) for source, text in names.items() if text in inputs]
        self._heads = [(text, i) for i, text in enumerate(heads) if text in inputs]

    def __call__(self, tape: Tape, heads: Sequence[Array]) -> list[Array | None] | None:
        """The gradients, `None` where there is none; nothing if ONNX Runtime refuses the values."""
        feeds = {text: tape.array(source) for text, source in self._sources}
        feeds.update((text, heads[i]) for text, i in self._heads)
        try:
            arrays = iter(self._session(feeds))
        except MXNetError as exc:
            logger.debug("backward: %s", without_places(exc))
            return None
        return [next(arrays) if has else None for has in self._has]


def _swept(tape: Tape, names: Mapping[Source, str], heads: Sequence[str]) -> list[Any]:
    """The gradients that are asked for as symbols, `None` where there is none."""
    texts = [*names.values(), *heads]
    symbols = {text: Outputs.broadcasting([Entry(Node(VARIABLE, text), 0)]) for text in texts}
    places = {node: i for i, node in enumerate(tape.nodes)}

    def values(node: Any) -> tuple[list[Any], list[Any]]:
        place = places[node]
        ys = [symbols[names[Source(place, True, i)]] for i in range(len(node.outputs))]
        return ys, [symbols[names[source]] for source in tape.sources[place]]

    grads: dict[Any, Any] = {
        (tape.nodes[i], j): symbols[text] for text, (i, j) in zip(heads, tape.heads, strict=True)
    }
    with name.Prefix("_gradient_"):
        sweep(tape.nodes, grads, F, values, attrgetter("op"), Chains())
    return [grads.get(entry) for entry in tape.wanted]


def _check(entries: Sequence[Entry], specs: Mapping[str, Spec], arrays: Sequence[Array]) -> None:
    """Raise unless the gradients are of the shapes and dtypes of what they are the gradients of."""
    nodes = [node for node in topological(entries) if not node.is_variable]
    if len(nodes) > _MOST:
        raise ConversionError(f"up to {_MOST} operators are compiled, not {len(nodes)}.")
    inferred = infer(Outputs(entries), specs, partial=True)
    if any(node.op.draws() or node.op.stateful for node in nodes):
        raise ConversionError("it draws, or runs code of users.")
    if any(inferred[entry] != Spec(a.shape, a.dtype) for entry, a in zip(entries, arrays, strict=True)):
        raise ConversionError("a gradient is of another shape or dtype than its variable.")
    if any(0 in (spec.shape or ()) for spec in inferred.values()):
        raise ConversionError("an array has no elements.")
