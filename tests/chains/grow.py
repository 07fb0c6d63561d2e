"""Random chains of operators, each of which follows from its seed.

It starts with a `Case` of any operator. Each further step takes the attributes of another case, changes some
of them, and applies its operator to what is there, or takes a whole case that has room for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.attrs import text
from hybridonnx.converters.to_onnx import Local, lower_operator
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.ops import Array, Operator, Spec, find, sizes
from hybridonnx.runtime.blocks import block_size
from hybridonnx.symbol.compose import Outputs
from hybridonnx.symbol.graph import VARIABLE, Entry, Node
from hybridonnx.test_utils import Case, Draw
from tests.test_completeness import FACTS
from tests.test_operators import FAMILIES, in_onnx

FAVOURITES = """
    Pad Convolution Deconvolution Pooling BatchNorm transpose SwapAxis Reshape Flatten expand_dims
    squeeze Cast clip relu LeakyReLU Activation slice slice_axis Concat SliceChannel _split_v2 LayerNorm
    dot batch_dot FullyConnected broadcast_add broadcast_sub broadcast_mul broadcast_div elemwise_add
    elemwise_mul _plus_scalar _mul_scalar _div_scalar _minus_scalar _rminus_scalar round rint floor sum
    mean max min argmax where logical_not Dropout _copy BlockGrad softmax log_softmax erf sigmoid tanh
    sqrt square take tile broadcast_to InstanceNorm stack space_to_depth depth_to_space UpSampling
    reverse _contrib_AdaptiveAvgPooling2D
