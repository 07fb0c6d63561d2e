"""What each public name of Apache MXNet 1.9.1 is here: the state of its arguments, measured.

MXNet's signatures are stored (`tests/oracle/signatures.py`), and the defaults of operators with its listing
(`tests/oracle/operators.json`); ours are read from the library itself. What no signature shows stands in
`tests/data/mxnet_differences.toml`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import math
import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from hybridonnx.errors import MXNetError
from scripts._reference import parts
from tests.signature_words import arguments, member, outcome, text

ROOT = Path(__file__).resolve().parent
STORED: dict[str, dict[str, Any]] = json.loads((ROOT / "oracle/signatures.json").read_text())["names"]
DIFFERENCES: list[dict[str, Any]] = tomllib.loads((ROOT / "data/mxnet_differences.toml").read_text())[
    "difference"
]
OPERATORS: dict[str, Any] = json.loads((ROOT / "oracle/operators.json").read_text())["operators"]
FRAME = ("out", "name", "attr", "kwargs")
"""What every function that MXNet makes of an operator takes beside inputs and attributes."""
DEEDS = {"nothing": "does nothing", "refuses": "refuses"}
LISTS = ("Args", "Attributes")
IDLE = re.compile(r"^Accepted for MXNet's sake|^[Ww]ithout effect(\.|:|$)|; without effect( here)?\.?$")
STATES = {
    "same": "arguments, their order and their defaults are MXNet's",
    "named": "MXNet passes on what it is called with, `*args, **kwargs`; here these arguments have names",
    "more arguments": "the same, and what MXNet does not take",
    "fewer arguments": "something that MXNet takes is not taken",
    "other arguments": "a place or a default differs, or some are more and some fewer",
    "differs": "it does something else than MXNet's, or cannot be called as there",
    "does nothing": "it is here for the sake of scripts that call it",
    "refuses": "it raises an error that says what to do instead",
    "NumPy's": "the function of the installed NumPy, with its arguments; it has no gradient, and says so",
    "module": "a module, whose names are told of where it stands",
    "other value": "a value that is another one than MXNet's",
}
"""What a name can be here, and what that means."""
KEPT = ("refuses", "does nothing", "NumPy's")
"""States that say more than `differs`, whatever sentences there are."""


class Argument(NamedTuple):
    """One argument of a function."""

    name: str
    kind: str
    """`by place`, `by name`, `*` or `**`."""
    default: str | None
    """As text; None of what is required."""


class Change(NamedTuple):
    """One difference between MXNet's arguments and ours."""

    kind: str
    """`less`, `more` or `other` arguments, or another `deed`."""
    text: str


