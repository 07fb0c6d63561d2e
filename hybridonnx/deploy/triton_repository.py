"""Models for NVIDIA's Triton Inference Server: repositories with a config for each model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..dtypes import name_of
from ..errors import MXNetError, content_of
from ..formats.files import make_folder, open_to_read, scratch_folder, write_atomically
from ..gluon.hybrid_block import HybridBlock
from ..onnx.inspection import Declaration, inspect
from ..onnx.models import export_model
from ..onnx.open_models import model_files, open_model
from ..onnx.pipeline import Plan, export_transform, plan_of
from ..onnx.rows import rows_fault
from ..symbol.symbol import Symbol
from .model_names import model_name, require_model_name
from .model_repository import ModelFolder
from .serve_options import BATCH
from .triton_config import (
    Batching,
    Fields,
    Step,
    ensemble,
    instance_group,
    parameters,
    pbtxt,
    tensors,
    version_policy,
    warmups,
)
from .triton_options import Labels, TritonOptions, labels_of

__all__ = ["triton"]

_MODEL = "model.onnx"
_PYTHON_MODEL = Path(__file__).parents[1] / "runtime" / "triton_model.py"
_CHUNK = 1 << 24


def triton(
    model: Any,
    repository: str | os.PathLike[str],
    name: str | None = None,
    *,
    params: Any = None,
    transform: Any = None,
    input_shapes: Any = None,
    in_types: Any = None,
    export: Mapping[str, Any] | None = None,
    **options: Any,
) -> str:
    """Write a version of a model into Triton's model repository, which serves it without further work.

    An ONNX file is copied as it is, other models are exported. A version appears whole or not at all. With a
    transform there are three models: `name` is an ensemble that takes what the transform takes, and runs
    `name_transform` and `name_model`; a dict of transforms makes one for each input.

    Args:
        model: An ONNX file, a HybridBlock, or a Symbol or the file of one.
        repository: The folder of all models, which is made if there is none.
        name: What clients call it; the file's name unless given.
        params: The parameters of a Symbol, by name or as a file.
        transform: What is done to each row of the only input, or that by the inputs' names, as
            `mx.onnx.export_pipeline` takes it.
        input_shapes: The shapes of what clients send, where the model does not tell; names are free sizes.
        in_types: The types of it.
        export: What else `mx.onnx.export_model` takes, such as `{"verify": True}`.
        options: The fields of `TritonOptions`.

    Returns:
        The folder of the version that clients see.

    Raises:
        MXNetError: If the model cannot be written, or an option does not suit it.
    """
    chosen = TritonOptions(**options)
    chosen.require()
    if name is None and not isinstance(model, str | os.PathLike):
        raise MXNetError("triton: a name is required for a model that is no file, got none.")
    title = model_name(model) if name is None else name
    require_model_name("triton", title)
    given = _Given(model, params, transform, input_shapes, in_types, dict(export or {}))
    with scratch_folder() as folder:
        entries = _entries(given, Path(repository), title, chosen, Path(folder))
        for entry in entries:  # all of them, before anything is written
            entry.require()
        return str([entry.write() for entry in entries][-1])


class _Given(NamedTuple):
    """What a caller says of a model."""

    model: Any
    params: Any
    transform: Any
    shapes: Any
    types: Any
    export: dict[str, Any]


def _entries(given: _Given, repository: Path, name: str, options: TritonOptions, place: Path) -> list[_Entry]:
    """What is to be written, the model that clients see last; files are made in `place`."""
    model, params, transform, shapes, types, export = given
    plan = None
    if transform is not None:
        plan = plan_of("triton", model, transform, params, shapes, types)
        inputs = {**plan.inputs, **{n: chain.given for n, chain in plan.chains.items()}}
        shapes = {n: item.shape for n, item in inputs.items()}
        types = {n: item.dtype for n, item in inputs.items()}
    path = _onnx_file(model, params, shapes, types, export, place / _MODEL)
    writer = _Writer(repository, name, path, options)
    return [writer.model(name)] if plan is None else writer.pipeline(plan, transform, place)


# ---- the model's file


def _onnx_file(model: Any, params: Any, shapes: Any, types: Any, export: dict[str, Any], path: Path) -> Path:
    """The model as an ONNX file: its own, or one that is written now."""
    is_file = isinstance(model, str | os.PathLike) and not os.fspath(model).endswith(".json")
    if is_file and not export:
        return Path(model)
    if types is not None:
        export = {"in_types": types, **export}
    if isinstance(model, HybridBlock):
        export_model(model, str(path), input_shapes=shapes, **export)
    elif is_file:
        raise MXNetError(f"triton: a model that is no ONNX file is required with export, got {model}.")
    else:
        _export_graph(model, params, shapes, export, path)
    return path


def _export_graph(model: Any, params: Any, shapes: Any, export: dict[str, Any], path: Path) -> None:
    if params is None and not isinstance(model, Symbol):
        params = model_files(model)[1]
    if shapes is None:
        inputs = inspect(model, params, count=False).inputs
        shapes = {item.name: item.shape for item in inputs}
        unknown = [name for name, shape in shapes.items() if shape is None]
        if unknown:
            raise MXNetError(
                f"triton: input_shapes with a shape for {', '.join(unknown)} is required, which the model "
                "does not tell, got none."
            )
    export_model(model, params, input_shapes=shapes, onnx_file_path=path, **export)


# ---- what is written


@dataclass(frozen=True)
class _Entry:
    """A version of a model, as it will be in a repository."""

    folder: ModelFolder
    settings: Mapping[str, bytes]
    """Files for all versions."""
    files: Sequence[Path]
    """Of the model, the ONNX file first; none if it is made of other models."""
    options: TritonOptions
    is_there: bool = False
    """Whether the latest version is the same, and none has to be written."""

    def require(self) -> None:
        """Refuse a version or a config that does not go with what is there."""
        self.folder.require_version(self.options.version)
        if not self.options.replace and not self.is_there:
            self.folder.require_settings(self.settings)

    def write(self) -> Path:
        """Write it; the version's folder."""
        if self.is_there:
            return self.folder.path / str(self.folder.versions()[-1])
        return self.folder.write(self.settings, self._fill, self.options.version)

    def _fill(self, version: Path) -> None:
        for file in self.files:
            target = version / (_MODEL if file == self.files[0] else _beside(file, self.files[0].parent))
            make_folder(target.parent)
            write_atomically(target, _chunks(file))
        if self.files and self.options.backend == "python":
            write_atomically(version / "model.py", [content_of(_PYTHON_MODEL)])


