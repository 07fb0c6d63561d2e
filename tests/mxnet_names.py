"""Every public name of Apache MXNet 1.9.1's modules, and which of them are here.

    python -m tests.mxnet_names     # prints coverage by module, and what is missing

`tests/oracle/public_names.py` lists MXNet's names; `LEFT_OUT` are those that will not be here, with reasons.
`scripts/names` makes what is missing the expected, and writes the pages.
"""

from __future__ import annotations

import fnmatch
import importlib
import json
import warnings
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent
NAMES: dict[str, list[str]] = json.loads((ROOT / "oracle/public_names.json").read_text())["modules"]
STORED = ROOT / "data/mxnet_names.json"

LIBRARY = "it serves the binding of MXNet's library in C++, by ctypes or by generated code"
CUDA = "it is about CUDA's own code or hardware"
OPTIONAL = "a package that MXNet's module imports if it is there"
ADJOINT = "an operator of MXNet's that computes a gradient, and that nobody calls"
NUMPY = "it runs NumPy inside of MXNet's own operators"
IMPORTED = "a name that MXNet's module imports for itself"
CSR = "it reads how a CSR matrix is stored, and graphs hold dense arrays"
PROCESSES = "a step of passing batches between processes, where workers are threads here"
INDEXING = "a step of MXNet's indexing of arrays"
LEFT_OUT = [
    ("mxnet.*.gen_*", "*", LIBRARY),
    ("mxnet.*.register", "*", LIBRARY),
    ("mxnet.ndarray_doc", "*", "it adds to docstrings while MXNet is imported"),
    ("mxnet.symbol_doc", "*", "it adds to docstrings while MXNet is imported"),
    ("mxnet", "*_doc", "it adds to docstrings while MXNet is imported"),
    ("mxnet", "cython", LIBRARY),
    ("mxnet", "api", LIBRARY),
    ("mxnet", "rtc", CUDA),
    ("mxnet", "space", "it is about TVM's search for kernels"),
    ("mxnet", "tvmop", "it is about TVM's kernels"),
    ("mxnet", "torch", "it called Lua Torch, which MXNet 1.9.1 is not built with"),
    ("mxnet.rtc", "*", CUDA),
    ("mxnet.space", "*", "it is about TVM's search for kernels"),
    ("mxnet.base", "*Handle", LIBRARY),
    ("mxnet.base", "c_*", LIBRARY),
    ("mxnet.base", "ctypes2*", LIBRARY),
    ("mxnet.base", "MXCallbackList", LIBRARY),
    ("mxnet.base", "check_call", LIBRARY),
    ("mxnet.base", "c2pyerror", LIBRARY),
    ("mxnet.numpy_extension", "check_call", LIBRARY),
    ("mxnet.numpy_extension", "classproperty", LIBRARY),
    ("mxnet.*", "cv2", OPTIONAL),
    ("mxnet.io.utils", "*", OPTIONAL),
    ("mxnet.notebook.callback", "pd", OPTIONAL),
    ("mxnet.notebook*", "bokeh", OPTIONAL),
    ("mxnet.notebook.callback", "defaultdict", OPTIONAL),
    ("mxnet.*", "backward_*", ADJOINT),
    ("mxnet.*", "dgl_*", "it is about DGL's graphs"),
    ("mxnet.ndarray", "gen_*", LIBRARY),
    ("mxnet.symbol", "gen_*", LIBRARY),
    ("mxnet.ndarray", "register", LIBRARY),
    ("mxnet.symbol", "register", LIBRARY),
    ("mxnet", "numpy_op_*", NUMPY),
    ("mxnet.numpy_op_fallback", "*", NUMPY),
    ("mxnet", "th", "it called Lua Torch, which MXNet 1.9.1 is not built with"),
    ("mxnet.ndarray*", "get_indexing_dispatch_code", INDEXING),
    ("mxnet.ndarray*", "get_oshape_of_gather_nd_op", INDEXING),
    ("mxnet.ndarray*", "indexing_key_expand_implicit_axes", INDEXING),
    ("mxnet.ndarray.ndarray", "check_boolean_array_dimension", INDEXING),
    ("mxnet.ndarray.ndarray", "DL*", LIBRARY),
    ("mxnet.ndarray.ndarray", "DeleterFunc", LIBRARY),
    ("mxnet.ndarray.ndarray", "PyCapsuleDestructor", LIBRARY),
    ("mxnet.ndarray.ndarray", "dl_managed_tensor_deleter", LIBRARY),
    ("mxnet.base", "mx_float*", LIBRARY),
    ("mxnet.base", "mx_int*", LIBRARY),
    ("mxnet.base", "mx_uint", LIBRARY),
    ("mxnet.base", "ctypes", LIBRARY),
    ("mxnet.base", "get_last_ffi_error", LIBRARY),
    ("mxnet.contrib.onnx.onnx2mx.import_onnx", "*", "its class is the converter, which is another here"),
    ("mxnet.contrib.onnx.onnx2mx", "import_onnx", "its class is the converter, which is another here"),
    ("mxnet.contrib.onnx", "*_", "the function itself, behind one of that name that warns"),
    ("mxnet.base", "add_fileline_to_docstring", LIBRARY),
    ("mxnet.base", "build_param_doc", LIBRARY),
    ("mxnet.*", "spsp", OPTIONAL),
    ("mxnet.contrib.quantization", "stats", OPTIONAL),
    ("mxnet.io", "utils", OPTIONAL),
    ("mxnet.optimizer*", "NDabs", IMPORTED),
    ("mxnet.image", "is_np_array", IMPORTED),
    ("mxnet.ndarray.op", "CachedOp", IMPORTED),
    ("mxnet.rnn", "DataBatch", IMPORTED),
    ("mxnet.rnn", "DataDesc", IMPORTED),
    ("mxnet.rnn", "DataIter", IMPORTED),
    ("mxnet.rnn", "*[de]_checkpoint", IMPORTED),
    ("mxnet.model", "BASE_ESTIMATOR", "a base class of scikit-learn's, if that is there"),
    ("mxnet.model", "SKLEARN_INSTALLED", "whether scikit-learn is there"),
    ("mxnet.profiler", "profiler_kvstore_handle", LIBRARY),
    ("mxnet.operator", "c_int_p", LIBRARY),
    ("mxnet.*", "quantized_rnn", "oneDNN alone has it, and quantizes the weights by itself"),
    ("mxnet.*symbol*", "edge_id", CSR),
    ("mxnet.*symbol*", "getnnz", CSR),
    ("mxnet.contrib.svrg_optimization", "svrg_optimizer", "its classes are private steps of SVRGModule"),
    ("mxnet.gluon.data.dataloader", "ConnectionWrapper", PROCESSES),
    ("mxnet.gluon.data.dataloader", "*Queue", PROCESSES),
    ("mxnet.gluon.data.dataloader", "*_loop_v1", PROCESSES),
    ("mxnet.gluon.data.dataloader", "re[bd]u*_ndarray", PROCESSES),
    ("mxnet.test_utils", "ss", OPTIONAL),
]
"""Patterns of modules and names that are not counted, and why."""


