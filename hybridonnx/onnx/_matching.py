"""Which nodes and weights of two models are the same ones, whatever they are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ..converters.outline import ABSENT, Outline, OutlineNode, digest

_TRUST = 0.8
"""Names are believed if so large a part of those that the structure proves agree."""

_WIDTHS = ("float16", "bfloat16", "float32", "float64")
"""Types of weights that one network may have in one precision and in another."""

Keys: TypeAlias = Sequence[object]
"""Something for each node of a model: nodes of two models with equal ones may be the same."""


class Matching:
    """The nodes and weights of two models thatthat are the same.

    Where everything that leads to a node, or all that comes of it, is the same in both models, weights
    included, it is the same node, whatever its name. Names decide next, if they agree where the structure
    tells, then the structure without what the weights hold, and last the neighbours. So a file whose values
    were numbered anew is the same graph, and one change in it is one change.
    """

    def __init__(self, first: Outline, second: Outline) -> None:
        self.first, self.second = first, second
        self.digests = _digests(first), _digests(second)
        self.nodes: dict[int, int] = {}
        """The nodes of the second model for those of the first, by their places."""
        self.values: dict[int, int] = {ABSENT: ABSENT}
        """The same for values: inputs, and what the nodes make."""
        self.weights: dict[int, int] = {}
        self._taken: set[int] = set()
        self._trusted = True
        """Whether what has one name is the same where the structure tells."""
        self.inputs = dict(_by_name_and_place(_named(first, first.inputs), _named(second, second.inputs)))
        self.outputs = _outputs(first, second)
        self.values.update(self.inputs)
        self._match_nodes()
        self._match_variables()
        self.weights = _Weights(self).pairs
        self.values.update(self.weights)

    # ---- nodes

    def _match_nodes(self) -> None:
        """Match nodes by what is surest, then by what is less so."""
        exact, loose = self._structure(contents=True), self._structure(contents=False)
        names = [_output_name(self.first, n) for n in self.first.nodes]
        others = [_output_name(self.second, n) for n in self.second.nodes]
        proven: dict[int, int] = {}
        for first, second in reversed([*exact, *loose]):
            proven |= dict(_unique(first, second))
        self._trusted = _agree((names[a], others[b]) for a, b in proven.items())
        for first, second in exact:
            self._pair_equal(first, second)
        if self._trusted:
            kinds = [(n.operator, name) for n, name in zip(self.first.nodes, names, strict=True)]
            other_kinds = [(n.operator, name) for n, name in zip(self.second.nodes, others, strict=True)]
            self._pair_equal(kinds, other_kinds)
        for first, second in loose:
            self._pair_equal(first, second)
        self._match_neighbours()
        if self._trusted:
            self._pair_equal(names, others)

    def _structure(self, contents: bool) -> list[tuple[Keys, Keys]]:
        """The nodes' keys by all that is before and after them, by what is before, and by what is after."""
        known: dict[object, int] = {}
        both = []
        for outline, inputs, outputs, digests in self._sides():
            leaves: dict[int, object] = {**inputs, **outline.variables}
            for number, weight in outline.weights.items():
                kind = "float" if weight.dtype in _WIDTHS else weight.dtype
                leaves[number] = digests[number] if contents else (kind, weight.shape)
            before = _before(outline, leaves, known)
            after = _after(outline, leaves, outputs, known)
            both.append((list(zip(before, after, strict=True)), before, after))
        return list(zip(*both, strict=True))

    def _sides(self) -> Iterator[tuple[Outline, dict[int, object], dict[int, list[int]], Mapping[int, str]]]:
        """Each model with labels of its inputs and outputs, which are the same for those that are matched."""
        inputs = {b: i for i, b in enumerate(self.inputs.values())}
        outputs = {j: i for i, j in self.outputs.items()}
        firsts: dict[int, object] = {a: ("input", inputs[self.inputs[a]]) for a in self.inputs}
        seconds: dict[int, object] = {b: ("input", i) for b, i in inputs.items()}
        yield self.first, firsts, _places(self.first, {i: i for i in self.outputs}), self.digests[0]
        yield self.second, seconds, _places(self.second, outputs), self.digests[1]

    def _pair_equal(self, first: Keys, second: Keys) -> None:
        """Match the nodes without a partner that have equal keys.

        Of several those of one name, if names are believed, then those that read the same, then in order.
        """
        groups: dict[object, dict[int, None]] = defaultdict(dict)
        named: dict[tuple[object, str], int] = {}
        for b, key in enumerate(second):
            if b not in self._taken:
                groups[key][b] = None
                named.setdefault((key, _output_name(self.second, self.second.nodes[b])), b)
        rest = [a for a, key in enumerate(first) if a not in self.nodes and key in groups]
        for a in rest if self._trusted else ():
            same = named.pop((first[a], _output_name(self.first, self.first.nodes[a])), None)
            if same is not None:
                del groups[first[a]][same]
                self._match(a, same)
        for a in rest:
            candidates = groups[first[a]]
            if a not in self.nodes and candidates:
                b = next((b for b in candidates if self._read_the_same(a, b)), next(iter(candidates)))
                del candidates[b]
                self._match(a, b)

    def _read_the_same(self, a: int, b: int) -> bool:
        """Whether two nodes read values that are the same ones, weights aside."""
        pairs = zip(self.first.nodes[a].inputs, self.second.nodes[b].inputs, strict=False)
        return all(self.values.get(x) == y for x, y in pairs if x not in self.first.weights)

    def _match(self, a: int, b: int) -> None:
        self.nodes[a] = b
        self._taken.add(b)
        pairs = zip(self.first.nodes[a].outputs, self.second.nodes[b].outputs, strict=False)
        self.values.update((x, y) for x, y in pairs if x != ABSENT)

    def _match_neighbours(self) -> None:
        """Match what reads and makes the same values, at the same place and by the same operator."""
        readers, others = _readers(self.first), _readers(self.second)
        makers, other_makers = _makers(self.first), _makers(self.second)
        for a, b in self.inputs.items():
            self._match_readers(readers[a], others[b])
        for i, j in self.outputs.items():
            self._match_makers(makers, other_makers, self.first.outputs[i][0], self.second.outputs[j][0])
        queue = list(self.nodes)
        while queue:
            a = queue.pop()
            first, second = self.first.nodes[a], self.second.nodes[self.nodes[a]]
            for x, y in zip(first.outputs, second.outputs, strict=False):
                queue += self._match_readers(readers[x], others[y])
            for x, y in zip(first.inputs, second.inputs, strict=False):
                queue += self._match_makers(makers, other_makers, x, y)

    def _match_readers(self, first: Iterable[tuple[int, int]], second: list[tuple[int, int]]) -> list[int]:
        matches = []
        for a, slot in first:
            operator = self.first.nodes[a].operator
            fits = [b for b, s in second if s == slot and self._fits(b, operator)]
            if a not in self.nodes and fits:
                equal = [b for b in fits if self.second.nodes[b].attributes == self.first.nodes[a].attributes]
                self._match(a, (equal or fits)[0])
                matches.append(a)
        return matches

    def _match_makers(self, first: Mapping[int, int], second: Mapping[int, int], x: int, y: int) -> list[int]:
        if x not in first or y not in second or first[x] in self.nodes:
            return []
        a, b = first[x], second[y]
        if not self._fits(b, self.first.nodes[a].operator):
            return []
        self._match(a, b)
        return [a]

    def _fits(self, b: int, operator: str) -> bool:
        return b not in self._taken and self.second.nodes[b].operator == operator

    def _match_variables(self) -> None:
        """Match the inputs of bodies that nodes which are the same read at the same places."""
        for a, b in self.nodes.items():
            pairs = zip(self.first.nodes[a].inputs, self.second.nodes[b].inputs, strict=False)
            for x, y in pairs:
                if self.first.variables.get(x, "") == self.second.variables.get(y):
                    self.values.setdefault(x, y)

    # ---- what weights are matched by

    def weight_places(self) -> Iterator[tuple[int, int]]:
        """The weights that nodes which are the same read at the same places."""
        for a, b in sorted(self.nodes.items()):
            for x, y in zip(self.first.nodes[a].inputs, self.second.nodes[b].inputs, strict=False):
                if x in self.first.weights and y in self.second.weights:
                    yield x, y


