"""Parity of two models: both run on the same inputs, and every output that both have is compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..converters.from_onnx import in_words
from ..dtypes import DType, as_dtype
from ..errors import ConversionError, MXNetError
from ..ops import Array, Spec
from ..runtime.environment import environment
from .difference import Exact, difference, together, unit_of
from .drawing import Draws, specs_of
from .inputs import given
from .labelled import Batch, begun, fitted, labelled, score
from .layers import Beside
from .models import (
    Arrays,
    File,
    Graph,
    Runnable,
    exported,
    exported_for,
    has_containers,
    label_zeros,
    of_onnx,
    rows_of,
    runnable,
    title,
)
from .parameters import different
from .pictures import Pixels
from .proof import Differences, Proof, base_of, failed
from .quantized import QuantizedFile, described, settled, unknown
from .report import Parity
from .results import Layer, ParameterDifference, Score, SizeTrial
from .rounding import Expectation, Reference, rounded


def verify(
    model: Any,
    other: Any = None,
    inputs: Any = None,
    *,
    shapes: Any = None,
    sizes: Mapping[str, Any] | None = None,
    layers: bool = True,
    samples: int | None = None,
    seed: int = 0,
    precision: Any = None,
    metric: Any = None,
    pixels: Pixels | None = None,
) -> Parity:
    """Run two models on the same inputs and judge every difference.

    A model is an ONNX file (or its bytes, or a ModelProto), or a Symbol with parameters as a tuple. Without
    `other` a Symbol is compared with its own export. ONNX models run in plain ONNX Runtime, Symbols on the
    kernels. `inputs` gives arrays by name or in order; without it `samples` are drawn, with the sizes of
    `shapes` where the models leave them open, and free sizes are tried at other numbers, too, as they are if
    `sizes` names them. Layers are compared unless `layers` says no.
    """
    first = runnable(model)
    second = first if other is None else runnable(other)
    draws = Draws(first, second, shapes, sizes) if inputs is None or sizes is not None else None
    pixels, specs = pixels or Pixels(), specs_of(first, second, shapes)
    known: list[Arrays] = []
    batches: Iterator[Batch] = iter(())
    if metric is not None:
        head, batches = begun(labelled(inputs, specs, pixels), samples or 1)
        known = [batch.inputs for batch in head]
    elif inputs is not None:
        known = given(specs, inputs, samples, pixels)
    if other is None:
        second = _own_export(first, known, draws, in_batches=metric is not None)
    comparison = _Comparison(first, second, precision)
    judged: Score | None = None
    if metric is not None:
        judged = comparison.score(batches, metric)
        known = [part.inputs for batch in head for part in comparison.parts(batch)][: samples or 1]
    parity = comparison.run(known, draws, layers, samples or 1, seed)
    names = title(model), "its own export" if other is None else title(other)
    return replace(parity, metric=judged, models=names, environment=environment())


def _own_export(first: Runnable, known: Sequence[Arrays], draws: Draws | None, in_batches: bool) -> Runnable:
    graph = first.inside()
    if not isinstance(graph, Graph):
        raise ConversionError("verify: two models, or a Symbol with its parameters, are required, got one.")
    if in_batches:
        return of_onnx(exported_for(graph.symbol, graph.params, known[0]))
    own = {n: Spec(x.shape, x.dtype) for n, x in known[0].items()} if draws is None else draws.specs
    return of_onnx(exported(graph.symbol, graph.params, typed(own)))


_Expected: TypeAlias = tuple[Array, Exact]
"""The first model's own result, and what it should be."""
_Reference: TypeAlias = tuple[Graph, Reference]


class _Sample(NamedTuple):
    """What one sample shows."""

    outputs: Differences
    call: Differences = ()
    """Those of the first model's other way, if it has one."""
    layers: Sequence[Layer] = ()


class _Ends:
    """What a graph's outputs should be, picked from its values."""

    def __init__(self, graph: Graph, inputs: Arrays) -> None:
        self._outputs = graph.symbol.outputs
        self._wanted = set(self._outputs)
        known = {**graph.params, **inputs}
        self._ready = {e: Exact(known[e.node.name], 0.0) for e in self._wanted if e.node.is_variable}

    def watch(self, item: Expectation) -> None:
        """Take a value that is an output."""
        if item.entry in self._wanted:
            self._ready[item.entry] = Exact(item.exact, item.bound)

    def beside(self, own: Arrays) -> dict[str, _Expected]:
        """The outputs in order, with what the first model gives."""
        pairs = zip(own.items(), self._outputs, strict=True)
        return {name: (y, self._ready[entry]) for (name, y), entry in pairs}


