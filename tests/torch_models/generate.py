"""Writes files/NAME.tar.xz: models as PyTorch's two exporters write them, with PyTorch's own results.

Run it in the environment with PyTorch, `scripts/torch_models make`, for all models or for those named.
What an exporter refuses or ONNX Runtime does not compute as PyTorch does is left out; `models.json` says why.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import sys
import tarfile
import traceback
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnx.reference import ReferenceEvaluator
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented

FOLDER = Path(__file__).resolve().parent
sys.path = [path for path in sys.path if Path(path or ".").resolve() != FOLDER]
sys.path.append(str(FOLDER.parent.parent))

from tests.torch_facts import fingerprint, weights  # noqa: E402
from tests.torch_models.registry import MODELS, Calls, Model, build  # noqa: E402

OPSETS = {"script": 17, "dynamo": None}
TURNS = ("first", "second")


def tensors(value: object) -> list[torch.Tensor]:
    """The tensors of a result, in the order in which exporters write them as outputs."""
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [tensor for item in items for tensor in tensors(item)]


def array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as an array; what NumPy has no dtype for as float32."""
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def loss(outputs: list[torch.Tensor]) -> torch.Tensor:
    """The weighted sum of squares of all outputs that are real numbers."""
    real = [o.float().flatten() for o in outputs if o.dtype.is_floating_point]
    return sum(((o**2 * torch.from_numpy(weights(len(o)))).sum() for o in real), torch.zeros(()))


def gradients(entry: Model, net: torch.nn.Module) -> dict[str, dict[str, list[float]]]:
    """For each parameter and input: the gradient's norm, its product with the value, and the fingerprint."""
    args = {name: item.values(name, 0) for name, item in entry.inputs.items()}
    leaves = {name: arg.requires_grad_() for name, arg in args.items() if arg.dtype.is_floating_point}
    parameters = dict(net.named_parameters())
    net.zero_grad()
    value = loss(tensors(net(*args.values())))
    if not value.requires_grad:
        return {"parameters": {}, "inputs": {}}
    value.backward()

    def facts(leaf: torch.Tensor) -> list[float]:
        gradient = array(leaf.grad).astype(np.float64)
        values = array(leaf)
        product = float((gradient * values).sum())
        return [float(np.sqrt((gradient**2).sum())), product, fingerprint(values)]

    return {
        "parameters": {name: facts(p) for name, p in parameters.items() if p.grad is not None},
        "inputs": {name: facts(leaf) for name, leaf in leaves.items() if leaf.grad is not None},
    }


def exported(entry: Model, exporter: str, free: bool, outputs: int) -> onnx.ModelProto:
    """What an exporter writes."""
    net = build(entry)
    args = tuple(item.values(name, 0) for name, item in entry.inputs.items())
    axes = {
        name: {i: axis for i, axis in enumerate(item.shape) if isinstance(axis, str)}
        for name, item in entry.inputs.items()
    }
    options = {
        "input_names": list(entry.inputs),
        "output_names": [f"y{i}" for i in range(outputs)],
        "opset_version": entry.opset.get(exporter, OPSETS[exporter]),
    }
    if exporter == "script":
        file = io.BytesIO()
        free_axes = {name: value for name, value in axes.items() if value} if free else None
        module = torch.jit.script(net) if entry.scripted else net
        torch.onnx.export(module, args, file, dynamo=False, dynamic_axes=free_axes, **options)
        return onnx.load_from_string(file.getvalue())
    shapes = tuple(value or None for value in axes.values()) if free else None
    if shapes and isinstance(net, Calls):
        shapes = (shapes,)  # those of `*args`
    program = torch.onnx.export(net, args, dynamo=True, dynamic_shapes=shapes, verbose=False, **options)
    return onnx.ModelProto.FromString(program.model_proto.SerializeToString())


