"""All test cases of the installed onnx, each in four modes and in ONNX Runtime itself.

python -m tests.onnx_cases OUT.json [REGEX]      runs the cases whose names match, and prints the table
python -m tests.onnx_cases --reasons OUT.json    groups what fails by the reason
python -m tests.onnx_cases --compare A.json B.json    tells what two such files differ in
python -m tests.onnx_cases --store OUT.json      writes down what fails, which the tests then expect
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TypeProto, numpy_helper

from tests import onnx_case_table as table
from tests.case_processes import Job, run_jobs

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
STORED = ("simple", "pytorch-converted", "pytorch-operator")
TWO_STEPS = {"bfloat16": 2**-6, "float16": 2**-9}
"""Relative tolerances for sums in another order; onnx itself compares with the first."""
RANDOM = {
    r"test_bernoulli": "the outputs are drawn",
    r"test_training_dropout(?!.*zero_ratio)": "the mask is drawn",
}
"""Names of cases whose shapes and dtypes alone can be compared, with the reason."""


@dataclass
class Case:
    """A model with inputs, the outputs that are expected, and how close to these results have to be."""

    name: str
    kind: str
    rtol: float
    atol: float
    read: Callable[[], onnx.ModelProto]
    sets: Callable[[onnx.ModelProto], list[tuple[list[Any], list[Any]]]]

    @cached_property
    def model(self) -> onnx.ModelProto:
        return self.read()

    @cached_property
    def data_sets(self) -> list[tuple[list[Any], list[Any]]]:
        """Inputs and outputs as NumPy arrays, lists of such for sequences, and `None` for empty optionals."""
        return [
            ([as_value(v) for v in inputs], [as_value(v) for v in outputs])
            for inputs, outputs in self.sets(self.model)
        ]

    @cached_property
    def inputs(self) -> list[onnx.ValueInfoProto]:
        """What is fed: the inputs that have no value in the file."""
        constants = {tensor.name for tensor in self.model.graph.initializer}
        return [info for info in self.model.graph.input if info.name not in constants]

    @property
    def is_random(self) -> bool:
        return any(re.match(pattern, self.name) for pattern in RANDOM)

    def operators(self) -> list[str]:
        return sorted({node.op_type for node in self.model.graph.node})


# The cases ------------------------------------------------------------------------------------------------


def cases(pattern: str = "") -> list[Case]:
    """The cases whose names hold the pattern. To make those of nodes takes seconds.

    Those of pictures are among them if Pillow is installed, with which onnx decodes.
    """
    every = [*_of_nodes(), *_stored(), *_light()]
    if find_spec("PIL") is None:
        every = [case for case in every if not case.name.startswith("test_image_decoder")]
    return [case for case in every if re.search(pattern, case.name)]


def _of_nodes() -> Iterator[Case]:
    from onnx.backend.test.case.node import collect_testcases

    np.random.seed(0)  # onnx draws from it
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        tests = collect_testcases(None)
    for test in sorted(tests, key=lambda test: test.name):
        yield Case(
            test.name,
            "node",
            test.rtol,
            test.atol,
            lambda test=test: test.model,
            lambda _, test=test: test.data_sets,
        )


def _stored() -> Iterator[Case]:
    for kind in STORED:
        for folder in sorted((DATA / kind).iterdir()):
            file = folder / "model.onnx"
            if file.exists():
                rtol, atol = _tolerances(folder)
                yield Case(
                    folder.name,
                    kind,
                    rtol,
                    atol,
                    lambda file=file: onnx.load(file),
                    lambda model, folder=folder: _read_sets(model, folder),
                )


def _light() -> Iterator[Case]:
    """Well-known networks whose weights the file computes, in place of the real ones on the network."""
    for folder in sorted((DATA / "real").iterdir()):
        if not (folder / "data.json").exists():
            continue
        name = Path(json.loads((folder / "data.json").read_text())["url"]).name
        file = DATA / "light" / name
        rtol, atol = _tolerances(folder)
        yield Case(
            folder.name,
            "light",
            rtol,
            atol,
            lambda file=file: onnx.load(file),
            lambda model, file=file: [_ramps(model, file)],
        )


def _tolerances(folder: Path) -> tuple[float, float]:
    file = folder / "data.json"
    said = json.loads(file.read_text()) if file.exists() else {}
    return said.get("rtol", 1e-3), said.get("atol", 1e-7)


def _read_sets(model: onnx.ModelProto, folder: Path) -> list[tuple[list[Any], list[Any]]]:
    return [
        (_read(part, "input", model.graph.input), _read(part, "output", model.graph.output))
        for part in sorted(folder.glob("test_data_set_*"))
    ]


def _read(folder: Path, role: str, infos: Sequence[onnx.ValueInfoProto]) -> list[Any]:
    count = len(list(folder.glob(f"{role}_*.pb")))
    return [
        _parsed((folder / f"{role}_{i}.pb").read_bytes(), info.type)
        for i, info in enumerate(infos)
        if i < count
    ]


def _parsed(text: bytes, kind: TypeProto) -> Any:
    if kind.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(text))
    if kind.HasField("optional_type"):
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(text))
    return numpy_helper.to_array(onnx.TensorProto.FromString(text))


def _ramps(model: onnx.ModelProto, file: Path) -> tuple[list[Any], list[Any]]:
    """For each input numbers from 0 up to 1, from which the stored outputs were computed."""
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = []
    for info in model.graph.input:
        if info.name not in constants:
            shape = [dim.dim_value or 1 for dim in info.type.tensor_type.shape.dim]
            size = int(np.prod(shape))
            inputs.append((np.arange(size).reshape(shape) / size).astype(np.float32))
    outputs = [
        numpy_helper.to_array(onnx.load_tensor(str(file.with_name(f"{file.stem}_output_{i}.pb"))))
        for i in range(len(model.graph.output))
    ]
    return inputs, outputs


def as_value(value: Any) -> Any:
    """A value of a case in NumPy's terms."""
    if value is None or isinstance(value, dict):
        return value
    if isinstance(value, onnx.TensorProto):
        value = numpy_helper.to_array(value)
    if isinstance(value, onnx.SequenceProto):
        return numpy_helper.to_list(value)
    if isinstance(value, list | tuple):
        return [as_value(item) for item in value]
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        texts = [x.decode() if isinstance(x, bytes) else str(x) for x in array.reshape(-1)]
        array = np.array(texts, dtype=object).reshape(array.shape)
    return array


