"""A network that PyTorch wrote as an ONNX file, fine-tuned to other classes.

`resnet.onnx` is a small ResNet of 5 classes, as PyTorch's exporter writes it, with weights that were drawn at
random (Apache-2.0 as all of this project; made by tests/torch_models/generate.py). Its last layer makes way
for one for the ten digits that scikit-learn ships: first the new layer alone is trained, then all of them.
The result is an ONNX file again, which plain ONNX Runtime runs. Run it with
`scripts/demo finetune [--out FOLDER] [--epochs N] [--seed N]`; the file goes to `demo-output` unless told.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.gluon import nn
from samples import train_digits

MODEL = Path(__file__).with_name("resnet.onnx")


def pictures(images):
    """Digits (N, 1, 8, 8) as networks take photographs: (N, 3, 16, 16) of about mean 0 and variance 1."""
    return ((images - 0.3) / 0.4).repeat(2, axis=2).repeat(2, axis=3).repeat(3, axis=1)


def network(classes):
    """The ResNet without its last layer, and a new one for other classes. Returns both parts."""
    whole = mx.onnx.import_to_gluon(str(MODEL), trainable=False)
    print(f"{MODEL.name}: {whole}")
    x = mx.sym.var("x")
    layers = whole(x).get_internals()
    features = layers["node_mean_output"]  # of shape (N, 12, 1, 1); list_outputs() has all names
    trunk = gluon.SymbolBlock(features, x, params=whole.collect_params())
    head = nn.Dense(classes)
    head.initialize(mx.init.Xavier())
    return trunk, head


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder for the file")
    parser.add_argument(
        "--epochs", type=int, default=12, help="with all layers; a quarter as many come before"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all but the split of the data")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    np.random.seed(options.seed)
    mx.random.seed(options.seed)
    data, test = ((pictures(images), labels) for images, labels in train_digits.digits())

    trunk, head = network(10)
    net = nn.HybridSequential()
    net.add(trunk, head)
    net.hybridize()
    print("\nthe new layer alone")
    train_digits.train(net, data, {"test": test}, max(1, options.epochs // 4), 0.02)
    print("\nall layers")
    trunk.collect_params().setattr("grad_req", "write")
    train_digits.train(net, data, {"test": test}, options.epochs, 0.01)

    path = str(options.out / "finetuned.onnx")
    mx.onnx.export_model(net, path, input_shapes=[("batch", 3, "height", "width")])
    accuracy = np.mean(train_digits.predict(path, test[0]) == test[1])
    print(f"\nwritten: {path}; plain ONNX Runtime gets {accuracy:.2%} of the test pictures right.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
