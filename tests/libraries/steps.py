"""The steps that each model takes, with hybridonnx and with real MXNet."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.libraries.harness import Numbers, Sample

__all__ = ["MODEL_STEPS", "NEEDS", "OUTCOME", "DisagreementError", "Trial", "record_results"]

mx: Any = import_module("mxnet")

TUNE_RATE = 1e-3
OUTCOME = "outcome.json"
"""What became of a row with real MXNet, in its folder of results."""
STRICT = ("output", "loss")
TOLERANT = ("gradient", "second")
LAST_BITS = 8 * float(np.finfo(np.float32).eps)
"""How far off MXNet's BatchNorm of float32 is; in float64 gradients of SSD agree with MXNet's to 2e-8."""
MOST_OF_LAST_BITS = 0.25
"""What two training steps may be apart at most, whatever the last bits of the parameters decide."""


class DisagreementError(Exception):
    """Numbers that should be the same, or be finite, are not."""


Steps = dict[str, list[np.ndarray]]
"""Of two training steps: the loss of each, and the norms of the first one's gradients."""


@dataclass
class Trial:
    """A model on its way through the steps.

    Attributes:
        build: Gives its sample.
        folder: For the files that it writes.
        results: The folder with what real MXNet made of it; None if there is none.
        sample: What `build` gave.
        outputs: What the block gives eagerly.
        steps: Of two training steps, run eagerly.
        imported: The block of the ONNX file.
    """

    build: Callable[[], Sample]
    folder: Path
    results: Path | None = None
    sample: Sample = field(init=False)
    outputs: list[np.ndarray] = field(default_factory=list)
    steps: Steps = field(default_factory=dict)
    imported: Any = None

    @property
    def start(self) -> str:
        """The file of the parameters before any step."""
        return str(self.folder / "start.params")

    @property
    def prefix(self) -> str:
        """The beginning of the native files' names."""
        return str(self.folder / "model")


def build(trial: Trial) -> str:
    """Make the model, and run it once so that all shapes are known."""
    trial.sample = sample = seeded(trial.build)
    sample.net(*sample.inputs)
    sample.net.save_parameters(trial.start)
    return f"{sum(np.prod(p.shape) for p in parameters(sample.net)) / 1e6:.2f} M parameters"


def eager(trial: Trial) -> str:
    """Predict with operators one by one."""
    trial.outputs = predict(trial.sample.net, trial.sample.inputs)
    return " ".join(str(y.shape).replace(" ", "") for y in trial.outputs)


def train(trial: Trial) -> str:
    """Two steps of SGD: the loss is finite, parameters change, and the loss does."""
    trial.steps, text = watched_steps(trial.sample)
    if trial.steps["loss"] == trial.steps["second"]:
        raise DisagreementError(text)
    return text


def watched_steps(sample: Sample) -> tuple[Steps, str]:
    """Two steps that have to change something, and what they did."""
    before = [p.data().asnumpy().copy() for p in parameters(sample.net)]
    steps = two_steps(sample)
    after = [p.data().asnumpy() for p in parameters(sample.net)]
    changed = sum(not np.array_equal(a, b) for a, b in zip(after, before, strict=True))
    first, second = float(steps["loss"][0]), float(steps["second"][0])
    text = f"{first:.6g} → {second:.6g}, {changed} of {len(before)} parameters change"
    if not changed:
        raise DisagreementError(text)
    return steps, text


def hybridize(trial: Trial) -> str:
    """The same, compiled: predictions, losses and gradients agree with those before."""
    sample = trial.sample
    restore(trial)
    try:
        away = {"output": difference(predict(sample.net, sample.inputs), trial.outputs, sample.tolerance)}
        sample.net.hybridize()
        away |= steps_apart(two_steps(sample), trial.steps, sample, trial.start)
    finally:
        restore(trial)
    return said(away)


def restore(trial: Trial) -> None:
    """Hybridize the block with the parameters that it had in the beginning."""
    trial.sample.net.load_parameters(trial.start, allow_missing=True)
    trial.sample.net.hybridize()


def native(trial: Trial) -> str:
    """Export MXNet's files; read as a block, they agree."""
    sample = trial.sample
    restore(trial)
    sample.net(*sample.inputs)
    sample.net.export(trial.prefix)
    values = predict(native_block(trial.prefix, sample), sample.inputs)
    return f"{difference(values, trial.outputs, sample.tolerance):.0e}"


