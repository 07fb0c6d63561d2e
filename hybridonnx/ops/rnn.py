"""Recurrent networks of several layers, and their gradient through time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from ..dtypes import DType
from ..errors import AttributeValueError, DTypeError, MXNetError, ShapeError
from ._operator import Array, Operator, Spec, record
from ._recurrence import GATES, backward, forward
from ._recurrence import Clip as Clip
from ._recurrence import Packing as Packing
from ._recurrence import Run as Run
from ._recurrence import Weights as Weights
from ._registry import operator
from ._shapes import Dim, Shape, known, show, sizes, unify
from .join import Concat


@record
class _Recurrent(Operator):
    """What the operator and its gradient share.

    T steps, N sequences, I channels, L = num_layers, D directions, H = state_size, R = projection_size or H.

    Inputs:
        data: (T, N, I).
        parameters: A vector of all weights, by layer and direction, then of all biases in the same order.
        state: The hidden states to begin with, (L * D, N, R).
        state_cell: The cell states to begin with, (L * D, N, H); only with mode "lstm".
        sequence_length: (N,), how many steps of each sequence count; only with use_sequence_length.

    Attributes:
        state_size: H, the number of cells in a layer and direction.
        num_layers: L, the number of layers, each of which takes what the one before it gives.
        bidirectional: Whether each layer runs forwards and backwards in time (D = 2), its outputs side by
            side.
        mode: The kind of cell: "rnn_relu" and "rnn_tanh" of one gate, "lstm", "gru".
        p: The probability that a value between layers is 0 when training; the others are divided by 1 - p.
        state_outputs: Whether the states after the last step are shown.
        projection_size: R, what an lstm's hidden states are projected to; None: no projection.
        lstm_state_clip_min: The lower limit of an lstm's cell states; None: no limits.
        lstm_state_clip_max: The upper limit of an lstm's cell states; None: no limits.
        lstm_state_clip_nan: Whether NaN in a cell state becomes the lower limit, if there are limits.
        use_sequence_length: Whether the sequences have lengths of their own; outputs after them are 0.
    """

    state_size: int
    num_layers: int
    bidirectional: bool = False
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"]
    p: float = 0.0
    state_outputs: bool = False
    projection_size: int | None = None
    lstm_state_clip_min: float | None = None
    lstm_state_clip_max: float | None = None
    lstm_state_clip_nan: bool = False
    use_sequence_length: bool = False

    def check(self) -> None:
        name = self.names[0]
        for attribute in ("state_size", "num_layers", "projection_size"):
            value = getattr(self, attribute)
            if value is not None and value < 1:
                raise AttributeValueError(f"{name}: {attribute} of at least 1 is required, got {value}.")
        if not 0 <= self.p <= 1:
            raise AttributeValueError(f"{name}: p must lie in [0, 1], got {self.p}.")
        if (self.lstm_state_clip_min is None) != (self.lstm_state_clip_max is None):
            raise AttributeValueError(
                f"{name}: lstm_state_clip_min and lstm_state_clip_max together are required, got "
                f"{self.lstm_state_clip_min} and {self.lstm_state_clip_max}."
            )
        if self.mode != "lstm" and (self.projection_size or self.lstm_state_clip_min is not None):
            raise AttributeValueError(
                f"{name}: mode lstm is required with projection_size or lstm_state_clip, got {self.mode}."
            )

    # ---- what follows

    def directions(self) -> int:
        """D: 2 if bidirectional."""
        return 2 if self.bidirectional else 1

    def packing(self) -> Packing:
        """How the parameters lie in their vector."""
        return Packing(
            GATES[self.mode], self.state_size, self.projection_size, self.num_layers, self.directions()
        )

    def clip(self) -> Clip | None:
        """The cells' limits, if there are any."""
        if self.lstm_state_clip_min is None or self.lstm_state_clip_max is None:
            return None
        return Clip(self.lstm_state_clip_min, self.lstm_state_clip_max, self.lstm_state_clip_nan)

    def runs(self) -> list[Run]:
        """One for each direction."""
        return [Run(self.mode, self.state_size, d == 1, self.clip()) for d in range(self.directions())]

    def drops(self) -> bool:
        """Whether there is dropout between layers, when training."""
        return self.p > 0 and self.num_layers > 1

    def forward_inputs(self) -> tuple[str, ...]:
        """The names of the inputs that `RNN` has."""
        names = ["data", "parameters", "state"]
        names += ["state_cell"] if self.mode == "lstm" else []
        names += ["sequence_length"] if self.use_sequence_length else []
        return tuple(names)

    def results(self) -> tuple[str, ...]:
        """The names of the operator's visible outputs."""
        names = ["output"]
        names += ["state_output"] if self.state_outputs else []
        names += ["statecell_output"] if self.state_outputs and self.mode == "lstm" else []
        return tuple(names)

    def between(self) -> tuple[str, ...]:
        """The names of what lies between layers: all layers' outputs but the last's, and dropout's mask."""
        return (("layers",) if self.num_layers > 1 else ()) + (("mask",) if self.drops() else ())

    # ---- shapes

    def state_shapes(self, batch: Dim) -> tuple[Shape, Shape]:
        """The shapes of state and state_cell."""
        rows = self.num_layers * self.directions()
        return (rows, batch, self.packing().outputs()), (rows, batch, self.state_size)

    def forward_input_shapes(self, data: Shape | None, state: Shape | None) -> dict[str, Shape | None]:
        """The shapes of `forward_inputs`, by name."""
        if data is not None and len(data) != 3:
            raise ShapeError(f"{self.names[0]}: data (steps, batch, channels) is required, got {show(data)}.")
        batch = data[1] if data is not None else None
        if batch is None and state is not None and len(state) == 3:
            batch = state[1]
        inputs = data[2] if data is not None else None
        hidden, cells = self.state_shapes(batch)
        return {
            "data": None if data is None else (data[0], batch, inputs),
            "parameters": (self.packing().size(inputs) if isinstance(inputs, int) else None,),
            "state": hidden,
            "state_cell": cells,
            "sequence_length": (batch,),
        }

    def result_shapes(self, data: Shape, state: Shape) -> dict[str, Shape]:
        """The shapes of all that the operator gives, by name."""
        steps, batch = data[0], data[1] if data[1] is not None else state[1]
        out: Shape = (steps, batch, self.directions() * self.packing().outputs())
        hidden, cells = self.state_shapes(batch)
        between: Shape = (self.num_layers - 1, *out)
        shapes = {"output": out, "state_output": hidden, "statecell_output": cells}
        return {**shapes, "layers": between, "mask": between}

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        names = self.input_names()
        known_dtypes = [
            d for n, d in zip(names, dtypes, strict=True) if d is not None and n != "sequence_length"
        ]
        if any(d != known_dtypes[0] for d in known_dtypes) or (known_dtypes and known_dtypes[0].kind != "f"):
            listing = ", ".join(f"{n} {d}" for n, d in zip(names, dtypes, strict=True))
            raise DTypeError(
                f"{self.names[0]}: floating-point numbers of one dtype are required, got {listing}. "
                "Cast with astype."
            )
        one = known_dtypes[0] if known_dtypes else None
        return [
            d if n == "sequence_length" and d is not None else one for n, d in zip(names, dtypes, strict=True)
        ]

    # ---- arrays

    def by_name(self, inputs: Sequence[Array]) -> tuple[dict[str, Array], DType]:
        """The inputs by name, in float32 at least, and their dtype as it was."""
        dtype = inputs[0].dtype
        arrays = dict(zip(self.input_names(), inputs, strict=False))
        if dtype == np.float16:
            arrays = {n: a.astype(np.float32) if a.dtype == np.float16 else a for n, a in arrays.items()}
        return arrays, dtype

    def inside(self, inputs: dict[str, Array]) -> Array | None:
        """(T, N, 1): whether a step is within its sequence."""
        if not self.use_sequence_length:
            return None
        length = inputs["sequence_length"]
        mask: Array = (np.arange(len(inputs["data"]))[:, None] < length)[:, :, None]
        return mask

    def rows(self, inputs: dict[str, Array], names: Sequence[str]) -> Iterator[list[Array | None]]:
        """For each layer and direction, the rows of states called `names`, `None` where there is none."""
        for k in range(self.num_layers * self.directions()):
            yield [inputs[name][k] if name in inputs else None for name in names]


