"""Reinforcement learning on a corridor of one's own: actor-critic, and REINFORCE with a baseline."""

import mxnet as mx
import mxnet.ndarray as F
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(7)


class Corridor:
    def __init__(self, length=6):
        self.length = length

    def reset(self):
        self.position, self.time = self.length // 2, 0
        return self.state()

    def state(self):
        return np.eye(self.length, dtype="float32")[self.position]

    def step(self, action):
        self.position += 1 if action == 1 else -1
        self.time += 1
        done = self.position in (0, self.length - 1) or self.time >= 12
        reward = 1.0 if self.position == self.length - 1 else -0.1
        self.position = min(max(self.position, 0), self.length - 1)
        return self.state(), reward, done


class Policy(gluon.Block):
    def __init__(self, **kwargs):
        super(Policy, self).__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(12, in_units=6, activation="relu")
            self.action_pred = nn.Dense(2, in_units=12)
            self.value_pred = nn.Dense(1, in_units=12)

    def forward(self, x):
        x = self.dense(x)
        probs = self.action_pred(x)
        values = self.value_pred(x)
        return F.softmax(probs), values


env, gamma = Corridor(), 0.95
net = Policy()
net.initialize(Seeded(0.1))
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 3e-2})
loss = gluon.loss.L1Loss()
returns, losses = [], []
for episode in range(10):
    state = env.reset()
    rewards, values, heads, actions = [], [], [], []
    with autograd.record():
        for t in range(20):
            prob, value = net(mx.nd.array(np.expand_dims(state, 0)))
            action = int(rng.rand() > prob[0, 0].asscalar())
            logp = F.log(F.pick(prob, mx.nd.array([action])))
            state, reward, done = env.step(action)
            rewards.append(reward)
            actions.append(logp)
            values.append(value)
            if done:
                break
        R = 0
        for i in range(len(rewards) - 1, -1, -1):
            R = rewards[i] + gamma * R
            rewards[i] = R
        rewards = np.array(rewards)
        rewards -= rewards.mean()
        rewards /= rewards.std() + np.finfo(rewards.dtype).eps
        L = sum(loss(value, mx.nd.array([r])) for r, value in zip(rewards, values))
        final_nodes = [L]
        for logp, r, v in zip(actions, rewards, values):
            advantage = r - v[0, 0].asscalar()
            final_nodes.append(-logp * advantage)
    autograd.backward(final_nodes)
    trainer.step(len(rewards))
    returns.append(R)
    losses.append(L.asscalar())
show("returns", returns)
show("value losses", losses)
show("policy", net(nd.array(np.eye(6)))[0])

policy = nn.Sequential()
policy.add(nn.Dense(8, activation="tanh"), nn.Dense(2))
policy.initialize(Seeded(0.1))
trainer = gluon.Trainer(policy.collect_params(), "rmsprop", {"learning_rate": 0.02})
softmax_loss = gluon.loss.SoftmaxCrossEntropyLoss()
baseline, curve = 0.0, []
for episode in range(10):
    states, actions, rewards = [], [], []
    state, done = env.reset(), False
    while not done:
        prob = policy(nd.array([state])).softmax().asnumpy()[0]
        action = int(rng.rand() > prob[0])
        states.append(state)
        actions.append(action)
        state, reward, done = env.step(action)
        rewards.append(reward)
    G = np.cumsum(rewards[::-1])[::-1]
    baseline = 0.9 * baseline + 0.1 * G[0]
    with autograd.record():
        l = softmax_loss(
            policy(nd.array(np.array(states))), nd.array(actions), nd.array(G - baseline).expand_dims(1)
        )
    l.backward()
    trainer.step(len(states))
    curve.append(l.sum().asscalar())
show("reinforce", curve)