def onnx(trial: Trial) -> str:
    """Export ONNX; ONNX Runtime alone agrees, for other sizes of free axes as well."""
    sample, file = trial.sample, f"{trial.prefix}.onnx"
    names = input_names(sample)
    shapes = [
        tuple(f"size{i}" if i in sample.free else size for i, size in enumerate(x.shape))
        for x in sample.inputs
    ]
    mx.onnx.export_model(
        f"{trial.prefix}-symbol.json",
        f"{trial.prefix}-0000.params",
        dict(zip(names, shapes, strict=True)),
        [x.dtype for x in sample.inputs],
        file,
    )
    away = difference(run_onnx(file, names, sample.inputs), trial.outputs, sample.tolerance)
    if 0 in sample.free:
        twice = [mx.nd.concat(x, x, dim=0) for x in sample.inputs]
        expected = predict(sample.net, twice)
        away = max(away, difference(run_onnx(file, names, twice), expected, sample.tolerance))
    operators = operators_in(file)
    missing = [name for name in sample.nodes if name not in operators]
    if missing:
        raise DisagreementError(f"the file has no {', '.join(missing)}")
    return f"{away:.0e}"


def back(trial: Trial) -> str:
    """Read the ONNX file as a block, which agrees."""
    trial.imported = mx.onnx.import_to_gluon(f"{trial.prefix}.onnx")
    away = difference(predict(trial.imported, file_inputs(trial)), trial.outputs, trial.sample.tolerance)
    return f"{away:.0e}"


def tune(trial: Trial) -> str:
    """Train what came back for a step, on the mean square of its outputs."""
    squares = sum(float(np.square(y, dtype="float64").mean()) for y in trial.outputs if y.size)
    rate = TUNE_RATE / max(squares, 1.0)  # boxes are in hundreds of pixels
    sample = Sample(trial.imported, file_inputs(trial), mean_square, learning_rate=rate)
    return watched_steps(sample)[1]


def compare_with_mxnet(trial: Trial) -> str:
    """With real MXNet's parameters, training gives its outputs and losses; its exported files do as well."""
    results = require_results(trial.results)
    trial.sample = sample = seeded(trial.build)
    settle(sample)
    sample.net(*sample.inputs)
    sample.net.load_parameters(str(results / "start.params"))
    with np.load(results / "results.npz") as file:
        theirs = {
            group: [file[name] for name in sorted_names(file.files, group)]
            for group in ("input", *TOLERANT, *STRICT)
        }
    inputs = [*sample.inputs, *(sample.train_inputs or [])]
    apart = difference([x.asnumpy() for x in inputs], theirs["input"], sample.tolerance, "input")
    for x, value in zip(inputs, theirs["input"], strict=True):
        x[:] = value  # to the last bit, of which deep networks make much
    ours = results_of(sample)
    try:
        away = {"input": apart}
        for group in STRICT:
            away[group] = difference(ours[group], theirs[group], sample.tolerance, group)
    finally:
        sample.net.load_parameters(str(results / "after.params"))
    away |= steps_apart(ours, theirs, sample, str(results / "start.params"))
    if (results / "model-symbol.json").is_file():
        read = native_block(str(results / "model"), sample)
        away["files"] = difference(predict(read, sample.inputs), theirs["output"], sample.tolerance)
    return said(away)


MODEL_STEPS: dict[str, Callable[[Trial], str]] = {
    "build": build,
    "eager": eager,
    "train": train,
    "hybridize": hybridize,
    "native": native,
    "onnx": onnx,
    "back": back,
    "tune": tune,
    "mxnet": compare_with_mxnet,
}
NEEDS = {
    "eager": ["build"],
    "train": ["build"],
    "hybridize": ["eager", "train"],
    "native": ["eager"],
    "onnx": ["native"],
    "back": ["onnx"],
    "tune": ["back"],
    "mxnet": ["build"],
}


def require_results(results: Path | None) -> Path:
    """A folder in which real MXNet left what it gives.

    Raises:
        DisagreementError: If there is none, or MXNet failed.
    """
    if results is None or not (results / OUTCOME).is_file():
        raise DisagreementError("real MXNet has not come to it")
    outcome = json.loads((results / OUTCOME).read_text(encoding="utf-8"))
    if outcome["state"] != "ok":
        raise DisagreementError(f"with real MXNet {outcome['text']}")
    return results


def arrays(numbers: Numbers | None) -> dict[str, np.ndarray]:
    """What a check gives, as arrays of NumPy."""
    return {
        name: np.asarray(x.asnumpy() if hasattr(x, "asnumpy") else x) for name, x in (numbers or {}).items()
    }


def record_numbers(check: Callable[[], Numbers | None], results: Path) -> str:
    """Run a check with real MXNet, and keep its numbers."""
    kept: Any = arrays(seeded(check))
    np.savez(results / "numbers.npz", **kept)
    return ""


