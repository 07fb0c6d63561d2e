"""Position-sensitive pooling of regions, whose bins have channels of their own, in place or moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import AttributeValueError, ShapeError
from ._operator import Array, record
from ._regions import Adjoint, Pooled, Regions, numbered, rounded
from ._registry import operator
from ._shapes import Dim, Shape, below, show, sizes
from ._windows import require_positive


@record
class _PositionSensitive(Regions):
    """Bins of regions, of which each has channels of its own.

    Attributes:
        output_dim: The number of the output's channels.
        pooled_size: How many bins there are down and across.
        group_size: How many groups of bins, down and across, have channels of their own; 0 for as many as
            there are bins.
    """

    if TYPE_CHECKING:  # each operator has these in MXNet's order
        pooled_size: int
        output_dim: int
        group_size: int = 0

    def check(self) -> None:
        super().check()
        require_positive(self.names[0], output_dim=self.output_dim)
        if self.group_size < 0:
            raise AttributeValueError(
                f"{self.names[0]}: group_size must not be negative, got {self.group_size}."
            )

    def groups(self) -> int:
        """How many groups of bins there are down, and across."""
        return self.group_size or self.pooled_size

    def group_of(self) -> Array:
        """The group of each row, or column, of bins."""
        return np.arange(self.pooled_size) * self.groups() // self.pooled_size

    def used(self) -> int:
        """How many channels of data are read."""
        return self.output_dim * self.groups() ** 2

    def channels(self, data: Shape) -> Dim:
        if data[1] is not None and below(data[1], self.used()):
            raise ShapeError(
                f"{self.names[0]}: at least {self.used()} channels are required, output_dim times the square "
                f"of group_size, got data {show(data)}."
            )
        return self.output_dim

    def own(self, image: Array) -> Array:
        """The channels of each bin (output_dim, bins, bins, H, W) of an image (C, H, W)."""
        n = self.groups()
        split = image[: self.used()].reshape(self.output_dim, n, n, *image.shape[1:])
        if n == self.pooled_size:
            return split
        which = self.group_of()
        return np.asarray(split[:, which[:, None], which])

    def put(self, image: Array, bins: Array) -> None:
        """`own` backwards: adds what belongs to each bin to an image."""
        n = self.groups()
        split = image[: self.used()].reshape(self.output_dim, n, n, *image.shape[1:])
        if n == self.pooled_size:
            split += bins
            return
        which = self.group_of()
        for i, j in np.ndindex(*bins.shape[1:3]):
            split[:, which[i], which[j]] += bins[:, i, j]


def _reach(shares: Array) -> slice:
    """The pixels of one axis, the last of `shares`, that have any."""
    used = np.flatnonzero(shares.reshape(-1, shares.shape[-1]).any(axis=0))
    return slice(used[0], used[-1] + 1) if len(used) else slice(0, 0)


def _sums(x: Array, down: Array, across: Array) -> Array:
    """The sums over the last two axes of x times the shares of rows and columns; of share 0 none is read."""
    total: Array = (np.matmul(x, across[..., None])[..., 0] * down).sum(axis=-1)
    if not np.isfinite(total).all():
        shares = down[..., :, None] * across[..., None, :]
        total = np.where(shares != 0, x * shares, 0).sum(axis=(-2, -1))
    return total


# ---- whole pixels


@record
class _PSROI(_PositionSensitive):
    """The mean of the pixels of each bin of a region, and its adjoint."""

    spatial_scale: float
    output_dim: int
    pooled_size: int
    group_size: int = 0

    def shares(self, region: Array, size: Sequence[int]) -> tuple[Array, Array]:
        """The share of each row of pixels in each row of bins (bins, 1, H), and of columns (bins, W)."""
        one = region.dtype.type
        ends = rounded(region) + np.array([0, 0, 1, 1], region.dtype)
        left, top, right, bottom = ends * one(self.scale)
        axes = []
        for start, end, n in zip((top, left), (bottom, right), size, strict=True):
            step = np.maximum(end - start, one(0.1)) / one(self.pooled_size)
            steps = np.arange(self.pooled_size + 1, dtype=region.dtype) * step + start
            first, last = np.floor(steps[:-1, None]), np.ceil(steps[1:, None])
            pixels = np.arange(n)
            inside = ((pixels >= first) & (pixels < last)).astype(region.dtype)
            axes.append(inside / np.maximum(inside.sum(axis=1, keepdims=True), 1))
        return axes[0][:, None], axes[1]


@operator("_contrib_PSROIPooling")
class PSROIPooling(_PSROI, Pooled):
    """The mean of each bin of regions, whose corners are rounded, in channels of the bin's own.

    Returns:
        (R, output_dim, pooled_size, pooled_size).

    ONNX: MatMul in a Loop over the images.
    """

    def forward(self, data: Array, rois: Array) -> Array:
        x, regions = self.computed(data, rois)
        y = np.zeros(sizes(self.pooled(data.shape, rois.shape)), data.dtype)
        for r, image, region in numbered(regions, len(x)):
            down, across = self.shares(region, x.shape[2:])
            rows, columns = _reach(down), _reach(across)
            y[r] = _sums(self.own(x[image, :, rows, columns]), down[..., rows], across[:, columns])
        return y

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, rois: Any) -> Sequence[Any]:
        return F._psroi_grad(dy, rois, data, **self.attributes()), None


@operator("_psroi_grad")
class PSROIGrad(_PSROI, Adjoint):
    """The gradient of PSROIPooling with respect to its data.

    Returns:
        The shape of data.

    ONNX: Mul and MatMul in a Loop over the images.
    """

    def forward(self, dy: Array, rois: Array, data: Array) -> Array:
        heads, regions = self.computed(dy, rois)
        dx = np.zeros(data.shape, heads.dtype)
        for r, image, region in numbered(regions, len(data)):
            down, across = self.shares(region, data.shape[2:])
            rows, columns = _reach(down), _reach(across)
            shares = down[..., rows, None] * across[..., None, columns]
            self.put(dx[image, :, rows, columns], heads[r][..., None, None] * shares)
        return dx.astype(dy.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, rois: Any, data: Any) -> Sequence[Any]:
        return F._contrib_PSROIPooling(dy, rois, **self.attributes()), None, None


# ---- moved bins, sampled between pixels


@record
class _Moved(_PositionSensitive):
    """The mean of samples in each bin of a region, which is moved, and its adjoint.

    Inputs:
        moves: (R, classes, 2, pooled_size, pooled_size): how far each bin of each class of channels is moved
            to the right and down, in widths and heights of the region times trans_std; absent with no_trans.

    Attributes:
        sample_per_part: How many samples a bin has on each axis.
        trans_std: What the moves are multiplied by.
        no_trans: Whether nothing is moved, and there is one class.
        down: How often the means are differentiated by the move down.
        right: How often they are by the move to the right.

    Returns:
        (R, classes, output_dim / classes, pooled_size, pooled_size).
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "rois", "moves")
    spatial_scale: float
    output_dim: int
    group_size: int
    pooled_size: int
    sample_per_part: int = 1
    trans_std: float = 0.0
    no_trans: bool = False
    down: int = 0
    right: int = 0

    def check(self) -> None:
        super().check()
        require_positive(self.names[0], sample_per_part=self.sample_per_part)

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[:-1] if self.no_trans else self.inputs

    def moves_shape(self, rois: Shape, moves: Shape | None) -> Shape:
        """The shape of the moves of these regions."""
        if moves is None or len(moves) != 5:
            return (rois[0], None, 2, self.pooled_size, self.pooled_size)
        count = moves[1]
        if isinstance(count, int) and (count < 1 or self.output_dim % count):
            raise ShapeError(
                f"{self.names[0]}: classes that divide output_dim {self.output_dim} are required, "
                f"got {count}."
            )
        return (rois[0], count, 2, self.pooled_size, self.pooled_size)

    def classes(self, data: Shape, rois: Shape, moves: Shape | None) -> Shape:
        """The shape of the bins of each class."""
        self.pooled(data, rois)
        count: Dim = 1 if self.no_trans or moves is None else moves[1]
        each = self.output_dim // count if isinstance(count, int) and count else None
        return (rois[0], count, each, self.pooled_size, self.pooled_size)

    def shares(self, region: Array, moves: Array | None, size: Sequence[int]) -> tuple[Array, Array]:
        """The share of each row of pixels in each bin (classes, bins, bins, H), and of each column."""
        one = region.dtype.type
        left, top, right, bottom = (rounded(region) + np.array([0, 0, 1, 1], region.dtype)) * one(
            self.scale
        ) - one(0.5)
        bins = np.arange(self.pooled_size, dtype=region.dtype)
        orders = (self.down, self.right)
        axes = []
        for axis, (start, end) in enumerate(((top, bottom), (left, right))):
            length = np.maximum(end - start, one(0.1))
            step = length / one(self.pooled_size)
            first = np.expand_dims(bins * step + start, 1 - axis) + np.zeros((1, 1, 1), region.dtype)
            if moves is not None:
                first = first + moves[:, 1 - axis] * one(self.trans_std) * length
            within = np.arange(self.sample_per_part, dtype=region.dtype) * (step / one(self.sample_per_part))
            factor = one(1 if moves is None else self.trans_std) * length
            axes.append(_tents(first[..., None] + within, size[axis], orders[axis], factor))
        return axes[0], axes[1]

    def split(self, values: Array, classes: int) -> Array:
        """What has the output's channels first with a class axis before them."""
        return values.reshape(classes, self.output_dim // classes, *values.shape[1:])


def _tents(where: Array, size: int, order: int, factor: Any) -> Array:
    """The mean shares of each pixel in samples (..., samples), or derivatives of them times the factor."""
    inside = (where >= -0.5) & (where <= size - 0.5)
    at = np.clip(np.where(inside, where, where.dtype.type(0)), 0, size - 1)[..., None]
    distance = np.arange(size, dtype=where.dtype) - at
    near = np.abs(distance) < 1
    if order == 0:
        shares = np.where(near, 1 - np.abs(distance), 0)
    elif order == 1:
        moving = (where >= 0) & (where <= size - 1)
        shares = np.where(near & moving[..., None], np.sign(distance) * factor, 0)
    else:
        shares = np.zeros_like(distance)
    shares = shares * inside[..., None]
    count = np.maximum(inside.sum(axis=-1), 1)[..., None]
    return np.asarray((shares.sum(axis=-2) / count).astype(where.dtype))


@operator("_moved_psroi")
class MovedPSROI(_Moved):
    """The mean of each bin of regions, which is moved, or its derivative by the moves.

    ONNX: MatMul in a Loop over the images.
    """

    def infer_inputs(
        self, data: Shape | None, rois: Shape | None, *moves: Shape | None
    ) -> Sequence[Shape | None]:
        regions = self.region_shape(rois)
        return data, regions, *(self.moves_shape(regions, m) for m in moves)

    def infer_shape(self, data: Shape, rois: Shape, *moves: Shape) -> Shape:
        return self.classes(data, rois, moves[0] if moves else None)

    def forward(self, data: Array, rois: Array, moves: Array | None = None) -> Array:
        x, regions = self.computed(data, rois)
        classes = 1 if moves is None else moves.shape[1]
        bins = (self.pooled_size, self.pooled_size)
        y = np.zeros((len(rois), classes, self.output_dim // classes, *bins), data.dtype)
        for r, image, region in numbered(regions, len(x)):
            moved = None if moves is None else moves[r].astype(x.dtype)
            down, across = self.shares(region, moved, x.shape[2:])
            rows, columns = _reach(down), _reach(across)
            pixels = self.split(self.own(x[image, :, rows, columns]), classes)
            y[r] = _sums(pixels, down[:, None, ..., rows], across[:, None, ..., columns])
        return y

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, rois: Any, moves: Any = None) -> Sequence[Any]:
        extra = () if moves is None else (moves,)
        pixels = F._moved_psroi_grad(dy, rois, data, *extra, **self.attributes())
        return (pixels, None, *_move_gradient(F, self, dy, data, rois, extra))


@operator("_moved_psroi_grad")
class MovedPSROIGrad(_Moved):
    """The gradient of `_moved_psroi` with respect to its data.

    Inputs:
        dy: The gradient of the bins of each class.

    Returns:
        The shape of data.

    ONNX: Mul and MatMul in a Loop over the images.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "rois", "data", "moves")

    def infer_inputs(
        self, dy: Shape | None, rois: Shape | None, data: Shape | None, *moves: Shape | None
    ) -> Sequence[Shape | None]:
        regions = self.region_shape(rois)
        full = tuple(self.moves_shape(regions, m) for m in moves)
        heads = dy if data is None else self.classes(data, regions, full[0] if full else None)
        return heads, regions, data, *full

    def infer_shape(self, dy: Shape, rois: Shape, data: Shape, *moves: Shape) -> Shape:
        return data

    def forward(self, dy: Array, rois: Array, data: Array, moves: Array | None = None) -> Array:
        heads, regions = self.computed(dy, rois)
        dx = np.zeros(data.shape, heads.dtype)
        for r, image, region in numbered(regions, len(data)):
            moved = None if moves is None else moves[r].astype(heads.dtype)
            down, across = self.shares(region, moved, data.shape[2:])
            rows, columns = _reach(down), _reach(across)
            shares = down[:, None, ..., rows, None] * across[:, None, ..., None, columns]
            parts = heads[r][..., None, None] * shares
            self.put(dx[image, :, rows, columns], parts.reshape(self.output_dim, *parts.shape[2:]))
        return dx.astype(dy.dtype, copy=False)

    def gradient(
        self, F: Any, dy: Any, y: Any, head: Any, rois: Any, data: Any, moves: Any = None
    ) -> Sequence[Any]:
        extra = () if moves is None else (moves,)
        bins = F._moved_psroi(dy, rois, *extra, **self.attributes())
        return (bins, None, None, *_move_gradient(F, self, head, dy, rois, extra))


def _move_gradient(
    F: Any, op: _Moved, dy: Any, data: Any, rois: Any, moves: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The gradient of the moves, if there are any: dy times the means' derivatives, summed over channels."""
    if not moves:
        return ()
    further = ({"right": op.right + 1}, {"down": op.down + 1})
    slopes = (F._moved_psroi(data, rois, *moves, **{**op.attributes(), **more}) for more in further)
    return (F.stack(*(F.sum(dy * slope, axis=(2,)) for slope in slopes), axis=2, num_args=2),)


@operator("_contrib_DeformablePSROIPooling")
class DeformablePSROIPooling(_PositionSensitive):
    """The mean of samples, read between pixels, in each bin of regions, which `trans` moves.

    Inputs:
        trans: (R, 2 classes, part_size, part_size): how far the bins of each part of each class of channels
            are moved to the right, and down, in widths and heights of the region times trans_std; absent
            with no_trans.

    Attributes:
        part_size: How many parts a region has, down and across, that are moved; 0 for as many as bins.
        sample_per_part: How many samples a bin has on each axis.
        trans_std: What the moves are multiplied by.
        no_trans: Whether nothing is moved.

    Returns:
        (R, output_dim, pooled_size, pooled_size).

    ONNX: MatMul in a Loop over the images.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "rois", "trans")
    spatial_scale: float
    output_dim: int
    group_size: int
    pooled_size: int
    part_size: int = 0
    sample_per_part: int = 1
    trans_std: float = 0.0
    no_trans: bool = False

    def check(self) -> None:
        super().check()
        require_positive(self.names[0], sample_per_part=self.sample_per_part)
        if self.part_size < 0:
            raise AttributeValueError(
                f"{self.names[0]}: part_size must not be negative, got {self.part_size}."
            )

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[:-1] if self.no_trans else self.inputs

    def counted(self) -> int:
        return 2

    def parts(self) -> int:
        """How many parts there are down, and across."""
        return self.part_size or self.pooled_size

    def part_of(self) -> Array:
        """The part of each row, or column, of bins."""
        bins = np.arange(self.pooled_size, dtype=np.float32)
        parts: Array = np.floor(bins / np.float32(self.pooled_size) * np.float32(self.parts()))
        return parts.astype(np.int64)

    def moved(self) -> dict[str, Any]:
        """The attributes of the operators on bins of classes."""
        return {k: v for k, v in self.attributes().items() if k != "part_size"}

    def inner(self) -> MovedPSROI:
        """The operator that takes a move for each bin."""
        return MovedPSROI(**self.moved())

    def infer_inputs(
        self, data: Shape | None, rois: Shape | None, *trans: Shape | None
    ) -> Sequence[Shape | None]:
        regions, size = self.region_shape(rois), self.parts()
        count = [t[1] if t is not None and len(t) == 4 else None for t in trans]
        for n in count:
            if isinstance(n, int) and (n < 2 or n % 2 or self.output_dim % (n // 2)):
                raise ShapeError(
                    f"{self.names[0]}: twice as many moves as classes that divide output_dim "
                    f"{self.output_dim} are required, got {n}."
                )
        return data, regions, *((regions[0], n, size, size) for n in count)

    def infer_shape(self, data: Shape, rois: Shape, *trans: Shape) -> Shape:
        return self.pooled(data, rois)

    def forward(self, data: Array, rois: Array, trans: Array | None = None) -> Array:
        extra = []
        if trans is not None:
            which, size = self.part_of(), self.parts()
            moves = trans.reshape(len(trans), trans.shape[1] // 2, 2, size, size)
            extra = [moves[..., which[:, None], which]]
        y = self.inner().forward(data, rois, *extra)
        return y.reshape(len(rois), self.output_dim, *self.bins())

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, rois: Any, trans: Any = None) -> Sequence[Any]:
        if trans is None:
            heads = F.expand_dims(dy, axis=1)
            return F._moved_psroi_grad(heads, rois, data, **self.moved()), None
        parts = F.reshape(trans, shape=(0, -4, -1, 2, -2))
        which = F.floor(F._arange(start=0, stop=self.pooled_size) / self.pooled_size * self.parts())
        lines = F.take(parts, which, axis=4)
        moves = F.take(lines, which, axis=3)
        bins = F._moved_psroi(data, rois, moves, **self.moved())
        heads = F.reshape_like(dy, bins)
        pixels, _, of_moves = self.inner().gradient(F, heads, bins, data, rois, moves)
        of_lines = F._take_grad(of_moves, which, lines, axis=3)
        return pixels, None, F.reshape_like(F._take_grad(of_lines, which, parts, axis=4), trans)