class _Comparison:
    """Two models."""

    def __init__(self, first: Runnable, second: Runnable, precision: Any = None) -> None:
        self._first, self._second = first, second
        self._notes: dict[str, None] = {}
        self._usual: dict[str, float] = {}
        """The bound of half of the elements of each output, of those that have one."""
        self._readings: list[Differences] = []
        """The outputs of an ONNX file that comes first, beside its reference, of each sample."""
        self._misread = False
        """Whether these differ."""
        graph = first.reference()
        dtype = self._precision(precision)
        self._reference = None if graph is None else (graph, Reference(graph.symbol, graph.params, dtype))
        self._strict = self._reference
        """For the first model's other way, which is as precise as it is."""
        if graph is not None and dtype is not None:
            self._strict = graph, Reference(graph.symbol, graph.params)
        self._quantized = self._quantization(precision)
        if graph is None:
            self._note(
                "the first model has operators that only ONNX Runtime knows: no bounds of rounding, its own "
                "float32 results are what is required, and ok(tol) decides"
            )

    def _precision(self, wanted: Any) -> DType | None:
        """The dtype whose rounding the second model is granted; `None` where each value's own counts."""
        dtype = self._second.precision() if wanted is None else as_dtype(wanted)
        if dtype is None or unit_of(dtype) <= unit_of(np.dtype(np.float32)):
            return None
        own = self._first.precision()
        if wanted is None and (own is None or unit_of(own) >= unit_of(dtype)):
            return None
        why = "as asked for" if wanted is not None else "as most of the second model's weights are"
        self._note(f"bounds are those of {dtype}, {why}")
        return dtype

    def _quantization(self, wanted: Any) -> QuantizedFile | None:
        """The second model's values, if it is quantized and the first is not, and no bounds are asked for."""
        known = None if wanted is not None or self._strict is None else self._second.quantization()
        if known is None or self._first.quantization() is not None:
            return None
        self._note(described(known))
        if known.unknown():
            self._note(unknown(known.unknown()))
        return QuantizedFile(known)

    def run(
        self, samples: Sequence[Arrays], draws: Draws | None, layers: bool, count: int, seed: int
    ) -> Parity:
        """The report of all samples, or of so many that are drawn, and of other sizes if there are draws."""
        base = None if draws is None else base_of(self._first, draws, seed)
        if draws is not None and base is not None and not samples:
            samples = [draws.sample(base, seed + k) for k in range(count)]
        may_fail = draws is not None and bool(draws.free.names)
        results = [self._sample(sample, may_fail, layers) for sample in samples]
        outputs = settled(_merged([r.outputs for r in results]), [x for r in results for x in r.layers])
        trials: list[SizeTrial] = []
        if draws is not None and base is not None and draws.free.names:
            proof = Proof(self._first, draws, seed, self._compared)
            trials = [SizeTrial(base, outputs=outputs), *proof.trials(base)]
        inside = [result.layers for result in results]
        sizes = next((trial.sizes for trial in trials if not trial.ok()), None)
        if layers and draws is not None and sizes is not None and all(d.ok() for d in outputs):
            inside = [self._layers_at(draws.sample(sizes, seed))]
        parity = Parity(
            outputs,
            _merged_layers(inside),
            _merged([result.call for result in results]),
            len(samples),
            tuple(self._notes),
            tuple(trials),
            reference=_merged(self._readings),
        )
        return parity if parity.ok() else replace(parity, parameters=self._parameters())

    def _sample(self, sample: Arrays, may_fail: bool, inside: bool) -> _Sample:
        """What a sample shows, with layers if they are asked for.

        All outputs are at fault where the second model does not run, if it `may_fail`.
        """
        own = self._first.run(sample)
        with self._words():
            self._leave_containers(sample)
            layers, expected = self._inside(own, sample) if inside else ([], self._expected(own, sample))
            expected = self._trusted(expected, sample)
        for name, (_, exact) in expected.items():
            self._usual[name] = _usual(np.asarray(exact.bound))
        call: Differences = ()
        if self._first.call is not None:
            strict = (
                expected if self._strict is self._reference else self._expected(own, sample, self._strict)
            )
            call = _differences(strict, self._first.call(sample))
        layers = [] if self._misread else layers
        try:
            return _Sample(self._beside(expected, self._renamed(sample)), call, layers)
        except MXNetError as exc:
            if not may_fail:
                raise
            return _Sample(failed(own, exc), call, layers)

    def _compared(self, own: Arrays, sample: Arrays) -> Differences:
        """The outputs at other sizes. The reference, which takes long, runs where these are not close."""
        with self._words():
            return self._compared_in_words(own, sample)

    def _compared_in_words(self, own: Arrays, sample: Arrays) -> Differences:
        near = {name: (y, Exact(y, self._usual.get(name, 0.0))) for name, y in own.items()}
        outputs = self._beside(near, self._renamed(sample))
        if all(difference.ok() for difference in outputs):
            return outputs
        try:
            outputs = self._beside(self._trusted(self._expected(own, sample), sample), self._renamed(sample))
            return outputs if self._quantized is None else settled(outputs, self._layers(sample))
        except MXNetError:  # the graph of an ONNX model may be one of its declared sizes
            return outputs

    def _beside(self, expected: Mapping[str, _Expected], inputs: Arrays) -> Differences:
        """The second model's outputs beside what they should be."""
        results = self._second.run(inputs)
        if self._quantized is None or len(expected) != len(results):
            return _differences(expected, results)
        names = dict(zip(results, self._quantized.outputs(), strict=True))
        known = {names[name]: y for name, y in results.items() if names[name] not in inputs}
        steps = self._quantized.allowed(inputs, known)
        allowed = [steps.get(name, np.zeros(())) for name in names.values()]
        pairs = zip(expected.items(), allowed, strict=True)
        return _differences(
            {name: (own, exact._replace(step=step)) for (name, (own, exact)), step in pairs}, results
        )

    def parts(self, batch: Batch) -> Iterator[Batch]:
        """A batch as both models take it."""
        return fitted(batch, rows_of(self._first, self._second))

    def score(self, batches: Iterable[Batch], metric: Any) -> Score:
        """What a metric says of both models."""
        parts = (part for batch in batches for part in self.parts(batch))
        first = self._first.call or self._first.run
        result = score(first, lambda x: self._second.run(self._renamed(x)), parts, metric)
        if result.added:
            self._note(
                f"the models take {rows_of(self._first, self._second)} rows at once: batches of fewer have "
                f"their last row again, {result.added} rows in all, and what comes of these is left out"
            )
        return result

    def _note(self, text: str) -> None:
        self._notes[text] = None

    def _words(self) -> AbstractContextManager[None]:
        """Where a file may come from a stranger, whose graph kernels may fail at."""
        is_file = self._first.is_file or self._second.is_file
        return in_words("the models cannot be compared") if is_file else nullcontext()

    def _leave_containers(self, sample: Arrays) -> None:
        """Judge without bounds where there are sequences, of whose rounding nothing is known."""
        if self._reference is not None and has_containers(self._reference[0], sample):
            self._reference = self._strict = None
            self._note(
                "the first model has sequences or other values that are no arrays in it: no bounds of "
                "rounding, its own float32 results are what is required, and ok(tol) decides"
            )

    # ---- what the second model's values should be

    def _expected(self, own: Arrays, sample: Arrays, known: _Reference | None = None) -> dict[str, _Expected]:
        """Each output of the first model by name, with bounds of its reference or another one."""
        known = known or self._reference
        if known is None:
            return {name: (y, Exact(y, np.inf)) for name, y in own.items()}
        graph, reference = known
        inputs = _with_labels(graph, sample)
        ends = _Ends(graph, inputs)
        for item in reference.run(inputs):
            ends.watch(item)
        return ends.beside(own)

    def _inside(self, own: Arrays, sample: Arrays) -> tuple[list[Layer], dict[str, _Expected]]:
        """The layers, and the outputs that were picked on the way."""
        if self._reference is None:
            return [], self._expected(own, sample)
        inputs = _with_labels(self._reference[0], sample)
        ends = _Ends(self._reference[0], inputs)
        beside = Beside(self._reference, self._values_of_second, inputs, self._renamed(sample))
        return beside.layers(ends.watch), ends.beside(own)

    def _layers(self, sample: Arrays) -> list[Layer]:
        if self._reference is None or self._misread:
            return []
        with self._words():
            inputs = _with_labels(self._reference[0], sample)
            return Beside(self._reference, self._values_of_second, inputs, self._renamed(sample)).layers()

    def _layers_at(self, sample: Arrays) -> list[Layer]:
        """The layers at other sizes; none where the reference takes them not."""
        try:
            return self._layers(sample)
        except MXNetError:  # the graph of an ONNX model may be one of its declared sizes
            return []

    @cached_property
    def _values_of_second(self) -> Graph | File:
        return self._quantized or self._second.inside()

    def _parameters(self) -> tuple[ParameterDifference, ...]:
        """The parameters of one name that differ."""
        with self._words():
            first = self._first.inside()
            return different(first, first.parameters(), self._values_of_second, ())

    # ---- an ONNX file beside its reference

    def _trusted(self, expected: Mapping[str, _Expected], sample: Arrays) -> dict[str, _Expected]:
        """What is expected; without the reference where that reads an ONNX file otherwise than it runs."""
        if self._reference is None or not self._first.is_file:
            return dict(expected)
        rows = tuple(
            difference(name, rounded(np.asarray(exact.value), own.dtype), own, exact)
            for name, (own, exact) in expected.items()
        )
        self._readings.append(rows)
        if all(row.ok() for row in rows):
            return dict(expected)
        if not self._misread:
            self._misread = True
            why = (
                "the first model is quantized, and float64 falls to other steps than ONNX Runtime"
                if self._first.quantization() is not None
                else "the float64 reference reads the first model otherwise than ONNX Runtime runs it"
                f"{self._misreading(sample)}"
            )
            self._note(f"{why}: outputs are judged by what ONNX Runtime gives, layers are not")
        return {name: (own, _alone(own, exact)) for name, (own, exact) in expected.items()}

    def _misreading(self, sample: Arrays) -> str:
        """Where the reference begins to differ."""

        if self._reference is None:
            return ""
        inputs = _with_labels(self._reference[0], sample)
        try:
            layers = Beside(self._reference, self._first.inside(), inputs, sample).layers()
        except MXNetError:
            return ""
        first = next((layer for layer in layers if not layer.ok()), None)
        return "" if first is None else f", from {first.name} on, computed by {', '.join(first.nodes)}"

    def _renamed(self, arrays: Arrays) -> Arrays:
        """The inputs of the first model for the second, which may call them differently."""
        names = self._second.inputs
        if set(names) <= set(arrays):
            return self._typed(arrays)
        if len(names) != len(arrays):
            raise ConversionError(
                f"verify: models with the same inputs are required, got {', '.join(arrays)} for one and "
                f"{', '.join(names)} for the other."
            )
        return self._typed(dict(zip(names, arrays.values(), strict=True)))

    def _typed(self, arrays: Arrays) -> Arrays:
        """The inputs in the second model's dtypes, where both are of floating-point numbers."""
        typed = dict(arrays)
        for name, x in arrays.items():
            dtype = self._second.inputs.get(name, Spec()).dtype
            if dtype is not None and dtype != x.dtype and dtype.kind in "fV" and x.dtype.kind in "fV":
                typed[name] = x.astype(dtype)
        return typed


