"""NumPy's functions as operators, for arrays and symbols: names, argument rules, and which operator it is."""

from .arguments import Axes, Name, is_option, only_defaults, shape_of
from .extension import Extension
from .functions import Functions, Sections
from .linalg import Linalg
from .methods import method
from .modules import images, namespace
from .overloads import NUMPY_OVERLOADS, NumpyOverload
from .random import Random, RandomExtension, Size

__all__ = [
    "NUMPY_OVERLOADS",
    "Axes",
    "Extension",
    "Functions",
    "Linalg",
    "Name",
    "NumpyOverload",
    "Random",
    "RandomExtension",
    "Sections",
    "Size",
    "images",
    "is_option",
    "method",
    "namespace",
    "only_defaults",
    "shape_of",
]