_STEP = 5000
"""Elements that take as long as the calls of a step."""


@operator("RNN", "_npx_rnn")
class RNN(_Recurrent):
    """Layers of recurrent cells, in one direction or both, over the steps of sequences.

    T steps, N sequences, I channels, L = num_layers, D directions, H = state_size, R = projection_size or H.

    Returns:
        output: (T, N, D * R), the last layer's hidden states at each step.
        state_output: (L * D, N, R), all layers' last hidden states; only with state_outputs.
        statecell_output: (L * D, N, H), all layers' last cell states; only with state_outputs and mode
            "lstm".

    ONNX: LSTM, GRU or RNN for each layer; Scan with projection, limits or float64.
    """

    saves: ClassVar[float] = 10.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "parameters", "state", "state_cell", "sequence_length")
    outputs: ClassVar[tuple[str, ...]] = ("output", "state_output", "statecell_output", "layers", "mask")
    mode_dependent: ClassVar[bool] = True
    noise: ClassVar[str] = "uniform"

    def input_names(self) -> tuple[str, ...]:
        return self.forward_inputs()

    def output_names(self) -> tuple[str, ...]:
        return self.results() + self.between()

    def visible(self) -> int:
        return len(self.results())

    def counted(self) -> int:
        return self.visible()

    def draws(self) -> bool:
        return self.training and self.drops()

    def draw(self, rng: np.random.Generator, *inputs: Spec) -> Array:
        shape = self.noise_spec((), *inputs).shape
        if not known(shape):
            raise ShapeError(f"RNN: a complete shape is required to draw, got {show(inputs[0].shape)}.")
        return rng.random(sizes(shape or ()), np.float32)

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        steps, batch, *_ = inputs[0].shape or (None, None)
        width = self.directions() * self.packing().outputs()
        return Spec((self.num_layers - 1, steps, batch, width), np.dtype("float32"))

    def infer_inputs(
        self, data: Shape | None, parameters: Shape | None, state: Shape | None, *rest: Shape | None
    ) -> Sequence[Shape | None]:
        shapes = self.forward_input_shapes(data, state)
        return [shapes[name] for name in self.input_names()]

    def infer_shape(self, data: Shape, parameters: Shape, state: Shape, *rest: Shape) -> list[Shape]:
        shapes = self.result_shapes(data, state)
        return [shapes[name] for name in self.output_names()]

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        """The elements of all states, and as many as a kernel's step costs by itself."""
        (steps, batch, _), layers = inputs[0], self.num_layers * self.directions()
        return steps * layers * (batch * self.state_size + _STEP)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        if outputs[0] is None or len(outputs[0]) != 3:
            return inputs
        return [unify("RNN", inputs[0], (*outputs[0][:2], None)), *inputs[1:]]

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        arrays, dtype = self.by_name(inputs)
        noise = inputs[-1] if self.draws() else None
        x, inside = arrays["data"], self.inside(arrays)
        states = self.rows(arrays, ("state", "state_cell"))
        results: dict[str, list[Array]] = {name: [] for name in self.outputs}
        for k, weights in enumerate(self.packing().unpacked(arrays["parameters"], x.shape[2])):
            if k:
                results["layers"].append(x)
                x = x if noise is None else x * self._masked(results["mask"], noise[k - 1], x.dtype)
            ys = []
            for run, w in zip(self.runs(), weights, strict=True):
                h, c = next(states)
                assert h is not None
                y, h, c = forward(run, x, w, h, c, inside)
                ys.append(y)
                results["state_output"].append(h)
                results["statecell_output"] += [] if c is None else [c]
            x = ys[0] if len(ys) == 1 else np.concatenate(ys, axis=2)
        if self.drops() and noise is None:
            results["mask"] = [np.ones_like(y) for y in results["layers"]]
        outputs = {
            name: np.stack(parts) for name, parts in results.items() if parts and name in self.output_names()
        }
        outputs["output"] = x
        return tuple(outputs[name].astype(dtype, copy=False) for name in self.output_names())

    def _masked(self, masks: list[Array], noise: Array, dtype: DType) -> Array:
        """Dropout's factors for what goes into one layer, which are remembered."""
        scale = 1 / (1 - self.p) if self.p < 1 else 0.0
        masks.append((noise < 1 - self.p) * dtype.type(scale))
        return masks[-1]

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        ys, dys = (v if isinstance(v, tuple | list) else (v,) for v in (y, dy))
        visible = self.visible()
        arrays = dict(zip(self.forward_inputs(), inputs, strict=True))
        arrays |= dict(zip(("output", *self.between()), (ys[0], *ys[visible:]), strict=True))
        arrays |= dict(zip(("dy", "d_state", "d_state_cell"), dys[:visible], strict=False))
        gradients = tuple(F._rnn_grad(**arrays, **self.attributes()))
        return (*gradients, None) if self.use_sequence_length else gradients


