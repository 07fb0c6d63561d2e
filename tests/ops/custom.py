"""Cases of operators written in Python: one input, several inputs and outputs, and a state."""

import hybridonnx.operator as python
from hybridonnx.test_utils import Case


class Cube(python.CustomOp):
    """The third power."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] ** 3)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 3 * in_data[0] ** 2 * out_grad[0])


@python.register("case_cube")
class CubeProp(python.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Cube()


class Blend(python.CustomOp):
    """The weighted sum of two arrays, and their product."""

    def __init__(self, weight):
        self.weight = weight

    def forward(self, is_train, req, in_data, out_data, aux):
        a, b = in_data
        self.assign(out_data[0], req[0], a * self.weight + b)
        self.assign(out_data[1], req[1], a * b)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        (a, b), (ds, dp) = in_data, out_grad
        self.assign(in_grad[0], req[0], ds * self.weight + dp * b)
        self.assign(in_grad[1], req[1], ds + dp * a)


@python.register("case_blend")
class BlendProp(python.CustomOpProp):
    def __init__(self, weight="1"):
        super().__init__()
        self.weight = float(weight)

    def list_arguments(self):
        return ["a", "b"]

    def list_outputs(self):
        return ["sum", "product"]

    def infer_shape(self, in_shape):
        return [in_shape[0], in_shape[0]], [in_shape[0], in_shape[0]], []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Blend(self.weight)


PYTHON = {
    "second": "backward is Python code",
    "symbolic": "backward is Python code and no graph",
}


CASES = [
    Case("Custom", [(2, 3)], op_type="case_cube").but(formula=lambda x: x**3, no=PYTHON),
    Case("Custom", [(2, 3), (2, 3)], op_type="case_blend", weight=2.5).but(
        formula=lambda a, b: (a * 2.5 + b, a * b), no=PYTHON
    ),
]
