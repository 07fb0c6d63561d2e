"""docs/operators.md: what MXNet's operators become in ONNX files, and ONNX's when they are imported."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import onnx
from onnx import defs

from hybridonnx.converters import from_onnx
from hybridonnx.ops import Operator, doc_of, find_onnx, has_gradient, load_all, onnx_name

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "docs/operators.md"
LISTING = ROOT / "tests/oracle/operators.json"
VERSION = ".".join(onnx.__version__.split(".")[:2])
MADE_WITH = f"made with onnx {VERSION} by `scripts/operators`"

START = f"""# Operators

What each operator becomes; {MADE_WITH}. In a program `mx.onnx.get_operator_support()`
gives the names of MXNet's operators that can be exported, `mx.onnx.get_operator_support(direction="import")`
those of ONNX's that become MXNet's, and `mx.onnx.check(net, …)` tells of a model what it would be written as.
"""
EXPORT = """## From MXNet to ONNX

An operator is written as these ONNX operators: some or all of them, as its attributes, sizes and the opset
ask for it, and with a Cast where an element type does. Files have opset 18, or any from 13 on by request;
where the graph needs a newer one, `export_model` takes it or names it. "Gradient" says why there is none,
where there is none. What an operator does besides computing outputs of inputs stands last.
"""
IMPORT = f"""## From ONNX to MXNet

All versions of an operator that onnx {VERSION} knows are read. "MXNet's" names those that become MXNet's
operators, as far as these can say what a node asks for: such models train, are saved as symbol.json, and real
MXNet reads them where the names are its own. Other versions, and nodes that MXNet's operators cannot say, are
kept: the operator `_onnx_<Operator>` holds the node, runs in ONNX Runtime, or else in ONNX's reference, and
goes out again as it came. "Definition" means that ONNX's definition of the operator takes its place, whose
nodes are imported in turn. What depends on constants alone is computed at import. "Gradient when kept" tells
whether a kept node has one; where it does not, the reason is given if there can be none.
"""


def text() -> str:
    """The whole page."""
    written = _table(["MXNet's operator", "ONNX's operators", "Gradient", "Besides"], _written())
    read = _table(
        ["ONNX's operator", "MXNet's", "Other versions", "These become", "Gradient when kept"], _read()
    )
    return "\n".join([START, EXPORT, *written, "", IMPORT, *read, ""])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


# ---- export


def _written() -> list[list[str]]:
    """A row for each of the operators that MXNet has, by name."""
    names = _mxnets()
    operators: set[type[Operator]] = set(load_all().values())
    known = [cls for cls in operators if names & set(cls.names)]
    rows = [[_name(cls, names), doc_of(cls).onnx, _derived(cls), _besides(cls)] for cls in known]
    return sorted(rows, key=lambda row: row[0].lower().lstrip("`_"))


def _mxnets() -> set[str]:
    """The names that MXNet 1.9.1 lists."""
    return set(json.loads(LISTING.read_text(encoding="utf-8"))["operators"])


def _name(cls: type[Operator], names: set[str]) -> str:
    """An operator's names, that of the class first."""
    return ", ".join(f"`{name}`" for name in cls.names if name in names)


def _derived(cls: type[Operator]) -> str:
    return f"none: {cls.not_differentiable}" if cls.not_differentiable else "yes"


def _besides(cls: type[Operator]) -> str:
    """What an operator does beside computing its outputs of its inputs."""
    states = f"states: {', '.join(f'`{name}`' for name in cls.aux)}" if cls.aux else ""
    remarks = [("draws", cls.noise), ("other in training", cls.mode_dependent), (states, states)]
    return "; ".join(remark for remark, holds in remarks if holds)


# ---- import


def _read() -> Iterator[list[str]]:
    """A row for each of ONNX's operators, ONNX's own domain first."""
    history: dict[tuple[str, str], list[Any]] = {}
    for schema in sorted(defs.get_all_schemas_with_history(), key=lambda schema: schema.since_version):
        if not schema.deprecated:
            history.setdefault((schema.domain, schema.name), []).append(schema)
    for (domain, op_type), schemas in sorted(history.items()):
        yield _row(domain, op_type, schemas)


def _row(domain: str, op_type: str, schemas: list[Any]) -> list[str]:
    named = f"`{domain}.{op_type}`" if domain else f"`{op_type}`"
    known = from_onnx.versions(op_type, domain)
    ours = [schema for schema in schemas if schema.since_version in known]
    rest = [schema for schema in schemas if schema.since_version not in known]
    kinds = dict.fromkeys(_kind(op_type, domain, schema) for schema in rest)
    return [named, _versions(ours), _versions(rest), ", ".join(kinds), _gradient(op_type, domain)]


def _versions(schemas: Iterable[Any]) -> str:
    return ", ".join(str(schema.since_version) for schema in schemas)


def _kind(op_type: str, domain: str, schema: Any) -> str:
    """What becomes of a node of an operator that is not said in MXNet's."""
    if not schema.max_input:
        return "a constant"
    if not domain and (schema.has_function or schema.has_context_dependent_function):
        return "definition"
    return f"`{onnx_name(op_type, domain)}`"


def _gradient(op_type: str, domain: str) -> str:
    cls = find_onnx(onnx_name(op_type, domain))
    if cls is not None and cls.not_differentiable:
        return f"none: {cls.not_differentiable}"
    return "yes" if has_gradient(op_type, domain) else "no"


if __name__ == "__main__":
    STORED.write_text(text(), encoding="utf-8")
