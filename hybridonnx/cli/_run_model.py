"""Run a model once, and write its outputs to an .npz file.

MODEL is an ONNX file, or MXNet's prefix-symbol.json, whose parameters are those of the latest epoch beside it
unless --params names others. Without --output the outputs are told as shapes, extremes and means.

    hybridonnx run model.onnx --input data=x.npy --output y.npz
    hybridonnx run model.onnx --input cat.jpg --scale 255 --mean .485,.456,.406 --std .229,.224,.225

Images are decoded to red, green and blue from 0 to 255, resized to the model's input where that has fixed
sizes, and laid out as the input is, colours first unless its last axis has 1 or 3.
"""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ..onnx import inspection, prediction
from ._arrays import Pixels, inputs_option, pixels_options, read_inputs, write_arrays
from ._command import Answer, command, step
from ._models import model_argument, parts

__all__ = ["run"]

_FEW = 8
"""Outputs of so few numbers are told as they are."""


@command
@model_argument()
@inputs_option
@click.option("-o", "--output", type=click.Path(), help="The .npz file that receives the outputs.")
@pixels_options
def run(
    model: str, params: str | None, inputs: tuple[str, ...], output: str | None, **options: Any
) -> Answer:
    """Run a model once."""
    source = parts(model, params)
    step(f"reading {model}")
    declared = inspection.inspect(*source, count=False).inputs
    arrays = read_inputs(inputs, declared, Pixels(**options))
    step(f"running {model}")
    results = prediction.run(source[0], arrays, *source[1:])
    lines = [f"{name} {array.shape} {array.dtype}{_told(array)}" for name, array in results.items()]
    if output:
        write_arrays(output, results)
        lines.append(f"written to {output}")
    rows = {name: {"shape": array.shape, "dtype": str(array.dtype)} for name, array in results.items()}
    return Answer("\n".join(lines), {"outputs": rows, "file": output})


def _told(array: NDArray[Any]) -> str:
    """Some numbers of an output."""
    if array.dtype.kind not in "fiub" or not array.size:
        return ""
    if array.size <= _FEW:
        return f": {' '.join(f'{number:.6g}' for number in array.flat)}"
    low, high = array.min(), array.max()
    at = np.unravel_index(array.argmax(), array.shape)
    return f": from {low:.6g} to {high:.6g} at {tuple(map(int, at))}, mean {array.mean(dtype=np.float64):.6g}"
