"""From MXNet graphs to ONNX models: one family of operators a file, and the walk over the graph."""

from ._arguments import by_name as by_name
from ._arguments import dtypes_by_input as dtypes_by_input
from ._arguments import in_order as in_order
from ._arguments import is_shape as is_shape
from ._arguments import shapes_by_input as shapes_by_input
from ._export import FileOptions as FileOptions
from ._export import arrays_by_name as arrays_by_name
from ._export import data_names as data_names
from ._export import export_model as export_model
from ._export import model_bytes as model_bytes
from ._export import support as support
from ._file import save as save
from ._graph import Graph as Graph
from ._graph import NeedsShape as NeedsShape
from ._graph import Value as Value
from ._model import Lowered as Lowered
from ._model import check as check
from ._model import lower as lower
from ._operator_model import lower_operator as lower_operator
from ._precision import Precision as Precision
from ._registry import lowers_custom as lowers_custom
from ._registry import supported as supported
from ._survey import NodeSupport as NodeSupport
from ._survey import Support as Support
from ._walk import NoiseInput as NoiseInput
from ._walk import refusal as refusal
