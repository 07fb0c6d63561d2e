"""Images as data: gluon's transforms, cutting, mirroring and colours, then training on them."""

import random

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, image, nd
from mxnet.gluon import nn
from mxnet.gluon.data.vision import transforms

rng = np.random.RandomState(0)
blocks = rng.randint(0, 256, (12, 3, 4, 3))
images = np.kron(blocks, np.ones((1, 8, 8, 1))).astype("uint8") // 2 + rng.randint(0, 60, (12, 24, 32, 3))
images = nd.array(images, dtype="uint8")
img = images[0]


def outline(title, result):
    result = result.astype("float32")
    print(title, result.shape)
    show(title, nd.concat(result.mean(axis=(0, 1)), result.reshape((-1,))[::97], dim=0))


outline("to tensor", transforms.ToTensor()(img).transpose((1, 2, 0)))
outline("resize", transforms.Resize(16)(img))
outline("resize keep", transforms.Resize(16, keep_ratio=True)(img))
outline("resize nearest", transforms.Resize((20, 30), interpolation=0)(img))
outline("center", transforms.CenterCrop((16, 12))(img))
outline("larger center", transforms.CenterCrop((40, 30))(img))
outline("crop and resize", transforms.CropResize(2, 3, 20, 16, (10, 8), 1)(img))
normalize = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
both = transforms.Compose([transforms.ToTensor(), normalize])
outline("normalize", both(img).transpose((1, 2, 0)))
outline("batch", transforms.ToTensor()(images).transpose((0, 2, 3, 1))[1])
outline("flip", image.HorizontalFlipAug(1.0)(img))
outline("fixed crop", image.fixed_crop(img, 3, 4, 20, 15, (10, 8), 1))
outline("short edge", image.resize_short(img, 18))
outline("imresize", image.imresize(img, 21, 17, interp=2))
outline(
    "color normalize",
    image.color_normalize(img.astype("float32"), nd.array([1, 2, 3.0]), nd.array([2, 3, 4])),
)
crop, rect = image.center_crop(img, (20, 16))
print(rect)
outline("center crop", crop)
random.seed(1)
np.random.seed(1)
mx.random.seed(1)
flips = transforms.RandomFlipLeftRight()(img)
assert (flips == img).asnumpy().all() or (flips == img[:, ::-1]).asnumpy().all()
assert transforms.RandomResizedCrop((12, 10), scale=(0.5, 1))(img).shape == (10, 12, 3)
jitter = transforms.Compose(
    [transforms.RandomColorJitter(0.1, 0.1, 0.1, 0.1), transforms.RandomLighting(0.0)]
)
assert jitter(img).shape == img.shape

labels = nd.array(rng.randint(0, 2, 12))
dataset = gluon.data.ArrayDataset(images, labels)
augment = transforms.Compose([transforms.Resize((16, 12)), transforms.ToTensor(), normalize])
loader = gluon.data.DataLoader(dataset.transform_first(augment), 4, shuffle=False, last_batch="rollover")
net = nn.HybridSequential()
net.add(nn.Conv2D(4, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Dense(2))
net.initialize(Seeded(0.5))
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
loss = gluon.loss.SoftmaxCrossEntropyLoss()
curve = []
for epoch in range(5):
    for X, y in loader:
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(4)
        curve.append(l.mean().asscalar())
show("loss", curve)
