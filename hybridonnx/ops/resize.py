"""Images made larger or smaller: UpSampling, bilinear resizing, adaptive average pooling."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator, record
from ._registry import operator
from ._shapes import Dim, Shape, is_zero, show, sizes
from ._symbolic import SymbolicDim
from ._windows import require_floats, require_positive
from .conv import Deconvolution


def _require_images(owner: str, *shapes: Shape) -> None:
    for shape in shapes:
        if len(shape) != 4:
            raise ShapeError(f"{owner}: images (N, C, H, W) are required, got {show(shape)}.")


# ---- UpSampling


def _repeated(x: Array, scale: int) -> Array:
    """Each pixel of x (N, C, H, W) as a square of scale by scale pixels."""
    n, c, h, w = x.shape
    spread = np.broadcast_to(x[:, :, :, None, :, None], (n, c, h, scale, w, scale))
    return spread.reshape(n, c, h * scale, w * scale)


def _gathered(dy: Array, scale: int) -> Array:
    """The sum of each square of scale by scale pixels: `_repeated` backwards."""
    n, c, h, w = dy.shape
    split = dy.reshape(n, c, h // scale, scale, w // scale, scale)
    return np.asarray(split.sum(axis=(3, 5), dtype=np.promote_types(dy.dtype, np.float32)))


@record
class _Nearest(Operator):
    """What nearest-neighbour upsampling of several images and its gradient share.

    Attributes:
        scale: How much higher and wider the first image becomes; the others become as large as it does.
        multi_input_mode: What becomes of several images: "concat" joins their channels, "sum" adds them.
    """

    variadic: ClassVar[str] = "num_args"
    if TYPE_CHECKING:  # each operator has these in MXNet's order
        scale: int
        multi_input_mode: str
        num_args: int

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        require_floats("UpSampling", *dtypes)
        return super().infer_input_dtypes(*dtypes)

    def scales(self, *images: Shape) -> list[int]:
        """How much larger each image becomes: all get the size that `scale` gives to the first."""
        _require_images("UpSampling", *images)
        target = tuple(None if d is None else d * self.scale for d in images[0][2:])
        return [self._scale(image, target) for image in images]

    def _scale(self, image: Shape, target: Shape) -> int:
        pairs = list(zip(target, image[2:], strict=True))
        empty = any(is_zero(d) and isinstance(t, int) and t for t, d in pairs)
        known = [(t, d) for t, d in pairs if t is not None and d is not None and not is_zero(d)]
        factors = {index(t // d) for t, d in known}
        if empty or len(factors) > 1 or any(t % d for t, d in known):
            raise ShapeError(
                f"UpSampling: height and width of every image, times one factor, must be {show(target)}, "
                f"got an image {show(image)}."
            )
        return factors.pop() if factors else self.scale

    def upsampled(self, *images: Shape) -> Shape:
        """The shape of the images side by side in their channels, or of their sum."""
        self.scales(*images)
        n, c, h, w = images[0]
        if any(None not in (n, image[0]) and image[0] != n for image in images):
            raise ShapeError(
                f"UpSampling: {n} images in each input are required, got {', '.join(map(show, images))}."
            )
        if self.multi_input_mode == "concat":
            counts = [image[1] for image in images]
            c = None if None in counts else sum(d for d in counts if d is not None)
        elif any(None not in (c, image[1]) and image[1] != c for image in images):
            raise ShapeError(
                f"UpSampling: images with {c} channels are required for multi_input_mode 'sum', "
                f"got {', '.join(map(show, images))}."
            )
        return (n, c, None if h is None else h * self.scale, None if w is None else w * self.scale)


@operator("UpSampling")
class UpSampling(_Nearest):
    """Images made `scale` times as high and wide, by repetition or by a trained kernel.

    Inputs:
        *data: Images (N, C, H, W), each smaller than the output by an integer factor. For "bilinear" one
            image, then weight (C, 1, k, k), where k = 2 scale - scale % 2.

    Attributes:
        num_filter: The number of channels C for "bilinear"; without effect otherwise.
        sample_type: "nearest" repeats pixels, "bilinear" is a transposed convolution of each channel with
            weight.
        num_args: The number of images; counted if it is left out.
        workspace: Accepted for MXNet's sake; without effect.

    Returns:
        (N, C, scale * H, scale * W), where C is the sum of the channels with multi_input_mode "concat".

    ONNX: Resize, with Concat or Sum; ConvTranspose for bilinear.
    """

    cheap: ClassVar[bool] = True
    saves: ClassVar[float] = 2.0
    scale: int
    num_filter: int = 0
    sample_type: Literal["bilinear", "nearest"]
    multi_input_mode: Literal["concat", "sum"] = "concat"
    num_args: int
    workspace: int = 512

    def check(self) -> None:
        require_positive("UpSampling", scale=self.scale, num_args=self.num_args)
        if self.sample_type == "bilinear":
            require_positive("UpSampling", num_filter=self.num_filter)

    def input_names(self) -> tuple[str, ...]:
        return ("data", "weight") if self.sample_type == "bilinear" else super().input_names()

    def deconvolution(self) -> Deconvolution:
        """The transposed convolution that bilinear upsampling is."""
        scale = self.scale
        return Deconvolution(
            kernel=(2 * scale - scale % 2,) * 2,
            stride=(scale, scale),
            pad=(scale // 2,) * 2,
            num_filter=self.num_filter,
            num_group=self.num_filter,
        )

    def infer_inputs(self, *images: Shape | None) -> Sequence[Shape | None]:
        if self.sample_type == "bilinear":
            return self.deconvolution().infer_inputs(*images)
        return images

    def infer_shape(self, *images: Shape) -> Shape:
        if self.sample_type == "bilinear":
            return self.deconvolution().infer_shape(*images)
        return self.upsampled(*images)

    def forward(self, *images: Array) -> Array:
        if self.sample_type == "bilinear":
            return self.deconvolution().forward(*images)
        scales = self.scales(*(x.shape for x in images))
        larger = [_repeated(x, s) for x, s in zip(images, scales, strict=True)]
        if self.multi_input_mode == "concat":
            return np.concatenate(larger, axis=1)
        total = larger[0]
        for image in larger[1:]:
            total = total + image
        return total

    def gradient(self, F: Any, dy: Any, y: Any, *images: Any) -> Sequence[Any]:
        if self.sample_type == "bilinear":
            return self.deconvolution().gradient(F, dy, y, *images)
        if len(images) == 1:
            square = (self.scale, self.scale)
            return (F.Pooling(dy, kernel=square, stride=square, pool_type="sum"),)
        gradients: Sequence[Any] = F._upsampling_grad(
            dy, *images, scale=self.scale, multi_input_mode=self.multi_input_mode
        )
        return gradients


@operator("_upsampling_grad")
class UpSamplingGrad(_Nearest):
    """The gradients of nearest `UpSampling`: for each image the sums of the squares that its pixels became.

    Inputs:
        *data: The gradient of UpSampling's output, then its images, for their shapes.

    Attributes:
        num_args: The number of inputs, one more than there are images.

    Returns:
        An array in the shape of each image.

    ONNX: AveragePool and Mul, with Split.
    """

    saves: ClassVar[float] = 8.0
    scale: int
    multi_input_mode: Literal["concat", "sum"] = "concat"
    num_args: int

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.num_args - 1))

    def infer_inputs(self, dy: Shape | None, *images: Shape | None) -> Sequence[Shape | None]:
        known = [i for i in images if i is not None]
        return (self.upsampled(*known) if len(known) == len(images) else dy), *images

    def infer_shape(self, dy: Shape, *images: Shape) -> Shape | list[Shape]:
        return list(images)

    def forward(self, dy: Array, *images: Array) -> Array | tuple[Array, ...]:
        parts = [dy] * len(images)
        if self.multi_input_mode == "concat":
            parts = np.split(dy, np.cumsum([x.shape[1] for x in images])[:-1], axis=1)
        scales = self.scales(*(x.shape for x in images))
        gradients = tuple(_gathered(p, s).astype(dy.dtype) for p, s in zip(parts, scales, strict=True))
        return gradients if len(gradients) > 1 else gradients[0]

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, *images: Any) -> Sequence[Any]:
        heads = dy if isinstance(dy, list | tuple) else (dy,)
        same = {"scale": self.scale, "multi_input_mode": self.multi_input_mode, "sample_type": "nearest"}
        return F.UpSampling(*heads, **same), *(None for _ in images)


# ---- resizing that is a matrix product along each axis


def _product(rows: Array, images: Array, columns: Array) -> Array:
    return np.asarray(np.matmul(rows, np.matmul(images, columns)))


def _local_product(rows: Array, images: Array, columns: Array, reads: tuple[Array, Array]) -> Array:
    """The product with NaN and infinities only where they are read; no weight is negative."""

    def count(which: Array, by: tuple[Array, Array]) -> Array:
        return _product(*(v.astype(images.dtype) for v in (by[0], which, by[1])))

    weighed, infinite = (rows != 0, columns != 0), np.isinf(images)
    finite = _product(rows, np.where(np.isfinite(images), images, 0), columns)
    up, down = (count(infinite & (np.sign(images) == s), weighed) > 0 for s in (1, -1))
    zero_times_infinity = count(infinite, reads) > count(infinite, weighed)
    nan = (count(np.isnan(images), reads) > 0) | (up & down) | zero_times_infinity
    return np.where(nan, np.nan, np.where(up, np.inf, np.where(down, -np.inf, finite)))


@record
class _Separable(Operator):
    """Images as rows @ image @ columns, where the sizes before and after determine both matrices."""

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        require_floats(self.names[0], *dtypes)
        return super().infer_input_dtypes(*dtypes)

    def matrix(self, size: int, new_size: int) -> Array:
        """The matrix (new_size, size) along one axis."""
        raise NotImplementedError

    def resized(self, data: Shape, *like: Shape) -> tuple[Dim, Dim]:
        """The height and width that images of this shape get."""
        raise NotImplementedError

    def matrices(self, data: Sequence[int], *like: Sequence[int]) -> tuple[Array, Array]:
        """The matrices (H', H) and (W', W) for images of this shape."""
        height, width = sizes(self.resized(tuple(data), *map(tuple, like)))
        return self.matrix(data[2], height), self.matrix(data[3], width)

    def result_shape(self, data: Shape, *like: Shape) -> Shape:
        """The resized images' shape."""
        _require_images(self.names[0], data, *like)
        return (*data[:2], *self.resized(data, *like))

    def sent(
        self, rows: Array, images: Array, columns: Array, reads: tuple[Array, Array] | None = None
    ) -> Array:
        """rows @ image @ columns for every image, computed in float32 at least.

        `reads` says which elements rows and columns read, if others than those whose weight is not 0.
        """
        wide = np.promote_types(images.dtype, np.float32)
        matrices = rows.astype(wide), images.astype(wide), columns.astype(wide)
        product = _product(*matrices)
        if not np.isfinite(product).all():
            product = _local_product(*matrices, reads or (rows != 0, columns != 0))
        return product.astype(images.dtype)


