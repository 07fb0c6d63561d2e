"""Mixed precision: layers that multiply much compute in float16 or bfloat16, what needs more in float32.

    amp.init()                                  # before the network is made
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    amp.init_trainer(trainer)
    with autograd.record():
        loss = loss_function(net(x), y)
        with amp.scale_loss(loss, trainer) as scaled:
            autograd.backward(scaled)
    trainer.step(len(x))

Here it saves memory in files, and shows what a network does in float16 or bfloat16; on a CPU it is not
faster. What is in bfloat16 computes in float32, and rounds what each operator gives, as ONNX Runtime has few
kernels of it; files of ONNX have tensors of bfloat16 with casts around.
"""

from . import amp, lists, loss_scaler
from .amp import (
    convert_bucketing_module,
    convert_hybrid_block,
    convert_model,
    convert_symbol,
    init,
    init_trainer,
    list_conditional_fp32_ops,
    list_fp32_ops,
    list_loss_output_functions,
    list_lp16_fp32_ops,
    list_lp16_ops,
    list_lp16_use_fp32_params,
    list_widest_type_cast,
    scale_loss,
    unscale,
)

__all__ = [
    "amp",
    "convert_bucketing_module",
    "convert_hybrid_block",
    "convert_model",
    "convert_symbol",
    "init",
    "init_trainer",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
    "lists",
    "loss_scaler",
    "scale_loss",
    "unscale",
]
