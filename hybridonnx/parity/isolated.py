"""Two models compared in a process of their own: `verify` with a stranger's file."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..converters.from_onnx import read
from ..converters.inspection import facts
from ..converters.to_onnx import arrays_by_name
from ..dtypes import as_dtype, name_of
from ..errors import ConversionError
from ..ndarray.ndarray import NDArray
from ..ops import Spec
from ..symbol.symbol import load_json
from .isolation import Isolation, called
from .models import Arrays, Graph, Runnable, is_symbol, of_symbol, title
from .pictures import Pixels
from .plain import plain, typed
from .report import Parity
from .sizes import dim
from .verify import verify

_WORK = f"{__name__}:work"
_Ask = Callable[..., Any]


def verify_isolated(
    isolation: Isolation, model: Any, other: Any = None, inputs: Any = None, **options: Any
) -> Parity:
    """Compare two models in a process of their own.

    Args:
        isolation: The limits of that process.
        model: As `verify` takes it, but for sessions, which are open in this process.
        other: The same.
        inputs: As `verify` takes them.
        options: What else `verify` takes.

    Returns:
        The report, as `verify` gives it.

    Raises:
        IsolationError: If the process was ended by a fault or at a limit.
        ConversionError: If something cannot be given to another process.
    """
    answers: dict[str, Callable[..., Any]] = {}
    pixels = options.pop("pixels", None) or Pixels()
    if pixels.transform is not None:
        transform = pixels.transform
        answers["transform"] = lambda picture: transform(NDArray(picture))
    metric = options.get("metric")
    if not isinstance(metric, str | None):
        raise ConversionError("verify: the name of a metric is required with isolated, got the metric.")
    if isinstance(model, Runnable) and model.call is not None:
        answers["call"] = model.call
    precision = options.get("precision")
    request = {
        **options,
        "precision": None if precision is None else name_of(as_dtype(precision)),
        "model": _told(model),
        "other": None if other is None else _told(other),
        "inputs": _inputs(inputs, metric is not None, answers),
        "pixels": [pixels.transform is not None, list(pixels.mean), list(pixels.std)],
    }
    result = called("verify", _WORK, request, isolation, answers)
    parity: Parity = typed(Parity, result, "verify")
    return parity


# ---- models and inputs as plain values


def unopened(model: Any) -> Runnable:
    """What a model says that it takes, without a session; it runs in another process.

    Args:
        model: Anything that `verify` takes.
    """
    if isinstance(model, Runnable):
        return model
    if is_symbol(model):
        return of_symbol(model[0], arrays_by_name(list(model[1:])))
    source = _source(model)

    def closed(*_: Any) -> Any:
        raise ConversionError("verify: this model is open in another process alone.")

    declared = {
        item.name: Spec(
            None if item.shape is None else tuple(dim(d, item.name, i) for i, d in enumerate(item.shape)),
            None if item.dtype == "unknown" else as_dtype(item.dtype),
        )
        for item in facts(read(source)).inputs
    }
    return Runnable(
        *(declared, closed, closed, closed, closed, closed),
        is_file=True,
        source=source,
        title=title(model),
    )


def _source(model: Any) -> str | bytes:
    if isinstance(model, bytes):
        return model
    if hasattr(model, "SerializeToString"):
        data: bytes = model.SerializeToString()
        return data
    if isinstance(model, str | os.PathLike):
        if not Path(model).is_file():
            raise ConversionError(f"verify: the ONNX file {os.fspath(model)} does not exist.")
        return os.fspath(model)
    raise ConversionError(
        "verify: a file, its bytes, a block, or a Symbol with parameters is required with isolated, got "
        f"{type(model).__name__}."
    )


def _told(model: Any) -> Any:
    """A model as plain values."""
    if isinstance(model, Runnable) and model.source is not None:
        return {"source": model.source}
    if isinstance(model, Runnable):
        graph = model.inside()
        assert isinstance(graph, Graph)
        inputs = [[name, *_spec(spec)] for name, spec in model.inputs.items()]
        facts = {"inputs": inputs, "title": model.title, "calls": model.call is not None}
        return {**_of_symbol(graph.symbol, graph.params), **facts}
    if is_symbol(model):
        return _of_symbol(model[0], arrays_by_name(list(model[1:])))
    return {"source": _source(model)}


def _of_symbol(symbol: Any, params: Arrays) -> dict[str, Any]:
    return {"symbol": symbol.tojson(remove_amp_cast=False), "params": params, "title": title(symbol)}


def _spec(spec: Spec) -> tuple[Any, Any]:
    shape = None if spec.shape is None else [d if isinstance(d, int | None) else str(d) for d in spec.shape]
    return shape, None if spec.dtype is None else name_of(spec.dtype)


def _inputs(inputs: Any, labelled: bool, answers: dict[str, Callable[..., Any]]) -> Any:
    """What a caller gives as plain values; what gives samples one by one stays here, and is asked."""
    if isinstance(inputs, str | os.PathLike):
        return {"path": os.fspath(inputs)}
    if inputs is None or isinstance(inputs, Mapping | list | tuple) or hasattr(inputs, "shape"):
        return None if inputs is None else {"value": inputs}
    samples: Iterator[Any] | None = None

    def following() -> Any:
        nonlocal samples
        samples = iter(inputs) if samples is None else samples
        for sample in samples:
            return {"sample": _batch(sample) if labelled else sample}
        return {}

    answers["next"] = following
    return {}


def _batch(sample: Any) -> Any:
    """A batch of `mx.io`, whose last rows may be the first again, as its data and labels."""
    if not (hasattr(sample, "data") and hasattr(sample, "label")):
        return sample
    values = [x.asnumpy() for x in (*sample.data, *(sample.label or []))]
    return [x[: len(x) - (sample.pad or 0)] for x in values]


# ---- the other process


def work(request: dict[str, Any], ask: _Ask) -> dict[str, Any]:
    """Compare as the parent asks.

    Args:
        request: What `verify_isolated` tells.
        ask: Asks the parent.

    Returns:
        The report as plain values.
    """
    model, other = request.pop("model"), request.pop("other")
    given, (transforms, mean, std) = request.pop("inputs"), request.pop("pixels")
    transform = (lambda picture: ask("transform", picture)) if transforms else None
    inputs = None if given is None else given.get("path", given.get("value"))
    if given == {}:
        inputs = _samples(ask)
    parity = verify(
        _opened(model, ask),
        None if other is None else _opened(other, ask),
        inputs,
        pixels=Pixels(transform, mean, std),
        **request,
    )
    report: dict[str, Any] = plain(parity)
    return report


def _samples(ask: _Ask) -> Iterator[Any]:
    while "sample" in (answer := ask("next")):
        yield answer["sample"]


def _opened(told: dict[str, Any], ask: _Ask) -> Any:
    if "source" in told:
        return told["source"]
    symbol = load_json(told["symbol"])
    if "inputs" not in told:
        return symbol, told["params"]
    call = (lambda inputs: ask("call", inputs)) if told["calls"] else None
    inputs = {name: _spec_of(name, *spec) for name, *spec in told["inputs"]}
    known = of_symbol(symbol, told["params"], call)
    return dataclasses.replace(known, inputs=inputs, title=told["title"])


def _spec_of(name: str, shape: Any, dtype: str | None) -> Spec:
    sizes = None if shape is None else tuple(_size(d, name, i) for i, d in enumerate(shape))
    return Spec(sizes, None if dtype is None else as_dtype(dtype))


def _size(size: Any, name: str, axis: int) -> Any:
    return None if size is None else dim(size, name, axis)