def reason(module: str, name: str) -> str | None:
    """Why a name of MXNet's is not counted, if it is not."""
    rows = (why for m, n, why in LEFT_OUT if fnmatch.fnmatchcase(module, m) and fnmatch.fnmatchcase(name, n))
    return next(rows, None)


def counted() -> dict[str, list[str]]:
    """MXNet's modules that count, and their names that do."""
    rows = {module: [name for name in names if not reason(module, name)] for module, names in NAMES.items()}
    return {module: names for module, names in rows.items() if names}


@cache
def is_here(module: str, name: str) -> bool:
    """Whether our module of that name has the name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is deprecated is here as well
        try:
            return hasattr(importlib.import_module(f"hybridonnx{module.removeprefix('mxnet')}"), name)
        except ModuleNotFoundError:
            return False


def missing() -> dict[str, list[str]]:
    """The names that are not here, by module."""
    rows = {module: [n for n in names if not is_here(module, n)] for module, names in counted().items()}
    return {module: names for module, names in rows.items() if names}


def stored() -> dict[str, list[str]]:
    """The names that are expected to be missing."""
    rows: dict[str, str] = json.loads(STORED.read_text(encoding="utf-8"))
    return {module: names.split() for module, names in rows.items()}


def coverage() -> dict[str, tuple[int, int]]:
    """Names that are here, and names that count, by module."""
    gaps = missing()
    return {
        module: (len(names) - len(gaps.get(module, [])), len(names)) for module, names in counted().items()
    }


def table() -> str:
    """Coverage by module: those that lack something, with what, then the total."""
    gaps, rows = missing(), coverage()
    lines = [
        f"{here:>5} of {count:<5}{100 * here / count:>6.1f} %  {module}: {' '.join(gaps[module])}"
        for module, (here, count) in rows.items()
        if here < count
    ]
    here, count = (sum(column) for column in zip(*rows.values(), strict=True))
    whole = sum(h == c for h, c in rows.values())
    total = (
        f"{here:>5} of {count:<5}{100 * here / count:>6.1f} %  all; {whole} of {len(rows)} modules are whole"
    )
    return "\n".join([*lines, total])


if __name__ == "__main__":
    print(table())
