"""Docstrings of operators as data: `doc_of` on docstrings whose parts are known."""

from __future__ import annotations

from typing import ClassVar

from hybridonnx.ops import Doc, Operator, doc_of
from hybridonnx.ops._operator import record


@record
class Base(Operator):
    """What the family shares.

    Inputs:
        weight: (F, C).
        mask: An input that only some have.

    Attributes:
        axis: The axis,
            counted from the last if negative.
        keepdims: Whether it stays.

    Returns:
        The shape
        of data.
    """

    axis: int = 0


@record
class Derived(Base):
    """One of the family.

    A surprise: it is worth
    a paragraph.

    Inputs:
        data: (N, C), or
            (C,).

    Attributes:
        scale: A factor.

    ONNX: MatMul,
        then Mul.

    A last paragraph.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "weight")
    scale: float = 1.0


@record
class Several(Operator):
    """Any number of arrays.

    Inputs:
        *data: The arrays.

    Returns:
        output: The sum
            of all.
        mean: The mean.
    """

    variadic: ClassVar[str] = "num_args"
    num_args: int


def test_sections_are_completed_from_the_base():
    assert doc_of(Derived) == Doc(
        sentence="One of the family.",
        paragraphs=("A surprise: it is worth a paragraph.", "A last paragraph."),
        inputs={"data": "(N, C), or (C,).", "weight": "(F, C)."},
        attributes={"axis": "The axis, counted from the last if negative.", "scale": "A factor."},
        returns="The shape of data.",
        onnx="MatMul, then Mul.",
    )


def test_entries_stand_in_the_order_of_a_call():
    assert list(doc_of(Derived).inputs) == ["data", "weight"]
    assert list(doc_of(Derived).attributes) == ["axis", "scale"]


def test_any_number_of_inputs_and_several_outputs():
    doc = doc_of(Several)
    assert doc.inputs == {"*data": "The arrays."}
    assert doc.returns == "output: The sum of all.\nmean: The mean."
    assert doc.onnx == ""


def test_a_class_without_a_docstring_has_no_sentence():
    silent = type("Silent", (Derived,), {"__doc__": ""})
    doc = doc_of(silent)
    assert doc.sentence == ""
    assert doc.paragraphs == ()
    assert doc.inputs == doc_of(Derived).inputs
