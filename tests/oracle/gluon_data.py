"""Writes gluon_data.json: what datasets, samplers, loaders and transforms of real MXNet 1.9.1 give.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/gluon_data.py

Each group is a list of [snippet, what it gave], see ../snippets.py; `signatures` are the constructors'.
Files of data sets are small ones that the snippets write, so their checksums are not looked at. Where MXNet
leaves memory as it was (hues and lighting of grey images, no colour jitter, the middle of an odd number
of columns when flipped) there is no snippet.
"""

import inspect
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import data
from mxnet.gluon.contrib.data import IntervalSampler
from mxnet.gluon.data import vision
from mxnet.gluon.data.vision import transforms

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))

from snippets import lines, outcome  # noqa: E402

SAMPLERS = """
list(data.FilterSampler(lambda x: x > 3, [1, 5, 2, 7]))
len(data.FilterSampler(lambda x: x > 3, [1, 5, 2, 7]))
list(data.SequentialSampler(3))
list(data.SequentialSampler(3, 2))
len(data.SequentialSampler(3, 2))
list(IntervalSampler(13, interval=3))
list(IntervalSampler(13, interval=3, rollover=False))
len(IntervalSampler(13, interval=3))
IntervalSampler(3, 4)
sorted(data.RandomSampler(5)) == [0, 1, 2, 3, 4]
len(data.RandomSampler(5))
list(data.BatchSampler(data.SequentialSampler(7), 3))
list(data.BatchSampler(data.SequentialSampler(7), 3, 'discard'))
list(data.BatchSampler(data.SequentialSampler(6), 3, 'discard'))
list(data.BatchSampler([4, 5, 6], 2))
list(data.BatchSampler(data.SequentialSampler(0), 3))
list(data.BatchSampler(data.SequentialSampler(7), 3, 'other'))
len(data.BatchSampler(data.SequentialSampler(7), 3, 'other'))
[len(data.BatchSampler(data.SequentialSampler(7), 3, last)) for last in ('keep', 'discard', 'rollover')]
"""

ROLLING = """
s = data.BatchSampler(data.SequentialSampler(7), 3, 'rollover')
[len(s), list(s), len(s), list(s), len(s), list(s), len(s)]

list(data.Sampler())

len(data.Sampler())
"""

DATASETS = """
list(data.SimpleDataset([1, 2, 3]))
len(data.SimpleDataset([1, 2, 3]))
[list(data.SimpleDataset([1, 2, 3, 4, 5]).shard(2, i)) for i in range(2)]
[list(data.SimpleDataset([1, 2, 3, 4, 5]).shard(3, i)) for i in range(3)]
[list(data.SimpleDataset([1, 2]).shard(3, i)) for i in range(3)]
data.SimpleDataset([1, 2, 3, 4, 5]).shard(3, 3)
data.SimpleDataset([1, 2, 3, 4, 5]).shard(3, -1)
data.SimpleDataset([1, 2, 3, 4, 5]).shard(0, 0)
list(data.SimpleDataset([1, 2, 3, 4, 5]).take(2))
list(data.SimpleDataset([1, 2, 3, 4, 5]).take(9))
list(data.SimpleDataset([1, 2, 3, 4, 5]).take(None))
list(data.SimpleDataset([1, 2, 3, 4, 5]).take(0))
data.SimpleDataset([1, 2, 3, 4, 5]).take(2)[3]
list(data.SimpleDataset([1, 2, 3, 4, 5]).filter(lambda x: x % 2))
list(data.ArrayDataset([1, 2, 3], [4, 5, 6]).filter(lambda x: x[0] > 1))
list(data.SimpleDataset([1, 2, 3, 4, 5]).sample(data.SequentialSampler(2, 1)))
list(data.SimpleDataset([1, 2, 3, 4, 5]).sample(data.SequentialSampler(9)))
data.SimpleDataset([1, 2, 3, 4, 5]).sample([1])
list(data.SimpleDataset([1, 2, 3]).transform(lambda x: x + 1))
list(data.SimpleDataset([1, 2, 3]).transform(lambda x: x + 1, lazy=False))
list(data.SimpleDataset([1, 2, 3]).transform(lambda x: x + 1).take(2).filter(lambda x: x > 2))
type(data.SimpleDataset([1, 2, 3]).transform(lambda x: x + 1, lazy=False)).__name__
type(data.SimpleDataset([1, 2, 3]).transform(lambda x: x + 1)).__name__
list(data.ArrayDataset([1, 2, 3], [4, 5, 6]))
list(data.ArrayDataset([1, 2, 3]))
list(data.ArrayDataset([1, 2, 3], [4, 5, 6]).transform(lambda x, y: x + y))
list(data.ArrayDataset([1, 2, 3], [4, 5, 6]).transform(lambda x: x))
list(data.ArrayDataset([1, 2, 3], [4, 5, 6]).transform_first(lambda x: x * 2))
list(data.ArrayDataset([1, 2, 3]).transform_first(lambda x: x * 2))
list(data.ArrayDataset([1, 2, 3], [4, 5, 6]).transform_first(lambda x: x * 2, lazy=False))
data.ArrayDataset([1, 2, 3], [4, 5])
data.ArrayDataset()
list(data.ArrayDataset(nd.array([1, 2]), np.array([3, 4])))
list(data.ArrayDataset(nd.array([[1, 2]])))
list(data.ArrayDataset(nd.array([1, 2]).astype('int32')))
data.ArrayDataset(nd.array([[1, 2], [3, 4]]), [5, 6])[1]
data.Dataset()[0]
len(data.Dataset())
"""