# The comparison -------------------------------------------------------------------------------------------


def compare(results: Sequence[Any], expected: Sequence[Any], case: Case) -> None:
    if len(results) != len(expected):
        raise AssertionError(f"{len(expected)} outputs are expected, got {len(results)}")
    for i, (y, target) in enumerate(zip(results, expected, strict=True)):
        _compare(y, target, case, f"output {i}")


def _compare(y: Any, target: Any, case: Case, place: str) -> None:
    if target is None or isinstance(target, list | dict):
        if type(y) is not type(target):
            raise AssertionError(f"{place}: a {type(target).__name__} is expected, got {type(y).__name__}")
        results: Any = y
        items: Any = target or ()
        if len(y or ()) != len(items):
            raise AssertionError(f"{place}: {len(items)} items are expected, got {len(y)}")
        for key in items if isinstance(items, dict) else range(len(items)):
            _compare(results[key], items[key], case, f"{place}[{key}]")
        return
    y = as_value(y)
    if not isinstance(y, np.ndarray):
        raise AssertionError(f"{place}: an array is expected, got {type(y).__name__}")
    if y.dtype != target.dtype:
        raise AssertionError(f"{place}: dtype {target.dtype} is expected, got {y.dtype}")
    if y.shape != target.shape:
        raise AssertionError(f"{place}: shape {target.shape} is expected, got {y.shape}")
    if not case.is_random:
        _compare_numbers(y, target, case, place)