class _Weights:
    """The pairs of weights: by names where these are right, by what they hold, by their places."""

    def __init__(self, matching: Matching) -> None:
        self.pairs: dict[int, int] = {}
        self._taken: set[int] = set()
        first, second = matching.first, matching.second
        digests, others = matching.digests
        places = list(matching.weight_places())
        names = {second.weights[b].name: b for b in reversed(second.weights)}
        named = [(a, names[w.name]) for a, w in first.weights.items() if w.name in names]
        trusted = _agree((first.weights[a].name, second.weights[b].name) for a, b in places)
        same_place = set(places)
        self._pair((a, b) for a, b in named if digests[a] == others[b] or (a, b) in same_place)
        if trusted:
            self._pair(named)
        self._pair((a, b) for a, b in places if digests[a] == others[b])
        self._pair(self._in_order(digests, others))
        self._pair(places)
        self._pair(named)
        if not first.nodes and not second.nodes:
            kinds = {a: (w.dtype, w.shape) for a, w in first.weights.items()}
            self._pair(self._in_order(kinds, {b: (w.dtype, w.shape) for b, w in second.weights.items()}))

    def _pair(self, pairs: Iterable[tuple[int, int]]) -> None:
        for a, b in pairs:
            if a not in self.pairs and b not in self._taken:
                self.pairs[a] = b
                self._taken.add(b)

    def _in_order(self, first: Mapping[int, object], second: Mapping[int, object]) -> list[tuple[int, int]]:
        """Those that are left and have equal keys, in their order."""
        groups: dict[object, list[int]] = defaultdict(list)
        for b, key in second.items():
            if b not in self._taken:
                groups[key].append(b)
        rest: dict[object, list[int]] = defaultdict(list)
        for a, key in first.items():
            if a not in self.pairs:
                rest[key].append(a)
        return [pair for key in rest for pair in zip(rest[key], groups.get(key, []), strict=False)]