BATCHES = """
batchify([1, 2, 3])
batchify([1.5, 2, 3])
batchify([np.float64(1), 2])
batchify([np.float32(1), np.float32(2)])
batchify([np.array([1, 2]), np.array([1, 2])])
batchify([np.array([1., 2], dtype='float16')])
batchify([(1, np.zeros(2)), (2, np.ones(2))])
batchify([(1, (2, 3)), (2, (4, 5))])
batchify([nd.zeros((2,)), nd.ones((2,))])
batchify([nd.zeros((2, 2), dtype='uint8')])
batchify([[1, 2], [3, 4]])
batchify([True, False])
data.dataloader.default_mp_batchify_fn([(1, np.zeros(2)), (2, np.ones(2))])
data.dataloader.default_mp_batchify_fn([nd.zeros((2,)), nd.ones((2,))])
[shown(b) for b in data.DataLoader(seven, 3)]
len(data.DataLoader(seven, 3))
[shown(b) for b in data.DataLoader(seven, 3, last_batch='discard')]
len(data.DataLoader(seven, 3, last_batch='discard'))
[shown(b) for b in data.DataLoader(seven, batch_sampler=[[0, 1], [4]])]
[shown(b) for b in data.DataLoader(seven, sampler=[3, 1], batch_size=1)]
[shown(b) for b in data.DataLoader(seven, 2, batchify_fn=lambda b: nd.array(b) * 2)]
[type(b).__name__ for b in data.DataLoader(data.ArrayDataset([1, 2, 3], [4, 5, 6]), batch_size=2)]
list(data.DataLoader(data.ArrayDataset([1, 2, 3], [4, 5, 6]), batch_size=2))
list(data.DataLoader(data.ArrayDataset(nd.array([[1, 2], [3, 4]]), np.array([4, 5])), batch_size=2))
[shown(b) for b in data.DataLoader(seven, batch_size=2, num_workers=2, thread_pool=True)]
[shown(b) for b in data.DataLoader(seven, 2, num_workers=1, thread_pool=True, prefetch=1)]
data.DataLoader(seven, batch_size=2, num_workers=-3)._num_workers
list(data.DataLoader([], batch_size=2))
sorted(v for b in data.DataLoader(seven, 2, shuffle=True) for v in shown(b))
data.DataLoader(seven)
data.DataLoader(seven, 2, shuffle=True, sampler=data.SequentialSampler(3))
data.DataLoader(seven, 2, batch_sampler=[[1]])
data.DataLoader(seven, shuffle=True, batch_sampler=[[1]])
data.DataLoader(seven, last_batch='keep', batch_sampler=[[1]])
data.DataLoader(seven, sampler=[1], batch_sampler=[[1]])
data.DataLoader(seven, 2, timeout=0)
"""

