"""Writes signatures.json: what Apache MXNet 1.9.1's public names are, and the arguments that they take.

Run it with the oracle environment's Python (mxnet 1.9.1, numpy 1.23.5):

    python tests/oracle/signatures.py

"names" has, for each module and name of public_names.json, one of

    "module", "value: <type>", "value: <type> <text>"      with its text where that says all of it
    {"arguments": ["data", "axis=None", "**kwargs"]}       a function
    {"operator": "Convolution", "arguments": […]}          a function that MXNet makes of an operator
    {"arguments": […], "bases": […], "members": {…}}       a class; members are those that it defines itself
    "= mxnet.ndarray.NDArray"                              the same object as another name
    null                                                   what is listed in `__all__` and not there

"also" has what a function of an operator takes beside the signature that its documentation shows.
Arguments behind "*" are taken by name alone. A default that is no number, text or tuple is its type in <>.
"outcome" is there if a function does nothing or refuses, "outcomes" has such members of a class.
"""

import ctypes
import importlib
import inspect
import json
import os
import sys
import types
import warnings
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
warnings.simplefilter("ignore")

import mxnet  # noqa: E402
from mxnet.base import _LIB, check_call, py_str  # noqa: E402

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from tests.signature_words import PLAIN, arguments, member, outcome, text  # noqa: E402


def handles():
    """The operators' names by the handles that MXNet writes into the functions it makes."""
    count, array = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    check_call(_LIB.MXListAllOpNames(ctypes.byref(count), ctypes.byref(array)))
    names = {}
    for i in range(count.value):
        handle = ctypes.c_void_p()
        check_call(_LIB.NNGetOpHandle(array[i], ctypes.byref(handle)))
        names.setdefault(handle.value, []).append(py_str(array[i]))
    listing = json.loads((HERE / "operators.json").read_text())["operators"]
    return {handle: next((n for n in some if n in listing), some[0]) for handle, some in names.items()}


HANDLES = handles()


def operator(value):
    """The operator that a function was made of, if it was."""
    code = getattr(value, "__code__", None)
    numbers = [c for c in code.co_consts if isinstance(c, int)] if code else []
    return next((HANDLES[number] for number in numbers if number in HANDLES), None)


def taken(function):
    """The names that a function takes, whatever signature it shows."""
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def described_class(cls):
    shown = {n: v for n, v in sorted(vars(cls).items()) if not n.startswith("_") or n == "__call__"}
    outcomes = {name: outcome(value) for name, value in shown.items()}
    bases = [f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__[1:]]
    return {
        "arguments": arguments(cls),
        "bases": [base for base in bases if base != "builtins.object"],
        "members": {name: member(value) for name, value in shown.items()},
        "outcomes": {name: result for name, result in outcomes.items() if result},
    }


def described(value):
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        own = value.__module__.split(".")[0] == "mxnet"
        return described_class(value) if own else f"value: class {value.__name__}"
    if inspect.isroutine(value):
        words, made_of, result = arguments(value), operator(value), outcome(value)
        if made_of and "**kwargs" in (words or ()):
            return {"operator": made_of, "arguments": words}
        shown = {word.partition("=")[0] for word in words or ()}
        also = [name for name in taken(value) if name not in shown] if made_of else []
        entry = {"arguments": words, "also": also, "outcome": result}
        return {key: item for key, item in entry.items() if item or key == "arguments"}
    kind = type(value).__name__
    if isinstance(value, (*PLAIN, tuple)) and len(repr(value)) < 60 and "/" not in repr(value):
        return f"value: {kind} {text(value)}"
    return f"value: {kind}"


def main():
    modules = json.loads((HERE / "public_names.json").read_text())["modules"]
    first, rows = {}, {}
    for module, names in sorted(modules.items(), key=lambda item: (item[0].count("."), item[0])):
        if ".gen_" in module:
            continue
        values = vars(importlib.import_module(module))
        rows[module] = {}
        for name in names:
            value = values.get(name)
            alike = isinstance(value, (type, types.FunctionType))
            path = first.setdefault(id(value), f"{module}.{name}") if alike else None
            other = path is not None and path != f"{module}.{name}"
            rows[module][name] = f"= {path}" if other else described(value) if name in values else None
    lines = ",\n".join(
        f"{json.dumps(module)}: {{\n"
        + ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in rows[module].items())
        + "\n}"
        for module in sorted(rows)
    )
    head = f'{{"mxnet_version": "{mxnet.__version__}",\n"names": {{\n'
    (HERE / "signatures.json").write_text(f"{head}{lines}\n}}}}\n")
    print(f"{sum(map(len, rows.values()))} names, {len(first)} functions and classes", file=sys.stderr)


if __name__ == "__main__":
    main()
