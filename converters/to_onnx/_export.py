"""`export_model`: from a Symbol with parameters to a checked ONNX file."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hybridonnx.dtypes import float32
from hybridonnx.errors import ConversionError, without_places
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Spec, known
from hybridonnx.symbol.declared import declared_shapes, require_declared

from ..elements import Array
from ..opsets import DEFAULT, NeedsOpset, check_opset
from ._arguments import dtypes_by_input, shapes_by_input, spec
from ._check import check
from ._file import Prove, save
from ._graph import NeedsShape
from ._model import Lowered, lower
from ._precision import Precision, reduced
from ._survey import Support, survey
from ._walk import WAY_OUT, needed

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FileOptions:
    """How a model is written."""

    opset_version: int | None = None
    precision: Precision = "float32"
    keep: Collection[str] = ()
    """The nodes and operators that stay in float32, whatever the precision."""
    run_shape_inference: bool = False
    external_data: bool = False
    """Whether the parameters are in a file beside the model's."""
    doc_string: str = ""
    metadata: Mapping[str, str] | None = None
    verbose: bool = False
    prove: Prove | None = None
    """What looks at the complete files before they take their place."""


def export_model(
    sym: Any,
    params: Any,
    in_shapes: Any = None,
    in_types: Any = np.float32,
    onnx_file_path: str | os.PathLike[str] = "model.onnx",
    dynamic: bool = False,
    dynamic_input_shapes: Any = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    options: FileOptions = FileOptions(),
) -> str:
    """Write a Symbol with its parameters to an ONNX file, and return the file's name.

    `sym` and `params` are a Symbol and arrays by name. Shapes and types are given for each input in the order
    of the Symbol's arguments, or by name; a size may be `None` or a name, which leaves it free.
    With `dynamic` the sizes are those of `dynamic_input_shapes`, or all free. `inputs` names the inputs in
    another order, with such as nothing reads, and `outputs` the outputs.
    """
    arrays = arrays_by_name(params)
    specs = _specs(sym, arrays, in_shapes, in_types, inputs)
    if dynamic and dynamic_input_shapes is not None:
        specs = _specs(sym, arrays, dynamic_input_shapes, in_types, inputs, "dynamic_input_shapes")
    elif dynamic:
        shapes = {name: (None,) * len(item.shape or ()) for name, item in specs.items()}
        specs = _specs(sym, arrays, shapes, in_types, inputs, "dynamic")
    graph, arrays = reduced(sym, specs, arrays, options.precision, options.keep)
    names = sym.list_outputs() if outputs is None else outputs

    def at(opset: int) -> Lowered:
        unused = inputs is not None
        return lower(graph, specs, arrays, opset=opset, outputs=names, embed=False, unused_inputs=unused)

    try:
        lowered = _at_oldest(at) if options.opset_version is None else at(options.opset_version)
    except NeedsShape as exc:
        raise _without_shape(exc, specs) from None
    return _written(lowered, arrays, onnx_file_path, options)


def _at_oldest(write: Callable[[int], Lowered]) -> Lowered:
    """What is written at the usual opset, or at the oldest newer one that has all that the graph needs."""
    opset = DEFAULT
    while True:
        try:
            return write(opset)
        except NeedsOpset as exc:
            if exc.opset <= opset:
                raise
            opset = exc.opset


def _without_shape(exc: NeedsShape, specs: Mapping[str, Spec]) -> ConversionError:
    """The error for a size that the inputs' shapes, or their values alone, would tell."""
    free = [name for name, spec in specs.items() if not known(spec.shape)]
    if free:
        error = ConversionError(f"{without_places(exc)} Free sizes were given for {', '.join(free)}.")
    else:
        error = ConversionError(f"{exc.required} Values tell it, not the inputs' shapes. {WAY_OUT}")
    error.node = exc.node
    if exc.node is not None:
        exc.node.locate(error)
    return error


