"""The reference executor: a graph run operator by operator on the kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, TypeVar

from ..context import Context
from ..errors import MXNetError, ShapeError, suggest
from ..ndarray.invoke import invoke_all
from ..ndarray.ndarray import NDArray
from ..ops import Spec, show
from .compose import Outputs
from .graph import Entry, Node, topological
from .infer import Specs, infer, operator_of


class Step(Protocol):
    """A part of a graph: from the arrays of some entries to those of others."""

    @property
    def inputs(self) -> Sequence[Entry]: ...
    @property
    def outputs(self) -> Sequence[Entry]: ...


_Step = TypeVar("_Step", bound=Step)
_Value = TypeVar("_Value")


def execute(
    symbol: Outputs,
    values: Mapping[str, NDArray],
    ctx: Context | None = None,
    around: Outputs | None = None,
) -> list[NDArray]:
    """The outputs' arrays, from an array for each variable by name.

    Operators run one by one in the order of their making, so that draws come in the order of eager calls, and
    are recorded if `autograd` records; intermediate arrays are let go of after their last use. `ctx` is the
    device of what is made of no inputs; `around` is the graph that tells its open sizes, where `symbol` is a
    part of one.
    """
    return Execution(symbol, around)(values, ctx)


class Execution:
    """A graph in the order of its execution, to be run many times."""

    def __init__(self, symbol: Outputs, around: Outputs | None = None) -> None:
        self._outputs = symbol.outputs
        self._around = topological((symbol if around is None else around).outputs)
        self._nodes = sorted(topological(symbol.outputs), key=attrgetter("serial"))
        self._steps = [_Kernel(node) for node in self._nodes if not node.is_variable]
        self._uses = count_uses(self._steps, symbol.outputs)

    def __call__(
        self,
        values: Mapping[str, NDArray],
        ctx: Context | None = None,
        noise: Mapping[Node, Any] | None = None,
    ) -> list[NDArray]:
        """The outputs' arrays, as `execute` gives them. `noise` was drawn before for these nodes."""
        drawn = {} if noise is None else noise
        arrays = {Entry(node, 0): _value(node, values) for node in self._nodes if node.is_variable}
        operator = Operators(
            self._around, lambda: {name: Spec(a.shape, a._data.dtype) for name, a in values.items()}
        )

        def run(step: _Kernel, args: Sequence[NDArray]) -> list[NDArray]:
            with step.node.named():
                return invoke_all(operator(step.node), args, ctx, drawn.get(step.node))

        return run_steps(self._steps, arrays, self._uses.copy(), self._outputs, run)


def count_uses(steps: Iterable[Step], outputs: Sequence[Entry]) -> Counter[Entry]:
    """How many steps, and outputs of the graph, take each entry."""
    uses = Counter(entry for step in steps for entry in step.inputs)
    uses.update(outputs)
    return uses


def run_steps(
    steps: Iterable[_Step],
    arrays: dict[Entry, _Value],
    uses: Counter[Entry],
    outputs: Sequence[Entry],
    run: Callable[[_Step, list[_Value]], Sequence[_Value]],
) -> list[_Value]:
    """The arrays of `outputs`, after `run` has computed the steps in their order.

    `arrays` are the variables', to which the steps' are added. Each is let go of after its last use, for
    which `uses` is counted down.
    """
    for step in steps:
        results = run(step, [arrays[entry] for entry in step.inputs])
        for entry, array in zip(step.outputs, results, strict=True):
            if uses[entry]:
                arrays[entry] = array
        for entry in step.inputs:
            uses[entry] -= 1
            if not uses[entry]:
                arrays.pop(entry, None)
    return [arrays[entry] for entry in outputs]


class _Kernel(NamedTuple):
    """One operator as a step."""

    node: Node

    @property
    def inputs(self) -> Sequence[Entry]:
        return self.node.inputs

    @property
    def outputs(self) -> Sequence[Entry]:
        return [Entry(self.node, i) for i in range(self.node.count())]


def _value(node: Node, values: Mapping[str, NDArray]) -> NDArray:
    value = values.get(node.name)
    if value is None:
        raise MXNetError(
            f"execute: an array is required for the variable {node.name}.{suggest(node.name, values)}"
        )
    return value


class Operators:
    """The operators of a graph's nodes; the sizes of those without inputs are inferred if one is open."""

    def __init__(self, nodes: Sequence[Node], variables: Callable[[], Mapping[str, Spec]]) -> None:
        """Take all nodes of a graph, and a function that tells the specs of its variables by name."""
        self._nodes, self._variables = nodes, variables
        self._specs: Specs | None = None

    def __call__(self, node: Node) -> Any:
        if node.inputs:
            return node.op
        outputs = node.op.infer(())[1]
        if all(spec.shape is not None and None not in spec.shape for spec in outputs):
            return node.op
        if self._specs is None:
            heads = Outputs([Entry(n, 0) for n in self._nodes])
            self._specs = infer(heads, self._variables(), partial=True)
        op = operator_of(node, self._specs)
        shape = op.infer(())[1][0].shape
        if shape is None or None in shape:
            raise ShapeError(
                f"{node.op_name}: a shape that the graph around tells is required where a size is open, "
                f"got {show(shape)}."
            )
        return op