LOADERS = """
l = data.DataLoader(seven, 3, last_batch='rollover')
[[shown(b) for b in l], [shown(b) for b in l], len(l)]

l = data.DataLoader(seven, 3, num_workers=1, thread_pool=True)
[[shown(b) for b in l], [shown(b) for b in l]]

d = data.SimpleDataset(seven).transform(lambda x: 1 // (x - 4))
list(data.DataLoader(d, 2))

d = data.SimpleDataset(seven).transform(lambda x: 1 // (x - 4))
list(data.DataLoader(d, 2, num_workers=1, thread_pool=True))
"""

VALUES = """
import gzip, os, struct
seven = list(range(7))
batchify = data.dataloader.default_batchify_fn
def shown(batch):
    return batch.asnumpy().tolist()
def pixels(*shape):
    return np.random.RandomState(sum(shape)).randint(0, 256, shape).astype('uint8')
def image(h=4, w=5, c=3, dtype='uint8'):
    return nd.array(pixels(h, w, c), dtype='uint8').astype(dtype)
def idx(path, *parts):
    with gzip.open(path, 'wb') as file:
        file.write(b''.join(parts))
def mnist(root):
    for kind, n in (('train', 5), ('t10k', 3)):
        os.makedirs(root, exist_ok=True)
        idx(f'{root}/{kind}-images-idx3-ubyte.gz', struct.pack('>4I', 2051, n, 28, 28), bytes(pixels(n, 784)))
        idx(f'{root}/{kind}-labels-idx1-ubyte.gz', struct.pack('>2I', 2049, n), bytes(range(n)))
    return root
def cifar(root, labels, names):
    os.makedirs(root, exist_ok=True)
    for i, name in enumerate(names):
        rows = np.concatenate([pixels(2, labels), pixels(2, 3072 + i)[:, :3072]], 1)
        open(f'{root}/{name}.bin', 'wb').write(bytes(rows))
    return root
def cifar10(root):
    return cifar(root, 1, [f'data_batch_{i}' for i in range(1, 6)] + ['test_batch'])
def summed(dataset, i):
    x, y = dataset[i]
    return len(dataset), x.shape, x.dtype.__name__, int(x.asnumpy().astype('int64').sum()), x[1, 2, 0], y
"""

FILES = """
summed(vision.MNIST(mnist(folder + '/m')), 4)
summed(vision.MNIST(mnist(folder + '/m'), train=False), 2)
summed(vision.FashionMNIST(mnist(folder + '/f')), 1)
vision.MNIST(mnist(folder + '/m'), transform=lambda x, y: (x.shape, float(y) * 2))[3]
vision.MNIST(mnist(folder + '/m')).transform_first(lambda x: x.sum())[3]
type(vision.MNIST(mnist(folder + '/m'))[0][0]).__name__
type(vision.MNIST(mnist(folder + '/m'))[0][1]).__name__
len(next(iter(data.DataLoader(vision.MNIST(mnist(folder + '/m')), 2))))
next(iter(data.DataLoader(vision.MNIST(mnist(folder + '/m')), 2)))[1]
summed(vision.CIFAR10(cifar10(folder + '/c')), 9)
summed(vision.CIFAR10(cifar10(folder + '/c'), train=False), 1)
summed(vision.CIFAR100(cifar(folder + '/h', 2, ['train', 'test'])), 1)
summed(vision.CIFAR100(cifar(folder + '/h', 2, ['train', 'test']), fine_label=True), 1)
summed(vision.CIFAR100(cifar(folder + '/h', 2, ['train', 'test']), fine_label=True, train=False), 0)
"""

RECORDS = """
w = mx.recordio.MXIndexedRecordIO(folder + '/r.idx', folder + '/r.rec', 'w')
w.write_idx(3, b'one')
w.write_idx(1, b'three')
w.close()
d = data.RecordFileDataset(folder + '/r.rec')
[len(d), list(map(str, d))]

os.makedirs(folder + '/i/b/deep', exist_ok=True)
os.makedirs(folder + '/i/a', exist_ok=True)
for name in ('b/2.jpg', 'b/1.PNG', 'a/x.jpeg', 'a/no.txt', 'b/deep/9.jpg'):
    open(folder + '/i/' + name, 'wb').close()
import warnings
warnings.simplefilter('ignore')
d = vision.ImageFolderDataset(folder + '/i')
[d.synsets, [(name[len(folder):], label) for name, label in d.items], len(d)]
"""

