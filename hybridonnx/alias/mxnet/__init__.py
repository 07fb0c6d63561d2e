"""`mxnet` where the folder around is on the path: hybridonnx, unless HYBRIDONNX_AS_MXNET is 0."""

import os
import sys
from importlib import import_module

__hybridonnx__ = True
"""That this is not Apache MXNet."""

_folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.environ.get("HYBRIDONNX_AS_MXNET") == "0":
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != os.path.realpath(_folder)]
    sys.modules.pop(__name__, None)
    import_module(__name__)  # Apache MXNet, if it is there
else:
    if "hybridonnx" not in sys.modules:
        sys.path.insert(0, os.path.dirname(os.path.dirname(_folder)))
        import_module("hybridonnx")  # the package around, if there are several
        del sys.path[0]
    import_module("hybridonnx.as_mxnet")  # which puts its own module in this one's place