def ours(module: str, name: str) -> Any:
    """Our value of a name of MXNet's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(importlib.import_module(f"hybridonnx{module.removeprefix('mxnet')}"), name)


def described(path: str) -> Any:
    """What is stored of `mxnet.module.name`, or of the name that it is the same object as."""
    module, _, name = path.rpartition(".")
    entry = STORED[module][name]
    return described(entry.removeprefix("= ")) if isinstance(entry, str) and entry.startswith("= ") else entry


def parsed(words: Iterable[str]) -> list[Argument]:
    """The arguments that words tell of."""
    by_name, result = False, []
    for word in words:
        if word == "*":
            by_name = True
            continue
        name, equals, default = word.partition("=")
        kind = "**" if name.startswith("**") else "*" if name.startswith("*") else ""
        by_name = by_name or kind == "*"
        place = kind or ("by name" if by_name else "by place")
        result.append(Argument(name.lstrip("*"), place, default if equals else None))
    return result


# ---- the arguments of two functions


def changes(theirs: list[Argument], here: list[Argument]) -> Iterator[Change]:
    """How our arguments differ from MXNet's.

    What MXNet passes on by `**kwargs` may have names here, which are no more arguments than MXNet's.
    """
    mine = {a.name: a for a in here}
    kinds, passed = {a.kind for a in here}, {a.kind for a in theirs}
    positions = [a.name for a in here if a.kind == "by place"]
    for place, argument in enumerate(a for a in theirs if a.kind == "by place"):
        own = mine.get(argument.name)
        if own is None and not kinds & {"*", "**"}:
            yield Change("less", f"no `{argument.name}`")
        elif "*" not in kinds and (own is None or own.kind == "by name"):
            yield Change("less", f"`{argument.name}` by name alone")
        elif own is not None and own.kind == "by place" and positions[place : place + 1] != [argument.name]:
            yield Change("other", f"`{argument.name}` has another place")
    for argument in theirs:
        own = mine.get(argument.name)
        if argument.kind == "by name" and own is None and "**" not in kinds:
            yield Change("less", f"no `{argument.name}`")
        elif own is not None and argument.kind in ("by place", "by name"):
            yield from _defaults(argument, own)
    names = {a.name for a in theirs}
    further = [a for a in here if a.kind in ("by place", "by name") and a.name not in names]
    if not further:
        for kind, how in (("*", "place"), ("**", "name")):
            if kind in passed - kinds and "**" not in kinds:
                yield Change("less", f"no others by {how}")
    if "**" not in passed:
        yield from _more(further, kinds - passed)


def _more(further: Iterable[Argument], kinds: set[str]) -> Iterator[Change]:
    """What we take and MXNet does not."""
    for argument in further:
        needed = is_required(argument)
        words = f"`{argument.name}` is required" if needed else f"also `{argument.name}`"
        yield Change("other" if needed else "more", words)
    for kind, how in (("*", "place"), ("**", "name")):
        if kind in kinds:
            yield Change("more", f"also any others by {how}")


def is_required(argument: Argument) -> bool:
    """Whether a call must have the argument."""
    return argument.default in (None, "<required>")


def _defaults(theirs: Argument, here: Argument) -> Iterator[Change]:
    if is_required(theirs) and not is_required(here):
        yield Change("more", f"`{here.name}` may be left out")
    elif is_required(here) and not is_required(theirs):
        yield Change("less", f"`{here.name}` is required")
    elif not is_required(here) and not alike(theirs.default or "", here.default or ""):
        yield Change("other", f"`{here.name}` is `{here.default}` by default, not `{theirs.default}`")


def alike(theirs: str, here: str) -> bool:
    """Whether two defaults mean the same, as text of Python or of an operator's listing.

    Numbers count by value in float32, lists as tuples, what is not said as None; objects such as functions
    are not compared.
    """
    if theirs in (here, "__undefined__") or (theirs[:1] == here[:1] == "<" and "Type" not in theirs + here):
        return True
    return equal(_value(theirs), _value(here))


def equal(theirs: Any, here: Any) -> bool:
    """Whether two values are the same, numbers in float32."""
    if isinstance(theirs, tuple) and isinstance(here, tuple):
        return len(theirs) == len(here) and all(map(equal, theirs, here))
    if isinstance(theirs, int | float) and isinstance(here, int | float):
        return (
            theirs == here or math.isclose(theirs, here, rel_tol=1e-6) or (theirs != theirs and here != here)
        )
    return theirs == here or (theirs in ("", "<empty>", {}) and here in ("", None, ()))


def _value(text: str) -> Any:
    """The value that a text tells, or the text."""
    try:
        value = ast.literal_eval(re.sub(r"\b_Null\b", "None", text))
    except (ValueError, SyntaxError):
        return text
    if isinstance(value, str) and value == "None":
        return None
    return tuple(value) if isinstance(value, list) else value


# ---- operators


def operator_changes(entry: dict[str, Any], here: list[Argument]) -> Iterator[Change]:
    """How our arguments differ from those of the function that MXNet made of an operator.

    Inputs have no defaults; those of attributes are in MXNet's listing. What all such functions take beside
    inputs and attributes, such as `name`, is taken by name, and the number of inputs is counted.
    """
    facts = OPERATORS[entry["operator"]]
    beside = {*FRAME, facts["key_var_num_args"]}
    defaults = {name: default for name, _, _, default in facts["attributes"] if name not in beside}
    listed = parsed(entry["arguments"])
    theirs = [a._replace(default=defaults.get(a.name)) for a in listed if a.name not in beside]
    if listed[0].kind == "*":
        theirs = [listed[0], *(Argument(name, "by name", default) for name, default in defaults.items())]
    names = {a.name for a in theirs}
    inputs = names - defaults.keys()
    mine = [a for a in here if a.name not in beside]
    yield from changes(theirs, [a._replace(default=None) if a.name in inputs else a for a in mine])
    if not any(a.kind == "**" for a in here):
        taken = {a.name for a in here}
        yield from (Change("less", f"no `{n}`") for n in ("out", "name") if n not in taken)


# ---- classes


def members(entry: dict[str, Any]) -> dict[str, Any]:
    """The members of a class of MXNet's, with those of its bases."""
    result: dict[str, Any] = {}
    for base in reversed(entry["bases"]):
        module, _, name = base.rpartition(".")
        if name in STORED.get(module, {}):
            result |= described(base)["members"]
    return result | entry["members"]


