"""Shapes that do not fit: where inference says shapes of the outputs, kernels give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from hybridonnx.converters import to_onnx
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.errors import MXNetError, ShapeError
from hybridonnx.ops import Operator, Spec
from hybridonnx.test_utils import Case
from tests.test_completeness import FACTS
from tests.test_operators import FAMILIES

BY_VALUES = {
    "_boolean_mask_grad",
    "_contrib_MultiBoxTarget",
    "_contrib_box_encode",
    "_contrib_index_copy",
    "_gather_nd_grad",
    "_multinomial_gradient",
    "_npi_insert_tensor",
    "_npi_multinomial",
    "_npi_solve",
    "_npi_tensorsolve",
    "_put_along_axis",
    "_solution",
    "_take_along_axis",
    "gather_nd",
    "take",
}
"""Operators that refuse some values, such as an index that was inside of the longer axis, or equal rows."""


ALIKE: list[Callable[[tuple[int, ...]], tuple[int, ...]]] = [
    lambda shape: (),
    lambda shape: (1,),
    lambda shape: shape[1:],
    lambda shape: shape[:-1],
    lambda shape: (1, *shape),
    lambda shape: (*shape, 1),
    lambda shape: tuple(2 * d for d in shape),
]
"""Changes of all inputs at once, which fit each other then."""


def others(shape: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Shapes that are near another: with other sizes, with an axis more or less, and short ones."""
    near = {(), (1,), (7,), (1, *shape), (2, *shape), (*shape, 1), (*shape, 2), shape[::-1]}
    for i, d in enumerate(shape):
        head, tail = shape[:i], shape[i + 1 :]
        near |= {(*head, *tail), (*head, 1, *tail), (*head, d + 1, *tail), (*head, 2 * d, *tail)}
    return near - {shape}


def changed(case: Case) -> Iterator[list[np.ndarray]]:
    """The inputs of a case, one of them in another shape, or all of them changed alike."""
    arrays = case.arrays()
    for i, a in enumerate(arrays):
        for shape in sorted(others(a.shape)) if a.size else ():
            yield [*arrays[:i], np.resize(a, shape), *arrays[i + 1 :]]
    if len(arrays) > 1 and all(a.size for a in arrays):
        for change in ALIKE:
            yield [np.resize(a, change(a.shape)) for a in arrays]


def cases(step: int) -> list[Case]:
    """One in so many cases, of every operator one at least; those with graphs inside have no shapes alone."""
    every = [case for family in FAMILIES.values() for case in family if not case.operator().graphs]
    known: set[str] = set()
    return [c for i, c in enumerate(every) if i % step == 0 or not (c.op in known or known.add(c.op))]


def inferred(op: Operator, arrays: list[np.ndarray]) -> list[tuple[int, ...]] | None:
    """The outputs' shapes; `None` if the inputs are refused, or shapes depend on values."""
    try:
        _, outputs = op.infer([Spec(a.shape, a.dtype) for a in arrays])
    except MXNetError:
        return None
    shapes = [spec.shape for spec in outputs]
    return None if any(s is None or None in s for s in shapes) else shapes  # type: ignore[return-value]


def computed(op: Operator, arrays: list[np.ndarray]) -> list[tuple[int, ...]]:
    """The shapes that the kernel gives."""
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    noise = [op.draw(np.random.default_rng(0), *specs)] if op.draws() else []
    with np.errstate(all="ignore"):
        results = op.started(None).forward(*(a.copy() for a in arrays), *noise)
    return [np.shape(y) for y in (results if isinstance(results, tuple | list) else [results])]


def disagreements(some: list[Case]) -> list[str]:
    """Inputs of which inference says one thing and the kernel another."""
    wrong = []
    for case in some:
        op = case.operator()
        for arrays in changed(case):
            expected = inferred(op, arrays)
            if expected is None:
                continue
            got: object
            try:
                got = computed(op, arrays)[: len(expected)]
            except Exception as exc:  # noqa: BLE001  # whatever it is, it is told
                if isinstance(exc, MXNetError) and op.names[0] in BY_VALUES:
                    continue
                got = repr(exc)
            if got != expected:
                wrong.append(f"{case} of {[a.shape for a in arrays]}: inferred {expected}, computed {got}")
    return wrong