def _compare_numbers(y: Any, target: Any, case: Case, place: str) -> None:
    exact = target.dtype.kind in "Obiu" or target.dtype.name.lstrip("u").startswith("int")
    if exact:
        right = y == target
    else:
        rtol = max(case.rtol, TWO_STEPS.get(target.dtype.name, 0))
        if target.dtype.kind == "V":  # of ml_dtypes
            y, target = y.astype(np.float32), target.astype(np.float32)
        with np.errstate(all="ignore"):
            right = np.isclose(y, target, rtol=rtol, atol=max(case.atol, _rounding(target)), equal_nan=True)
    wrong = int(np.size(right) - np.sum(right))
    if wrong:
        at = tuple(int(i) for i in np.argwhere(~np.asarray(right))[0])
        raise AssertionError(
            f"{place}: {wrong} of {np.size(right)} numbers differ, at {at} {y[at]} from {target[at]}"
        )


def _rounding(target: Any) -> float:
    """What sums of numbers as large as the largest may be off by where they cancel."""
    finite = np.abs(target[np.isfinite(target)])
    step = np.finfo(target.dtype).eps if target.dtype.char in "efdFD" else 0.0
    return float(4 * finite.max(initial=0) * step)


# The modes ------------------------------------------------------------------------------------------------


def run_mode(case: Case, mode: str) -> None:
    """Raise what goes wrong with a case in a mode."""
    run = _RUNNERS[mode](case)
    for inputs, outputs in case.data_sets:
        compare(run(inputs), outputs, case)


def verdict(case: Case, mode: str) -> str:
    """Either "ok", or what goes wrong, in a line."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            run_mode(case, mode)
        except Exception as exc:  # noqa: BLE001 - a verdict is wanted whatever is raised
            return f"{type(exc).__name__}: {' '.join(str(exc).split())}"[:400]
    return "ok"


Run = Callable[[list[Any]], list[Any]]


def _block(case: Case) -> Any:
    from hybridonnx.onnx import import_to_gluon

    return import_to_gluon(case.model.SerializeToString())


def _calls(block: Any) -> Run:
    def run(inputs: list[Any]) -> list[Any]:
        results = block(*map(_fed, inputs))
        several = len(block._graph[1].outputs) > 1
        return [_fetched(y) for y in (results if several else [results])]

    return run


def _fed(value: Any) -> Any:
    from hybridonnx.ndarray.ndarray import NDArray

    if isinstance(value, list):
        return [_fed(item) for item in value]
    if not isinstance(value, np.ndarray):
        return value
    return NDArray(value.copy())


def _fetched(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_fetched(item) for item in value]
    return value.asnumpy() if hasattr(value, "asnumpy") else value


def _eager(case: Case) -> Run:
    return _calls(_block(case))


def _hybridized(case: Case) -> Run:
    block = _block(case)
    block.hybridize()
    return _calls(block)


def _saved(case: Case) -> Run:
    """Written in MXNet's formats and read back."""
    import hybridonnx as mx

    block = _block(case)
    with tempfile.TemporaryDirectory() as folder:
        symbol_file, params_file = block.export(os.path.join(folder, "model"))
        names = [info.name for info in case.inputs]
        return _calls(mx.gluon.SymbolBlock.imports(symbol_file, names, params_file))


def _exported(case: Case) -> Run:
    """Written as ONNX again, and run by ONNX Runtime, or by onnx itself where that cannot run it."""
    from tests.runtimes import CannotRunError, evaluated, plain

    model = _export(_block(case), case)

    def run(inputs: list[Any]) -> list[Any]:
        try:
            return plain(model)(inputs)
        except CannotRunError:
            return evaluated(model)(inputs)

    return run


def _plain(case: Case) -> Run:
    """Written as ONNX again, and run by ONNX Runtime alone."""
    from tests.runtimes import plain

    return plain(_export(_block(case), case))


def _export(block: Any, case: Case) -> onnx.ModelProto:
    from hybridonnx.errors import ConversionError

    try:
        return written(block, case, None)
    except ConversionError:
        return written(block, case, _newest())


def written(block: Any, case: Case, opset: int | None) -> onnx.ModelProto:
    """What a block of a case is exported as."""
    import hybridonnx as mx
    from hybridonnx.converters.values import dtype_of_type

    shapes = {info.name: _declared(info, i, case) for i, info in enumerate(case.inputs)}
    types = {info.name: dtype_of_type(info.type) for info in case.inputs}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        mx.onnx.export_model(block, path, input_shapes=shapes, in_types=types, opset_version=opset)
        return onnx.load(path)


