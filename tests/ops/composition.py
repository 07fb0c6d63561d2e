"""Cases of the gradient of operators that are composed of others."""

from hybridonnx.test_utils import Case

CASES = [
    Case("_composition_grad", [(2,), (2, 3)], of='["_npi_var", {"axis": "1"}]').but(
        formula=lambda dy, a: dy[:, None] * 2 * (a - a.mean(1, keepdims=True)) / 3,
        no={"infer_named": "the slope of a variance divides by the size, which has to be known"},
    ),
    Case("_composition_grad", [(2, 4), (2, 3), (3, 4)], of='["_np_dot", {}]').but(
        formula=lambda dy, a, b: (dy @ b.T, a.T @ dy)
    ),
    Case(
        "_composition_grad",
        [(5, 3), (2, 3), (3, 3)],
        of='["_npi_concatenate", {"num_args": "2", "axis": "0"}]',
    ).but(formula=lambda dy, a, b: (dy[:2], dy[2:])),
]