def test_kernels_give_what_is_inferred():
    assert not disagreements(cases(20))


@pytest.mark.slow
def test_kernels_give_what_is_inferred_of_all():
    assert not disagreements(cases(1))


def accepts(op: Operator, arrays: list[np.ndarray]) -> bool:
    """Whether inference takes the inputs, though shapes of the outputs may depend on values."""
    try:
        op.infer([Spec(a.shape, a.dtype) for a in arrays])
    except MXNetError:
        return False
    return True


def unreadable(some: list[Case]) -> list[str]:
    """Inputs that inference takes and whose lowering is no model that ONNX takes."""
    wrong = []
    for case in some:
        op = case.operator()
        for arrays in () if op.not_in_onnx else changed(case):
            if not accepts(op, arrays):
                continue
            try:
                to_onnx.check(lower_operator(op, [Spec(a.shape, a.dtype) for a in arrays], opset=18), {})
            except MXNetError as exc:
                if "report" in str(exc):
                    wrong.append(f"{case} of {[a.shape for a in arrays]}: {exc}")
    return wrong


def test_what_is_inferred_is_lowered():
    """Of operators that are ours alone, which take shapes of others on trust."""
    assert not unreadable([case for case in cases(1) if case.operator().names[0] not in FACTS][::4])


@pytest.mark.slow
def test_what_is_inferred_is_lowered_of_all():
    assert not unreadable(cases(1))


# ---- what is said


@pytest.mark.parametrize(
    ("name", "shapes", "attributes", "message"),
    [
        ("_slice_grad", [(2, 5), (3, 4)], {"begin": (1,), "end": (3,)}, r"dy of shape \(2, 4\) is required"),
        ("_take_grad", [(5, 3), (5,), (3, 2)], {}, r"dy of shape \(5, 2\) is required, got \(5, 3\)"),
        ("_pick_grad", [(3,), (4,), (3, 4)], {}, r"index of shape \(3,\) is required, got \(4,\)"),
        ("_spread_like", [(3,), (2, 3)], {"axis": (1,)}, r"data of shape \(2,\) is required, got \(3,\)"),
        ("_sum_like", [(2, 3), (2, 4)], {}, r"like of a shape that broadcasts to \(2, 3\) is required"),
        (
            "_broadcast_as",
            [(2, 3, 4), (3, 4)],
            {},
            r"data of a shape that broadcasts to \(3, 4\) is required",
        ),
        ("_split_like", [(2, 6), (2, 3), (2, 4)], {"num_args": 3}, r"as long as data \(2, 6\) in all"),
        ("_one_hot_like", [(3,), (2, 5)], {}, r"label of shape \(2,\) is required, got \(3,\)"),
        ("_repeat_behind", [(3,), (2, 3)], {}, r"data of shape \(2,\) is required, got \(3,\)"),
        ("_multinomial_gradient", [(2,), (2,), (2, 3, 4)], {}, r"data \(\*batch, K\)"),
        ("_contrib_quantize_v2", [()], {}, r"data of 1 or more axes is required, got \(\)"),
        ("_contrib_boolean_mask", [(), ()], {}, r"1 or more axes is required, got \(\)"),
        ("_npi_bincount", [(4,), (5,)], {"has_weights": True}, r"equal .* required, got \(4,\) and \(5,\)"),
        ("SoftmaxActivation", [(2, 3)], {"mode": "channel"}, r"at least 3 axes is required for mode=channel"),
    ],
)
def test_shapes_that_do_not_fit(name, shapes, attributes, message):
    op = Case(name, shapes, **attributes).operator()
    with pytest.raises(ShapeError, match=f"^{name}: .*{message}"):
        op.infer([Spec(shape, np.dtype("float32")) for shape in shapes])