# ---- keys


def _before(outline: Outline, leaves: Mapping[int, object], known: dict[object, int]) -> list[int]:
    """A number for each node that tells all that its values come from."""
    keys: dict[int, object] = {**leaves, ABSENT: "absent"}
    result = []
    for node in outline.nodes:
        key = _number(known, ("before", *_kind(node), tuple(keys.get(v) for v in node.inputs)))
        result.append(key)
        keys.update((value, (key, i)) for i, value in enumerate(node.outputs) if value != ABSENT)
    return result


def _after(
    outline: Outline,
    leaves: Mapping[int, object],
    outputs: Mapping[int, list[int]],
    known: dict[object, int],
) -> list[int]:
    """A number for each node that tells all that comes of its values."""
    uses: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for value, places in outputs.items():
        uses[value] += [(-1, place) for place in places]
    result = [0] * len(outline.nodes)
    for place in reversed(range(len(outline.nodes))):
        node = outline.nodes[place]
        values = tuple(tuple(sorted(uses[value])) for value in node.outputs)
        own = tuple(leaves.get(value) if value in outline.weights else None for value in node.inputs)
        result[place] = _number(known, ("after", *_kind(node), own, values))
        for slot, value in enumerate(node.inputs):
            uses[value].append((result[place], slot))
    return result


def _kind(node: OutlineNode) -> tuple[str, frozenset[tuple[str, str]]]:
    return node.operator, frozenset(node.attributes.items())


def _number(known: dict[object, int], key: object) -> int:
    return known.setdefault(key, len(known))


def _unique(first: Keys, second: Keys) -> Iterator[tuple[int, int]]:
    """The places whose key each model has once."""
    once, other = Counter(first), Counter(second)
    places = {key: b for b, key in enumerate(second)}
    return ((a, places[key]) for a, key in enumerate(first) if once[key] == other[key] == 1)


def _agree(pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether names agree where it is known what is the same; believed if nothing is known."""
    equal = [a == b for a, b in pairs]
    return sum(equal) >= _TRUST * len(equal)


# ---- inputs, outputs and values


def _digests(outline: Outline) -> dict[int, str]:
    """What tells the weights' contents apart; one weight is in memory at a time."""
    return {number: digest(weight.array()) for number, weight in outline.weights.items()}


def _named(outline: Outline, values: Iterable[int]) -> list[tuple[int, str]]:
    return [(value, outline.names[value]) for value in values]


def _by_name_and_place(
    first: Sequence[tuple[int, str]], second: Sequence[tuple[int, str]]
) -> Iterator[tuple[int, int]]:
    """Pairs of equal names, then what is left in order."""
    names: dict[str, list[int]] = defaultdict(list)  # a graph of MXNet's may have a name several times
    for b, name in second:
        names[name].append(b)
    pairs = {a: names[name].pop(0) for a, name in first if names.get(name)}
    yield from pairs.items()
    used = set(pairs.values())
    yield from zip(
        (a for a, _ in first if a not in pairs), (b for b, _ in second if b not in used), strict=False
    )


def _outputs(first: Outline, second: Outline) -> dict[int, int]:
    """The places of the second model's outputs for those of the first."""
    one = [(i, first.names[value]) for i, (value, _) in enumerate(first.outputs)]
    other = [(i, second.names[value]) for i, (value, _) in enumerate(second.outputs)]
    return dict(_by_name_and_place(one, other))


def _places(outline: Outline, labels: Mapping[int, int]) -> dict[int, list[int]]:
    """The labels of the outputs that each value is."""
    result: dict[int, list[int]] = defaultdict(list)
    for place, (value, _) in enumerate(outline.outputs):
        result[value].append(labels.get(place, -1))
    return result


def _output_name(outline: Outline, node: OutlineNode) -> str:
    return next((outline.names[value] for value in node.outputs if value != ABSENT), node.name)


def _readers(outline: Outline) -> defaultdict[int, list[tuple[int, int]]]:
    result: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, node in enumerate(outline.nodes):
        for slot, value in enumerate(node.inputs):
            if value != ABSENT and value not in outline.weights:
                result[value].append((place, slot))
    return result


def _makers(outline: Outline) -> dict[int, int]:
    return {
        value: place for place, node in enumerate(outline.nodes) for value in node.outputs if value != ABSENT
    }
