"""Images from files: PNGs in folders, lists and records, read by mx.image, iterators and Gluon."""

import os
import random
import struct
import tempfile
import zlib

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, image, nd

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)


def png(pixels):
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


pixels = np.kron(rng.randint(0, 256, (12, 4, 5, 3)), np.ones((1, 6, 6, 1))).astype("uint8")
pixels = np.clip(pixels + rng.randint(-9, 9, pixels.shape), 0, 255).astype("uint8")
lines = []
record = mx.recordio.MXIndexedRecordIO(
    os.path.join(folder, "data.idx"), os.path.join(folder, "data.rec"), "w"
)
for i, picture in enumerate(pixels):
    kind = "cats" if i % 2 else "dogs"
    os.makedirs(os.path.join(folder, "images", kind), exist_ok=True)
    name = "%s/%02d.png" % (kind, i)
    with open(os.path.join(folder, "images", name), "wb") as file:
        file.write(png(picture))
    lines.append("%d\t%f\t%s" % (i, i % 2, name))
    record.write_idx(i, mx.recordio.pack(mx.recordio.IRHeader(0, float(i % 2), i, 0), png(picture)))
record.close()
with open(os.path.join(folder, "data.lst"), "w") as file:
    file.write("\n".join(lines) + "\n")

first = os.path.join(folder, "images", "dogs", "00.png")
img = image.imread(first)
print(img.shape, img.dtype, (img.asnumpy() == pixels[0]).all())
with open(first, "rb") as file:
    buffer = file.read()
show("swapped", image.imdecode(buffer, to_rgb=0).astype("float32").mean(axis=(0, 1)))
gray = image.imdecode(buffer, flag=0)
print(gray.shape)
show("gray", gray.astype("float32")[::7, ::9])
show("resized", image.imresize(img, 20, 16).astype("float32")[::5, ::6])
show("short", image.resize_short(img, 18, interp=1).astype("float32").mean(axis=(0, 1)))
cropped, box = image.center_crop(img, (17, 13))
print(box)
for aug in image.CreateAugmenter((3, 16, 16), resize=20, mean=True, std=True):
    print(type(aug).__name__)
    img = aug(img)
show("augmented", img[::5, ::5])

iterator = image.ImageIter(
    4, (3, 16, 16), path_imglist=os.path.join(folder, "data.lst"), path_root=os.path.join(folder, "images")
)
for batch in iterator:
    show(
        "list %d" % batch.pad,
        nd.concat(batch.data[0].mean(axis=(1, 2, 3)), batch.label[0].reshape((-1,)), dim=0),
    )
iterator = image.ImageIter(
    5,
    (3, 16, 16),
    path_imgrec=os.path.join(folder, "data.rec"),
    path_imgidx=os.path.join(folder, "data.idx"),
    aug_list=image.CreateAugmenter((3, 16, 16), resize=18, mean=np.array([1.0, 2, 3])),
)
for batch in iterator:
    show("record %d" % batch.pad, batch.data[0].mean(axis=(1, 2, 3)))
records = mx.io.ImageRecordIter(
    path_imgrec=os.path.join(folder, "data.rec"),
    data_shape=(3, 20, 20),
    batch_size=4,
    resize=22,
    mean_r=123.0,
    mean_g=116.0,
    mean_b=103.0,
    std_r=58.0,
    std_g=57.0,
    std_b=57.0,
    preprocess_threads=1,
)
print(records.provide_data, records.provide_label)
for epoch in range(2):
    records.reset()
    for batch in records:
        show("iter %d" % batch.pad, nd.concat(batch.data[0].mean(axis=(1, 2, 3)), batch.label[0], dim=0))
half = mx.io.ImageRecordIter(
    path_imgrec=os.path.join(folder, "data.rec"),
    data_shape=(3, 24, 30),
    batch_size=3,
    num_parts=2,
    part_index=1,
    scale=1 / 255.0,
)
show("second part", [v for batch in half for v in batch.label[0].asnumpy()])

dataset = gluon.data.vision.ImageFolderDataset(os.path.join(folder, "images"))
print(dataset.synsets, len(dataset), dataset[3][0].shape, dataset[3][1])
recorded = gluon.data.vision.ImageRecordDataset(os.path.join(folder, "data.rec"))
print(len(recorded), recorded[5][0].shape, float(recorded[5][1]))
transform = gluon.data.vision.transforms.Compose(
    [gluon.data.vision.transforms.Resize(16), gluon.data.vision.transforms.ToTensor()]
)
loader = gluon.data.DataLoader(recorded.transform_first(transform), 4)
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Conv2D(4, 3, strides=2, activation="relu"), gluon.nn.Dense(2))
net.initialize(Seeded(0.2))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
loss = gluon.loss.SoftmaxCrossEntropyLoss()
curve = []
for epoch in range(4):
    for X, y in loader:
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(4)
        curve.append(l.mean().asscalar())
show("loss", curve)

boxes = [[2, 5, i % 2, 0.1, 0.2, 0.6, 0.7] for i in range(12)]
detection = image.ImageDetIter(
    4,
    (3, 20, 24),
    imglist=[[np.array(b), n.split("\t")[2]] for b, n in zip(boxes, lines)],
    path_root=os.path.join(folder, "images"),
    aug_list=image.CreateDetAugmenter((3, 20, 24), mean=True),
)
random.seed(1)
batch = next(detection)
print([tuple(d[:2]) for d in detection.provide_data + detection.provide_label])
show("detection", nd.concat(batch.data[0].mean(axis=(1, 2, 3)), batch.label[0].reshape((-1,)), dim=0))