def _beside(file: Path, folder: Path) -> Path:
    """The name of a file of weights, as the model's file has it."""
    name = Path(os.path.relpath(os.path.normpath(file), folder))
    if ".." in name.parts:
        raise MXNetError(f"{file}: weights in the model's folder are required, got them elsewhere.")
    return name


def _chunks(file: Path) -> Iterator[bytes]:
    with open_to_read(file) as source:
        while chunk := source.read(_CHUNK):
            yield chunk


class _Transform(NamedTuple):
    """The model of what is done to an input."""

    name: str
    input: str
    output: str
    path: Path


class _Writer:
    """Makes the entries of a model, and of what stands before it."""

    def __init__(self, repository: Path, name: str, path: Path, options: TritonOptions) -> None:
        self._repository, self._name, self._path, self._options = repository, name, path, options
        content = inspect(path, count=False)
        self._inputs, self._outputs = content.inputs, content.outputs
        self._batching = _batching(path, content.inputs, content.outputs, options)
        self._labels = labels_of(options.labels, [item.name for item in content.outputs])

    def model(self, name: str) -> _Entry:
        """The model itself."""
        fields = _fields(name, self._inputs, self._outputs, self._batching, self._options, self._labels)
        return self._entry(name, fields, self._labels, self._path, self._options)

    def pipeline(self, plan: Plan, transform: Any, place: Path) -> list[_Entry]:
        """The transforms, the model, and an ensemble of all, which is the last."""
        parts = self._transforms(plan, transform, place)
        model = f"{self._name}_model"
        made = {part.input: part.output for part in parts}
        steps = [Step(part.name, {part.input: part.input}, {part.output: part.output}) for part in parts]
        last = Step(
            model,
            {item.name: made.get(item.name, item.name) for item in self._inputs},
            {item.name: item.name for item in self._outputs},
        )
        inputs = [Declaration(n, name_of(i.dtype), i.shape) for n, i in plan.inputs.items()]
        files = {output: item.file for output, item in self._labels.items()}
        whole = {
            "name": self._name,
            "max_batch_size": self._batching.most,
            "input": tensors("triton", inputs, self._batching, {}),
            "output": tensors("triton", self._outputs, self._batching, files),
            **version_policy(self._options.versions),
            **ensemble([*steps, last]),
        }
        return [
            *map(self._transform, parts),
            self.model(model),
            self._entry(self._name, whole, self._labels, None, self._options),
        ]

    def _transforms(self, plan: Plan, transform: Any, place: Path) -> list[_Transform]:
        """A model's file for each input that something is done to."""
        parts = []
        for i, (name, item) in enumerate((name, plan.inputs[name]) for name in plan.chains):
            title = f"{self._name}_transform" if len(plan.chains) == 1 else f"{self._name}_transform_{i}"
            part = _Transform(title, name, f"{name}_transformed", place / f"transform_{i}.onnx")
            export_transform(
                transform[name] if isinstance(transform, Mapping) else transform,
                part.path,
                input_shape=item.shape,
                in_type=item.dtype,
                names=(part.input, part.output),
            )
            parts.append(part)
        return parts

    def _transform(self, part: _Transform) -> _Entry:
        """A version of a transform; nothing new if the latest one is the same."""
        content = inspect(part.path, count=False)
        plain = replace(self._options, labels=None, version=None)
        batching = Batching(self._batching.most)
        fields = _fields(part.name, content.inputs, content.outputs, batching, plain, {})
        entry = self._entry(part.name, fields, {}, part.path, plain)
        latest = entry.folder.path / str(max(entry.folder.versions(), default=0)) / _MODEL
        same = latest.is_file() and content_of(latest) == content_of(part.path)
        return replace(entry, is_there=same and entry.folder.has(entry.settings))

    def _entry(
        self,
        name: str,
        fields: Fields,
        labels: Mapping[str, Labels],
        path: Path | None,
        options: TritonOptions,
    ) -> _Entry:
        settings = {"config.pbtxt": pbtxt(fields).encode(), **{i.file: i.content for i in labels.values()}}
        files = () if path is None else model_files(path)
        return _Entry(ModelFolder(self._repository, name), settings, files, options)


