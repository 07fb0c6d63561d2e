"""Prices of houses: features made regular, k-fold validation, the error of logarithms."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import data as gdata
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

rng = np.random.RandomState(2)
numeric = rng.gamma(2.0, 3.0, (90, 6))
numeric[rng.rand(90, 6) < 0.1] = np.nan
kinds = rng.randint(0, 4, 90)
price = 50 + 10 * np.nan_to_num(numeric).sum(axis=1) + 30 * kinds + rng.normal(0, 5, 90)

numeric = (numeric - np.nanmean(numeric, axis=0)) / np.nanstd(numeric, axis=0)
table = np.concatenate([np.nan_to_num(numeric), np.eye(5)[kinds]], axis=1)
train_features, train_labels = nd.array(table), nd.array(price).reshape((-1, 1))
loss = gloss.L2Loss()


def get_net():
    net = nn.Sequential()
    net.add(nn.Dense(1))
    net.initialize(Seeded())
    return net


def log_rmse(net, features, labels):
    clipped_preds = nd.clip(net(features), 1, float("inf"))
    rmse = nd.sqrt(2 * loss(clipped_preds.log(), labels.log()).mean())
    return rmse.asscalar()


def train(net, train_features, train_labels, test_features, test_labels, num_epochs):
    train_ls, test_ls = [], []
    train_iter = gdata.DataLoader(gdata.ArrayDataset(train_features, train_labels), 32, shuffle=False)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 5, "wd": 0.1})
    for _ in range(num_epochs):
        for X, y in train_iter:
            with autograd.record():
                l = loss(net(X), y)
            l.backward()
            trainer.step(32)
        train_ls.append(log_rmse(net, train_features, train_labels))
        if test_labels is not None:
            test_ls.append(log_rmse(net, test_features, test_labels))
    return train_ls, test_ls


def get_k_fold_data(k, i, X, y):
    fold_size = X.shape[0] // k
    X_train, y_train = None, None
    for j in range(k):
        idx = slice(j * fold_size, (j + 1) * fold_size)
        X_part, y_part = X[idx, :], y[idx]
        if j == i:
            X_valid, y_valid = X_part, y_part
        elif X_train is None:
            X_train, y_train = X_part, y_part
        else:
            X_train = nd.concat(X_train, X_part, dim=0)
            y_train = nd.concat(y_train, y_part, dim=0)
    return X_train, y_train, X_valid, y_valid


for i in range(3):
    train_ls, valid_ls = train(get_net(), *get_k_fold_data(3, i, train_features, train_labels), 12)
    show("fold %d train" % i, train_ls)
    show("fold %d valid" % i, valid_ls)
net = get_net()
train(net, train_features, train_labels, None, None, 10)
show("prices", net(train_features[:6]))
