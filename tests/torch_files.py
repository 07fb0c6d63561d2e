"""Files that PyTorch's exporters wrote (torch_models/files), and what is tried with each of them."""

from __future__ import annotations

import io
import json
import math
import re
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort

import hybridonnx as mx
from hybridonnx.gluon import SymbolBlock
from tests.torch_facts import fingerprint, weights

FOLDER = Path(__file__).parent / "torch_models"
Arrays = dict[str, np.ndarray]


@cache
def index() -> dict[str, dict[str, str]]:
    """By model and variant, such as script-free: why there is no file of it, or nothing."""
    return json.loads((FOLDER / "models.json").read_text())


def names() -> list[str]:
    """All files: MODEL-EXPORTER-SIZES."""
    return [
        f"{model}-{variant}"
        for model, variants in index().items()
        for variant, why in variants.items()
        if not why
    ]


def failures() -> dict[str, dict[str, str]]:
    """What does not work yet: by file and step, why."""
    return json.loads((FOLDER / "failures.json").read_text())


@lru_cache(maxsize=2)
def members(model: str) -> dict[str, bytes]:
    """What is in a model's archive."""
    with tarfile.open(FOLDER / "files" / f"{model}.tar.xz") as archive:
        return {item.name: archive.extractfile(item).read() for item in archive}


@dataclass
class File:
    """A file, with what PyTorch computes."""

    proto: bytes
    is_free: bool
    facts: dict[str, Any]
    runs: list[tuple[Arrays, list[np.ndarray]]]
    """Inputs and outputs; those of a file with free sizes at a second size too."""

    @classmethod
    def read(cls, name: str) -> File:
        """The file of a name."""
        model, exporter, sizes = name.rsplit("-", 2)
        content = members(model)
        turns = ("first", "second") if sizes == "free" else ("first",)
        runs = [(_arrays(content, f"{turn}/inputs/"), _outputs(content, turn)) for turn in turns]
        proto = content[f"{exporter}-{sizes}.onnx"]
        return cls(proto, sizes == "free", json.loads(content["facts.json"]), runs)

    @property
    def has_gradients(self) -> bool:
        """Whether there is something that PyTorch has a gradient of."""
        return any((self.facts["gradients"] or {}).values())

    def shape(self, name: str) -> list[int | str]:
        """The shape of an input, in which free sizes have names."""
        return self.facts["inputs"][name] if self.is_free else list(self.runs[0][0][name].shape)


def _arrays(content: dict[str, bytes], start: str) -> Arrays:
    found = {path: data for path, data in content.items() if path.startswith(start)}
    return {path[len(start) : -len(".npy")]: np.load(io.BytesIO(data)) for path, data in found.items()}


def _outputs(content: dict[str, bytes], turn: str) -> list[np.ndarray]:
    arrays = _arrays(content, f"{turn}/outputs/")
    return [arrays[f"y{i}"] for i in range(len(arrays))]


# ---- comparisons


def agree(outputs: list[np.ndarray], expected: list[np.ndarray], tolerance: float) -> None:
    """Hold outputs to PyTorch's: shapes, dtypes, and values relative to each output's largest number."""
    assert len(outputs) == len(expected), f"{len(outputs)} outputs, PyTorch has {len(expected)}"
    for i, (output, own) in enumerate(zip(outputs, expected, strict=True)):
        assert output.shape == own.shape, f"output {i} has the shape {output.shape}, in PyTorch {own.shape}"
        assert output.dtype == own.dtype, f"output {i} is {output.dtype}, in PyTorch {own.dtype}"
        error = distance(output, own)
        assert error <= tolerance, f"output {i} differs by {error:.1e} of its largest number"


