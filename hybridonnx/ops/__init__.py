"""What operators mean: attributes, shapes, NumPy kernels and gradients, one family a file.

A family is loaded when one of its operators is first asked for, by the index of names (`_families`). The
files that begin with an underscore are what families share; what other packages may use of them stands here.
"""

from . import _steps as steps
from ._absent import absence
from ._bfloat16 import for_kernel
from ._calls import bind, options_by_name
from ._composition import Composed, UnknownRankError
from ._containers import enclosed, opened
from ._docs import Doc, doc_of
from ._extents import Extent
from ._generator import DrawingFrom, drawing, generator, seed
from ._gradient import Gradient
from ._mixing import mixing
from ._namespace import GROUPS, FluentMethod, Frontend, Namespace, describe
from ._onnx_text import NodeText, node_text, read_node
from ._operator import Array, Attribute, Noise, Operator, Spec
from ._overloads import ARITHMETIC, COMPARISONS, FLUENT, OVERLOADS, Overload, is_number, sections
from ._quantization import Quantized
from ._registry import find, from_index, load_all, lookup
from ._shapes import (
    Dim,
    NumericShape,
    Shape,
    alike,
    broadcast,
    is_symbolic,
    is_zero,
    known,
    show,
    sizes,
    without_symbols,
)
from ._signature import Option, Usage, depends_on_attributes, example_of, signature_of
from ._storage import Cells, Pattern, Rows, Storage, infer_storage
from ._symbolic import (
    Atom,
    Excess,
    Quotient,
    SymbolicDim,
    UndecidedError,
    larger,
    positive_part,
    same,
    smaller,
)
from ._updating import with_updates
from .onnx_nodes import ONNX_PREFIX, OnnxNode, find_onnx, has_gradient, in_onnxruntime, onnx_name

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "FLUENT",
    "GROUPS",
    "ONNX_PREFIX",
    "OVERLOADS",
    "Array",
    "Atom",
    "Attribute",
    "Cells",
    "Composed",
    "Dim",
    "Doc",
    "DrawingFrom",
    "Excess",
    "Extent",
    "FluentMethod",
    "Frontend",
    "Gradient",
    "Namespace",
    "NodeText",
    "Noise",
    "NumericShape",
    "OnnxNode",
    "Operator",
    "Option",
    "Overload",
    "Pattern",
    "Quantized",
    "Quotient",
    "Rows",
    "Shape",
    "Spec",
    "Storage",
    "SymbolicDim",
    "UndecidedError",
    "UnknownRankError",
    "Usage",
    "absence",
    "alike",
    "bind",
    "broadcast",
    "depends_on_attributes",
    "describe",
    "doc_of",
    "drawing",
    "enclosed",
    "example_of",
    "find",
    "find_onnx",
    "for_kernel",
    "from_index",
    "generator",
    "has_gradient",
    "in_onnxruntime",
    "infer_storage",
    "is_number",
    "is_symbolic",
    "is_zero",
    "known",
    "larger",
    "load_all",
    "lookup",
    "mixing",
    "node_text",
    "onnx_name",
    "opened",
    "options_by_name",
    "positive_part",
    "read_node",
    "same",
    "sections",
    "seed",
    "show",
    "signature_of",
    "sizes",
    "smaller",
    "steps",
    "with_updates",
    "without_symbols",
]
