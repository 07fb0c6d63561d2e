"""Checks of `mx.test_utils`: what they give, and what they refuse."""

import contextlib
import io

import numpy as np


def _quiet(fn, *args, **kwargs):
    with contextlib.redirect_stdout(io.StringIO()):
        return fn(*args, **kwargs)


def _product(mx):
    a, b = np.arange(4.0).reshape(2, 2), np.full((2, 2), 2.0)
    return mx.sym.var("a") * mx.sym.var("b"), a, b


def forward(mx, show):
    t = mx.test_utils
    s, a, b = _product(mx)
    name = s.list_outputs()[0]
    show(
        t.check_symbolic_forward(s, [a, b], [a * b]),
        t.check_symbolic_forward(s, {"a": a, "b": b}, {name: a * b}),
    )
    show.error(_quiet, t.check_symbolic_forward, s, {"a": a, "c": b}, [a * b])
    show.error(_quiet, t.check_symbolic_forward, s, [a, b], [a + b])
    show.error(_quiet, t.check_symbolic_forward, s, [a], [a + b])
    show(t.check_symbolic_forward(s, [a, b], [a * b + 0.1], rtol=0.1, atol=0.1))
    show(t.check_symbolic_forward(s, [a, b], [a * b], dtype=np.float64))
    norm = mx.sym.BatchNorm(mx.sym.var("x"), name="bn", fix_gamma=False)
    x = np.random.RandomState(0).normal(size=(4, 3))
    states = [np.zeros(3), np.ones(3)]
    wanted = x / np.sqrt(1 + 1e-3)
    args = [x, np.ones(3), np.zeros(3)]
    show(t.check_symbolic_forward(norm, args, [wanted], aux_states=states, rtol=1e-3, atol=1e-3))
    named = dict(zip(norm.list_auxiliary_states(), states))  # noqa: B905
    show(t.check_symbolic_forward(norm, args, [wanted], aux_states=named, rtol=1e-3, atol=1e-3))
    show(t.simple_forward(s, a=a, b=b), t.simple_forward(mx.sym.Group([s, s + 1]), a=a, b=b))
    drop = mx.sym.BatchNorm(mx.sym.var("x"), name="n", fix_gamma=True)
    show.error(t.simple_forward, drop, x=x)


def backward(mx, show):
    t = mx.test_utils
    s, a, b = _product(mx)
    name = s.list_outputs()[0]
    show(t.check_symbolic_backward(s, [a, b], [b], [b * b, a * b]))
    show(t.check_symbolic_backward(s, [a, b], {name: b}, {"b": a * b}))
    show(sorted(t.check_symbolic_backward(s, [a, b], [b], {"a": b * b}, grad_req={"a": "add", "b": "null"})))
    show(sorted(t.check_symbolic_backward(s, [a, b], [b], [b * b, a * b], grad_req=["add", "write"])))
    show.error(_quiet, t.check_symbolic_backward, s, [a, b], [b], {"a": b})
    total = mx.sym.MakeLoss(mx.sym.sum(s))
    show(t.check_symbolic_backward(total, [a, b], None, [b, a]))


def differences(mx, show):
    t = mx.test_utils
    s, a, b = _product(mx)
    show(t.check_numeric_gradient(s, [a, b]))
    show(t.check_numeric_gradient(s, {"a": a, "b": b}, grad_nodes=["a"], numeric_eps=1e-3, rtol=1e-2))
    show(t.check_numeric_gradient(s, {"a": a, "b": b}, grad_nodes={"a": "add", "b": "null"}))
    show(t.check_numeric_gradient(s, [a, b], dtype=np.float64))
    show.error(_quiet, t.check_numeric_gradient, mx.sym.BlockGrad(s), [a, b])
    show.error(_quiet, t.check_numeric_gradient, s, {"a": a})
    show.error(_quiet, t.check_numeric_gradient, s, [a, b], dtype=np.int32)
    norm = mx.sym.BatchNorm(mx.sym.var("x"), name="bn", fix_gamma=False)
    x = np.random.RandomState(0).normal(size=(4, 3))
    args, states = [x, np.ones(3), np.zeros(3)], [np.zeros(3), np.ones(3)]
    show(t.check_numeric_gradient(norm, args, aux_states=states, rtol=0.1, atol=0.01))
    executor = mx.sym.sum(s).bind(mx.cpu(), {"a": mx.nd.array(a), "b": mx.nd.array(b)})
    slopes = t.numeric_grad(executor, {"a": a.astype("float32"), "b": b.astype("float32")}, eps=0.5)
    show(sorted(slopes), [np.round(slopes[k], 3).tolist() for k in sorted(slopes)])


def consistency(mx, show):
    t = mx.test_utils
    layer = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    runs = [
        {"ctx": mx.cpu(0), "data": (2, 3), "type_dict": {"data": np.float64}},
        {"ctx": mx.cpu(0), "data": (2, 3), "type_dict": {"data": np.float32}},
    ]
    truth = t.check_consistency(layer, runs)
    show(sorted(truth), str(np.dtype(truth["fc_output"].dtype)))
    show(sorted(t.check_consistency(layer, runs, grad_req="null")))
    other = mx.sym.FullyConnected(mx.sym.var("data") * 1.5, num_hidden=3, name="fc")
    show.error(_quiet, t.check_consistency, [layer, other], runs)
    show.error(_quiet, t.check_consistency, layer, runs[:1])
    values = {"data": np.ones((2, 3)), "fc_weight": np.ones((3, 3)), "fc_bias": np.zeros(3)}
    truth = t.check_consistency(layer, runs, arg_params=values, grad_req="null")
    show(truth["fc_output"])
    show(t.check_speed(layer, N=2, data=(2, 3)) > 0, t.check_speed(layer, values, N=2, typ="forward") > 0)
    show.error(t.check_speed, layer, values, typ="half")


def optimizers(mx, show):
    t = mx.test_utils
    for kwargs in ({"momentum": 0.9}, {}):
        pair = [mx.optimizer.SGD(learning_rate=0.1, **kwargs) for _ in range(2)]
        show(t.compare_optimizer(*pair, (3, 2), "float32"))
    pair = [mx.optimizer.SGD(learning_rate=rate) for rate in (0.1, 0.3)]
    show.error(_quiet, t.compare_optimizer, *pair, (3, 2), "float32")
