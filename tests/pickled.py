"""Training that is saved and continued, and objects that are pickled, by real MXNet (oracle/pickles.py)."""

import numpy as np

OPTIMIZERS = {
    "sgd": {},
    "sgd momentum": {"momentum": 0.9},
    "sgd float16": {"momentum": 0.9, "multi_precision": True},
    "nag": {"momentum": 0.9},
    "signum": {"momentum": 0.9},
    "adam": {},
    "nadam": {},
    "ftml": {},
    "ftrl": {},
    "adagrad": {},
    "adadelta": {},
    "adamax": {},
    "rmsprop": {"centered": True},
    "lamb": {},
}
RATES = ["constant", "scheduler", "numpy"]
"""How the learning rate is given."""


def trainer_of(mx, case, rate):
    """A layer whose weights are 1, and its trainer."""
    name, _, dtype = case.partition(" ")
    options = {"learning_rate": np.float64(0.1) if rate == "numpy" else 0.1, **OPTIMIZERS[case]}
    if rate == "scheduler":
        options["lr_scheduler"] = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)
    net = mx.gluon.nn.Dense(2, in_units=3, use_bias=False, prefix="net_")
    net.initialize(mx.init.One())
    if dtype == "float16":
        net.cast("float16")
    return net, mx.gluon.Trainer(net.collect_params(), name, options)


def steps(mx, net, trainer, count):
    """The weights after so many steps."""
    x = mx.nd.array(np.arange(6).reshape(2, 3) / 8, dtype=net.weight.dtype)
    for _ in range(count):
        with mx.autograd.record():
            loss = ((net.weight.data() * x) ** 2).sum()
        loss.backward()
        trainer.step(2)
    return net.weight.data().asnumpy().tolist()


def module_of(mx):
    """A module that has its optimizer."""
    data = mx.sym.var("data")
    layer = mx.sym.FullyConnected(data, num_hidden=2, name="layer")
    module = mx.mod.Module(mx.sym.LinearRegressionOutput(layer, name="out"), label_names=["out_label"])
    module.bind([("data", (2, 3))], [("out_label", (2, 2))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer="adam", optimizer_params={"learning_rate": 0.1})
    return module


def module_steps(mx, module, count):
    """The weights after so many steps."""
    x, y = mx.nd.array(np.arange(6).reshape(2, 3) / 8), mx.nd.zeros((2, 2))
    for _ in range(count):
        module.forward_backward(mx.io.DataBatch([x], [y]))
        module.update()
    return module.get_params()[0]["layer_weight"].asnumpy().tolist()


def objects(mx):
    """What users pickle, by name."""
    dense = mx.nd.array([[0, 1.5, 0], [0, 0, 0], [-2, 0, 3]])
    made = {
        "array": dense,
        "float16": dense.astype("float16"),
        "int64": dense.astype("int64"),
        "csr": dense.tostype("csr"),
        "row_sparse": dense.tostype("row_sparse"),
        "np": mx.np.array([[1.5, 2]]),
        "context": mx.cpu(1),
        "symbol": mx.sym.exp(mx.sym.var("a"), name="b") + 1,
        "several": {"x": [dense, (dense, 3)], "y": None},
    }
    mx.nd.waitall()
    return made


def plain(value):
    """What an object is, as JSON has it."""
    if hasattr(value, "tojson"):
        return value.tojson()
    if hasattr(value, "asnumpy"):
        name = type(value).__name__
        return [name, np.dtype(value.dtype).name, getattr(value, "stype", ""), value.asnumpy().tolist()]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return str(value)
