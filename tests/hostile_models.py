"""Models that nobody wrote in good faith, each read in a process of its own with limits.

python -m tests.hostile_models OUT.json [REGEX] [--every N] [--seed S] [--entries import,verify]

The models are ONNX's own test cases, with one attribute, constant input or declared shape at an extreme. A
model may be imported, or refused by an error of ours in less than 10 s of processor time and 2 × its size +
64 MB.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from onnx import AttributeProto, ModelProto, TensorProto, helper, numpy_helper

from tests.case_processes import Job, run_jobs
from tests.onnx_cases import cases
from tests.verdicts import FINE, Limits, judged

INTEGERS = (-(1 << 63), (1 << 63) - 1, -(1 << 31), (1 << 31) - 1, 10**9, -65, 65, -2, -1, 0, 1, 17, 40)
FLOATS = (float("nan"), float("inf"), -float("inf"), 0.0, -1.0, 3e38, 1e-45)
TEXTS = (b"", b"\0", b"\xff\xfe", b"a" * 100_000, b"...ij,jk->ik", b"......ij,jk->ik")
SECONDS = 10
EXTRA = 64 << 20


class Hostile(NamedTuple):
    """A model, and what is odd about it."""

    name: str
    make: Callable[[], ModelProto]


# ---- the models


def hostile(case: str, model: ModelProto) -> Iterator[Hostile]:
    """The models that differ from a good one in one place."""
    for place, node in enumerate(model.graph.node):
        for number, attribute in enumerate(node.attribute):
            for value in values_of(attribute):
                yield Hostile(
                    f"{case}: {node.op_type}.{attribute.name} = {str(value)[:40]}",
                    lambda p=place, n=number, v=value: with_attribute(model, p, n, v),
                )
        for extra in ("axis", "batch_dims", "nonsense"):
            yield Hostile(
                f"{case}: {node.op_type} with {extra}",
                lambda p=place, e=extra: with_more(model, p, e),
            )
        for count in (0, 1, 40):
            yield Hostile(
                f"{case}: {node.op_type} of {count} inputs", lambda p=place, c=count: with_inputs(model, p, c)
            )
    for number, info in enumerate(model.graph.input):
        if info.type.tensor_type.elem_type in (TensorProto.INT64, TensorProto.INT32):
            for integer in INTEGERS:
                yield Hostile(
                    f"{case}: constant {info.name} = {integer}",
                    lambda n=number, v=integer: with_constant(model, n, v),
                )
        for shape in ((1 << 62, 4), (-3,), (1,) * 70, (1 << 31,), ()):
            yield Hostile(
                f"{case}: input {info.name} of shape {str(shape)[:20]}",
                lambda n=number, s=shape: with_shape(model, n, s),
            )


def values_of(attribute: AttributeProto) -> list[object]:
    """What an attribute is set to."""
    kind = attribute.type
    if kind == AttributeProto.INT:
        return [*INTEGERS, [1, 2], b"text"]
    if kind == AttributeProto.INTS:
        length = len(attribute.ints)
        return [*([v] * max(length, 1) for v in INTEGERS), [], [1] * 100, [0] * (length + 1)]
    if kind == AttributeProto.FLOAT:
        return [*FLOATS, 7]
    if kind == AttributeProto.FLOATS:
        return [[], [float("nan")], [1.0] * 1000]
    if kind == AttributeProto.STRING:
        return [*TEXTS, 3]
    if kind == AttributeProto.STRINGS:
        return [[], [b"\xff"], [b"x"] * 1000]
    return [3, b"text"]


def copied(model: ModelProto) -> ModelProto:
    proto = ModelProto()
    proto.CopyFrom(model)
    return proto


def with_attribute(model: ModelProto, place: int, number: int, value: object) -> ModelProto:
    proto = copied(model)
    attributes = proto.graph.node[place].attribute
    new = helper.make_attribute(attributes[number].name, value) if value != [] else AttributeProto()
    if value == []:
        new.name, new.type = attributes[number].name, attributes[number].type
    attributes[number].CopyFrom(new)
    return proto


def with_more(model: ModelProto, place: int, name: str) -> ModelProto:
    proto = copied(model)
    proto.graph.node[place].attribute.append(helper.make_attribute(name, -2))
    return proto


def with_inputs(model: ModelProto, place: int, count: int) -> ModelProto:
    proto = copied(model)
    inputs = [*proto.graph.node[place].input]
    proto.graph.node[place].input[:] = (inputs * (count // max(len(inputs), 1) + 1))[:count]
    return proto


def with_constant(model: ModelProto, number: int, value: int) -> ModelProto:
    proto = copied(model)
    info = proto.graph.input[number]
    shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
    dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    limits = np.iinfo(dtype)
    array = np.full(shape, min(max(value, limits.min), limits.max), dtype)
    proto.graph.initializer.append(numpy_helper.from_array(array, info.name))
    del proto.graph.input[number]
    return proto


def with_shape(model: ModelProto, number: int, shape: tuple[int, ...]) -> ModelProto:
    proto = copied(model)
    dims = proto.graph.input[number].type.tensor_type.shape
    del dims.dim[:]
    for size in shape:
        dims.dim.add(dim_value=size)
    return proto


# ---- what is done with them


def read(data: bytes, entry: str) -> None:
    import hybridonnx as mx

    if entry == "metadata":
        mx.onnx.get_model_metadata(data)
    elif entry == "import":
        mx.onnx.import_model(data)
    elif entry == "gluon":
        mx.onnx.import_to_gluon(data)
    elif entry == "inspect":
        str(mx.onnx.inspect(data))
    elif entry == "verify":
        str(mx.onnx.verify(data, data))
    elif entry == "isolated":
        limits = mx.onnx.Isolation(memory=1 << 30, seconds=SECONDS)
        str(mx.onnx.verify(data, data, isolated=limits))
    else:
        raise ValueError(f"one of {', '.join(ENTRIES)} is required, got {entry}")


ENTRIES = ("metadata", "import", "gluon", "inspect", "verify", "isolated")
"""All that read a stranger's model."""
ENDED = ("Crash", "Timeout", "slow", "memory")
"""What a model may do to a process that runs it in ONNX Runtime, and not to one that has `isolated`."""


