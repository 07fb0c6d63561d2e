"""Quantization: ranges, int8 and uint8, a dense layer of integers, requantized and back."""

from _seeded import draw, show
from mxnet import nd

x = nd.array(draw("x", (4, 6), 1))
q, low, high = nd.contrib.quantize(x, nd.min(x), nd.max(x), out_type="uint8")
show("uint8", q)
show("range", [low.asscalar(), high.asscalar()])
show("back", nd.contrib.dequantize(q, low, high, out_type="float32"))
q, low, high = nd.contrib.quantize_v2(x, out_type="int8")
show("int8", q)
show("back of int8", nd.contrib.dequantize(q, low, high))
q, low, high = nd.contrib.quantize_v2(x, out_type="int8", min_calib_range=-1.0, max_calib_range=1.0)
show("calibrated", q)
w = nd.array(draw("w", (3, 6), 1))
qx, x_low, x_high = nd.contrib.quantize_v2(x, out_type="int8")
qw, w_low, w_high = nd.contrib.quantize_v2(w, out_type="int8")
out, o_low, o_high = nd.contrib.quantized_fully_connected(
    data=qx,
    weight=qw,
    min_data=x_low,
    max_data=x_high,
    min_weight=w_low,
    max_weight=w_high,
    num_hidden=3,
    no_bias=True,
)
show("dense", out)
show("dense range", [o_low.asscalar(), o_high.asscalar()])
q, low, high = nd.contrib.requantize(out, o_low, o_high, min_calib_range=-6.0, max_calib_range=6.0)
show("requantized", q)
show("dense back", nd.contrib.dequantize(q, low, high))
show("dense of floats", nd.dot(x, w.T))