TRANSFORMS = """
nd.image.flip_left_right(image(4, 6))
transforms.ToTensor()(image())
transforms.ToTensor()(nd.stack(image(), image()))
transforms.ToTensor()(image(dtype='float32'))
transforms.ToTensor()(image(dtype='int32'))
transforms.ToTensor()(image(c=1))
transforms.ToTensor()(nd.zeros((2, 3)))
transforms.Normalize(0.5, 2)(transforms.ToTensor()(image()))
transforms.Normalize((0.1, 0.2, 0.3), (1, 2, 4))(transforms.ToTensor()(image()))
transforms.Normalize((0.1, 0.2, 0.3), 2)(transforms.ToTensor()(image()))
transforms.Normalize(0.5, (1, 2, 4))(transforms.ToTensor()(nd.stack(image(), image())))
transforms.Normalize(0.5, 2)(transforms.ToTensor()(image(c=1)))
transforms.Normalize()(transforms.ToTensor()(image()))
transforms.Normalize(0.5, 2)(image())
transforms.Normalize((0.5, 1), 2)(transforms.ToTensor()(image()))
transforms.Normalize(0.5, 2)(nd.zeros((2, 3, 4)))
transforms.Cast()(image())
transforms.Cast('float16')(image())
transforms.Compose([transforms.Cast('float32'), transforms.ToTensor()])(image())
transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.5, 2)])(image())
transforms.CropResize(1, 2, 3, 2)(image())
transforms.CropResize(1, 2, 3, 2)(nd.stack(image(), image()))
transforms.CropResize(x=0, y=1, width=2, height=3)(image(dtype='float32'))
transforms.CropResize(1, 2, 9, 2)(image())
transforms.CropResize(0, 0, 4, 4, 2, 1)(image())
transforms.CropResize(0, 0, 4, 4, (4, 2), 0)(image())
transforms.CenterCrop(2)(image())
transforms.CenterCrop((3, 2))(image())
transforms.CenterCrop((3, 2))(image(7, 8))
transforms.CenterCrop(6)(image())
transforms.CenterCrop((6, 3))(image())
transforms.Resize(2, interpolation=1)(image())
transforms.Resize((3, 7))(image())
transforms.Resize((8, 6))(image())
transforms.Resize((3, 7), interpolation=0)(image())
transforms.Resize((11, 9), interpolation=0)(image())
transforms.Resize((2, 2), interpolation=2)(image())
transforms.Resize((3, 7), interpolation=2)(image())
transforms.Resize((3, 7), interpolation=3)(image())
transforms.Resize((3, 7), interpolation=4)(image())
transforms.Resize((3, 7))(image(dtype='float32'))
transforms.Resize((3, 7), interpolation=3)(image(dtype='float32'))
transforms.Resize((2, 2), interpolation=2)(image(dtype='float32'))
transforms.Resize((3, 7))(nd.stack(image(), image()))
transforms.Resize((3, 7))(image(c=1))
transforms.Resize(3, keep_ratio=True)(image())
transforms.Resize(3, keep_ratio=True)(image(6, 4))
transforms.Resize((5, 3), keep_ratio=True)(image())
transforms.Resize(3)(image(dtype='int32'))
transforms.RandomBrightness(0)(image())
transforms.RandomContrast(0)(image())
transforms.RandomSaturation(0)(image())
transforms.RandomHue(0)(image())
transforms.RandomLighting(0)(image())
transforms.RandomResizedCrop(4, scale=(1, 1), ratio=(1, 1))(image(4, 4))
transforms.RandomResizedCrop((2, 3))(image()).shape
transforms.RandomResizedCrop((2, 3))(image()).dtype.__name__
transforms.RandomApply(transforms.ToTensor(), 1)(image())
transforms.RandomApply(transforms.ToTensor(), 0)(image())
transforms.RandomBrightness(0.5)(image()).dtype.__name__
transforms.RandomContrast(0.5)(image(dtype='float32')).dtype.__name__
transforms.RandomBrightness(-1)
transforms.Rotate(90)(transforms.ToTensor()(image()))
transforms.Rotate(90)(transforms.ToTensor()(image(4, 4)))
transforms.Rotate(30)(transforms.ToTensor()(image(4, 6)))
transforms.Rotate(30, zoom_in=True)(transforms.ToTensor()(image(4, 6)))
transforms.Rotate(30, zoom_out=True)(transforms.ToTensor()(image(4, 6)))
transforms.Rotate(30, True, True)(transforms.ToTensor()(image(4, 6)))
transforms.Rotate(30)(image())
transforms.RandomRotation((30, 30))(transforms.ToTensor()(image(4, 6)))
transforms.RandomRotation((0, 30), rotate_with_proba=0)(transforms.ToTensor()(image(4, 6)))
transforms.RandomRotation((30, 0))
transforms.RandomRotation((0, 30), rotate_with_proba=2)
nd.image.to_tensor(image())
nd.image.flip_top_bottom(image())
nd.image.flip_left_right(nd.stack(image(), image(), image()))
nd.image.crop(image(), 1, 2, 3, 2)
nd.image.random_brightness(image(), 1.5, 1.5)
nd.image.random_brightness(image(dtype='float32'), 1.5, 1.5)
nd.image.random_brightness(image(), 0.3, 0.3)
nd.image.random_contrast(image(), 1.5, 1.5)
nd.image.random_contrast(image(), 0.4, 0.4)
nd.image.random_contrast(image(dtype='float32'), 1.5, 1.5)
nd.image.random_contrast(image(c=1), 1.5, 1.5)
nd.image.random_saturation(image(), 1.5, 1.5)
nd.image.random_saturation(image(), 0.4, 0.4)
nd.image.random_saturation(image(dtype='float32'), 1.5, 1.5)
nd.image.random_saturation(image(c=1), 1.5, 1.5)
nd.image.random_hue(image(), 1.0, 1.0)
nd.image.random_hue(image(), 1.3, 1.3)
nd.image.random_hue(image(), 0.6, 0.6)
nd.image.random_hue(image(dtype='float32'), 0.3, 0.3)
nd.image.adjust_lighting(image(), (0.1, -0.2, 0.3))
nd.image.adjust_lighting(image(dtype='float32'), (0.1, -0.2, 0.3))
nd.image.random_lighting(image(), 0.0)
nd.image.random_color_jitter(image(), 0.3, 0, 0, 0).dtype.__name__
nd.image.resize(image(), 3)
nd.image.resize(image(), (3, 7))
nd.image.resize(image())
repr(transforms.Compose([transforms.ToTensor(), transforms.Resize(3)]))
sym.image.to_tensor(sym.var('a')).list_outputs()
"""


