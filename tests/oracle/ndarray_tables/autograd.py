"""Autograd; see ../../snippets.py."""


def _recorded(inputs, expression):
    """A snippet that differentiates an expression, with head gradients 1, 2, …, by its inputs."""
    names = [part.split("=")[0].strip() for part in inputs.split(";")]
    attach = "; ".join(f"{n}.attach_grad()" for n in names)
    grads = ", ".join(f"{n}.grad" for n in names)
    return (
        f"{inputs}\n{attach}\nwith autograd.record(): y = {expression}\n"
        f"y.backward(nd.arange(1, y.size + 1).reshape(y.shape))\n[y, {grads}]"
    )


_X = "x = nd.array([[0.5, 2, -1], [3, 0.25, 4]])"
_XY = _X + "; y0 = nd.array([2, -1, 3])"
_BOTH = """x + y0|x - y0|x * y0|x / y0|y0 / x|x % 1.5|x % y0|x > y0|x == x|nd.maximum(x, y0)
|nd.minimum(x, y0)"""
_ALONE = """\
x[0]|x[:, 1]|x[1, 2]|x[::-1]|x[[1, 0, 1]]|x[nd.array([0, 0])]|x[[0, 1], [2, 0]]|x[0:1, 1:]|x[None]
|x[..., 0]|x.reshape((3, 2))|x.reshape(-1)|nd.reshape(x, (3, 2))|x.T|x.flatten()|x.copy()
|x.astype('float64').astype('float32')|x.astype('int32').astype('float32')
|x.as_in_context(mx.cpu(1))|x.copyto(mx.cpu(1))|nd.array(x) * 2|-x|abs(x)|x * 2|2 - x|1 / x|x ** 2
|2 ** x|x.sum()|x.mean(axis=1)|x.max()|x.sign()|x.round()|x.floor()|x.clip(0, 2)|x.relu()|x.exp()
|x.square()|nd.BlockGrad(x) * x|x.detach() * x|x.tile((1, 2))|x.take(nd.array([1, 1]))
|nd.concat(x, x, dim=0)|nd.stack(x, x)|nd.where(x > 1, x, x * 3)|nd.dot(x, x.T)|x.norm()|x.softmax()
|x.expand_dims(0)|x.swapaxes(0, 1)|x.slice_axis(1, 0, 2)|x.broadcast_to((2, 3))
|x.split(3, axis=1)[1]|nd.split_v2(x, (1,), axis=1)[1]|x.sort(axis=1)
|x.topk(axis=1, k=2, ret_typ='value')|nd.relu(x) + x|x * x.detach()|x + x + x|x * x * x|(x * 2)[0]
|x[0] * x[1]|x[0][1]|x.reshape((3, 2))[1]|x.zeros_like() * x|x.pick(nd.array([0, 2]))|x.diag()
|x.flip(axis=0)|nd.maximum(x, 0.5)|nd.add(x, 1)"""
GRADIENTS = [
    *[_recorded(_XY, e) for e in _BOTH.replace("\n", "").split("|")],
    *[_recorded(_X, e) for e in _ALONE.replace("\n", "").split("|")],
]
SNIPPETS = GRADIENTS + [
    part.strip().replace("\n    ", "\n")
    for part in """
    [autograd.is_recording(), autograd.is_training()]

    with autograd.record(): r = [autograd.is_recording(), autograd.is_training()]
    r + [autograd.is_recording(), autograd.is_training()]

    with autograd.record(train_mode=False): r = [autograd.is_recording(), autograd.is_training()]
    r

    with autograd.record():
        with autograd.pause(): r = [autograd.is_recording(), autograd.is_training()]
    r

    with autograd.record():
        with autograd.pause(train_mode=True): r = [autograd.is_recording(), autograd.is_training()]
    r

    with autograd.record():
        with autograd.predict_mode(): r = [autograd.is_recording(), autograd.is_training()]
    r

    with autograd.train_mode(): r = [autograd.is_recording(), autograd.is_training()]
    r

    with autograd.predict_mode(): r = [autograd.is_recording(), autograd.is_training()]
    r

    try:
        with autograd.record(): raise KeyError
    except KeyError: pass
    [autograd.is_recording(), autograd.is_training()]

    a = autograd.set_recording(True)
    b = autograd.set_recording(False)
    c = autograd.set_training(True)
    d = autograd.set_training(False)
    [a, b, c, d]

    scope = autograd.record()
    with scope: pass
    with scope: r = autograd.is_recording()
    r

    x = nd.array([1, 2])
    x.backward()
    1

    x = nd.array([1, 2])
    with autograd.record(): y = x * 2
    y.backward()
    1

    x = nd.array([1, 2])
    x.attach_grad()
    x.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    y = x * 2
    y.backward()
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    y.backward()
    y.backward()
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    y.backward(retain_graph=True)
    y.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad('add')
    with autograd.record(): y = x * x
    y.backward(retain_graph=True)
    y.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad('null')
    with autograd.record(): y = x * x
    x.grad

    nd.array([1]).grad

    x = nd.array([1, 2], dtype='float16')
    x.attach_grad()
    x.grad

    x = nd.array([1, 2], dtype='int32')
    x.attach_grad()
    with autograd.record(): y = x * 3
    y.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    x.grad[:] = 7
    x.grad

    x, z = nd.array([1, 2]), nd.array([1, 2])
    x.attach_grad()
    z.attach_grad()
    z.grad[:] = 7
    with autograd.record(): y = x * 2
    y.backward()
    [x.grad, z.grad]

    x = nd.array([1, 2])
    x.attach_grad()
    x.grad[:] = 7
    with autograd.record(): y = nd.BlockGrad(x) + x * 0
    y.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * 3
    autograd.backward([y, z])
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * 3
    autograd.backward([y, z], [nd.array([10, 20]), None])
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    y.backward(nd.array([10, 20]))
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    y.backward(nd.array([10, 20], dtype='float64'))
    x.grad

    autograd.backward([])

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        y.attach_grad()
        z = y * 3
    z.backward()
    [x.grad, y.grad]

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y.detach() * x
    z.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        with autograd.pause(): w = y * 2
        z = w * y
    z.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    v = x[0]
    with autograd.record(): y = v * 2
    y.backward()
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): x += 1
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): x[:] = 1
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): x[0] = 1
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        y += 1
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        y[:] = 1
    1

    x, z = nd.array([1, 2]), nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): z += x
    1

    x, z = nd.array([1, 2]), nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        z[:] = x * 2
        y = z * 3
    y.backward()
    x.grad

    x, z = nd.array([1, 2]), nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): nd.exp(z, out=x)
    1

    x, z = nd.array([1., 2]), nd.zeros((2,))
    x.attach_grad()
    with autograd.record():
        nd.square(x, out=z)
        y = z * 3
    y.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    x += 1
    x[0] = 7
    with autograd.record(): y = x * x
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    x.asnumpy()[:] = 5
    y.backward()
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = (x * x).sum()
    autograd.grad(y, x)

    x, z = nd.array([1, 2]), nd.array([3, 4])
    x.attach_grad()
    z.attach_grad()
    with autograd.record(): y = x * z
    autograd.grad(y, [x, z])

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    g = autograd.grad(y, x)
    x.grad

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    g = autograd.grad(y, x)
    y.backward()
    1

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    g = autograd.grad(y, x, retain_graph=True)
    y.backward()
    x.grad

    x, z = nd.array([1, 2]), nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    autograd.grad(y, z)

    x, z = nd.array([1, 2]), nd.array([1, 2])
    x.attach_grad()
    z.attach_grad()
    with autograd.record(): y = x * x
    autograd.grad(y, z)

    x = nd.array([0.5, 2])
    x.attach_grad()
    with autograd.record():
        y = x.exp()
        g = autograd.grad(y, x, create_graph=True, retain_graph=True)[0]
    g.backward()
    x.grad

    x = nd.array([0.5, 2])
    x.attach_grad()
    with autograd.record():
        y = x.log()
        g = autograd.grad(y, [x], create_graph=True, retain_graph=True)[0]
        s = g.sin().sum()
    s.backward()
    x.grad

    x, g = nd.array([1, 2]), nd.array([7, 7])
    autograd.mark_variables([x], [g])
    with autograd.record(): y = x * x
    y.backward()
    [x.grad, g]

    x, g = nd.array([1, 2]), nd.array([7, 7])
    autograd.mark_variables(x, g, 'add')
    with autograd.record(): y = x * x
    y.backward()
    g

    x, z, g, h = nd.array([1, 2]), nd.array([1, 2]), nd.array([7, 7]), nd.array([7, 7])
    autograd.mark_variables([x, z], [g, h], ['write', 'add'])
    with autograd.record(): y = x * z
    y.backward()
    [g, h]

    class Double(autograd.Function):
        def forward(self, x):
            self.save_for_backward(x)
            return x * x
        def backward(self, dy):
            x, = self.saved_tensors
            return dy * x * 100
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = Double()(x) * 2
    y.backward()
    [y, x.grad]

    class Two(autograd.Function):
        def forward(self, x, z): return x + z, x * z
        def backward(self, da, db): return da * 10, db * 100
    x, z = nd.array([1, 2]), nd.array([3, 4])
    x.attach_grad()
    z.attach_grad()
    with autograd.record():
        a, b = Two()(x, z)
        y = a * 2 + b * 3
    y.backward()
    [a, b, x.grad, z.grad]

    class Bad(autograd.Function):
        def forward(self, x, z): return x + z
        def backward(self, dy): return dy
    x, z = nd.array([1, 2]), nd.array([3, 4])
    x.attach_grad()
    with autograd.record(): y = Bad()(x, z)
    1

    class Seen(autograd.Function):
        def forward(self, x):
            self.seen = [autograd.is_recording(), autograd.is_training()]
            return x * 2
        def backward(self, dy): return dy
    x = nd.array([1, 2])
    x.attach_grad()
    f = Seen()
    with autograd.record(): y = f(x)
    f.seen

    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record(): y = nd.Dropout(x, p=0)
    y.backward()
    x.grad

    with autograd.train_mode(): y = nd.Dropout(nd.ones((100,)), p=0.5)
    bool((y == 0).sum() > 10)

    nd.Dropout(nd.ones((3,)), p=0.5)

    x = nd.array([-1, 0, 1])
    x.attach_grad()
    with autograd.record(): y = x.relu()
    y.backward()
    x.grad

    x, z = nd.array([1, 2.]), nd.array([1, 3.])
    x.attach_grad()
    z.attach_grad()
    with autograd.record(): y = nd.maximum(x, z)
    y.backward()
    [x.grad, z.grad]

    x = nd.array([0., 1, 2, 3])
    x.attach_grad()
    with autograd.record(): y = x.clip(1, 2)
    y.backward()
    x.grad

    x = nd.array([0., 3, 3])
    x.attach_grad()
    with autograd.record(): y = x.max()
    y.backward()
    x.grad

    x = nd.array([0., 3])
    x.attach_grad()
    with autograd.record(): y = x.sqrt()
    y.backward()
    x.grad

    x, z = nd.array([1., 2]), nd.zeros((3, 2))
    x.attach_grad()
    with autograd.record(): z[0] = x * 2
    1

    x, z = nd.array([1., 2]), nd.zeros((3, 2))
    x.attach_grad()
    with autograd.record(): z[[0, 2]] = x * 2
    1

    x, z = nd.array([1., 2]), nd.zeros((3, 2))
    x.attach_grad()
    with autograd.record():
        z[:] = x * 2
        y = z * 3
    y.backward()
    x.grad

    x, z = nd.array([1., 2]), nd.zeros((3, 2))
    x.attach_grad()
    with autograd.record():
        z[0] = 5
        y = z * x
    y.backward()
    x.grad

    x, z = nd.array([1., 2]), nd.zeros((2,))
    x.attach_grad()
    with autograd.record():
        (x * 2).copyto(z)
        y = z * 3
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = x * x
    x[:] = 5
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = nd.one_hot(x, 3)
    autograd.grad(y, x)

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = nd.zeros_like(x)
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = nd.random.uniform_like(x)
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = nd.random.shuffle(x)
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad('add')
    x.grad[:] = 7
    with autograd.record(): y = nd.BlockGrad(x)
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = x.detach() * 2
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = x * 2
    x.attach_grad()
    y.backward()
    x.grad

    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * 3
    y.backward()
    z.backward()

    x = nd.array([1., 2])
    x.attach_grad()
    x.grad[:] = 3
    x.attach_grad()
    x.grad

    x = nd.ones((2,))
    v = x[0]
    v.attach_grad()
    with autograd.record(): y = v * 3
    y.backward()
    [v.grad, x.grad]

    class Flat(autograd.Function):
        def forward(self, x): return x * 2
        def backward(self, dy): return dy.reshape((1, 2)) * 7
    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = Flat()(x)
    y.backward()
    x.grad

    class Listed(autograd.Function):
        def forward(self, x): return [x * 2]
        def backward(self, dy): return [dy * 7]
    x = nd.array([1., 2])
    x.attach_grad()
    with autograd.record(): y = Listed()(x)
    y
    """.strip("\n").split("\n\n")
]
GROUPS = {"autograd": SNIPPETS}