def member_changes(entry: dict[str, Any], cls: type) -> Iterator[Change]:
    """How the members of our class differ from MXNet's; arguments that a base defines are told of there."""
    for name, theirs in members(entry).items():
        static = inspect.getattr_static(cls, name, None)
        if static is None and name not in getattr(cls, "__annotations__", {}) and not hasattr(cls, name):
            yield Change("less", f"no `.{name}`")
        elif name in entry["members"] and isinstance(theirs, list) and hasattr(cls, name):
            found = list(_method_changes(theirs, cls, name, static))
            yield from (Change(change.kind, f"`.{name}`: {change.text}") for change in found)
            result = outcome(static)
            if result and not found and result != entry["outcomes"].get(name):
                yield Change("deed", f"`.{name}` {DEEDS[result]}")


def _method_changes(theirs: list[str], cls: type, name: str, static: Any) -> Iterator[Change]:
    if type(static).__name__ == "FluentMethod":
        static = getattr(cls, name)
    words = member(static)
    if isinstance(words, list):
        yield from changes(parsed(theirs), parsed(words))
    elif not callable(getattr(cls, name)):
        yield Change("other", "no method")


# ---- states


class State(NamedTuple):
    """What a name of MXNet's is here."""

    name: str
    """One of `STATES`."""
    details: tuple[str, ...] = ()
    """What differs, and what has no effect."""
    sentences: tuple[str, ...] = ()
    """What no signature shows."""


def state(module: str, name: str) -> State:
    """The state of a name of MXNet's: what is measured, and the sentences on what no signature shows.

    Args:
        module: MXNet's name of a module.
        name: A name in it.

    Returns:
        The state, which is `differs` where a sentence is all that differs, or says more than the arguments.
    """
    measured = measure(module, name)
    told = sentences(f"{module}.{name}", measured.name)
    if not told or measured.name == "module":
        return measured
    return measured._replace(
        name=measured.name if measured.name in KEPT else "differs", sentences=tuple(told)
    )


def sentences(path: str, measured: str) -> list[str]:
    """What the file of differences says of a name, by any path of its object or by its operator."""
    paths, entry = [path], STORED
    while isinstance(entry := STORED[paths[-1].rpartition(".")[0]][paths[-1].rpartition(".")[2]], str):
        if not entry.startswith("= "):
            break
        paths.append(entry.removeprefix("= "))
    operator = entry.get("operator", "") if isinstance(entry, dict) else ""
    rows = [row for row in DIFFERENCES if row.get("only", measured) == measured]
    return [
        row["text"]
        for row in rows
        if any(fnmatchcase(p, pattern) for p in paths for pattern in row.get("names", ()))
        or any(fnmatchcase(operator, pattern) for pattern in row.get("operators", ()))
    ]


