"""Calls of optimizers' steps, for real MXNet and for us: what they give, and leave in the arrays."""

from __future__ import annotations

from tests.snippets import lines

_ARRAYS = """
rng = np.random.RandomState(0)
def new(*shape): return mx.nd.array(rng.standard_normal(shape))
def positive(*shape): return mx.nd.array(rng.uniform(0.1, 1, shape))
def rows(*shape):
    data = rng.standard_normal(shape)
    data[::2] = 0
    return mx.nd.array(data).tostype("row_sparse")
def stored(*shape): return positive(*shape).tostype("row_sparse")
w, g, m, v, o = new(4, 3), new(4, 3), new(4, 3), positive(4, 3), new(4, 3)
r, sw, sm, sv = rows(4, 3), stored(4, 3), stored(4, 3), stored(4, 3)
w16, g16 = w.astype("float16"), g.astype("float16")
c = mx.nd.contrib
"""

_CALLS = """
mx.nd.sgd_update(w, g, lr=0.1, wd=0.1), w, g
mx.nd.sgd_update(w, g, lr=0.1, wd=0.1, out=w), w, g
mx.nd.sgd_update(w, g, lr=0.1, wd=0.1, out=o), w, g, o
mx.nd.sgd_update(w, g, 0.1, 0.01, 0.5, 0.3)
mx.nd.sgd_mom_update(w, g, m, lr=0.1, momentum=0.9), w, g, m
mx.nd.sgd_mom_update(w, g, m, lr=0.1, momentum=0.9, wd=0.1, out=w), w, g, m
mx.nd.sgd_mom_update(w, g, m, lr=0.1, momentum=0.9, wd=0.1, out=o), w, g, m
mx.nd.sgd_mom_update(weight=w, grad=g, mom=m, lr=0.1, momentum=0.9), w, g, m
[mx.nd.sgd_mom_update(w, g, m, lr=0.1, momentum=0.9, wd=0.1, out=w) for _ in range(3)][-1], w, m
mx.nd.adam_update(w, g, m, v, lr=0.1, out=w), w, g, m, v
mx.nd.adam_update(w, g, m, v, lr=0.1), w, g, m, v
mx.nd.nag_mom_update(w, g, m, lr=0.1, momentum=0.9, wd=0.1, out=w), w, g, m
mx.nd.ftrl_update(w, g, m, v, lr=0.1, out=w), w, g, m, v
mx.nd.lamb_update_phase1(w, g, m, v, t=1, wd=0.1), w, g, m, v
mx.nd.lamb_update_phase2(w, g, mx.nd.array([2]), mx.nd.array([3]), lr=0.1, out=w), w, g
mx.nd.signum_update(w, g, m, lr=0.1, momentum=0.9, wd_lh=0.1, out=w), w, m
mx.nd.reset_arrays(w, m, num_arrays=2), w, m
mx.nd.multi_sgd_update(w, g, m, v, lrs=(0.1, 0.2), wds=(0, 0.1), num_weights=2, out=[w, m]), w, m
mx.nd.multi_sgd_mom_update(w, g, m, lrs=(0.1,), wds=(0.1,), momentum=0.9, num_weights=1, out=[w]), w, m
mx.nd.multi_all_finite(w, g, num_arrays=2, init_output=False, out=mx.nd.zeros(1))
mx.nd.multi_all_finite(w, g, num_arrays=2, init_output=False, out=mx.nd.ones(1))
mx.nd.multi_all_finite(w, g / 0, num_arrays=2, init_output=False, out=mx.nd.ones(1))
mx.nd.all_finite(w, init_output=False, out=mx.nd.zeros(1))
mx.nd.all_finite(w, init_output=True, out=mx.nd.zeros(1))
mx.nd._internal._set_value(src=2.5, out=w), w
mx.nd._internal._set_value(2.5, out=w[1:2]), w
mx.nd._internal._set_value(src=2.7, out=mx.nd.zeros((2, 2), dtype="int32"))
mx.nd._internal._set_value(src=2.5)
mx.nd.fill_element_0index(w, mx.nd.arange(4), mx.nd.array([0, 1, 2, 1])), w
mx.nd._internal._onehot_encode(mx.nd.array([0, 1, 2, 1]), w), w
mx.nd._internal._onehot_encode(mx.nd.array([0, 1, 2, 1]), w, out=w), w
"""

