"""Monitors of executors and modules."""

import re

from ._training import RootLines, bound, convnet, one_batch, params


def _rows(rows):
    """Rows of a monitor with numbers in place of texts, without the gradients on the way."""
    return [
        [step, name, [float(x) for x in re.findall(r"[-\d.e+]+", text)], text.endswith("\t")]
        for step, name, text in rows
        if "_backward" not in name
    ]


def _batches(mx, show, mon, count=3):
    m = bound(mx)
    m.install_monitor(mon)
    for _ in range(count):
        mon.tic()
        m.forward_backward(one_batch(mx))
        m.update()
        show(_rows(mon.toc()), mon.step)


def every_batch(mx, show):
    _batches(mx, show, mx.mon.Monitor(1))
    show(mx.mon is mx.monitor)


def every_second_batch(mx, show):
    _batches(mx, show, mx.mon.Monitor(2), 4)


def sorted_by_name(mx, show):
    _batches(mx, show, mx.mon.Monitor(1, sort=True), 1)


def some_names(mx, show):
    _batches(mx, show, mx.mon.Monitor(1, pattern="fc2.*|.*weight"), 2)


def other_statistics(mx, show):
    _batches(mx, show, mx.mon.Monitor(1, lambda x: x.max()), 1)
    _batches(mx, show, mx.mon.Monitor(1, lambda x: [x.max(), x.min()], pattern=".*weight"), 1)


def of_states(mx, show):
    net = convnet(mx)
    m = mx.mod.Module(net)
    m.bind([("data", (6, 2, 6, 6))], [("softmax_label", (6,))])
    m.init_params(None, *params(mx, net, data=(6, 2, 6, 6)))
    mon = mx.mon.Monitor(1, pattern="bn.*")
    m.install_monitor(mon)
    mon.tic()
    m.forward(one_batch(mx, 6, (2, 6, 6)), is_train=True)
    show([name for _, name, _ in mon.toc()])


def predictions(mx, show):
    m = bound(mx)
    mon = mx.mon.Monitor(1)
    m.install_monitor(mon)
    mon.tic()
    m.forward(one_batch(mx), is_train=False)
    show(_rows(mon.toc()))


def printed(mx, show):
    m = bound(mx)
    mon = mx.mon.Monitor(1, lambda x: mx.nd.array([x.size]), pattern="(fc|tanh)\\d_(output|weight)")
    m.install_monitor(mon)
    with RootLines() as log:
        mon.tic()
        m.forward_backward(one_batch(mx))
        mon.toc_print()
    show(log.lines, mon.toc())
