# Written by scripts/stubs; do not edit.
from ._arguments import by_name, dtypes_by_input, in_order, is_shape, shapes_by_input
from ._check import check
from ._export import FileOptions, arrays_by_name, data_names, export_model, model_bytes, support
from ._file import save
from ._graph import Graph, Local, NeedsShape, Value
from ._model import Lowered, lower
from ._operator_model import lower_operator
from ._precision import Precision
from ._registry import lowers_custom, supported
from ._survey import NodeSupport, Support
from ._walk import NoiseInput, refusal
__all__ = [
    "FileOptions", "Graph", "Local", "Lowered", "NeedsShape", "NodeSupport", "NoiseInput", "Precision",
    "Support", "Value", "arrays_by_name", "by_name", "check", "data_names", "dtypes_by_input", "export_model",
    "in_order", "is_shape", "lower", "lower_operator", "lowers_custom", "model_bytes", "refusal", "save",
    "shapes_by_input", "support", "supported",
]