def _newest() -> int:
    return onnx.defs.onnx_opset_version()


def _declared(info: onnx.ValueInfoProto, index: int, case: Case) -> Any:
    tensor = info.type.tensor_type
    if not info.type.HasField("tensor_type"):
        return ()
    if not tensor.HasField("shape"):
        return np.shape(case.data_sets[0][0][index])
    return tuple(d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in tensor.shape.dim)


def _runtime(case: Case) -> Run:
    from tests.runtimes import plain

    return plain(case.model)


def _lowered(case: Case) -> Run:
    from tests.runtimes import plain, with_older_versions

    return plain(with_older_versions(case.model))


_RUNNERS: dict[str, Callable[[Case], Run]] = {
    "eager": _eager,
    "hybridized": _hybridized,
    "saved": _saved,
    "exported": _exported,
    "plain": _plain,
    "runtime": _runtime,
    "lowered": _lowered,
}


# The command ----------------------------------------------------------------------------------------------


@dataclass
class Options:
    """What is run, and how."""

    pattern: str = ""
    modes: Sequence[str] = table.MODES
    part: tuple[int, int] = (0, 1)
    """Every n-th case, from the i-th on."""
    sample: int = 0
    """So many of them alone, the same each time; 0 is all."""
    processes: int = 1
    timeout: float = 60
    progress: Callable[[int, int], None] = field(default=lambda done, count: None)


def scan(options: Options) -> table.Results:
    """The verdict on each case in each mode. Crashes and hangs are verdicts, as each case runs in a child."""
    index, count = options.part
    chosen = cases(options.pattern)[index::count]
    if 0 < options.sample < len(chosen):
        chosen = Random(0).sample(chosen, options.sample)
    jobs = [Job(i, mode) for i in range(len(chosen)) for mode in options.modes]

    def work(job: Job) -> str:
        return verdict(chosen[job.case], job.mode)

    results: table.Results = {
        case.name: {"kind": case.kind, "operators": " ".join(case.operators())} for case in chosen
    }
    for done, (job, text) in enumerate(run_jobs(jobs, work, options.processes, options.timeout)):
        results[chosen[job.case].name][job.mode] = text
        options.progress(done + 1, len(jobs))
    return results


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.onnx_cases", description=__doc__)
    parser.add_argument("out", nargs="?", help="the file of verdicts that is written")
    parser.add_argument("pattern", nargs="?", default="", help="a regular expression for names of cases")
    parser.add_argument("--modes", default=",".join(table.MODES), help="those to run, by commas")
    parser.add_argument("--part", default="0/1", help="I/N: every N-th case from the I-th on")
    parser.add_argument("--sample", type=int, default=0, help="how many cases are drawn; 0 is all")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a case in a mode")
    parser.add_argument("--reasons", metavar="FILE", help="group what fails in a file by the reason")
    parser.add_argument("--compare", nargs=2, metavar=("BEFORE", "AFTER"), help="what two files differ in")
    parser.add_argument("--store", metavar="FILE", help="make what fails in a file the expected failures")
    parser.add_argument("--quiet", action="store_true")
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    if arguments.reasons:
        print(table.reasons(table.read(arguments.reasons), arguments.modes.split(",")))
    elif arguments.compare:
        before, after = map(table.read, arguments.compare)
        print(table.differences(before, after))
    elif arguments.store:
        table.store(table.read(arguments.store))
    elif arguments.out:
        index, count = map(int, arguments.part.split("/"))
        options = Options(
            pattern=arguments.pattern,
            modes=arguments.modes.split(","),
            part=(index, count),
            sample=arguments.sample,
            processes=arguments.processes,
            timeout=arguments.timeout,
            progress=lambda done, of: None if arguments.quiet else table.show_progress(done, of),
        )
        results = scan(options)
        table.write(arguments.out, results)
        print(table.counts(table.rows(results)))


if __name__ == "__main__":
    main()