def verdict(data: bytes, entry: str) -> str:
    """Fine if all is well: read, or refused in time by an error of ours."""
    limits = Limits(SECONDS, 2 * len(data) + EXTRA, runs=entry == "verify")
    return judged(lambda: read(data, entry), limits)


@cache
def models(pattern: str, every: int, seed: int | None = None) -> list[Hostile]:
    """One case of each operator, and the models made of it: all, or a part, in another order by a seed."""
    result: list[Hostile] = []
    shown: set[object] = set()
    for case in cases():
        if case.kind != "node" or not re.search(pattern, case.name):
            continue
        model = case.model
        key = frozenset((n.op_type, *sorted(a.name for a in n.attribute)) for n in model.graph.node)
        if key in shown:
            continue
        shown.add(key)
        result += hostile(case.name, model)
    if seed is not None:
        Random(seed).shuffle(result)
    return result[::every]


def warm() -> None:
    """Load what reading loads, so that the memory of one model is its own."""
    for name in ("relu", "einsum_batch_matmul", "gather_0", "lstm_defaults"):
        data = cases(f"^test_{name}$")[0].model.SerializeToString()
        for entry in ENTRIES[:-1]:
            read(data, entry)


def verdicts(
    todo: Sequence[Hostile], entries: Sequence[str], processes: int = 1
) -> Iterator[tuple[str, str]]:
    """What becomes of each model at each entry, by name."""
    warm()

    def work(job: Job) -> str:
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
        return verdict(todo[job.case].make().SerializeToString(), job.mode)

    jobs = [Job(i, entry) for i in range(len(todo)) for entry in entries]
    for job, result in run_jobs(jobs, work, processes, 4 * SECONDS):
        yield f"{job.mode} {todo[job.case].name}", result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--entries", default="metadata,import")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    todo, entries = models(options.pattern, options.every, options.seed), options.entries.split(",")
    counts: Counter[str] = Counter()
    faults = {}
    for name, result in verdicts(todo, entries, options.processes):
        counts[f"{name.partition(' ')[0]} {result if result in FINE else result.partition(':')[0]}"] += 1
        if result not in FINE:
            faults[name] = result
            options.output.write_text(json.dumps(faults, indent=1))
        if sum(counts.values()) % 500 == 0:
            print(sum(counts.values()), len(todo) * len(entries), dict(counts), file=sys.stderr, flush=True)
    by_name = {f"verify {model.name}": model for model in todo}
    ended = [name for name, fault in faults.items() if name in by_name and fault.startswith(ENDED)]
    for name, result in verdicts([by_name[name] for name in ended], ["isolated"]):
        counts[f"isolated {result if result in FINE else 'at fault'}"] += 1
        if result not in FINE:
            faults[name] = result
    options.output.write_text(json.dumps(faults, indent=1))
    print(len(todo) * len(entries), "tried", dict(counts))


if __name__ == "__main__":
    main()
