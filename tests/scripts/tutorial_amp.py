"""Mixed precision: what amp makes of symbols and their parameters, and its lists."""

import mxnet as mx
from _seeded import draw
from mxnet import nd
from mxnet.contrib import amp

data = mx.sym.var("data")
fc = mx.sym.FullyConnected(data, num_hidden=4, name="fc")
out = mx.sym.softmax(mx.sym.exp(fc, name="exp"), name="out")
converted = amp.convert_symbol(
    out, target_dtype="float16", target_dtype_ops=["FullyConnected"], fp32_ops=["exp", "softmax"]
)
print([node for node in converted.get_internals().list_outputs() if "amp" in node])
args = {"fc_weight": nd.array(draw("w", (4, 8), 0.3)), "fc_bias": nd.zeros(4)}
sym16, args16, aux16 = amp.convert_model(
    out, args, {}, target_dtype="float16", target_dtype_ops=["FullyConnected"], fp32_ops=["exp", "softmax"]
)
print(sorted((name, value.dtype.__name__) for name, value in args16.items()))
print([name for name in amp.list_lp16_ops("float16") if name in ("Convolution", "FullyConnected")])
print(sorted(name for name in amp.list_fp32_ops("float16") if name in ("exp", "log", "softmax", "norm")))
