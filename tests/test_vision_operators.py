"""What operators on images refuse, and their names beside those of the table."""

from __future__ import annotations

import pytest

from hybridonnx import nd
from hybridonnx.errors import AttributeValueError, DTypeError, ShapeError


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
    ],
)
def test_what_does_not_fit_is_refused(error, call):
    with pytest.raises(error):
        call()