def signatures():
    """The constructors."""
    texts = {"IntervalSampler": str(inspect.signature(IntervalSampler))}
    for module in (data, vision, transforms):
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__module__.startswith("mxnet.gluon.data"):
                texts[name] = str(inspect.signature(value)).replace(os.path.expanduser("~"), "~")
    return dict(sorted(texts.items()))


def main():
    """Write the file."""
    vision.datasets.check_sha1 = lambda *_: True
    vision.datasets.download = lambda url, path, **_: str(Path(path) / Path(url).name)
    tables = {
        "samplers": lines(SAMPLERS) + lines(ROLLING),
        "datasets": lines(DATASETS),
        "batches": lines(BATCHES) + LOADERS.strip().split("\n\n"),
        "files": lines(FILES) + RECORDS.strip().split("\n\n"),
        "transforms": lines(TRANSFORMS),
    }
    scope = {"mx": mx, "nd": nd, "sym": mx.sym, "gluon": gluon, "data": data, "vision": vision}
    scope |= {"transforms": transforms, "IntervalSampler": IntervalSampler}
    facts = {"values": VALUES, "signatures": signatures()}
    for group, texts in tables.items():
        with tempfile.TemporaryDirectory() as folder:
            facts[group] = [[text, outcome(VALUES + text, folder=folder, **scope)] for text in texts]
    parts = []
    for group, rows in facts.items():
        if isinstance(rows, list):
            text = "[\n  " + ",\n  ".join(json.dumps(row) for row in rows) + "\n ]"
        else:
            text = json.dumps(rows, indent=1)
        parts.append(f" {json.dumps(group)}: {text}")
    (FOLDER / "gluon_data.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


main()
