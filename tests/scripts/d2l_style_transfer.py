"""Style transfer: an image is what is trained; losses of content, style and total variation."""

import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, image, init, nd
from mxnet.gluon import nn

rgb_mean = nd.array([0.485, 0.456, 0.406])
rgb_std = nd.array([0.229, 0.224, 0.225])
rng = np.random.RandomState(0)
content_img = nd.array(rng.randint(0, 256, (30, 40, 3)), dtype="uint8")
style_img = nd.array(np.kron(rng.randint(0, 256, (5, 6, 3)), np.ones((8, 8, 1))), dtype="uint8")


def preprocess(img, image_shape):
    img = image.imresize(img, *image_shape)
    img = (img.astype("float32") / 255 - rgb_mean) / rgb_std
    return img.transpose((2, 0, 1)).expand_dims(axis=0)


def postprocess(img):
    img = img[0].as_in_context(rgb_std.context)
    return (img.transpose((1, 2, 0)) * rgb_std + rgb_mean).clip(0, 1)


net = nn.Sequential()
for channels in (6, 8, 8):
    net.add(
        nn.Conv2D(channels, 3, padding=1, activation="relu"),
        nn.Conv2D(channels, 3, padding=1, activation="relu"),
    )
    net.add(nn.MaxPool2D())
net.initialize(Seeded(0.2))
style_layers, content_layers = [0, 3, 6], [7]


def extract_features(X):
    contents, styles = [], []
    for i in range(len(net)):
        X = net[i](X)
        if i in style_layers:
            styles.append(X)
        if i in content_layers:
            contents.append(X)
    return contents, styles


def content_loss(Y_hat, Y):
    return (Y_hat - Y).square().mean()


def gram(X):
    num_channels, n = X.shape[1], X.size // X.shape[1]
    X = X.reshape((num_channels, n))
    return nd.dot(X, X.T) / (num_channels * n)


def style_loss(Y_hat, gram_Y):
    return (gram(Y_hat) - gram_Y).square().mean()


def tv_loss(Y_hat):
    return 0.5 * (
        (Y_hat[:, :, 1:, :] - Y_hat[:, :, :-1, :]).abs().mean()
        + (Y_hat[:, :, :, 1:] - Y_hat[:, :, :, :-1]).abs().mean()
    )


class GeneratedImage(nn.Block):
    def __init__(self, img_shape, **kwargs):
        super(GeneratedImage, self).__init__(**kwargs)
        self.weight = self.params.get("weight", shape=img_shape)

    def forward(self):
        return self.weight.data()


content_X = preprocess(content_img, (32, 24))
style_X = preprocess(style_img, (32, 24))
contents_Y, _ = extract_features(content_X)
_, styles_Y = extract_features(style_X)
gen_img = GeneratedImage(content_X.shape)
gen_img.initialize(init.Constant(content_X), force_reinit=True)
gen_img.weight.set_data(content_X + nd.array(draw("start", content_X.shape, 0.1)))
trainer = gluon.Trainer(gen_img.collect_params(), "adam", {"learning_rate": 0.03})
styles_Y_gram = [gram(Y) for Y in styles_Y]
parts = []
for i in range(15):
    with autograd.record():
        X = gen_img()
        contents_Y_hat, styles_Y_hat = extract_features(X)
        contents_l = [content_loss(a, b) * 1 for a, b in zip(contents_Y_hat, contents_Y)]
        styles_l = [style_loss(a, b) * 1e3 for a, b in zip(styles_Y_hat, styles_Y_gram)]
        tv_l = tv_loss(X) * 10
        l = nd.add_n(*styles_l) + nd.add_n(*contents_l) + tv_l
    l.backward()
    trainer.step(1)
    if i == 9:
        trainer.set_learning_rate(trainer.learning_rate * 0.1)
    parts.append([nd.add_n(*contents_l).asscalar(), nd.add_n(*styles_l).asscalar(), tv_l.asscalar()])
show("losses", parts)
show("image", postprocess(gen_img())[::7, ::9])