def _written(
    lowered: Lowered, arrays: Mapping[str, Array], path: str | os.PathLike[str], options: FileOptions
) -> str:
    texts = {"doc_string": options.doc_string, **(options.metadata or {})}
    for key, value in texts.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise ConversionError(
                f"export_model: texts as doc_string and in metadata are required, got {value!r} for {key!r}."
            )
    lowered = check(lowered, arrays, options.run_shape_inference)
    _warn_of_nan({name: arrays[name] for name in lowered.parameters})
    model = lowered.model
    model.doc_string = options.doc_string
    for key, value in sorted((options.metadata or {}).items()):
        model.metadata_props.add(key=key, value=value)
    lowered = replace(lowered, message=model.SerializeToString())
    name = save(lowered, arrays, path, options.external_data, options.prove)
    if options.verbose:
        opset = model.opset_import[0].version
        _log.info("exported %s: %d nodes, opset %d", name, len(model.graph.node), opset)
    return name


def support(
    sym: Any,
    params: Any,
    in_shapes: Any,
    in_types: Any = np.float32,
    opset_version: int | None = None,
    inputs: Sequence[str] | None = None,
) -> Support:
    """What `export_model` would write with the same arguments, and all that it could not."""
    arrays = arrays_by_name(params)
    specs = _specs(sym, arrays, in_shapes, in_types, inputs)
    opset = check_opset(DEFAULT if opset_version is None else opset_version)
    result, needed = survey(sym, specs, arrays, opset, inputs is not None)
    while opset_version is None and needed > result.opset:
        result, needed = survey(sym, specs, arrays, needed, inputs is not None)
    return result


def _specs(
    sym: Any,
    params: Mapping[str, Array],
    in_shapes: Any,
    in_types: Any,
    inputs: Sequence[str] | None,
    argument: str = "in_shapes",
) -> dict[str, Spec]:
    """The inputs' shapes and dtypes by name."""
    names = data_names(sym, params) if inputs is None else inputs
    shapes, dtypes = shapes_by_input(names, in_shapes, argument), dtypes_by_input(names, in_types)
    for name, declared in declared_shapes(sym.nodes()).items():
        if name in shapes:
            require_declared(f"export_model: {argument}", name, declared, shapes[name])
    return {name: spec(name, shapes[name], dtypes.get(name, float32)) for name in shapes}


def _warn_of_nan(params: Mapping[str, Array]) -> None:
    """Say which parameters have NaN: a net that has diverged may look healthy in ONNX Runtime."""
    names = [n for n, a in params.items() if a.dtype.kind == "f" and a.size and np.isnan(a.min())]
    if names:
        warnings.warn(
            f"export_model: parameters without NaN are required, got NaN in {', '.join(names)}. ONNX leaves "
            "open what MaxPool, RNN, LSTM and GRU make of it, so the file's results may look healthy. Export "
            "parameters from before the net diverged.",
            UserWarning,
            stacklevel=5,
        )


def model_bytes(sym: Any, params: Mapping[str, Array], inputs: Mapping[str, Spec]) -> bytes:
    """The ONNX model of a Symbol as one message, with all of `inputs`, those that nothing reads too."""
    return lower(sym, inputs, params, unused_inputs=True).message


def data_names(sym: Any, params: Mapping[str, Array]) -> list[str]:
    """The variables that inference reads and that are no parameters: the model's inputs, in order."""
    variables = [n.name for n in needed(sym.outputs, False) if n.is_variable]
    names = [name for name in variables if name not in params]
    places = [name for name in params if "." in name]
    if places and names == variables:
        raise ConversionError(
            f"parameters by the graph's names are required, got {places[0]}, a place in a block. What "
            "save_parameters wrote is for load_parameters of such a block, which can be exported itself."
        )
    return names


def arrays_by_name(params: Any) -> dict[str, Array]:
    """Parameters as NumPy arrays over their own memory, from one mapping or several.

    Names may begin with `arg:` and `aux:`.
    """
    arrays: dict[str, Array] = {}
    for part in params if isinstance(params, list | tuple) else [params or {}]:
        for name, value in part.items():
            plain = name.removeprefix("arg:").removeprefix("aux:")
            arrays[plain] = value._host if isinstance(value, NDArray) else np.asarray(value)
    return arrays
