"""config.pbtxt, by which Triton knows a model: what stands in it, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..errors import MXNetError
from ..onnx.inspection import Declaration
from .datatypes import BYTES, datatype_of

Fields: TypeAlias = Mapping[str, Any]
"""A message by its fields: numbers, texts, `Word`s, messages, and lists of these."""


class Word(str):
    """A value without quotation marks, as those of enumerations."""


def pbtxt(fields: Fields) -> str:
    """A message as text, as protobuf reads it."""
    return "".join(f"{line}\n" for line in _lines(fields))


def _lines(fields: Fields) -> Iterator[str]:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _block(f"{name} {{", value, "}")
        elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            for item in value:
                yield from _block(f"{name} {{", item, "}")
        elif isinstance(value, list | tuple):
            yield f"{name}: [ {', '.join(map(_scalar, value))} ]" if value else f"{name}: [ ]"
        else:
            yield f"{name}: {_scalar(value)}"


def _block(begin: str, fields: Fields, end: str) -> Iterator[str]:
    yield begin
    for line in _lines(fields):
        yield f"  {line}"
    yield end


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Word | int | float):
        return str(value)
    return f'"{"".join(map(_letter, str(value).encode("utf-8", "surrogateescape")))}"'


def _letter(byte: int) -> str:
    if byte in (0x22, 0x5C):
        return f"\\{byte:c}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


# ---- models


@dataclass(frozen=True)
class Batching:
    """How rows of several requests are put together."""

    most: int
    """The most rows of a batch; 0 where nothing is put together."""
    preferred: tuple[int, ...] = ()
    """Sizes that are not waited beyond."""
    delay: float = 0.0
    """The longest time, in seconds, that a request waits for others."""

    def fields(self) -> Fields:
        """It as fields of a config."""
        if not self.most:
            return {}
        preferred = {"preferred_batch_size": list(self.preferred)} if self.preferred else {}
        delay = {"max_queue_delay_microseconds": round(self.delay * 1e6)} if self.delay else {}
        return {"dynamic_batching": {**preferred, **delay}}


def tensors(owner: str, items: Sequence[Declaration], batching: Batching, labels: Fields) -> list[Fields]:
    """Inputs or outputs as fields of a config; `labels` are names of files by the outputs' names."""
    return [_tensor(owner, item, batching, labels.get(item.name)) for item in items]


def _tensor(owner: str, item: Declaration, batching: Batching, labels: str | None) -> Fields:
    if item.shape is None:
        raise MXNetError(
            f"{owner}: the shape of {item.name} is required, which the model does not tell. Export it anew."
        )
    dims = [size if isinstance(size, int) else -1 for size in item.shape][1 if batching.most else 0 :]
    if 0 in dims:
        raise MXNetError(f"{owner}: sizes from 1 on are required of {item.name}, got {item.shape}.")
    fields = {
        "name": item.name,
        "data_type": Word(type_of(owner, item)),
        "dims": dims or [1],
        **({} if dims else {"reshape": {"shape": []}}),  # Triton has no shapes without axes
    }
    return {**fields, "label_filename": labels} if labels else fields


def type_of(owner: str, item: Declaration) -> str:
    """What a config calls a type."""
    datatype = datatype_of(owner, item)
    return "TYPE_STRING" if datatype == BYTES else f"TYPE_{datatype}"


def warmups(
    owner: str, inputs: Sequence[Declaration], batching: Batching, sizes: Mapping[str, int]
) -> list[Fields]:
    """Requests that Triton makes before a model is ready: of one row, and of the most.

    Nothing where a free size is in no `sizes`, by its name or by the input's and the axis.
    """
    shapes = {item.name: _known(item, batching, sizes) for item in inputs}
    if any(-1 in shape for shape in shapes.values()):
        return []
    values = {
        item.name: {
            "data_type": Word(type_of(owner, item)),
            "dims": shapes[item.name] or [1],
            "random_data" if item.dtype.startswith(("float", "bfloat")) else "zero_data": True,
        }
        for item in inputs
    }
    entries = [{"key": name, "value": value} for name, value in values.items()]
    rows = dict.fromkeys([1, max(batching.most, 1)])
    return [{"name": f"rows_{count}", "batch_size": count, "inputs": entries} for count in rows]


def _known(item: Declaration, batching: Batching, sizes: Mapping[str, int]) -> list[int]:
    """The sizes of an input without its rows; -1 is one that is not known."""
    shape = list(enumerate(item.shape or ()))[1 if batching.most else 0 :]
    return [
        size if isinstance(size, int) else sizes.get(f"{item.name}_{axis}" if size is None else size, -1)
        for axis, size in shape
    ]


def version_policy(versions: int | str | Sequence[int]) -> Fields:
    """Which of the versions Triton serves: so many of the latest, "all", or certain ones."""
    if isinstance(versions, str):
        if versions != "all":
            raise MXNetError(f'triton: versions as a number, "all" or a list is required, got {versions!r}.')
        return {"version_policy": {"all": {}}}
    if isinstance(versions, int):
        return {"version_policy": {"latest": {"num_versions": versions}}}
    return {"version_policy": {"specific": {"versions": list(versions)}}}


def instance_group(count: int, gpus: Sequence[int] | None) -> Fields:
    """How many copies of a model run, on the processor or on GPUs."""
    if gpus is None:
        return {"instance_group": [{"count": count, "kind": Word("KIND_CPU")}]}
    chosen = {"gpus": list(gpus)} if gpus else {}
    return {"instance_group": [{"count": count, "kind": Word("KIND_GPU"), **chosen}]}


def parameters(texts: Mapping[str, str]) -> Fields:
    """Texts for a backend."""
    entries = [{"key": key, "value": {"string_value": text}} for key, text in texts.items()]
    return {"parameters": entries} if entries else {}


@dataclass(frozen=True)
class Step:
    """A model in an ensemble, with the ensemble's tensors that its own are."""

    model: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]

    def fields(self) -> Fields:
        """It as a field of a config."""
        return {
            "model_name": self.model,
            "model_version": -1,
            "input_map": [{"key": key, "value": value} for key, value in self.inputs.items()],
            "output_map": [{"key": key, "value": value} for key, value in self.outputs.items()],
        }


def ensemble(steps: Sequence[Step]) -> Fields:
    """Models that run one after another."""
    return {"platform": "ensemble", "ensemble_scheduling": {"step": [step.fields() for step in steps]}}
