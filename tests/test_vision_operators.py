"""What operators on images refuse, and their names beside those of the table."""

from __future__ import annotations

import pytest

from hybridonnx import nd
from hybridonnx.errors import AttributeValueError, DTypeError, ShapeError


def grid(data, kind, shape=(0, 0)):
    return nd.GridGenerator(data, transform_type=kind, target_shape=shape)


def transformer(data, loc, shape):
    return nd.SpatialTransformer(
        data, loc, target_shape=shape, transform_type="affine", sampler_type="bilinear"
    )


def correlation(**attributes):
    return nd.Correlation(nd.ones((1, 2, 4, 5)), nd.ones((1, 2, 4, 5)), **attributes)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ShapeError, lambda: nd.im2col(nd.ones((1, 2, 4, 5)), kernel=(5, 1))),
        (ShapeError, lambda: nd.im2col(nd.ones((1, 2, 4)), kernel=(2, 2))),
        (DTypeError, lambda: nd.im2col(nd.ones((1, 2, 4, 5), dtype="int32"), kernel=(2, 2))),
        (AttributeValueError, lambda: nd.im2col(nd.ones((1, 2, 4, 5)), kernel=(2, 2), stride=(0, 1))),
        (AttributeValueError, lambda: nd.im2col(nd.ones((1, 2, 4, 5)), kernel=(2, 2), pad=(1,))),
        (ShapeError, lambda: nd.col2im(nd.ones((1, 4, 5)), output_size=(3, 3), kernel=(2, 2))),
        (ShapeError, lambda: nd.col2im(nd.ones((1, 5, 4)), output_size=(3, 3), kernel=(2, 2))),
        (ShapeError, lambda: nd.col2im(nd.ones((4, 4)), output_size=(3, 3), kernel=(2, 2))),
        (AttributeValueError, lambda: nd.col2im(nd.ones((1, 4, 4)), output_size=(3,), kernel=(2, 2))),
        (AttributeValueError, lambda: nd.GridGenerator(nd.ones((2, 6)), transform_type="affine")),
        (AttributeValueError, lambda: grid(nd.ones((2, 6)), "affine", (1, 4))),
        (ShapeError, lambda: grid(nd.ones((2, 2, 3)), "affine", (3, 4))),
        (ShapeError, lambda: grid(nd.ones((2, 3, 4, 4)), "warp")),
        (ShapeError, lambda: grid(nd.ones((2, 2, 1, 4)), "warp")),
        (DTypeError, lambda: grid(nd.ones((2, 6), dtype="int32"), "affine", (3, 4))),
        (ShapeError, lambda: nd.BilinearSampler(nd.ones((2, 1, 4, 4)), nd.ones((3, 2, 4, 4)))),
        (ShapeError, lambda: nd.BilinearSampler(nd.ones((2, 1, 4, 4)), nd.ones((2, 3, 4, 4)))),
        (ShapeError, lambda: nd.BilinearSampler(nd.ones((2, 4, 4)), nd.ones((2, 2, 4, 4)))),
        (ShapeError, lambda: transformer(nd.ones((2, 3, 4, 4)), nd.ones((2, 5)), (3, 3))),
        (AttributeValueError, lambda: transformer(nd.ones((2, 3, 4, 4)), nd.ones((2, 6)), (0, 0))),
        (AttributeValueError, lambda: correlation(kernel_size=2)),
        (AttributeValueError, lambda: correlation(stride1=0)),
        (AttributeValueError, lambda: correlation(pad_size=-1)),
        (ShapeError, lambda: correlation(max_displacement=2)),
        (ShapeError, lambda: nd.Correlation(nd.ones((1, 2, 4, 5)), nd.ones((1, 2, 4, 6)))),
        (ShapeError, lambda: nd.Correlation(nd.ones((2, 4, 5)), nd.ones((2, 4, 5)))),
    ],
)
def test_what_does_not_fit_is_refused(error, call):
    with pytest.raises(error):
        call()