def distance(output: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference as a part of the largest number; infinite where only one is not finite."""
    a, b = output.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return math.inf
    difference = np.abs(a[finite] - b[finite]).max(initial=0)
    return difference / (np.abs(b[finite]).max(initial=0) or 1)


# ---- steps


@dataclass
class Trial:
    """A file on its way through the steps."""

    file: File
    folder: Path
    net: Any = None

    @property
    def names(self) -> list[str]:
        """The inputs' names in the block's order."""
        return [variable.name for variable in self.net._graph[0]]

    def check(self, net: Any, run: int) -> None:
        """Hold a block's outputs to PyTorch's."""
        inputs, expected = self.file.runs[run]
        outputs = net(*[mx.nd.array(inputs[name], dtype=inputs[name].dtype) for name in self.names])
        agree([o.asnumpy() for o in listed(outputs)], expected, self.file.facts["tolerance"])

    def read(self) -> None:
        """Import the file."""
        (self.folder / "model.onnx").write_bytes(self.file.proto)
        self.net = mx.onnx.import_to_gluon(str(self.folder / "model.onnx"))

    def eager(self) -> None:
        """Run it on the kernels."""
        self.net.hybridize(False)
        self.check(self.net, 0)

    def hybridized(self) -> None:
        """Run it in ONNX Runtime."""
        self.net.hybridize()
        self.check(self.net, 0)

    def second(self) -> None:
        """Run it at another size, hybridized and then eagerly."""
        for active in (True, False):
            self.net.hybridize(active)
            self.check(self.net, 1)

    def native(self) -> None:
        """Save it in MXNet's files and load it from them."""
        paths = self.net.export(str(self.folder / "net"))
        again = SymbolBlock.imports(paths[0], self.names, paths[1])
        for active in (True, False):
            again.hybridize(active)
            for run in range(len(self.file.runs)):
                self.check(again, run)

    def exported(self) -> None:
        """Write it as ONNX again, and run that in ONNX Runtime alone."""
        inputs = self.file.runs[0][0]
        shapes = [tuple(self.file.shape(name)) for name in self.names]
        types = [inputs[name].dtype for name in self.names]
        path = str(self.folder / "again.onnx")
        mx.onnx.export_model(self.net, path, input_shapes=shapes, in_types=types)
        options = ort.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 4, 1
        session = ort.InferenceSession(path, options, ["CPUExecutionProvider"])
        for run, expected in self.file.runs:
            feed = {item.name: run[item.name] for item in session.get_inputs()}
            agree(session.run(None, feed), expected, self.file.facts["tolerance"])

    def trained(self) -> None:
        """Hold the gradients of a sum of the outputs' squares to PyTorch's, eagerly and compiled."""
        for active in (False, True):
            self.net.hybridize(active)
            Gradients(self.net, self.file, self.names).check()


def listed(outputs: Any) -> list[Any]:
    """One output or several as a list."""
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


STEPS: dict[str, Callable[[Trial], None]] = {
    "import": Trial.read,
    "eager": Trial.eager,
    "hybridized": Trial.hybridized,
    "second size": Trial.second,
    "native files": Trial.native,
    "exported": Trial.exported,
    "gradients": Trial.trained,
}


def steps(file: File) -> Iterator[tuple[str, Callable[[Trial], None]]]:
    """The steps that a file takes."""
    for name, step in STEPS.items():
        if (name != "second size" or file.is_free) and (name != "gradients" or file.has_gradients):
            yield name, step


def tried(name: str, folder: Path, known: dict[str, str]) -> dict[str, str]:
    """Why steps fail, by step; after an import that fails none is tried, nor what is known as not tried."""
    file = File.read(name)
    trial = Trial(file, folder)
    reasons = {}
    for title, step in steps(file):
        if known.get(title, "").startswith("not tried"):
            reasons[title] = known[title]
            continue
        try:
            step(trial)
        except Exception as exc:  # noqa: BLE001  (any is the reason)
            reasons[title] = reason(exc)
            if title == "import":
                break
    return reasons


def reason(exc: Exception) -> str:
    """An error in a line."""
    lines = [line.strip() for line in str(exc).splitlines() if line.strip()]
    text = " ".join(lines[:4]) if lines and lines[0].endswith(":") else (lines or [""])[0]
    text = re.sub(r"/\S*/", "", text)
    return f"{type(exc).__name__}: {text}"[:240]


# ---- gradients


@dataclass
class Gradients:
    """Gradients of the weighted sum of squares of all outputs that are real numbers."""

    net: Any
    file: File
    names: list[str]

    def check(self) -> None:
        """Hold those of inputs to PyTorch's, and of parameters to PyTorch's or else to the loss's slope."""
        facts, inputs = self.file.facts["gradients"], self.inputs()
        self.backward(inputs)
        for name, fact in facts["inputs"].items():
            if name in self.names:
                leaf = inputs[self.names.index(name)]
                fault = self.fault([(leaf.asnumpy(), leaf.grad.asnumpy())], *fact[:2])
                assert not fault, f"input {name}: {fault}"
        for parameter in self.unlike(facts["parameters"]):
            self.slope(parameter)

    def unlike(self, facts: dict[str, list[float]]) -> list[Any]:
        """The parameters whose gradients are not PyTorch's: exporters fold, fuse and share parameters."""
        alike: dict[str, list[Any]] = {}
        for parameter in self.parameters():
            values = parameter.data().asnumpy()
            same = next((name for name, fact in facts.items() if fact[2] == fingerprint(values)), "")
            alike.setdefault(same, []).append((parameter, values, parameter.grad().asnumpy()))
        others = [parameter for parameter, *_ in alike.pop("", [])]
        for name, group in alike.items():
            if self.fault([(values, gradient) for _, values, gradient in group], *facts[name][:2]):
                others += [parameter for parameter, *_ in group]
        return others

    @property
    def total(self) -> float:
        """The norm of all gradients in PyTorch; what is small beside it may be rounding."""
        facts = self.file.facts["gradients"]
        return math.hypot(*[fact[0] for kind in facts.values() for fact in kind.values()])

    def inputs(self) -> list[Any]:
        """The arrays of the first run, with gradients where they are real numbers."""
        values = self.file.runs[0][0]
        arrays = [mx.nd.array(values[name], dtype=values[name].dtype) for name in self.names]
        for array in arrays:
            if is_real(array):
                array.attach_grad()
        return arrays

    def parameters(self) -> list[Any]:
        """The parameters that training changes."""
        own = self.net.collect_params().values()
        return [p for p in own if p.grad_req != "null" and is_real(p.data())]

    def backward(self, inputs: list[Any]) -> None:
        """Compute the gradients."""
        with mx.autograd.record(train_mode=False):
            real = [o.astype("float32").reshape((-1,)) for o in listed(self.net(*inputs)) if is_real(o)]
            squares = [(o**2 * mx.nd.array(weights(o.size))).sum() for o in real]
            loss = sum(squares[1:], squares[0])
        loss.backward()

    def fault(self, pairs: list[Any], norm: float, product: float) -> str:
        """How values and gradient, which may be in parts, differ from PyTorch's; nothing if they do not."""
        values, gradients = (
            np.concatenate([a.ravel() for a in part]).astype(np.float64) for part in zip(*pairs, strict=True)
        )
        assert np.isfinite(gradients).all(), "a gradient is not finite"
        limit = 20 * self.file.facts["tolerance"] * norm + 1e-6 * self.total
        size, own = float(np.linalg.norm(gradients)), float(values @ gradients)
        if len(pairs) == 1 and not abs(size - norm) <= limit:
            return f"the gradient's norm is {size:.6g}, in PyTorch {norm:.6g}"
        if not abs(own - product) <= limit * float(np.linalg.norm(values)):
            return f"gradient × value is {own:.6g}, in PyTorch {product:.6g}"
        return ""

    def slope(self, parameter: Any) -> None:
        """Hold a parameter's gradient to how the loss changes along it and something else."""
        value = parameter.data().asnumpy()
        gradient = parameter.grad().asnumpy().astype(np.float64)
        assert np.isfinite(gradient).all(), f"the gradient of {parameter.name} is not finite"
        if self.file.facts["tolerance"] > 1e-4 or not np.abs(value).max(initial=0) < 1e4:
            return  # float16 is too coarse; bounds and masks have no neighbours
        direction = np.random.default_rng(0).standard_normal(value.shape)
        direction = direction / np.linalg.norm(direction) + gradient / (np.linalg.norm(gradient) or 1)
        expected = float((gradient * direction).sum())
        slopes = []
        for part in (2e-3, 3e-4):  # kinks ask for small steps, rounding for large ones
            step = part * max(float(np.linalg.norm(value)), 0.1)
            losses = []
            for sign in (1, -1):
                parameter.set_data(mx.nd.array(value + sign * step * direction, dtype=value.dtype))
                losses.append(self.loss())
            slopes.append((losses[0] - losses[1]) / (2 * step))
            if abs(slopes[-1] - expected) <= 0.03 * abs(expected) + 1e-6 * sum(losses) / step:
                break
        else:
            raise AssertionError(
                f"{parameter.name}: the loss's slope is {slopes}, by the gradient {expected:.5g}"
            )
        parameter.set_data(mx.nd.array(value, dtype=value.dtype))

    def loss(self) -> float:
        """The loss as it is now."""
        outputs = [o.asnumpy() for o in listed(self.net(*self.inputs()))]
        return sum(
            float(o.astype(np.float64).ravel() ** 2 @ weights(o.size)) for o in outputs if o.dtype.kind == "f"
        )


def is_real(array: Any) -> bool:
    """Whether elements are floating-point numbers."""
    return np.issubdtype(array.dtype, np.floating)
