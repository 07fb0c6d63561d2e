"""What a training script is given beside the package, and what it leaves."""

import inspect

import numpy as np

ELEMENTS = 96
"""How many elements of a parameter are kept."""


class Run:
    """Makes networks start from the same numbers everywhere, and keeps what a script shows.

    With `hybrid`, networks and losses are hybridized when they are `ready`.
    """

    def __init__(self, mx, folder, hybrid):
        self.mx = mx
        self.folder = folder
        self.hybrid = hybrid
        self.numbers = {}

    def ready(self, net, *example, seed=0):
        """Initialize a network, its sizes from `example`, with numbers that depend on the seed alone."""
        net.initialize()
        if example:
            net(*example)
        rng = np.random.RandomState(seed)
        for name, param in net.collect_params().items():
            if param.grad_req != "null":
                param.set_data(self.mx.nd.array(start(rng, name, param.shape)))
        return self.fast(net)

    def fast(self, block):
        """Hybridize a block if this run does."""
        if self.hybrid:
            block.hybridize()
        return block

    def show(self, name, *values):
        """Keep numbers under a name, after those that are there."""
        self.numbers.setdefault(name, []).extend(float(value) for value in values)

    def loss(self, value):
        """Keep the mean of a loss."""
        self.show("loss", value.mean().asscalar())

    def parameters(self, net):
        """Keep elements of the network's parameters, and their sizes."""
        for i, param in enumerate(net.collect_params().values()):
            flat = param.data().asnumpy().ravel()
            self.show(f"parameter {i}", *flat[:: -(-flat.size // ELEMENTS)], np.abs(flat).mean())

    def path(self, name):
        """A file in the run's folder, as text."""
        return str(self.folder / name)


def start(rng, name, shape):
    """The numbers that a parameter starts from."""
    if name.endswith("gamma"):
        return rng.uniform(0.8, 1.2, shape)
    if len(shape) < 2:
        return rng.uniform(-0.1, 0.1, shape)
    return rng.uniform(-1, 1, shape) * (3 / np.prod(shape[1:])) ** 0.5


def blobs(rows, shape, classes, seed=0, noise=1.0):
    """Noisy patterns, one for each class, with the classes; float32."""
    rng = np.random.RandomState(seed)
    y = rng.permutation(np.arange(rows) % classes)
    patterns = rng.normal(size=(classes,) + shape)
    x = patterns[y] + noise * rng.normal(size=(rows,) + shape)
    return x.astype("float32"), y.astype("float32")


def scripts(module):
    """The scripts of a module by name."""
    functions = inspect.getmembers(module, inspect.isfunction)
    return {n: f for n, f in functions if f.__module__ == module.__name__ and not n.startswith("_")}
