"""Prints converters/schemas.jsonl: what signatures need of ONNX's operators, for graphs lowered without onnx.

Any onnx that pyproject.toml allows gives the same, as operators of an opset do not change once it is out:

    PYTHONPATH=. python scripts/_schemas.py >converters/schemas.jsonl
"""

from __future__ import annotations

import json

from onnx import defs

from hybridonnx.converters.opsets import OLDEST, STORED, Description, description


def table() -> list[Description]:
    """The versions of ONNX's own operators that are in force at an opset of the table."""
    rows: dict[str, list[Description]] = {}
    every = (schema for schema in defs.get_all_schemas_with_history() if not schema.domain)
    for schema in sorted(every, key=lambda schema: (schema.name, schema.since_version)):
        if schema.since_version <= STORED:
            versions = rows.setdefault(schema.name, [])
            if schema.since_version <= OLDEST:
                versions.clear()
            versions.append(description(schema))
    return [row for versions in rows.values() for row in versions]


if __name__ == "__main__":
    for row in table():
        print(json.dumps(row, separators=(",", ":")))