def _alone(own: Array, exact: Exact) -> Exact:
    """A model's own value as what is exact; to be equalled where the reference has no bound of its shape."""
    bound = np.asarray(exact.bound)
    return Exact(own, bound if bound.shape in ((), own.shape) else 0.0)


def _usual(bounds: Array) -> float:
    """The bound of half of the elements that have one."""
    finite = bounds[(bounds > 0) & np.isfinite(bounds)]
    if finite.size:
        return float(np.median(finite))
    return np.inf if (bounds > 0).any() else 0.0


def _with_labels(graph: Graph, sample: Arrays) -> Arrays:
    shapes = {name: array.shape for name, array in sample.items()}
    return {**sample, **label_zeros(graph.symbol, [*graph.params, *sample], shapes)}


def _differences(expected: Mapping[str, _Expected], got: Arrays) -> Differences:
    if len(expected) != len(got):
        raise ConversionError(
            "verify: models with the same number of outputs are required, "
            f"got {len(expected)} and {len(got)}."
        )
    pairs = zip(expected.items(), got.values(), strict=True)
    return tuple(difference(name, own, result, exact) for (name, (own, exact)), result in pairs)


def _merged(samples: Sequence[Differences]) -> Differences:
    return tuple(together(several) for several in zip(*samples, strict=True))


def _merged_layers(samples: Sequence[Sequence[Layer]]) -> tuple[Layer, ...]:
    by_name: dict[str, list[Layer]] = {}
    for layer in (layer for sample in samples for layer in sample):
        by_name.setdefault(layer.name, []).append(layer)
    whole = {
        name: [layer.whole for layer in several if layer.whole is not None]
        for name, several in by_name.items()
    }
    return tuple(
        replace(
            several[0],
            own=together([layer.own for layer in several]),
            whole=together(whole[name]) if whole[name] else None,
            parameters=next((layer.parameters for layer in several if layer.parameters), ()),
            saturated=sum(layer.saturated for layer in several),
        )
        for name, several in by_name.items()
    )


def typed(specs: Mapping[str, Spec]) -> dict[str, Spec]:
    """What is known of inputs, for an export: float32 where nothing says a dtype."""
    return {name: Spec(spec.shape, spec.dtype or np.dtype(np.float32)) for name, spec in specs.items()}
