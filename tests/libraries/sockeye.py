"""Sockeye: its programs in turn, on a toy corpus of digits to be said backwards."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from mxnet import gluon, nd
from sockeye import data_io, encoder, transformer
from sockeye.model import ModelConfig, SockeyeModel

from tests.libraries.harness import Sample, check, model

SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()
SIZE = 24


def numbers(*shape, seed=0):
    """Tokens, which are above those of padding, beginning and end."""
    return nd.array(np.random.RandomState(seed).randint(4, SIZE, shape))


def network(**options):
    """A Sockeye model of two small layers, without dropout."""
    layers = transformer.TransformerConfig(
        model_size=16,
        attention_heads=4,
        feed_forward_num_hidden=32,
        act_type="relu",
        num_layers=2,
        dropout_attention=0.0,
        dropout_act=0.0,
        dropout_prepost=0.0,
        positional_embedding_type="fixed",
        preprocess_sequence="n",
        postprocess_sequence="dr",
        max_seq_len_source=12,
        max_seq_len_target=12,
        **options,
    )
    statistics = data_io.DataStatistics(0, 0, 0, 0, 0, 0, 0, 0, SIZE, SIZE, 1.0, 0.0, [(10, 10)], [0], [None])
    corpus = data_io.DataConfig(statistics, 12, 12, 1, 1)
    words = encoder.EmbeddingConfig(vocab_size=SIZE, num_embed=16, dropout=0.0)
    config = ModelConfig(
        corpus, SIZE, SIZE, words, words, layers, layers, weight_tying_type="src_trg_softmax"
    )
    net = SockeyeModel(config)
    net.initialize(mx.init.Xavier())
    return net


class Logits(gluon.Block):
    """What a Sockeye model says of the target's words."""

    def __init__(self, net):
        super().__init__()
        with self.name_scope():
            self.net = net

    def forward(self, source, source_length, target, target_length):
        outputs = self.net(source, source_length, target, target_length)
        return outputs["logits"]


class Graph(gluon.HybridBlock):
    """The parts of a Sockeye model in one graph, as they train."""

    def __init__(self, net, rows):
        super().__init__()
        with self.name_scope():
            self.embedding_source, self.embedding_target = net.embedding_source, net.embedding_target
            self.encoder, self.decoder, self.output_layer = net.encoder, net.decoder, net.output_layer
        self._states = [
            layer.get_states_shape(rows)
            for layer in net.decoder.layers
            for _ in range(layer.num_state_tensors)
        ]

    def hybrid_forward(self, F, source, source_length, target):
        words, lengths = self.embedding_source(source, source_length)
        encoded, lengths = self.encoder(words, lengths)
        words, _ = self.embedding_target(target, source_length)  # which it does not read
        steps = F.expand_dims(F.contrib.arange_like(words, axis=1), axis=0)
        states = [steps, F.transpose(encoded, axes=(1, 0, 2)), lengths, *map(F.zeros, self._states)]
        decoded, _ = self.decoder(words, states)
        return self.output_layer(decoded, None)


def sample(**options):
    source, target = numbers(3, 7, 1), numbers(3, 6, 1, seed=1)
    inputs = [source, nd.array([7, 4, 5]), target, nd.array([6, 3, 5])]
    words = numbers(3, 6, seed=2)
    skip = {"native": "a SockeyeModel is a Block, which cannot be exported"}
    return Sample(Logits(network(**options)), inputs, lambda y: SOFTMAX(y, words).mean(), skip=skip)


@model("transformer")
def plain() -> Sample:
    return sample()


@model("transformer as one graph")
def graph() -> Sample:
    parts, net = sample(), network()
    return Sample(Graph(net, 3), parts.inputs[:3], parts.loss)


@model("transformer with simpler recurrent units as one graph")
def recurrent_graph() -> Sample:
    parts, net = sample(), network(decoder_type="ssru_transformer")
    return Sample(Graph(net, 3), parts.inputs[:3], parts.loss)


@model("transformer with gated layers and LHUC")
def gated() -> Sample:
    return sample(use_glu=True, use_lhuc=True)


@model("transformer with simpler recurrent units in the decoder")
def recurrent() -> Sample:
    return sample(decoder_type="ssru_transformer")


def corpus(folder):
    """Files of digits, and of the same backwards."""
    rng = random.Random(0)
    for name, count in (("train", 2000), ("dev", 50), ("test", 30)):
        rows = [[str(rng.randint(0, 9)) for _ in range(rng.randint(2, 6))] for _ in range(count)]
        (folder / f"{name}.src").write_text("".join(" ".join(row) + "\n" for row in rows))
        (folder / f"{name}.trg").write_text("".join(" ".join(reversed(row)) + "\n" for row in rows))


def run(folder, program, arguments):
    """Run one of Sockeye's programs in a process of its own, as users do."""
    command = [sys.executable, "-W", "ignore", "-m", f"sockeye.{program}", *arguments.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"sockeye.{program} ended with {done.returncode}: {done.stderr[-2000:]}")


def lines(path):
    return path.read_text().splitlines()


MODEL = (
    "--encoder transformer --decoder transformer --num-layers 1 --transformer-model-size 32 --num-embed 32 "
    "--transformer-attention-heads 4 --transformer-feed-forward-num-hidden 64 --weight-tying-type none "
    "--transformer-dropout-attention 0 --transformer-dropout-act 0 --transformer-dropout-prepost 0"
)
TRAINING = (
    "--batch-type sentence --batch-size 32 --optimizer adam --initial-learning-rate 0.003 --seed 1 "
    "--learning-rate-scheduler-type none --checkpoint-interval 150 --max-updates 300 --decode-and-evaluate 10"
)


@check("prepare data, train, translate, average, score")
def translate() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus(folder)
        prepare = "-s train.src -t train.trg -o data --max-seq-len 10 --min-num-shards 2"
        run(folder, "prepare_data", f"{prepare} --num-samples-per-shard 1000")
        run(folder, "train", f"-d data -vs dev.src -vt dev.trg -o model --use-cpu {MODEL} {TRAINING}")
        words = "--use-cpu --input test.src --beam-size 3"
        run(folder, "translate", f"-m model --output out.txt {words}")
        truth = lines(folder / "test.trg")
        right = np.mean([a == b for a, b in zip(lines(folder / "out.txt"), truth, strict=True)])
        assert right > 0.8, f"{right:.0%} of the lines are right"
        run(folder, "average", "-o model/params.average -n 2 --strategy last model")
        run(folder, "translate", f"-m model --checkpoints 1 --output first.txt {words}")
        run(folder, "score", "-m model --source test.src --target test.trg --use-cpu --output score.txt")
        scores = np.array(lines(folder / "score.txt"), float)
        assert len(scores) == len(truth)
        assert np.isfinite(scores).all()
        arrays = mx.nd.load(str(folder / "model" / "params.average"))
        assert all(np.isfinite(x.asnumpy()).all() for x in arrays.values())