def measure(module: str, name: str) -> State:
    """The state of a name of MXNet's by its signature and ours, or by the source where it says all of it."""
    theirs, here = described(f"{module}.{name}"), ours(module, name)
    if isinstance(here, ModuleType):
        return State("module")
    if hasattr(here, "numpy_function"):
        return State("NumPy's")
    if not isinstance(theirs, dict):
        return _of_value(theirs, here)
    result = "" if isinstance(here, type) else outcome(here)
    if result and result != theirs.get("outcome"):
        return State(DEEDS[result], (_refusal(here) if result == "refuses" else _sentence(here),))
    found = list(dict.fromkeys(_all_changes(theirs, here)))
    details = [change.text for change in found]
    if idle := without_effect(here):
        details.append(f"without effect: {', '.join(f'`{n}`' for n in idle)}")
    kinds = {change.kind for change in found}
    name = "differs" if "deed" in kinds else " and ".join(kinds)
    names = {
        "": "named" if is_named(theirs, here) else "same",
        "less": "fewer arguments",
        "differs": "differs",
    }
    return State((names | {"more": "more arguments"}).get(name, "other arguments"), tuple(details))


def is_named(theirs: dict[str, Any], here: Any) -> bool:
    """Whether MXNet shows `*args, **kwargs`, of which we name some."""
    listed = parsed(theirs["arguments"] or ())
    own = {a.name for a in parsed(arguments(here) or ()) if a.kind not in ("*", "**")}
    passes = {"*", "**"} <= {a.kind for a in listed} and "operator" not in theirs
    return passes and not own <= {a.name for a in listed}


def _of_value(theirs: str | None, here: Any) -> State:
    """The state of what is neither function nor class of MXNet's, or is listed by MXNet and not there."""
    if theirs in (None, "module"):
        return State(
            "other value", (f"MXNet {'has a module' if theirs else 'lists it and does not have it'}",)
        )
    _, kind, *shown = theirs.split(" ", 2)
    if kind == "class":
        return State("same") if here.__name__.rstrip("_") == shown[0].rstrip("_") else State("other value")
    alike_types = type(here).__name__.partition("[")[0] in (kind.partition("[")[0], "dtype", "float32")
    if shown and not alike(shown[0], text(here)):
        return State("other value", (f"`{text(here)}`, not `{shown[0]}`",))
    return State("same") if alike_types else State("other value", (f"{type(here).__name__}, not {kind}",))


def _all_changes(theirs: dict[str, Any], here: Any) -> Iterator[Change]:
    words = arguments(here)
    if theirs["arguments"] is not None and words is not None:
        if "operator" in theirs:
            yield from operator_changes(theirs, parsed(words))
        else:
            also = {f"also `{name}`" for name in theirs.get("also", ())}
            found = changes(parsed(theirs["arguments"]), parsed(words))
            yield from (change for change in found if change.text not in also)
    if isinstance(here, type) and "members" in theirs:
        yield from member_changes(theirs, here)


def _refusal(function: Any) -> str:
    """The error that a function raises, called with the names of the arguments that it requires."""
    required = [a.name for a in parsed(arguments(function) or ()) if a.kind == "by place" and is_required(a)]
    try:
        function(*required)
    except (MXNetError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError(f"{function}: an error is required of what its source refuses.")


def _sentence(function: Any) -> str:
    return (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")


def without_effect(function: Any) -> list[str]:
    """The arguments that our docstring says have no effect."""
    docs = [inspect.getdoc(function) or ""]
    if isinstance(function, type):
        docs.append(inspect.getdoc(function.__init__) or "")  # type: ignore[misc]
    found = [item for doc in docs for part in parts(doc) if part.kind in LISTS for item in part.entries]
    return list(dict.fromkeys(name for name, meaning in found if name not in FRAME and IDLE.search(meaning)))