def compare_numbers(numbers: dict[str, np.ndarray], results: Path, tolerance: float) -> str:
    """Compare what a check gives with real MXNet's numbers."""
    with np.load(require_results(results) / "numbers.npz") as file:
        theirs = dict(file)
    if numbers.keys() != theirs.keys():
        raise DisagreementError(f"{', '.join(theirs)} are required, got {', '.join(numbers)}")
    return said({name: difference([numbers[name]], [theirs[name]], tolerance, name) for name in theirs})


def record_results(trial: Trial) -> str:
    """Run with real MXNet, and leave parameters, files and numbers for `compare_with_mxnet`."""
    sample = seeded(trial.build)
    settle(sample)
    sample.net(*sample.inputs)
    sample.net.save_parameters(str(trial.folder / "start.params"))
    results = results_of(sample)
    sample.net.save_parameters(str(trial.folder / "after.params"))
    arrays = {f"{group} {i}": x for group, values in results.items() for i, x in enumerate(values)}
    sample.net.load_parameters(str(trial.folder / "start.params"), allow_missing=True)
    try:
        sample.net.hybridize()
        sample.net(*sample.inputs)
        sample.net.export(trial.prefix)
    except Exception as exc:  # noqa: BLE001 - there are models that MXNet cannot export
        print(f"no files of MXNet: {exc}", flush=True)
    np.savez(trial.folder / "results.npz", **arrays)
    return ""


def results_of(sample: Sample) -> dict[str, list[np.ndarray]]:
    """What a model gives before, during and after two training steps."""
    outputs = predict(sample.net, sample.inputs)
    return {
        "input": [x.asnumpy() for x in [*sample.inputs, *(sample.train_inputs or [])]],
        "output": outputs,
        **two_steps(sample),
    }


def steps_apart(steps: Steps, expected: Steps, sample: Sample, start: str) -> dict[str, float]:
    """How far two training steps are from others; what is between them and after them may be farther.

    Where they are too far, they are compared with what the last bits of the parameters decide: a deep network
    with weights that are drawn makes a per cent of them.

    Args:
        steps: What they give.
        expected: What they should give.
        sample: What was trained.
        start: The file of the parameters before them.

    Raises:
        DisagreementError: If they are farther apart than the tolerances and four times what last bits decide.
    """
    tolerances = {"loss": sample.tolerance, **dict.fromkeys(TOLERANT, sample.step_tolerance)}
    groups = [group for group in tolerances if group in expected]
    try:
        return {name: difference(steps[name], expected[name], tolerances[name], name) for name in groups}
    except DisagreementError:
        decided = last_bits(sample, start)
    away = {}
    for name in groups:
        tolerance = max(tolerances[name], min(4 * decided[name], MOST_OF_LAST_BITS))
        away[name] = difference(steps[name], expected[name], tolerance, name)
    return away


def last_bits(sample: Sample, start: str) -> dict[str, float]:
    """How far two training steps come apart when the last bits of the parameters are others."""

    def from_start(seed: int | None) -> Steps:
        sample.net.load_parameters(start, allow_missing=True)
        for parameter in parameters(sample.net) if seed is not None else ():
            value = parameter.data().asnumpy()
            signs = np.random.RandomState(seed).choice([-1, 1], value.shape)
            parameter.set_data(mx.nd.array(value * (1 + signs * LAST_BITS), dtype=value.dtype))
        return two_steps(sample)

    plain = from_start(None)
    others = [from_start(seed) for seed in range(4)]
    return {name: max(difference(y[name], plain[name], np.inf, name) for y in others) for name in plain}


def said(away: dict[str, float]) -> str:
    """How far things are apart."""
    return ", ".join(f"{name} {value:.0e}" for name, value in away.items())


def sorted_names(names: Sequence[str], group: str) -> list[str]:
    """The names of a group, by number."""
    return sorted((n for n in names if n.split()[0] == group), key=lambda n: int(n.split()[1]))


def seeded(function: Callable[[], Any]) -> Any:
    """What a function gives with all generators at the same place."""
    random.seed(1)
    np.random.seed(1)
    mx.random.seed(1)
    return function()


def settle(sample: Sample) -> None:
    """Take out what is drawn while training: dropout."""

    def still(block: Any) -> None:
        for name in ("_rate", "_dropout"):
            if isinstance(getattr(block, name, None), float):
                setattr(block, name, 0.0)

    sample.net.apply(still)
    if sample.settled is not None:
        sample.settled(sample.net)