@operator("_rnn_grad")
class RNNGrad(_Recurrent):
    """The adjoint of `RNN`: gradients of data, parameters and states from those of its outputs.

    Inputs:
        output: The output of RNN.
        layers: What the layers but the last gave, (L - 1, T, N, D * R); only with several layers.
        mask: The factors of dropout, in the shape of layers; only with p above 0 and several layers.
        dy: The gradient of output.
        d_state: The gradient of state_output; only with state_outputs.
        d_state_cell: The gradient of statecell_output; only with state_outputs and mode "lstm".

    Returns:
        data: The gradient of data.
        parameters: The gradient of parameters.
        state: The gradient of state.
        state_cell: The gradient of state_cell; only with mode "lstm".

    ONNX: Scan, with MatMul and Gemm.
    """

    saves: ClassVar[float] = 20.0
    inputs: ClassVar[tuple[str, ...]] = (
        *RNN.inputs,
        *("output", "layers", "mask"),
        *("dy", "d_state", "d_state_cell"),
    )
    outputs: ClassVar[tuple[str, ...]] = ("data", "parameters", "state", "state_cell")

    def heads(self) -> tuple[str, ...]:
        """The names of the outputs' gradients."""
        return ("dy", "d_state", "d_state_cell")[: len(self.results())]

    def input_names(self) -> tuple[str, ...]:
        return (*self.forward_inputs(), "output", *self.between(), *self.heads())

    def output_names(self) -> tuple[str, ...]:
        return tuple(name for name in self.forward_inputs() if name != "sequence_length")

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        data, state = shapes[0], shapes[2]
        inputs = self.forward_input_shapes(data, state)
        if inputs["data"] is not None and inputs["state"] is not None:
            results = self.result_shapes(inputs["data"], inputs["state"])
            heads = zip(self.heads(), (results[name] for name in self.results()), strict=True)
            inputs.update(results, **dict(heads))
        return [inputs.get(name) for name in self.input_names()]

    def infer_shape(self, *shapes: Shape) -> list[Shape]:
        return list(shapes[: len(self.output_names())])

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        arrays, dtype = self.by_name(inputs)
        data, inside = arrays["data"], self.inside(arrays)
        layers, masks = arrays.get("layers"), arrays.get("mask")
        wrt = np.empty_like(arrays["parameters"])
        grads = self.packing().unpacked(wrt, data.shape[2])
        params = self.packing().unpacked(arrays["parameters"], data.shape[2])
        states = list(self.rows(arrays, ("state", "state_cell", "d_state", "d_state_cell")))
        d_states: list[list[Array | None]] = [[], []]
        y, dy = arrays["output"], arrays["dy"]
        for k in range(self.num_layers)[::-1]:
            x = data if layers is None or not k else layers[k - 1]
            mask = None if masks is None or not k else masks[k - 1]
            entered = x if mask is None else x * mask
            dx: Any = 0
            for d, (run, w, g) in reversed(
                list(enumerate(zip(self.runs(), params[k], grads[k], strict=True)))
            ):
                h, c, *last = states[k * self.directions() + d]
                assert h is not None
                cut = slice(d * h.shape[1], (d + 1) * h.shape[1])
                heads = (dy[:, :, cut], *_started(h, c, last))
                back = backward(run, entered, w, h, c, inside, y[:, :, cut], heads, g)
                dx = dx + back.dx
                d_states[0].insert(0, back.dh)
                d_states[1].insert(0, back.dc)
            y, dy = x, dx if mask is None else dx * mask
        results = [dy, wrt, *(np.stack(f) for f in d_states if f[0] is not None)]  # type: ignore[arg-type]
        return tuple(a.astype(dtype, copy=False) for a in results)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        raise MXNetError(
            "RNN: gradients of first order are there alone, as in MXNet. For higher ones unroll a cell, "
            "such as gluon.rnn.LSTMCell(…).unroll(…)."
        )


def _started(h: Array, c: Array | None, last: Sequence[Array | None]) -> tuple[Array, Array | None]:
    """The gradients of the last states; zeros where they are not shown."""
    dh, dc = last
    dh = np.zeros_like(h) if dh is None else dh
    return dh, np.zeros_like(c) if dc is None and c is not None else dc


@operator("_rnn_param_concat", "_npi_rnn_param_concat")
class RNNParamConcat(Concat):
    """Parameters of a recurrent network one after the other: `Concat`, except that it tells sizes back.

    Inputs:
        *data: Vectors; those of unknown size get equal parts of what the output's size leaves.

    ONNX: Concat.
    """

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The sizes of those inputs that are not known yet: all of one size, as both directions' weights."""
        total = outputs[0]
        unknown = [i for i, s in enumerate(inputs) if s is None or None in s]
        if total is None or len(total) != 1 or total[0] is None or not unknown:
            return inputs
        rest = total[0] - sum(s[0] or 0 for i, s in enumerate(inputs) if s is not None and i not in unknown)
        if rest < 0 or rest % len(unknown):
            return inputs
        return [(rest // len(unknown),) if i in unknown else s for i, s in enumerate(inputs)]