@record
class _Bilinear(_Separable):
    """What bilinear resizing and its gradient share.

    Inputs:
        data: Images (N, C, H, W).

    Attributes:
        height: The height H' for mode "size", without scale_height.
        width: The width W' for mode "size", without scale_width.
        scale_height: The factor of the height, for modes "size" and "odd_scale".
        scale_width: The factor of the width, for modes "size" and "odd_scale".
        mode: What the new sizes are: "size" height and width, or the old ones times scale_height and
            scale_width; "odd_scale" the old n times the scale, for an odd n (n - 1) times it plus 1; "like"
            those of like; "to_even_down", "to_even_up", "to_odd_down", "to_odd_up" the old ones, 1 less or
            more unless they are even or odd already.
        align_corners: Whether the centres of the corner pixels fall on each other, rather than the corners of
            the images.
    """

    height: int = 1
    width: int = 1
    scale_height: float | None = None
    scale_width: float | None = None
    mode: Literal["like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"] = (
        "size"
    )
    align_corners: bool = True

    def check(self) -> None:
        if self.mode == "odd_scale" and (self.scale_height is None or self.scale_width is None):
            raise AttributeValueError(
                f"{self.names[0]}: scale_height and scale_width are required for mode 'odd_scale', "
                f"got {self.scale_height} and {self.scale_width}."
            )

    def resized(self, data: Shape, *like: Shape) -> tuple[Dim, Dim]:
        if like:
            return like[0][2], like[0][3]
        size = (
            self._size(data[2], self.height, self.scale_height),
            self._size(data[3], self.width, self.scale_width),
        )
        if any(d is not None and d < 1 for d in size):
            raise ShapeError(
                f"{self.names[0]}: a size of at least (1, 1) is required, got {show(size)} for data "
                f"{show(data)}."
            )
        return size

    def _size(self, size: Dim, fixed: int, scale: float | None) -> Dim:
        if self.mode == "size" and scale is None:
            return fixed
        factor = float(scale or 0.0)
        if isinstance(size, SymbolicDim):
            return size * int(factor) if self.mode == "size" and factor.is_integer() else None
        if size is None:
            return None
        if self.mode in ("size", "odd_scale"):
            odd = size % 2 if self.mode == "odd_scale" else 0
            return int((size - odd) * factor) + odd
        if size % 2 == ("odd" in self.mode):
            return size
        return size + (1 if self.mode.endswith("up") else -1)

    def neighbours(self, size: int, new_size: int) -> tuple[Array, Array, Array]:
        """The two pixels that each result lies between, and the share of the second."""
        pixel = np.arange(new_size, dtype=np.float64)
        if new_size == 1:
            source = pixel
        elif self.align_corners:
            source = pixel * (size - 1) / (new_size - 1)
        else:
            source = np.maximum((pixel + 0.5) * size / new_size - 0.5, 0)
        low = np.minimum(source.astype(np.int64), size - 1)
        return low, np.minimum(low + 1, size - 1), source - low

    def matrix(self, size: int, new_size: int) -> Array:
        low, high, share = self.neighbours(size, new_size)
        matrix = np.zeros((new_size, size))
        rows = np.arange(new_size)
        matrix[rows, low] += 1 - share
        matrix[rows, high] += share
        return matrix

    def reads(self, size: int, new_size: int) -> Array:
        """The matrix (new_size, size) of the pixels that each result reads, with a share of 0 as well."""
        reads = np.zeros((new_size, size), np.bool_)
        for pixel in self.neighbours(size, new_size)[:2]:
            reads[np.arange(new_size), pixel] = True
        return reads


