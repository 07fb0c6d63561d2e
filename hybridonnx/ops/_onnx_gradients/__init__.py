"""Gradients of ONNX's own nodes in graphs: one family of operators a file."""

from ._nodes import Nodes as Nodes
from ._table import Rule as Rule
from ._table import find as find
from ._table import full_name as full_name
from ._table import load_all as load_all
from ._table import why_constant as why_constant
from ._table import why_refused as why_refused