def parameters(net: Any) -> list[Any]:
    """The parameters that are trained."""
    return [p for p in net.collect_params().values() if p.grad_req != "null"]


def flat(outputs: Any) -> list[Any]:
    """The arrays of nested outputs."""
    if isinstance(outputs, list | tuple):
        return [x for part in outputs for x in flat(part)]
    return [] if outputs is None else [outputs]


def dense(array: Any) -> Any:
    """A copy with all elements: MXNet cannot give the values of some gradients themselves."""
    return array.copy() if getattr(array, "stype", "default") == "default" else array.tostype("default")


def predict(net: Any, inputs: Sequence[Any]) -> list[np.ndarray]:
    """The outputs of a block, which are finite."""
    outputs = [y.asnumpy() for y in flat(seeded(lambda: net(*inputs)))]
    for i, y in enumerate(outputs):
        if not np.isfinite(y.astype("float64")).all():
            raise DisagreementError(f"output {i} is not finite")
    return outputs


def two_steps(sample: Sample) -> Steps:
    """What two steps of SGD give."""
    net, inputs = sample.net, sample.inputs if sample.train_inputs is None else sample.train_inputs
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": sample.learning_rate})
    losses, norms = [], []

    def step() -> None:
        with mx.autograd.record():
            loss = sample.loss(net(*inputs)).mean()
        loss.backward()
        norms.append([np.linalg.norm(np.ravel(dense(p.grad()).asnumpy())) for p in parameters(net)])
        trainer.step(1, ignore_stale_grad=True)
        losses.append(float(loss.asnumpy().reshape(())))

    for _ in range(2):
        seeded(step)
    if not np.isfinite(losses).all():
        raise DisagreementError(f"losses {losses}")
    first, second = map(np.array, losses)
    return {"loss": [first], "gradient": [np.array(norms[0])], "second": [second]}


def mean_square(outputs: Any) -> Any:
    """The sum of each floating-point output's mean square."""
    squares = [(y * y).mean() for y in flat(outputs) if np.dtype(y.dtype).kind == "f"]
    total = squares[0]
    for square in squares[1:]:
        total = total + square
    return total


def difference(
    values: Sequence[np.ndarray], expected: Sequence[np.ndarray], tolerance: float, name: str = "output"
) -> float:
    """How far arrays are apart, relative to the largest number of each.

    Raises:
        DisagreementError: If there are more or other shapes, or they are farther apart than the tolerance.
    """
    shapes, wanted = [y.shape for y in values], [y.shape for y in expected]
    if shapes != wanted:
        raise DisagreementError(f"shapes {wanted} are required, got {shapes}")
    away = 0.0
    for i, (a, b) in enumerate(zip(values, expected, strict=True)):
        if b.size == 0:
            continue
        apart = np.abs(a.astype("float64") - b.astype("float64")).max() / max(np.abs(b).max(), 1e-6)
        if not apart <= tolerance:
            raise DisagreementError(f"{name} {i} is {apart:.1e} away")
        away = max(away, float(apart))
    return away


def input_names(sample: Sample) -> list[str]:
    """The names of the inputs in exported files."""
    if sample.names is not None:
        return list(sample.names)
    return ["data"] if len(sample.inputs) == 1 else [f"data{i}" for i in range(len(sample.inputs))]


def native_block(prefix: str, sample: Sample) -> Any:
    """The block of native files."""
    return mx.gluon.SymbolBlock.imports(f"{prefix}-symbol.json", input_names(sample), f"{prefix}-0000.params")


def run_onnx(file: str, names: Sequence[str], inputs: Sequence[Any]) -> list[np.ndarray]:
    """The outputs of a file, by ONNX Runtime alone."""
    onnxruntime: Any = import_module("onnxruntime")
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    wanted = {spec.name for spec in session.get_inputs()}
    feed = {name: x.asnumpy() for name, x in zip(names, inputs, strict=True) if name in wanted}
    outputs: list[np.ndarray] = session.run(None, feed)
    return outputs


def file_inputs(trial: Trial) -> list[Any]:
    """The inputs that the ONNX file has, in its order."""
    graph = import_module("onnx").load(f"{trial.prefix}.onnx", load_external_data=False).graph
    arrays = dict(zip(input_names(trial.sample), trial.sample.inputs, strict=True))
    return [arrays[value.name] for value in graph.input]


def operators_in(file: str) -> set[str]:
    """The operators of a file, those of its subgraphs included."""
    model = import_module("onnx").load(file, load_external_data=False)

    def of_graph(graph: Any) -> set[str]:
        names = {node.op_type for node in graph.node}
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    names |= of_graph(attribute.g)
        return names

    return of_graph(model.graph)
