"""Run a model once, and write its outputs to an .npz file.

MODEL is an ONNX file, or MXNet's prefix-symbol.json, whose parameters are those of the latest epoch beside it
unless --params names others. Without --output the outputs are told as shapes, extremes and means.

    hybridonnx run model.onnx --input data=x.npy --output y.npz
    hybridonnx run model.onnx --input cat.jpg --scale 255 --mean .485,.456,.406 --std .229,.224,.225

Inputs that no --input has are drawn if --shape or --size tells how large they are; a free size is 1 unless
--size says another number.

    hybridonnx run model.onnx --shape data=1,3,224,224 --json

Images are decoded to red, green and blue from 0 to 255, resized to the model's input where that has fixed
sizes, and laid out as the input is, colours first unless its last axis has 1 or 3.
"""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ..onnx import inspection, prediction
from ..parity.drawing import Draws
from ..parity.models import runnable
from ._arrays import Pixels, inputs_option, pixels_options, read_inputs, write_arrays
from ._command import Answer, command, step
from ._isolated import isolation_options
from ._models import (
    Files,
    declared_shapes,
    loaded,
    model_argument,
    parts,
    require_names,
    require_parameters,
    require_weights,
)
from ._options import OutputFile, shapes_option, sizes_option

__all__ = ["run"]

_FEW = 8
"""Outputs of so few numbers are told as they are."""


@command
@isolation_options
@model_argument()
@inputs_option
@shapes_option
@sizes_option
@click.option("-o", "--output", type=OutputFile(), help="The .npz file that receives the outputs.")
@pixels_options
def run(
    model: str,
    params: str | None,
    inputs: tuple[str, ...],
    shapes: Any,
    sizes: dict[str, int],
    output: str | None,
    **options: Any,
) -> Answer:
    """Run a model once."""
    source = parts(model, params)
    step(f"reading {model}")
    content = inspection.inspect(*source, count=False)
    require_weights(model, content)
    declared = content.inputs
    names = [item.name for item in declared]
    require_names([source], shapes, sizes)
    arrays = read_inputs(inputs, declared, Pixels(**options))
    if shapes or sizes:
        arrays = {**_drawn(source, shapes, sizes), **arrays}
    require_parameters(source, {*names} - {*arrays})
    if names and not arrays:
        raise click.UsageError(
            f"--input for each of the inputs {', '.join(names)} is required, or --shape, got none"
        )
    step(f"running {model}")
    results = prediction.run(source[0], arrays, *source[1:])
    lines = [f"{name} {array.shape} {array.dtype}{_told(_facts(array))}" for name, array in results.items()]
    if output:
        write_arrays(output, results)
        lines.append(f"written to {output}")
    rows = {name: {"shape": a.shape, "dtype": str(a.dtype), **_facts(a)} for name, a in results.items()}
    return Answer("\n".join(lines), {"outputs": rows, "file": output})


def _drawn(source: Files, shapes: Any, sizes: dict[str, int]) -> dict[str, NDArray[Any]]:
    """An array for each input, of sizes that the model and the command line tell."""
    model = runnable(loaded(source))
    draws = Draws(model, model, declared_shapes(source, shapes) if len(source) == 2 else shapes, None)
    return draws.sample({name: sizes.get(name, 1) for name in draws.free.names}, 0)


def _facts(array: NDArray[Any]) -> dict[str, Any]:
    """Some numbers of an output: all of a few, else extremes and mean."""
    if array.dtype.kind not in "fiub" or not array.size:
        return {}
    if array.size <= _FEW:
        return {"values": array.tolist()}
    at = np.unravel_index(array.argmax(), array.shape)
    return {
        "least": array.min().item(),
        "largest": array.max().item(),
        "at": [int(i) for i in at],
        "mean": float(array.mean(dtype=np.float64)),
    }


def _told(facts: dict[str, Any]) -> str:
    """The numbers of an output as text."""
    if "values" in facts:
        return f": {' '.join(f'{number:.6g}' for number in np.ravel(facts['values']))}"
    if not facts:
        return ""
    return (
        f": from {facts['least']:.6g} to {facts['largest']:.6g} at {tuple(facts['at'])}, "
        f"mean {facts['mean']:.6g}"
    )