@operator("_contrib_BilinearResize2D")
class BilinearResize2D(_Bilinear):
    """Images resized by bilinear interpolation, to a size or as large as others.

    Inputs:
        like: Images (N, C, H', W'), for their height and width; only with mode "like".

    Returns:
        (N, C, H', W').

    ONNX: Resize.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")

    def input_names(self) -> tuple[str, ...]:
        return self.inputs if self.mode == "like" else ("data",)

    def infer_input_dtypes(self, data: DType | None, *like: DType | None) -> Sequence[DType | None]:
        return *super().infer_input_dtypes(data), *like

    def infer_shape(self, data: Shape, *like: Shape) -> Shape:
        result = self.result_shape(data, *like)
        if any(map(is_zero, data[2:])):
            raise ShapeError(f"{self.names[0]}: images of one pixel or more are required, got {show(data)}.")
        return result

    def forward(self, data: Array, *like: Array) -> Array:
        rows, columns = self.matrices(data.shape, *(x.shape for x in like))
        if (len(rows), len(columns)) == data.shape[2:]:
            return data
        reads = self.reads(*rows.shape[::-1]), self.reads(*columns.shape[::-1]).T
        return self.sent(rows, data, columns.T, reads)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, *like: Any) -> Sequence[Any]:
        return F._bilinear_resize_grad(dy, data, align_corners=self.align_corners), *(None for _ in like)


@operator("_bilinear_resize_grad")
class BilinearResizeGrad(_Bilinear):
    """The gradient of bilinear resizing, from the size of `dy` back to that of `data`.

    Inputs:
        dy: The gradient of the resized images, (N, C, H', W').

    Returns:
        (N, C, H, W).

    ONNX: MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data")

    def infer_inputs(self, dy: Shape | None, data: Shape | None) -> Sequence[Shape | None]:
        if dy is None or data is None:
            return dy, data
        _require_images(self.names[0], dy, data)
        return (*data[:2], *dy[2:]), data

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        rows, columns = self.matrices(data.shape, dy.shape)
        return self.sent(rows.T, dy, columns)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, data: Any) -> Sequence[Any]:
        resized = F._contrib_BilinearResize2D(dy, head, mode="like", align_corners=self.align_corners)
        return resized, None