_WRAPPERS = """
c.adamw_update(w, g, m, v, 0.5, 0.1, 0.7, wd=0.1, out=w), w, m, v
c.adamw_update(w, g, m, v, mx.nd.array([0.5]), lr=0.1, eta=0.7, out=w), w, m, v
c.adamw_update(w, g, m, v, float("inf"), lr=0.1, eta=0.7, out=w), w, m, v
c.mp_adamw_update(w16, g16, m, v, o, 0.5, lr=0.1, eta=0.7, wd=0.1), m, v, o
c.multi_adamw_update([w, o], [g, g], [m, m * 2], [v, v * 2], 0.5, [1, 2], [0, 1], [1, 2], out=[w, o]), w, o
c.multi_adamw_update([w], [g], [m], [v], mx.nd.array([2]), lrs=[0.1], wds=[0], etas=[1], size=1, out=[w]), w
c.multi_lamb_update([w, o], [g, g], [m, m * 2], [v, v * 2], [1, 2], [0.1, 0.2], [0, 0.1], out=[w, o]), w, o, m
c.multi_mp_adamw_update([w16], [g16], [m], [v], [o], 0.5, [0.1], [0], [1], out=[w16]), m, v, o
c.multi_mp_lamb_update([w16], [g16], [m], [v], [o], [1], [0.1], [0], out=[w16]), m, v, o
"""

_SPARSE = """
mx.nd.sgd_update(w, r, lr=0.1, wd=0.1, out=w), w
mx.nd.sgd_update(w, r, lr=0.1, wd=0.1, lazy_update=False, out=w), w
mx.nd.sparse.sgd_update(sw, r, lr=0.1, wd=0.1, out=sw), sw, sw.stype
mx.nd.sgd_mom_update(w, r, m, lr=0.1, wd=0.1, momentum=0.9, out=w), w, m
mx.nd.sgd_mom_update(w, r, m, lr=0.1, wd=0.1, momentum=0.9, lazy_update=False, out=w), w, m
mx.nd.sgd_mom_update(w, r, sm, lr=0.1, wd=0.1, momentum=0.9, out=w), w, sm
mx.nd.sparse.sgd_mom_update(sw, r, sm, lr=0.1, wd=0.1, momentum=0.9, out=sw), sw, sm
mx.nd.adam_update(w, r, m, v, lr=0.1, wd=0.1, out=w), w, m, v
mx.nd.adam_update(w, r, m, v, lr=0.1, wd=0.1, lazy_update=False, out=w), w, m, v
mx.nd.adam_update(w, r, sm, sv, lr=0.1, wd=0.1, out=w), w, sm, sv
mx.nd.sparse.adam_update(sw, r, sm, sv, lr=0.1, wd=0.1, clip_gradient=0.2, out=sw), sw, sm, sv
mx.nd.ftrl_update(w, r, m, v, lr=0.1, wd=0.1, out=w), w, m, v
mx.nd.sparse.ftrl_update(sw, r, sm, sv, lr=0.1, wd=0.1, out=sw), sw, sm, sv
mx.nd.sparse.adagrad_update(w, r, v, lr=0.1, rescale_grad=0.5, clip_gradient=0.3, out=w), w, v
mx.nd.sparse.adagrad_update(sw, r, sv, lr=0.1, epsilon=0.1, out=sw), sw, sv
mx.nd.sparse.adagrad_update(sw, r, sv, lr=0.1, wd=0.1, out=sw)
[h := positive(4, 1)], c.group_adagrad_update(w, r, h, lr=0.1, rescale_grad=0.5, out=w), w, h
[h := positive(4, 1).tostype("row_sparse")], c.group_adagrad_update(sw, r, h, lr=0.1, out=sw), sw, h
"""

_ERRORS = """
mx.nd.sgd_update(w, g)
mx.nd.sgd_update(w, new(3, 4), lr=0.1)
mx.nd.sgd_mom_update(w, g, new(4, 2), lr=0.1)
mx.nd.sgd_update(w.astype("int32"), g.astype("int32"), lr=0.1)
mx.nd.sgd_update(w, g.astype("float64"), lr=0.1)
mx.nd.multi_sgd_update(w, g, lrs=(0.1, 0.2), wds=(0,), num_weights=1, out=[w])
mx.nd.multi_sgd_update(w, g, m, lrs=(0.1,), wds=(0,), num_weights=1, out=[w])
mx.nd.lamb_update_phase2(w, g, mx.nd.ones(2), mx.nd.ones(1), lr=0.1)
mx.nd.fill_element_0index(w, mx.nd.ones(3), mx.nd.ones(4))
mx.nd.fill_element_0index(mx.nd.ones(4), mx.nd.ones(4), mx.nd.ones(4))
mx.nd._internal._onehot_encode(mx.nd.ones(3), w)
mx.nd.multi_sum_sq(w, w.astype("float16"), num_arrays=2)
mx.nd.reset_arrays(w, num_arrays=2)
"""

SNIPPETS = [text for table in (_CALLS, _WRAPPERS, _SPARSE, _ERRORS) for text in lines(table, _ARRAYS)]
