"""A child-sum tree LSTM on random trees: a network whose shape is each example's."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import Block, nn
from mxnet.gluon.parameter import Parameter

rng = np.random.RandomState(0)


class Tree(object):
    def __init__(self, idx):
        self.children = []
        self.idx = idx

    def __repr__(self):
        return "(%d %s)" % (self.idx, " ".join(map(str, self.children))) if self.children else str(self.idx)


class ChildSumLSTMCell(Block):
    def __init__(self, hidden_size, input_size=0, prefix=None, params=None):
        super(ChildSumLSTMCell, self).__init__(prefix=prefix, params=params)
        with self.name_scope():
            self._hidden_size = hidden_size
            self._input_size = input_size
            get = self.params.get
            self.i2h_weight = get("i2h_weight", shape=(4 * hidden_size, input_size), allow_deferred_init=True)
            self.hs2h_weight = get("hs2h_weight", shape=(3 * hidden_size, hidden_size))
            self.hc2h_weight = get("hc2h_weight", shape=(hidden_size, hidden_size))
            self.i2h_bias = get("i2h_bias", shape=(4 * hidden_size,), init="zeros")
            self.hs2h_bias = get("hs2h_bias", shape=(3 * hidden_size,), init="zeros")
            self.hc2h_bias = get("hc2h_bias", shape=(hidden_size,), init="zeros")

    def forward(self, inputs, tree):
        children_outputs = [self(inputs, child) for child in tree.children]
        children_states = None
        if children_outputs:
            _, children_states = zip(*children_outputs)
        ctx = inputs.context
        return self.node_forward(
            nd.expand_dims(inputs[tree.idx], axis=0),
            children_states,
            *[p.data(ctx) for p in (self.i2h_weight, self.hs2h_weight, self.hc2h_weight)],
            *[p.data(ctx) for p in (self.i2h_bias, self.hs2h_bias, self.hc2h_bias)],
        )

    def node_forward(
        self, inputs, children_states, i2h_weight, hs2h_weight, hc2h_weight, i2h_bias, hs2h_bias, hc2h_bias
    ):
        n = self._hidden_size
        i2h = nd.FullyConnected(data=inputs, weight=i2h_weight, bias=i2h_bias, num_hidden=n * 4)
        i2h_slices = nd.split(i2h, num_outputs=4)
        i2h_iuo = nd.concat(*[i2h_slices[i] for i in [0, 2, 3]], dim=1)
        if children_states:
            hs = nd.add_n(*[state[0] for state in children_states])
        else:
            hs = nd.zeros_like(i2h_slices[0])
        hs2h_iuo = nd.FullyConnected(data=hs, weight=hs2h_weight, bias=hs2h_bias, num_hidden=n * 3)
        i2h_iuo = i2h_iuo + hs2h_iuo
        iuo_act_slices = nd.SliceChannel(i2h_iuo, num_outputs=3)
        i_act, u_act, o_act = iuo_act_slices[0], iuo_act_slices[1], iuo_act_slices[2]
        in_gate = nd.Activation(i_act, act_type="sigmoid")
        in_transform = nd.Activation(u_act, act_type="tanh")
        out_gate = nd.Activation(o_act, act_type="sigmoid")
        next_c = in_gate * in_transform
        if children_states:
            forget_gates = []
            for state in children_states:
                hc2h = nd.FullyConnected(data=state[0], weight=hc2h_weight, bias=hc2h_bias, num_hidden=n)
                forget_gates.append(nd.Activation(i2h_slices[1] + hc2h, act_type="sigmoid"))
            next_c = next_c + nd.add_n(
                *[gate * state[1] for gate, state in zip(forget_gates, children_states)]
            )
        next_h = out_gate * nd.Activation(next_c, act_type="tanh")
        return next_h, [next_h, next_c]


class Similarity(Block):
    def __init__(self, vocab, embed, hidden, classes):
        super(Similarity, self).__init__()
        with self.name_scope():
            self.embed = nn.Embedding(vocab, embed, prefix="word_embed_")
            self.childsumtreelstm = ChildSumLSTMCell(hidden, input_size=embed)
            self.wh = nn.Dense(6, in_units=2 * hidden, prefix="sim_embed_")
            self.wp = nn.Dense(classes, in_units=6)

    def forward(self, l_inputs, r_inputs, l_tree, r_tree):
        lstate = self.childsumtreelstm(self.embed(l_inputs), l_tree)[1][1]
        rstate = self.childsumtreelstm(self.embed(r_inputs), r_tree)[1][1]
        vec_dist = nd.broadcast_mul(lstate, rstate)
        dist = nd.concat(vec_dist, nd.abs(nd.add(lstate, -rstate)), dim=1)
        out = nd.log_softmax(self.wp(nd.sigmoid(self.wh(dist))))
        return out


def random_tree(size):
    nodes = [Tree(i) for i in range(size)]
    for i in range(1, size):
        nodes[rng.randint(0, i)].children.append(nodes[i])
    return nodes[0]


def target_of(score):
    distribution = np.zeros((1, 3), "float32")
    low = int(score)
    distribution[0, low] = 1 - (score - low)
    if low < 2:
        distribution[0, low + 1] = score - low
    return nd.array(distribution)


examples = []
for _ in range(8):
    sizes = rng.randint(2, 6, 2)
    words = [nd.array(rng.randint(0, 12, size)) for size in sizes]
    examples.append((*words, random_tree(sizes[0]), random_tree(sizes[1]), rng.uniform(0, 2)))
print(examples[0][2], examples[3][3])
net = Similarity(12, 5, 6, 3)
net.initialize(Seeded(0.3))
assert isinstance(net.childsumtreelstm.i2h_bias, Parameter)
trainer = gluon.Trainer(net.collect_params(), "adagrad", {"learning_rate": 0.1, "wd": 0.0001})
loss = gluon.loss.KLDivLoss()
curve = []
for epoch in range(3):
    for l_sent, r_sent, l_tree, r_tree, score in examples:
        with autograd.record():
            z = net(l_sent, r_sent, l_tree, r_tree)
            l = loss(z, target_of(score))
        l.backward()
        trainer.step(1)
        curve.append(l.asscalar())
show("loss", curve)
show("probabilities", nd.exp(z))