@record
class _Adaptive(_Separable):
    """What adaptive pooling and its gradient share.

    Inputs:
        data: Images (N, C, H, W).

    Attributes:
        output_size: The height H' and width W', or one number for both; 1 if empty.
    """

    output_size: Ints = ()

    def check(self) -> None:
        require_positive(self.names[0], output_size=self.output_size)
        if len(self.output_size) > 2:
            raise AttributeValueError(
                f"{self.names[0]}: output_size must have 1 or 2 numbers, got {self.output_size}."
            )

    def resized(self, data: Shape, *like: Shape) -> tuple[Dim, Dim]:
        size = self.output_size or (1,)
        return size[0], size[-1]

    def matrix(self, size: int, new_size: int) -> Array:
        pixel = np.arange(new_size)[:, None]
        start, end = pixel * size // new_size, -(-(pixel + 1) * size // new_size)
        source = np.arange(size)
        matrix: Array = ((source >= start) & (source < end)) / (end - start)
        return matrix


@operator("_contrib_AdaptiveAvgPooling2D")
class AdaptiveAvgPooling2D(_Adaptive):
    """The means of images over as many about equal parts of height and width as the output has pixels.

    Neighbouring parts share a row or column where the new size does not divide the old one.

    Returns:
        (N, C, H', W').

    ONNX: AveragePool or GlobalAveragePool; MatMul where the parts differ.
    """

    saves: ClassVar[float] = 2.0

    def infer_shape(self, data: Shape) -> Shape:
        return self.result_shape(data)

    def forward(self, data: Array) -> Array:
        rows, columns = self.matrices(data.shape)
        return self.sent(rows, data, columns.T)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._adaptive_pool_grad(dy, data, output_size=self.output_size),)


@operator("_adaptive_pool_grad")
class AdaptivePoolGrad(_Adaptive):
    """The gradient of adaptive average pooling with respect to its images.

    Inputs:
        dy: The gradient of the means, (N, C, H', W').

    Returns:
        (N, C, H, W).

    ONNX: MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data")

    def infer_inputs(self, dy: Shape | None, data: Shape | None) -> Sequence[Shape | None]:
        return (dy if data is None else self.result_shape(data)), data

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        rows, columns = self.matrices(data.shape)
        return self.sent(rows.T, dy, columns)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, data: Any) -> Sequence[Any]:
        return F._contrib_AdaptiveAvgPooling2D(dy, output_size=self.output_size), None
