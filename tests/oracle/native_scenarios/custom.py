"""Operators written in Python: what they are told, in which ways they run, and their gradients."""


def _operator(mx, show):
    """A class of operators that show what they are told."""

    class Op(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            show("forward", bool(is_train), list(req), [x.shape for x in in_data], [x.shape for x in aux])
            show(str(in_data[0].context), mx.autograd.is_recording(), mx.autograd.is_training())
            self.slope = in_data[0] * 2
            self.assign(out_data[0], req[0], in_data[0] * in_data[0])
            for i in range(1, len(out_data)):
                self.assign(out_data[i], req[i], in_data[-1] + i)
            for state in aux:
                state[:] = state + 1

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            show("backward", list(req), [x.shape for x in in_data], [x.shape for x in out_data])
            show([x.shape for x in in_grad], mx.autograd.is_recording())
            gradient = self.slope
            if len(out_grad[0].shape):
                gradient = gradient * out_grad[0]
            self.assign(in_grad[0], req[0], gradient)
            for i in range(1, len(in_grad)):
                self.assign(in_grad[i], req[i], out_grad[-1] * 0.5)
            for state in aux:
                state[:] = state + 10

    return Op


def _register(mx, show):
    """Register an operator of that class."""
    operator = _operator(mx, show)

    @mx.operator.register("recorded")
    class Prop(mx.operator.CustomOpProp):
        def __init__(self, inputs="1", outputs="1", states="0", top="True", **others):
            super().__init__(need_top_grad=top == "True")
            self.counts = int(inputs), int(outputs), int(states)
            show.attributes = others

        def list_arguments(self):
            return ["data", "label", "more"][: self.counts[0]]

        def list_outputs(self):
            return ["output", "second", "third"][: self.counts[1]]

        def list_auxiliary_states(self):
            return [f"state{i}" for i in range(self.counts[2])]

        def infer_shape(self, in_shape):
            first = in_shape[0]
            return [first] * self.counts[0], [first] * self.counts[1], [[2]] * self.counts[2]

        def create_operator(self, ctx, in_shapes, in_dtypes):
            show("create", str(ctx), [list(s) for s in in_shapes], list(in_dtypes))
            return operator()

    return Prop


def _x(mx):
    x = mx.nd.array([[1, 2, 3], [-1, 0, 4]])
    x.attach_grad()
    return x


def eager(mx, show):
    _register(mx, show)
    x = _x(mx)
    show(mx.nd.Custom(x, op_type="recorded", extra=3.5, flag=True, sizes=(1, 2)))
    show(sorted(show.attributes.items()))


def eager_gradient(mx, show):
    _register(mx, show)
    x = _x(mx)
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="recorded") * 3
    y.backward()
    show(y, x.grad)
    with mx.autograd.record(train_mode=False):
        y = mx.nd.Custom(x, op_type="recorded")
    y.backward(mx.nd.array([[1, 2, 3], [4, 5, 6]]))
    show(y, x.grad)


def losses_ignore_the_outputs_gradient(mx, show):
    _register(mx, show)
    x = _x(mx)
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="recorded", top=False) * 3
    y.backward()
    show(x.grad)


def several_inputs_and_outputs(mx, show):
    _register(mx, show)
    x, z = _x(mx), _x(mx)
    with mx.autograd.record():
        y = mx.nd.Custom(x, z, op_type="recorded", inputs=2, outputs=3)
        total = y[0] + y[1] + 2 * y[2]
    total.backward()
    show(len(y), y[0], y[1], y[2], x.grad, z.grad)


def two_calls_before_backward(mx, show):
    _register(mx, show)
    x = _x(mx)
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="recorded")
        y.wait_to_read()
        z = mx.nd.Custom(y, op_type="recorded")
    z.backward()
    show(z, x.grad)


def states(mx, show):
    _register(mx, show)
    x = _x(mx)
    first, second = mx.nd.zeros((2,)), mx.nd.ones((2,))
    show(mx.nd.Custom(x, first, second, op_type="recorded", states=2), first, second)
    with mx.autograd.record():
        y = mx.nd.Custom(x, first, second, op_type="recorded", states=2)
    y.backward()
    mx.nd.waitall()
    show(x.grad, first, second)


def symbols(mx, show):
    _register(mx, show)
    s = mx.sym.Custom(mx.sym.var("d"), op_type="recorded", inputs=2, states=2, outputs=2, note="hi")
    show(s.name, s.list_arguments(), s.list_auxiliary_states(), s.list_outputs(), s.tojson())
    show(s.infer_shape(d=(2, 3)), s.infer_type(d="float64"))
    named = mx.sym.Custom(data=mx.sym.var("d"), op_type="recorded", name="loss", inputs=2)
    show(named.list_arguments(), mx.sym.load_json(named.tojson()).tojson() == named.tojson())


def executors(mx, show):
    _register(mx, show)
    s = mx.sym.Custom(mx.sym.var("d"), op_type="recorded", inputs=2, states=1, name="c")
    e = s.simple_bind(mx.cpu(), d=(2, 3), grad_req={"d": "write", "c_label": "null"})
    show(e.forward(is_train=True, d=_x(mx))[0])
    e.backward(mx.nd.ones((2, 3)))
    mx.nd.waitall()
    show(e.grad_dict["d"], e.aux_dict)


def hybridized(mx, show):
    _register(mx, show)

    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.Custom(x, op_type="recorded") + 1

    net, x = Net(), _x(mx)
    show(net(x))
    net.hybridize()
    show(net(x))
    with mx.autograd.record():
        y = net(x)
    y.backward()
    show(y, x.grad)


def what_props_say_by_default(mx, show):
    prop = mx.operator.CustomOpProp()
    show(prop.list_arguments(), prop.list_outputs(), prop.list_auxiliary_states())
    show([list(map(list, part)) for part in prop.infer_shape([[2, 3]])])
    show(prop.declare_backward_dependency([1], [2], [3]))
    show(mx.operator.CustomOpProp(False).declare_backward_dependency([1], [2], [3]))


def assign(mx, show):
    op, dst = mx.operator.CustomOp(), mx.nd.ones((2,))
    for req in ("null", "write", "add", "inplace"):
        op.assign(dst, req, mx.nd.array([2, 3]))
        show(dst)
    op.assign(dst, "write", 7)
    show(dst)


def unregistered(mx, show):
    show.error(lambda: mx.nd.Custom(_x(mx), op_type="nobody").wait_to_read())
    show.error(lambda: mx.sym.Custom(mx.sym.var("x"), op_type="nobody"))
    show.error(lambda: mx.nd.Custom(_x(mx)).wait_to_read())


def too_many_inputs(mx, show):
    _register(mx, show)
    show.error(lambda: mx.nd.Custom(_x(mx), _x(mx), op_type="recorded").wait_to_read())
    show.error(lambda: mx.sym.Custom(mx.sym.var("x"), mx.sym.var("y"), op_type="recorded"))


def registered_again(mx, show):
    _register(mx, show)
    old = mx.sym.Custom(mx.sym.var("x"), op_type="recorded")

    class Zero(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], 0)

    @mx.operator.register("recorded")
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Zero()

    show(mx.nd.Custom(_x(mx), op_type="recorded"))
    show(old.list_outputs())
