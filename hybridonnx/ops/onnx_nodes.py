"""Operators of ONNX's that stand in graphs as they are, `_onnx_Einsum` and the like.

Where MXNet has no operator for a node of a model, the node itself becomes the operator. ONNX infers its
shapes, ONNX Runtime or ONNX's reference runs it, and exported models have it again.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Protocol

from ..errors import MXNetError
from . import _onnx_gradients as gradients
from ._onnx_text import NodeText, read_node
from ._operator import Array, Operator, Spec, record
from ._shapes import unify

ONNX_PREFIX = "_onnx_"
"""How the names of these operators begin; the domain, if it is not ONNX's own, and ONNX's name follow."""
_NAME = re.compile(rf"{ONNX_PREFIX}((?:\w[\w-]*\.)*)([A-Za-z]\w*)", re.ASCII)


class Engine(Protocol):
    """What infers and runs ONNX's nodes, which stands far above operators."""

    def infer(self, model: str, inputs: Sequence[Spec]) -> list[Spec]:
        """All that can be known of a node's outputs from what is known of its inputs."""

    def run(self, model: str, arrays: Sequence[Array]) -> list[Array]:
        """A node's outputs."""

    def runs(self, model: str, inputs: Sequence[Spec]) -> bool:
        """Whether ONNX Runtime has a kernel for such inputs."""

    def knows(self, op_type: str, domain: str) -> bool:
        """Whether ONNX Runtime has an operator of this name."""


def _engine() -> Engine:
    package = __name__.partition(".")[0]
    engine: Engine = importlib.import_module(f"{package}.runtime.onnx_nodes").ENGINE
    return engine


@record
class OnnxNode(Operator):
    """A node of an ONNX model, of any operator and domain.

    Attributes:
        model: The ONNX model of the node alone, as JSON.
        num_args: How many inputs there are beside the constants inside of the model.
        num_outputs: How many outputs there are.
    """

    variadic = "num_args"
    output_count = "num_outputs"
    takes_extensions = True
    widens_bfloat16 = False
    op_type: ClassVar[str] = ""
    """ONNX's name of the operator."""
    domain: ClassVar[str] = ""
    """Its domain, empty for ONNX's own."""
    model: str
    num_args: int
    num_outputs: int = 1

    def check(self) -> None:
        """Hold the numbers to the model."""
        node = read_node(self.model)
        counts = len(node.arguments), len(node.results)
        name = onnx_name(node.op_type, node.domain)
        if name != self.names[0] or counts != (self.num_args, self.num_outputs):
            raise MXNetError(
                f"{self.names[0]}: a model of this operator with {self.num_args} inputs and "
                f"{self.num_outputs} outputs is required, got one of {name} with {counts[0]} and {counts[1]}."
            )

    @property
    def node(self) -> NodeText:
        """The node itself."""
        return read_node(self.model)

    def output_names(self) -> tuple[str, ...]:
        """The outputs by their numbers."""
        count = self.num_outputs
        return ("output",) if count == 1 else tuple(f"output{i}" for i in range(count))

    def infer(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec] = ()
    ) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
        """What ONNX infers."""
        results = _engine().infer(self.model, inputs)
        if outputs:
            shapes = [unify(self.names[0], a.shape, b.shape) for a, b in zip(results, outputs, strict=True)]
            results = [Spec(shape, spec.dtype) for shape, spec in zip(shapes, results, strict=True)]
        return tuple(inputs), tuple(results)

    def forward(self, *arrays: Array) -> tuple[Array, ...]:
        """What ONNX Runtime gives, or ONNX's reference where it has no kernel."""
        return tuple(_engine().run(self.model, arrays))

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """What the rule of ONNX's operator says; nothing of integers."""
        node = self.node
        if not node.is_smooth:
            return [None] * len(inputs)
        rule = gradients.find(node)
        if rule is None:
            raise MXNetError(
                f"{self.names[0]}: {gradients.why_refused(node)}. Freeze the parameters before it, or stop "
                "the gradient with BlockGrad."
            )
        values = {**node.constants, **dict(zip(node.arguments, inputs, strict=True))}
        dys, ys = ([v] if self.num_outputs == 1 else list(v) for v in (dy, y))
        heads, outputs = (dict(zip(node.results, v, strict=True)) for v in (dys, ys))
        results = rule(
            gradients.Nodes(F),
            node,
            [heads.get(name) for name in node.outputs],
            [outputs.get(name) for name in node.outputs],
            *(values.get(name) for name in node.inputs),
        )
        grads: dict[str, Any] = {}
        for name, grad in zip(node.inputs, results, strict=False):
            if grad is not None:
                grads[name] = grad if name not in grads else grads[name] + grad
        return [grads.get(name) for name in node.arguments]

    def runs(self, inputs: Sequence[Spec]) -> bool:
        """Whether ONNX Runtime has a kernel for such inputs."""
        return _engine().runs(self.model, inputs)


def in_onnxruntime(op_type: str, domain: str) -> bool:
    """Whether ONNX Runtime has an operator of this name, which need not be ONNX's."""
    return _engine().knows(op_type, domain)


def onnx_name(op_type: str, domain: str = "") -> str:
    """What the operator of an ONNX node is called."""
    return f"{ONNX_PREFIX}{domain}{'.' if domain else ''}{op_type}"


def has_gradient(op_type: str, domain: str = "") -> bool:
    """Whether there is a rule for the gradient of an operator."""
    return gradients.full_name(op_type, domain) in gradients.load_all()


@cache
def find_onnx(name: str) -> type[OnnxNode] | None:
    """The operator `_onnx_<Operator>`, `None` if the name is no such name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    domain, op_type = match[1].removesuffix("."), match[2]
    members = {
        "names": (name,),
        "op_type": op_type,
        "domain": domain,
        "location": OnnxNode.location,
        "not_differentiable": gradients.why_constant(op_type, domain),
        "__doc__": f"The operator {op_type} of {domain or 'ONNX'}.\n\n{OnnxNode.__doc__}",
    }
    return type(f"Onnx{op_type}", (OnnxNode,), {"__module__": __name__, **members})
