"""Blocks saved with their tree and their graphs, and loaded."""

import json
import os


def _net(mx, **kwargs):
    """A block of several kinds of blocks, whose inputs' sizes are unknown."""
    nn = mx.gluon.nn

    class Net(mx.gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.a = nn.Dense(2)
                self.body = nn.HybridSequential()
                with self.body.name_scope():
                    self.body.add(nn.Dense(3), nn.BatchNorm())
                self.w = self.params.get("w", shape=(2,))

        def forward(self, x):
            return self.body(self.a(x) * self.w.data())

    return Net(**kwargs)


def _saved(mx, show, net, name):
    """What the files hold."""
    show(net.save(show.path(name)))
    show(sorted(f for f in os.listdir(show.folder) if f.startswith(name)))
    with open(show.path(f"{name}-model.json")) as file:
        show(file.read())
    show(list(mx.nd.load(show.path(f"{name}-model.params"))))


def _active(block):
    """Which blocks run hybridized."""
    flags = [getattr(block, "_active", None)]
    for child in block._children.values():
        flags += _active(child)
    return flags


def before_a_call(mx, show):
    net = _net(mx, prefix="net_")
    show.error(net.save, show.path("none"))
    net.initialize()
    show.error(net.save, show.path("deferred"))


def blocks_that_are_not_hybridized(mx, show):
    for known in (True, False):
        net = mx.gluon.nn.HybridSequential(prefix="net_")
        with net.name_scope():
            net.add(mx.gluon.nn.Dense(2, in_units=4 if known else 0))
        net.initialize()
        net(mx.nd.ones((2, 4)))
        _saved(mx, show, net, f"net{known}")


def a_plain_block_of_hybridized_ones(mx, show):
    x = mx.nd.arange(8).reshape((2, 4))
    net = _net(mx, prefix="net_")
    net.initialize(mx.init.One())
    net(x)
    net.hybridize()
    y = net(x)
    _saved(mx, show, net, "net")
    other = _net(mx, prefix="other_")
    show(other.load(show.path("net")))
    show(_active(other)[0], other.a._active, other.body._active)
    show((other(x) - y).abs().max().asscalar() < 1e-6)


def several_inputs_and_outputs(mx, show):
    class Pair(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, a, rest):
            return a + rest[0], [a * 2, rest[1]]

    x = mx.nd.ones((2, 4))
    net = Pair(prefix="pair_")
    net.hybridize()
    net(x, [x, x])
    _saved(mx, show, net, "pair")
    other = Pair()
    other.load(show.path("pair"))
    show(other(x, [x * 3, x])[0])


def whether_it_is_hybridized_is_kept(mx, show):
    x = mx.nd.arange(8).reshape((2, 4))

    def build():
        net = mx.gluon.nn.HybridSequential(prefix="net_")
        with net.name_scope():
            net.add(mx.gluon.nn.Dense(2, in_units=4), mx.gluon.nn.Dense(1, in_units=2))
        return net

    net = build()
    net.initialize()
    y = net(x)
    for name in ("eager", "hybrid", "called"):
        net.save(show.path(name))
        with open(show.path(f"{name}-model.json")) as file:
            show(json.load(file)["hybridsequential0"]["hybridized"])
        other = build()
        other.load(show.path(name))
        show(other._active, (other(x) - y).abs().max().asscalar() < 1e-6)
        if name == "eager":
            net.hybridize()
        else:
            net(x)


def other_trees_are_refused(mx, show):
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=4))
    net.initialize()
    net.save(show.path("net"))
    show.error(net.load, show.path("nothing"))
    other = nn.HybridSequential()
    other.add(nn.Dense(3, in_units=4))
    show.error(other.load, show.path("net"))


def shared_blocks(mx, show):
    net, shared = mx.gluon.nn.HybridSequential(prefix="net_"), mx.gluon.nn.Dense(4, in_units=4)
    net.add(shared, shared)
    net.initialize()
    _saved(mx, show, net, "net")
