"""What the adjoints of operators share: gradients of the shape that an operator's output has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._operator import Operator
from ._shapes import Shape, decided


class Adjoint(Operator):
    """An operator on `dy`, the gradient of what another gives of the arrays that follow it.

    Inputs:
        dy: The gradient, of the shape that the operator's output has.
    """

    def image(self, *arrays: Any, **_: Any) -> Shape | None:
        """The shape of that output, from the arrays' shapes; `None` if its rank is unknown."""
        raise NotImplementedError

    def infer_arrays(self, *arrays: Shape | None) -> Sequence[Shape | None]:
        """What the arrays that follow `dy` tell of each other."""
        return arrays

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        dy, arrays = shapes[0], self.infer_arrays(*shapes[1:])
        complete = [shape for shape in arrays if shape is not None]
        if len(complete) != len(arrays):
            return dy, *arrays
        return decided(lambda: self.image(*complete)), *arrays