# ---- what stands in a config


def _batching(
    path: Path, inputs: Sequence[Declaration], outputs: Sequence[Declaration], options: TritonOptions
) -> Batching:
    """How requests are put together, if they may be."""
    most = options.max_batch
    if most is None:
        files = model_files(path)
        fault = rows_fault(open_model(files), files, sizes=options.sizes)
        most = 0 if fault else max([BATCH, *options.preferred])
    fixed = [item.name for item in (*inputs, *outputs) if not item.shape or isinstance(item.shape[0], int)]
    if most and (fixed or not inputs):
        if options.max_batch is not None:
            raise MXNetError(
                f"triton: inputs and outputs whose first size is free are required with max_batch, got "
                f"{', '.join(fixed) or 'no inputs'}. Give max_batch=0."
            )
        most = 0
    if not most and (options.preferred or options.max_delay):
        raise MXNetError(
            "triton: a model that treats rows one by one is required with preferred and max_delay, got one "
            "that is not known to. Give max_batch if you know it."
        )
    return Batching(most, tuple(options.preferred), options.max_delay)


def _fields(
    name: str,
    inputs: Sequence[Declaration],
    outputs: Sequence[Declaration],
    batching: Batching,
    options: TritonOptions,
    labels: Mapping[str, Labels],
) -> Fields:
    """What stands in the config."""
    files = {output: item.file for output, item in labels.items()}
    threads = {"intra_op_thread_count": str(options.threads)} if options.threads else {}
    return {
        "name": name,
        "backend": options.backend,
        "max_batch_size": batching.most,
        "input": tensors("triton", inputs, batching, {}),
        "output": tensors("triton", outputs, batching, files),
        **version_policy(options.versions),
        **instance_group(options.instances, options.gpus),
        **batching.fields(),
        **_warmup(inputs, batching, options),
        **parameters(threads),
    }


def _warmup(inputs: Sequence[Declaration], batching: Batching, options: TritonOptions) -> Fields:
    if options.warmup is False:
        return {}
    requests = warmups("triton", inputs, batching, options.sizes or {})
    if options.warmup and not requests:
        raise MXNetError(
            "triton: a number for each free size is required in sizes with warmup=True, such as "
            f"{{'height': 224}}, got {dict(options.sizes or {})}."
        )
    return {"model_warmup": requests} if requests else {}