def stripped(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model without the exporter's notes on where each node comes from, which no runtime reads."""
    for field, value in proto.ListFields():
        if field.name == "metadata_props":
            proto.ClearField("metadata_props")
        elif field.name == "doc_string":
            proto.doc_string = ""
        elif field.message_type is not None:
            for item in value if field.is_repeated else [value]:
                stripped(item)
    return proto


def computed(proto: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What ONNX Runtime computes, or ONNX's reference where that has no kernel."""
    try:
        session = started(proto)
    except NotImplemented:  # bfloat16
        return ReferenceEvaluator(proto).run(None, inputs)
    taken = {item.name for item in session.get_inputs()}
    return session.run(None, {name: value for name, value in inputs.items() if name in taken})


def started(proto: onnx.ModelProto) -> ort.InferenceSession:
    """A quiet session."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return ort.InferenceSession(proto.SerializeToString(), options, ["CPUExecutionProvider"])


def differs(outputs: list[np.ndarray], expected: list[np.ndarray], tolerance: float) -> str:
    """What is wrong with the outputs, or nothing."""
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs for {len(expected)}"
    for i, (output, own) in enumerate(zip(outputs, expected, strict=True)):
        if output.shape != own.shape:
            return f"output {i} has the shape {output.shape} for {own.shape}"
        a, b = output.astype(np.float64), own.astype(np.float64)
        scale = np.abs(b[np.isfinite(b)]).max(initial=0) or 1
        if not np.allclose(a, b, rtol=0, atol=tolerance * scale, equal_nan=True):
            return f"output {i} differs by {np.abs(a - b).max() / scale:.2g} of its largest number"
    return ""


def results(entry: Model, net: torch.nn.Module) -> list[tuple[dict, list[np.ndarray]]]:
    """Inputs and PyTorch's outputs at the first sizes, and at the second if there are free ones."""
    is_free = any(isinstance(axis, str) for item in entry.inputs.values() for axis in item.shape)
    turns = []
    for turn in range(1 + (is_free and True in entry.free)):
        inputs = {name: item.values(name, turn) for name, item in entry.inputs.items()}
        with torch.no_grad():
            outputs = [array(t) for t in tensors(net(*inputs.values()))]
        turns.append(({name: array(t) for name, t in inputs.items()}, outputs))
    return turns


def cause(exc: BaseException) -> str:
    """The first lines of what an error comes from."""
    while exc.__cause__ is not None:
        exc = exc.__cause__
    return f"{type(exc).__name__}: {' '.join(str(exc).split())}".replace(
        str(Path(torch.__file__).parents[1]), ""
    )


def variants(entry: Model, turns: list) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files, and by variant why there is none, or nothing."""
    files, faults = {}, {}
    for exporter in entry.exporters:
        for free in entry.free:
            if free and len(turns) == 1:
                continue
            name = f"{exporter}-{'free' if free else 'fixed'}"
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    proto = stripped(exported(entry, exporter, free, len(turns[0][1])))
                runs = turns if free else turns[:1]
                fault = next(
                    filter(None, (differs(computed(proto, i), o, entry.tolerance) for i, o in runs)), ""
                )
            except Exception as exc:  # noqa: BLE001  (exporters raise anything)
                fault = cause(exc)
                if "-v" in sys.argv:
                    traceback.print_exc()
            faults[name] = fault[:200]
            if not fault:
                files[f"{name}.onnx"] = proto.SerializeToString(deterministic=True)
    return files, faults


def packed(path: Path, files: dict[str, bytes]) -> None:
    """Write an archive that is the same for the same files."""
    with tarfile.open(path, "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def npy(value: np.ndarray) -> bytes:
    """An array as a file."""
    file = io.BytesIO()
    np.save(file, value)
    return file.getvalue()


def make(entry: Model) -> dict[str, str]:
    """Write the archive of a model; which files there are, and why others are left out."""
    turns = results(entry, build(entry))
    files, faults = variants(entry, turns)
    facts = {
        "inputs": {name: list(item.shape) for name, item in entry.inputs.items()},
        "tolerance": entry.tolerance,
        "gradients": gradients(entry, build(entry)) if entry.gradients else None,
    }
    path = FOLDER / "files" / f"{entry.name}.tar.xz"
    path.unlink(missing_ok=True)
    if files:
        files["facts.json"] = (json.dumps(facts, indent=1) + "\n").encode()
        for turn, (inputs, outputs) in zip(TURNS, turns, strict=False):
            files |= {f"{turn}/inputs/{name}.npy": npy(value) for name, value in inputs.items()}
            files |= {f"{turn}/outputs/y{i}.npy": npy(value) for i, value in enumerate(outputs)}
        packed(path, files)
    print(f"{entry.name}: {path.stat().st_size // 1024 if files else 0} KiB", flush=True)
    for name, fault in faults.items():
        print(f"  {name}: {fault or 'stored'}", flush=True)
    return faults


def main(names: list[str]) -> None:
    """Write the archives, and what is left out."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    (FOLDER / "files").mkdir(exist_ok=True)
    path = FOLDER / "models.json"
    index = json.loads(path.read_text()) if path.exists() else {}
    for name in names or MODELS:
        index[name] = make(MODELS[name])
        known = {key: value for key, value in sorted(index.items()) if key in MODELS}
        path.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    for file in sorted((FOLDER / "zoo").glob("*.py")):
        importlib.import_module(f"tests.torch_models.zoo.{file.stem}")
    main([name for name in sys.argv[1:] if not name.startswith("-")])