""".split()
"""Operators that optimizers have rules for; each is drawn as often as five others."""
SCALARS = (0.0, 1.0, -1.0, 2.0, 0.5, 0.25, 3.0, -0.5)
DTYPES = ("float32", "float16", "float64", "int32", "int64", "int8", "uint8")
DATA_FIRST = ("_scatter_set_nd", "_contrib_index_copy")
"""Operators whose other inputs must hold indices that differ."""
EMPTY = {
    **dict.fromkeys(("LayerNorm", "mean", "moments"), "the mean of nothing is what ONNX Runtime makes it"),
    "take": "no index is in an axis without elements",
    "_unravel_index": "no index is in a shape without elements",
    "_image_resize": "an image has channels",
    "RNN": "ONNX Runtime gives states of its own after no step at all",
}
"""Operators that chains do not apply to arrays without elements, with the reason."""
LARGEST = 2000
"""Elements of one value at most."""


class Link(NamedTuple):
    """A value of a chain: an output of a step, or with step -1 the input of this number."""

    step: int
    output: int


class Step(NamedTuple):
    """One operator of a chain."""

    op: Operator
    inputs: tuple[Link, ...]


@dataclass
class Chain:
    """Operators one after the other, with the values of the inputs."""

    seed: int
    steps: list[Step] = field(default_factory=list)
    draws: list[tuple[Any, Spec]] = field(default_factory=list)
    """How each input is drawn, and its shape and dtype."""
    specs: dict[Link, Spec] = field(default_factory=dict)
    values: list[Array] = field(default_factory=list)
    constants: tuple[int, ...] = ()
    """The inputs that are parameters of the model."""
    results: tuple[Link, ...] = ()
    opset: int = 18
    local: Local | None = None
    """How the model is lowered if it runs here; else it is one for a file."""
    free: bool = False
    """Whether the first axis of the first input is free."""

    def __str__(self) -> str:
        return " > ".join(step.op.names[0] for step in self.steps)

    def symbol(self) -> Outputs:
        """The chain as a Symbol with inputs x0, x1, …"""
        entries = {Link(-1, i): Entry(Node(VARIABLE, f"x{i}"), 0) for i in range(len(self.draws))}
        for number, (op, inputs) in enumerate(self.steps):
            name = op.names[0]
            attrs = {key: text(value) for key, value in op.attributes().items()}
            node = Node(name, f"{name.strip('_').lower()}{number}", attrs, [entries[i] for i in inputs])
            entries.update((Link(number, i), Entry(node, i)) for i in range(len(op.output_names())))
        return Outputs([entries[link] for link in self.results])

    def feeds(self) -> dict[str, Array]:
        """The inputs by name."""
        return {f"x{i}": value for i, value in enumerate(self.values)}

    def code(self) -> str:
        """Python that shows what the chain gives on the kernels and in ONNX Runtime."""
        lines = [f"# {self}: seed {self.seed}", *_IMPORTS]
        for i, value in enumerate(self.values):
            lines.append(f"x['x{i}'] = np.array({value.tolist()}, '{value.dtype}').reshape({value.shape})")
            lines.append(f"x{i} = F.var('x{i}')")
        for number, (op, inputs) in enumerate(self.steps):
            lines.append(f"y{number} = {_call(op, [_variable(self, link) for link in inputs])}")
        fed = [i for i in range(len(self.values)) if i not in self.constants]
        shapes = [f"(None, *x['x{i}'].shape[1:])" if self.free and not i else f"x['x{i}'].shape" for i in fed]
        specs = [f"'x{i}': Spec({shape}, x['x{i}'].dtype)" for i, shape in zip(fed, shapes, strict=True)]
        lines += [
            f"y = mx.sym.Group([{', '.join(_variable(self, link) for link in self.results)}])",
            f"specs = {{{', '.join(specs)}}}",
            "params = {k: v for k, v in x.items() if k not in specs}",
            f"model = lower(y, specs, params, opset={self.opset}, local={self.local}).model",
            *_RUNS,
        ]
        return "\n".join(lines)


_IMPORTS = """import numpy as np, onnxruntime as ort, hybridonnx as mx
from hybridonnx.converters.to_onnx import Local, lower
from hybridonnx.ops import Spec
from hybridonnx.symbol.execute import execute
from hybridonnx.symbol.everything import F
inf, nan, x = np.inf, np.nan, {}""".splitlines()
_RUNS = """arrays = {k: mx.nd.array(v, dtype=v.dtype) for k, v in x.items()}
print([a.asnumpy() for a in execute(y, arrays)])
for level in (0, 1, 99):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel(level)
    session = ort.InferenceSession(model.SerializeToString(), options)
    print(level, session.run(None, {i.name: x[i.name] for i in session.get_inputs()}))""".splitlines()


def _variable(chain: Chain, link: Link) -> str:
    if link.step < 0:
        return f"x{link.output}"
    op = chain.steps[link.step].op
    return f"y{link.step}" if op.visible() == 1 else f"y{link.step}[{link.output}]"


def _call(op: Operator, inputs: Sequence[str]) -> str:
    named = inputs if op.variadic else [f"{n}={i}" for n, i in zip(op.input_names(), inputs, strict=True)]
    schema = op.schema()
    shown = [f"{k}={v!r}" for k, v in op.attributes().items() if v != schema[k].default]
    return f"F.{op.names[0]}({', '.join([*named, *shown])})"


# ---- growing


def _is_alone(case: Case) -> bool:
    """Whether an operator draws, runs graphs or on its kernel, or gives a value without axes."""
    op = case.operator()
    if op.draws() or op.graphs or _runs_on_kernel(case.op):
        return True
    outputs = op.infer([Spec(a.shape, a.dtype) for a in case.arrays()])[1]
    return any(spec.shape == () for spec in outputs)


@cache
def _runs_on_kernel(name: str) -> bool:
    """Whether hybridized graphs run an operator on its kernel."""
    case = next(case for cases in FAMILIES.values() for case in cases if case.op == name)
    specs = [Spec(a.shape, a.dtype) for a in case.arrays()]
    try:
        lower_operator(case.operator(), specs, local=Local())
    except ConversionError:
        return True
    return False


@cache
def cases() -> dict[str, list[Case]]:
    """The cases that chains are chain from, by operator."""
    usable: dict[str, list[Case]] = {}
    for case in (case for family in FAMILIES.values() for case in family):
        if in_onnx(case) and not (case.training or {"onnx", "infer"} & set(case.no) or _is_alone(case)):
            usable.setdefault(find(case.op).names[0], []).append(case)
    return usable


@cache
def _by_shape() -> dict[tuple[int, ...], list[tuple[Case, int]]]:
    """The cases that take an array of some shape, and as which input."""
    takers: dict[tuple[int, ...], list[tuple[Case, int]]] = {}
    for case in (case for group in cases().values() for case in group):
        for i, x in enumerate(case.inputs):
            if isinstance(x, Draw) and x.dtype is None:
                takers.setdefault(x.shape, []).append((case, i))
    return takers


@cache
def _weights() -> tuple[list[str], Array]:
    names = sorted(cases())
    weights = np.array([5.0 if name in FAVOURITES else 1.0 for name in names])
    return names, weights / weights.sum()


class Unfit(Exception):  # noqa: N818  (another draw is chain)
    """A draw that gives no valid chain."""


def chain_of(seed: int) -> Chain:
    """The chain of a seed."""
    for attempt in range(10_000):
        rng = np.random.default_rng([seed, attempt])
        try:
            return _grown(seed, rng)
        except (MXNetError, Unfit):
            continue
    raise AssertionError(f"seed {seed} gives no chain")


def _grown(seed: int, rng: np.random.Generator) -> Chain:
    chain = Chain(seed)
    _start(chain, rng)
    for _ in range(rng.integers(1, 4)):
        _extend(chain, rng)
    last = len(chain.steps) - 1
    results = [Link(last, i) for i in range(chain.steps[-1].op.visible())]
    if rng.random() < 0.15:
        results.append(_any_output(chain, rng, int(rng.integers(last))))
    chain.results = tuple(results)
    chain.opset = int(rng.choice([13, 18, 18, 18, 18, 21]))
    chain.local = Local(block=block_size()) if seed % 2 else None
    chain.constants = tuple(i for i in range(1, len(chain.draws)) if rng.random() < 0.6)
    shape = chain.draws[0][1].shape or ()
    chain.free = bool(shape and shape[0] and rng.random() < 0.2)
    return chain


def _case(rng: np.random.Generator) -> Case:
    names, weights = _weights()
    group = cases()[names[rng.choice(len(names), p=weights)]]
    return group[rng.integers(len(group))]


def _start(chain: Chain, rng: np.random.Generator) -> None:
    """A case as it stands, in one of its dtypes, or in any one."""
    case = _case(rng)
    if not case.inputs:
        raise Unfit
    dtype = str(rng.choice(case.dtypes)) if rng.random() < 0.5 else "float32"
    if rng.random() < 0.05:
        dtype = str(rng.choice(DTYPES))
    links = [_input(chain, x, x.shape, dtype) for x in case.inputs]
    op = case.operator()
    _add(
        chain,
        _changed(op, case.inputs[0].shape, rng) if op.names[0] in FACTS and rng.random() < 0.2 else op,
        links,
    )


def _extend(chain: Chain, rng: np.random.Generator) -> None:
    """One more step, on an output of the last one."""
    for _ in range(30):
        link = _any_output(chain, rng, len(chain.steps) - 1)
        spec = chain.specs[link]
        count = len(chain.draws)
        try:
            same = _by_shape().get(sizes(spec.shape or ()), [])
            if same and rng.random() < 0.25:
                case, index = same[rng.integers(len(same))]
                _graft(chain, rng, case, index, link)
            else:
                _transplant(chain, rng, _case(rng), link)
            return
        except (MXNetError, Unfit, ValueError, TypeError, IndexError):
            del chain.draws[count:]
    raise Unfit


def _any_output(chain: Chain, rng: np.random.Generator, step: int) -> Link:
    return Link(step, int(rng.integers(chain.steps[step].op.visible())))


def _input(chain: Chain, how: Any, shape: tuple[int, ...], dtype: Any) -> Link:
    if isinstance(how, Draw):
        dtype = how.dtype or dtype
    elif isinstance(how, np.ndarray):
        dtype = how.dtype
    if not shape:  # MXNet 1.x has no arrays without axes
        raise Unfit
    link = Link(-1, len(chain.draws))
    chain.draws.append((how, Spec(tuple(shape), np.dtype(dtype))))
    chain.specs[link] = chain.draws[-1][1]
    return link


def _graft(chain: Chain, rng: np.random.Generator, case: Case, index: int, link: Link) -> None:
    """A case with what is there in the place of one of its inputs."""
    dtype = chain.specs[link].dtype
    _add(
        chain,
        case.operator(),
        [link if i == index else _input(chain, x, x.shape, dtype) for i, x in enumerate(case.inputs)],
    )


def _transplant(chain: Chain, rng: np.random.Generator, case: Case, link: Link) -> None:
    """A case's operator on data of another shape; the other inputs' shapes follow, or are tried."""
    if find(case.op).names[0] not in FACTS:  # adjoints expect shapes that belong together
        raise Unfit
    spec = chain.specs[link]
    op = _changed(case.operator(), spec.shape or (), rng)
    count = len(op.input_names())
    if not count or "sequence_length" in op.input_names():  # lengths that the other data does not have
        raise Unfit
    index = int(rng.integers(count)) if rng.random() < 0.3 and op.names[0] not in DATA_FIRST else 0
    known = [spec if i == index else Spec() for i in range(count)]
    inferred = op.infer(known)[0]
    links = []
    for i in range(count):
        how = case.inputs[i] if i < len(case.inputs) else Draw("normal", ())
        shape = inferred[i].shape
        if i == index:
            links.append(link)
            continue
        shape = _guess(rng, spec.shape or (), how) if shape is None or None in shape else sizes(shape)
        earlier = [k for k, s in chain.specs.items() if s == Spec(shape, spec.dtype) and k.step >= 0]
        if earlier and rng.random() < 0.4:
            links.append(earlier[rng.integers(len(earlier))])
        elif isinstance(how, Draw):
            links.append(_input(chain, how, shape, inferred[i].dtype or spec.dtype))
        elif how.shape == tuple(shape):
            links.append(_input(chain, how, shape, how.dtype))
        else:
            raise Unfit
    _add(chain, op, links)


def _guess(rng: np.random.Generator, shape: tuple[Any, ...], how: Any) -> tuple[int, ...]:
    kind = rng.integers(5)
    if kind == 0:
        return tuple(how.shape)
    if kind == 1:
        return tuple(1 if rng.random() < 0.5 else d for d in shape)
    if kind == 2:
        return tuple(shape[int(rng.integers(len(shape) + 1)) :])
    if kind == 3:
        return tuple(shape[::-1])
    return tuple(shape)


def _add(chain: Chain, op: Operator, links: Sequence[Link]) -> None:
    specs = [chain.specs[link] for link in links]
    inferred, outputs = op.infer(specs)
    if list(inferred) != specs:
        raise Unfit
    for spec in outputs[: op.visible()]:
        if spec.shape is None or spec.dtype is None or None in spec.shape:
            raise Unfit
        shape = sizes(spec.shape)
        if min(shape, default=0) < 0 or math.prod(shape) > LARGEST:
            raise Unfit
    if op.names[0] in EMPTY and any(0 in (spec.shape or ()) for spec in (*specs, *outputs)):
        raise Unfit
    number = len(chain.steps)
    chain.steps.append(Step(op, tuple(links)))
    chain.specs.update((Link(number, i), spec) for i, spec in enumerate(outputs[: op.visible()]))


# ---- other attributes


def _changed(op: Operator, shape: tuple[Any, ...], rng: np.random.Generator) -> Operator:
    """The operator with some attributes drawn anew."""
    attributes = op.attributes()
    for name, value in list(attributes.items()):
        drawn = _drawn(name, value, shape, rng)
        if drawn is not None and rng.random() < 0.6:
            attributes[name] = drawn
    return type(op).make({k: v for k, v in attributes.items() if v is not None}).in_mode(False)


def _drawn(name: str, value: Any, shape: tuple[Any, ...], rng: np.random.Generator) -> Any:
    rank = len(shape)
    if name in ("axis", "dim", "dim1", "dim2") and rank and not isinstance(value, tuple):
        return int(rng.integers(-rank, rank))
    if name == "axis" and rank:
        return tuple(int(a) for a in rng.permutation(rank)[: rng.integers(1, rank + 1)])
    if name == "axes" and rank:
        return tuple(int(a) for a in rng.permutation(rank))
    if name == "scalar":
        return float(rng.choice(SCALARS))
    if name in ("keepdims", "exclude", "transpose_a", "transpose_b", "squeeze_axis", "reverse"):
        return bool(rng.integers(2))
    if name == "pad_width":
        return (0, 0, 0, 0, *(int(n) for n in rng.integers(0, 3, 2 * max(rank - 2, 0))))
    if name == "shape" and rank and isinstance(value, tuple):
        return _reshaping(shape, rng)
    if name in ("begin", "end", "reps") and rank and isinstance(value, tuple):
        low, high = {"begin": (-2, 2), "end": (1, 5), "reps": (1, 3)}[name]
        return tuple(int(n) for n in rng.integers(low, high, rank))
    return _drawn_window(name, value, rng)


def _drawn_window(name: str, value: Any, rng: np.random.Generator) -> Any:
    if name in ("kernel", "stride", "pad", "dilate") and isinstance(value, tuple) and value:
        low, high = {"kernel": (1, 4), "stride": (1, 4), "pad": (0, 3), "dilate": (1, 3)}[name]
        return tuple(int(n) for n in rng.integers(low, high, len(value)))
    if name in ("a_min", "a_max"):
        return float(rng.choice([-6.0, -1.0, 0.0]) if name == "a_min" else rng.choice([0.5, 1.0, 6.0]))
    if name == "dtype" and isinstance(value, np.dtype | str) and str(value) in DTYPES:
        return str(rng.choice(DTYPES))
    if name in ("num_filter", "num_hidden"):
        return int(rng.integers(1, 5))
    return None


def _reshaping(shape: tuple[Any, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Another shape of as many elements."""
    kind = rng.integers(4)
    if kind == 0:
        return (-1,)
    if kind == 1:
        return (0, -1)
    if kind == 2:
        return tuple(int(d) for d in rng.permutation(shape))
    at = int(rng.integers(len(shape) + 1))
    return (*shape[:at], 1, *shape[at:])
