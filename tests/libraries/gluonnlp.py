"""GluonNLP: language models, encoders and translation, with the samplers and pipelines around them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import gluonnlp as nlp
import mxnet as mx
import numpy as np
from mxnet import gluon, nd

from tests.libraries.harness import Sample, check, model

SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()
WORDS = "the a cat dog bird saw liked heard old young and then".split()


def numbers(*shape, below=20, dtype="float32", seed=0):
    """Whole numbers, as of tokens."""
    return nd.array(np.random.RandomState(seed).randint(0, below, shape), dtype=dtype)


def vocabulary():
    return nlp.Vocab(nlp.data.count_tokens(sorted(WORDS)))


def bert_vocabulary():
    return nlp.vocab.BERTVocab(nlp.data.count_tokens(sorted(WORDS)))


SMALL = {"num_layers": 2, "units": 32, "hidden_size": 64, "max_length": 16, "num_heads": 4, "dropout": 0.1}


def encoder(name, build=None, **options):
    """One of the models of bert_hparams, made small."""
    build = build or nlp.model.get_model
    small = {**SMALL, "embed_size": 32, "word_embed": None}
    net, vocab = build(
        name,
        dataset_name=None,
        vocab=bert_vocabulary(),
        pretrained=False,
        hparam_allow_override=True,
        **{**small, **options},
    )
    net.initialize(mx.init.Normal(0.1))
    return net, len(vocab)


@model("bert_12_768_12")
def bert() -> Sample:
    net, size = encoder("bert_12_768_12")
    tokens, types = numbers(3, 9, below=size), numbers(3, 9, below=2, seed=1)
    lengths, places = nd.array([9, 4, 6]), nd.array([[1, 3], [0, 2], [5, 4]])
    words, follows = numbers(3, 2, below=size, seed=2), nd.array([0, 1, 1])

    def loss(outputs):
        _, _, classified, decoded = outputs
        return (
            SOFTMAX(classified, follows).mean()
            + SOFTMAX(decoded.reshape((6, -1)), words.reshape((-1,))).mean()
        )

    return Sample(net, [tokens, types, lengths, places], loss, free=(0,))


@model("bert classifier")
def bert_classifier() -> Sample:
    net, size = encoder("bert_12_768_12", use_decoder=False, use_classifier=False)
    classifier = nlp.model.BERTClassifier(net, num_classes=3, dropout=0.1)
    classifier.classifier.initialize(mx.init.Normal(0.02))
    inputs = [numbers(4, 8, below=size), numbers(4, 8, below=2, seed=1), nd.array([8, 3, 5, 1])]
    return Sample(classifier, inputs, lambda y: SOFTMAX(y, nd.array([0, 1, 2, 1])), free=(0, 1))


@model("bert with attention and all encodings")
def bert_attention() -> Sample:
    net, size = encoder(
        "bert_24_1024_16",
        use_decoder=False,
        use_classifier=False,
        output_attention=True,
        output_all_encodings=True,
    )
    inputs = [numbers(2, 7, below=size), numbers(2, 7, below=2, seed=1), nd.array([7, 3])]
    return Sample(net, inputs, lambda y: y[0][-1].square().mean() + y[2].square().mean())


@model("roberta_12_768_12")
def roberta() -> Sample:
    net, size = encoder("roberta_12_768_12", use_decoder=False)
    classifier = nlp.model.RoBERTaClassifier(net, num_classes=2, dropout=0.1)
    classifier.classifier.initialize(mx.init.Normal(0.02))
    inputs = [numbers(3, 8, below=size), nd.array([8, 3, 5])]
    return Sample(classifier, inputs, lambda y: SOFTMAX(y, nd.array([0, 1, 1])), free=(0,))


@model("distilbert_6_768_12")
def distilbert() -> Sample:
    net, size = encoder("distilbert_6_768_12")
    inputs = [numbers(3, 8, below=size), nd.array([8, 3, 5])]
    return Sample(net, inputs, lambda y: (y * y).mean(), free=(0, 1))


@model("ernie_12_768_12")
def ernie() -> Sample:
    net, size = encoder("ernie_12_768_12", use_decoder=False)
    inputs = [numbers(3, 8, below=size), numbers(3, 8, below=2, seed=1), nd.array([8, 3, 5])]
    return Sample(net, inputs, lambda y: SOFTMAX(y[2], nd.array([0, 1, 1])), free=(0,))


def next_word(targets):
    """The loss of a language model in layout TNC."""
    return lambda outputs: SOFTMAX(outputs[0].reshape((-3, -1)), targets.reshape((-1,)))


def language_model(name, hidden=16, layers=2, **options):
    vocab = vocabulary()
    small = {"embed_size": 12, "hidden_size": hidden, "num_layers": layers}
    net, _ = nlp.model.get_model(
        name,
        dataset_name=None,
        vocab=vocab,
        pretrained=False,
        hparam_allow_override=True,
        **{**small, **options},
    )
    net.initialize(mx.init.Xavier())
    return net, len(vocab)


@model("standard_lstm_lm_200")
def standard_lstm() -> Sample:
    net, size = language_model("standard_lstm_lm_200", hidden=12)
    data = numbers(7, 3, below=size)
    refused = "GluonNLP calls mx.nd.Dropout with a symbol, which MXNet refuses as well"
    return Sample(
        net,
        [data],
        next_word(numbers(7, 3, below=size, seed=1)),
        learning_rate=1.0,
        skip={"hybridize": refused, "native": refused},
        settled=without_dropout,
    )


@model("standard language model in training, with states")
def standard_states() -> Sample:
    size = len(vocabulary())
    net = nlp.model.train.StandardRNN("lstm", size, 16, 16, 2, 0.2, True)
    net.initialize(mx.init.Xavier())
    data = numbers(7, 3, below=size)
    states = nd.array(np.random.RandomState(1).normal(size=(2, 2, 3, 16)))
    return Sample(
        StateAsInputs(net),
        [data, *states],
        next_word(numbers(7, 3, below=size, seed=1)),
        learning_rate=1.0,
        settled=without_dropout,
    )


def without_dropout(net):
    """Take out the dropout of parameters and of operators that blocks call themselves."""
    for param in net.collect_params().values():
        if hasattr(param, "_rate"):
            param._rate = 0.0

    def still(block):
        for name in ("_drop_h", "_drop_i", "_drop_e", "_dropout"):
            if isinstance(getattr(block, name, None), float):
                setattr(block, name, 0.0)

    net.apply(still)


class StateAsInputs(gluon.HybridBlock):
    """A language model whose states are inputs side by side."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def hybrid_forward(self, F, data, *states):
        out, new, _, _ = self.net(data, list(states))
        return (out, *new)


@model("awd_lstm_lm_1150")
def awd_lstm() -> Sample:
    net, size = language_model("awd_lstm_lm_1150", layers=3)
    data = numbers(7, 3, below=size)
    loss = next_word(numbers(7, 3, below=size, seed=1))
    return Sample(net, [data], loss, learning_rate=1.0, settled=without_dropout)


@model("gru and rnn language models")
def gru() -> Sample:
    nets = gluon.contrib.nn.HybridConcurrent(axis=-1)
    size = len(vocabulary())
    for mode in ("gru", "rnn_tanh"):
        net = nlp.model.train.StandardRNN(mode, size, 8, 8, 2, 0.1)
        nets.add(First(net))
    nets.initialize(mx.init.Xavier())
    data = numbers(5, 2, below=size)
    return Sample(nets, [data], lambda y: (y * y).mean(), settled=without_dropout)


class First(gluon.HybridBlock):
    """The first output of a block."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def hybrid_forward(self, F, x):
        return self.net(x)[0]


@model("elmo_2x1024_128_2048cnn_1xhighway")
def elmo() -> Sample:
    net = nlp.model.ELMoBiLM(
        rnn_type="lstmpc",
        output_size=8,
        filters=[[1, 4], [2, 4], [3, 6]],
        char_embed_size=4,
        char_vocab_size=262,
        num_highway=1,
        conv_layer_activation="relu",
        max_chars_per_token=50,
        input_size=8,
        hidden_size=12,
        proj_size=8,
        num_layers=2,
        cell_clip=3,
        proj_clip=3,
        skip_connection=True,
    )
    net.initialize(mx.init.Xavier())
    words = nlp.vocab.ELMoCharVocab()
    sentences = [["the", "cat", "saw", "it"], ["a", "bird", "and", "then"]]
    data = nd.array([words[s] for s in sentences])
    states = nd.array(np.random.RandomState(1).normal(size=(8, 2, 12)))
    inputs = [state[:, : (8, 12)[i % 2]] for i, state in enumerate(states)]
    return Sample(ElmoLayers(net), [data, *inputs], lambda y: sum((x * x).mean() for x in y))


class ElmoLayers(gluon.HybridBlock):
    """ELMo's layers, whose states are inputs side by side."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def hybrid_forward(self, F, data, *states):
        pairs = [list(states[i : i + 2]) for i in range(0, 8, 2)]
        return self.net(data, (pairs[:2], pairs[2:]))[0]


@check("elmo with a mask")
def elmo_mask() -> None:
    net = elmo().net.net
    data = numbers(2, 4, 50, below=261)
    mask = nd.array([[1, 1, 1, 1], [1, 1, 0, 0]])
    shorter = nd.concat(data[:, :2], nd.zeros((2, 2, 50)), dim=1)
    outputs, others = (net(x, net.begin_state(mx.nd.zeros, batch_size=2), mask)[0] for x in (data, shorter))
    for layer, other in zip(outputs, others, strict=False):
        np.testing.assert_allclose(layer[1, :2].asnumpy(), other[1, :2].asnumpy(), rtol=1e-5, atol=1e-6)


def translator(units=16, layers=2, dropout=0.1):
    vocab = vocabulary()
    parts = nlp.model.transformer.get_transformer_encoder_decoder(
        units=units,
        hidden_size=2 * units,
        dropout=dropout,
        num_layers=layers,
        num_heads=4,
        max_src_length=20,
        max_tgt_length=20,
    )
    net = nlp.model.translation.NMTModel(
        vocab,
        vocab,
        *parts,
        embed_size=units,
        share_embed=True,
        tie_weights=True,
        embed_initializer=None,
        prefix="transformer_",
    )
    net.initialize(mx.init.Xavier(magnitude=3.0))
    return net, vocab


@model("transformer_en_de_512")
def transformer() -> Sample:
    net, vocab = translator()
    source, target = numbers(3, 7, below=len(vocab)), numbers(3, 6, below=len(vocab), seed=1)
    inputs = [source, target, nd.array([7, 4, 5]), nd.array([6, 3, 5])]
    smooth = nlp.loss.LabelSmoothing(epsilon=0.1, units=len(vocab))
    masked = nlp.loss.MaskedSoftmaxCELoss(sparse_label=False)

    def loss(outputs):
        return masked(outputs[0], smooth(target), inputs[3]).mean()

    return Sample(net, inputs, loss, skip={"native": "NMTModel is a Block, which cannot be exported"})


@model("transformer as one graph")
def transformer_graph() -> Sample:
    net, vocab = translator()
    source, target = numbers(3, 7, below=len(vocab)), numbers(3, 6, below=len(vocab), seed=1)
    lengths = nd.array([7, 4, 5])
    mask = (nd.arange(7).reshape((1, -1)) < lengths.reshape((-1, 1))).astype("float32")
    inputs = [source, target, mask, lengths, nd.array([6, 3, 5])]
    return Sample(Translator(net), inputs, lambda y: SOFTMAX(y, target).mean(), free=(0,))


class Translator(gluon.HybridBlock):
    """The parts of an NMTModel in one graph."""

    def __init__(self, net):
        super().__init__()
        with self.name_scope():
            self.src_embed, self.tgt_embed = net.src_embed, net.tgt_embed
            self.encoder, self.decoder, self.tgt_proj = net.encoder, net.decoder, net.tgt_proj

    def hybrid_forward(self, F, source, target, mask, lengths, target_lengths):
        memory, _ = self.encoder(self.src_embed(source), None, lengths)
        outputs, _, _ = self.decoder(self.tgt_embed(target), [memory, mask], target_lengths)
        return self.tgt_proj(outputs)


def pairs(vocab, count, seed, length=4):
    """Words, and the same backwards between <bos> and <eos>."""
    rows = np.random.RandomState(seed).randint(4, len(vocab), (count, length))
    bos, eos = vocab[vocab.bos_token], vocab[vocab.eos_token]
    ends = np.full((count, 1), bos), np.full((count, 1), eos)
    return rows, np.concatenate([ends[0], rows[:, ::-1], ends[1]], 1)


def trained_translator():
    """A small transformer that has learnt to say words backwards."""
    mx.random.seed(0)
    np.random.seed(0)
    net, vocab = translator(64, 1, 0.0)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.001})
    losses = []
    for step in range(300):
        source, target = pairs(vocab, 32, step)
        x, y = nd.array(source), nd.array(target)
        lengths, longer = nd.full((32,), 4), nd.full((32,), 5)
        with mx.autograd.record():
            out, _ = net(x, y[:, :-1], lengths, longer)
            loss = SOFTMAX(out, y[:, 1:]).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    assert np.mean(losses[-10:]) < 0.1 * losses[0], losses
    return net, vocab


@check("translate by beam search")
def beam_search() -> None:
    net, vocab = trained_translator()
    source, target = pairs(vocab, 16, 1000)
    encoded, _ = net.encode(nd.array(source), valid_length=nd.full((16,), 4))
    states = net.decoder.init_state_from_encoder(encoded, nd.full((16,), 4))
    start = nd.full((16,), vocab[vocab.bos_token])

    def decode(step_input, states):
        outputs, states, _ = net.decode_step(step_input, states)
        return mx.nd.log_softmax(outputs, axis=-1), states

    eos = vocab[vocab.eos_token]
    for size in (1, 4):
        scorer = nlp.model.BeamSearchScorer(alpha=0.6, K=5)
        search = nlp.model.BeamSearchSampler(size, decode, eos, scorer, max_length=10)
        samples, scores, lengths = search(start, states)
        assert samples.dtype == np.int32
        assert samples.shape[:2] == (16, size)
        assert (np.diff(scores.asnumpy(), axis=1) <= 0).all()
        best = [row[: int(n[0])] for row, n in zip(samples[:, 0].asnumpy(), lengths.asnumpy(), strict=False)]
        right = np.mean([list(a) == list(b) for a, b in zip(best, target, strict=False)])
        assert right > 0.8, right
    sampler = nlp.model.SequenceSampler(3, decode, eos, max_length=8, temperature=0.5, top_k=3)
    samples, scores, lengths = sampler(start, states)
    assert samples.shape[:2] == (16, 3)
    assert lengths.asnumpy().max() <= 10


class NextNumber(gluon.HybridBlock):
    """A decoder that is most certain of the number after its input."""

    def __init__(self, size):
        super().__init__()
        self._vocab_size = size
        with self.name_scope():
            self.table = self.params.get_constant("table", np.roll(np.eye(size), 1, 1) * 5)

    def hybrid_forward(self, F, step_input, states, table):
        scores = F.Embedding(step_input, table, input_dim=self._vocab_size, output_dim=self._vocab_size)
        return F.log_softmax(scores, axis=-1), states


@check("hybrid beam search", skip={"mxnet": "MXNet fails to infer the branches of its cond, hybridized"})
def hybrid_beam_search() -> None:
    decoder = NextNumber(7)
    decoder.initialize()
    eos, start = 6, nd.array([1, 3])
    plain = nlp.model.BeamSearchSampler(2, decoder, eos, max_length=8)
    expected = plain(start, nd.zeros((2, 3)))
    for hybridized in (False, True):
        sampler = nlp.model.HybridBeamSearchSampler(2, 2, decoder, eos, max_length=8, vocab_size=7)
        sampler.hybridize(hybridized)
        samples, scores, lengths = sampler(start, nd.zeros((2, 3)))
        np.testing.assert_array_equal(lengths.asnumpy(), expected[2].asnumpy())
        np.testing.assert_allclose(scores.asnumpy(), expected[1].asnumpy(), rtol=1e-5)
        for i in range(2):
            n = int(lengths[i, 0].asscalar())
            np.testing.assert_array_equal(samples[i, 0, :n].asnumpy(), np.arange([1, 3][i], 7))


@check("optimizers and gradient norms")
def optimizers() -> None:
    data, label = nd.array(np.random.RandomState(0).normal(size=(16, 6))), numbers(16, below=3)
    for name, options in (("bertadam", {"learning_rate": 0.01}), ("lamb", {"learning_rate": 0.02})):
        net = gluon.nn.HybridSequential()
        net.add(gluon.nn.Dense(8, activation="relu"), gluon.nn.LayerNorm(), gluon.nn.Dense(3))
        net.initialize(mx.init.Xavier())
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), name, {**options, "wd": 0.01}, update_on_kvstore=False)
        losses = []
        for _ in range(20):
            with mx.autograd.record():
                loss = SOFTMAX(net(data), label).mean()
            loss.backward()
            trainer.allreduce_grads()
            grads = [p for p in net.collect_params().values() if p.grad_req != "null"]
            expected = np.sqrt(sum((p.grad().asnumpy() ** 2).sum() for p in grads))
            norm = nlp.utils.grad_global_norm(grads)
            np.testing.assert_allclose(norm.asnumpy(), [expected], rtol=1e-5)
            _total, ratio, finite = nlp.utils.grad_global_norm(grads, max_norm=1)
            np.testing.assert_allclose(ratio.asnumpy(), [max(1, expected)], rtol=1e-5)
            assert finite.asscalar() == 1
            nlp.utils.clip_grad_global_norm(grads, 1.0)
            trainer.update(1)
            losses.append(loss.asscalar())
        assert losses[-1] < 0.8 * losses[0], (name, losses)


@check("bert training with accumulated gradients")
def bert_steps() -> None:
    sample = bert()
    net, inputs = sample.net, sample.inputs
    net.hybridize(static_alloc=True, static_shape=True)
    for param in net.collect_params(".*beta|.*gamma|.*bias").values():
        param.wd_mult = 0.0
    for param in net.collect_params().values():
        param.grad_req = "add"
    trainer = gluon.Trainer(net.collect_params(), "bertadam", {"learning_rate": 1e-3, "epsilon": 1e-6})
    trainer._scale = 1.0
    losses = []
    for step in range(10):
        for _ in range(2):
            with mx.autograd.record():
                loss = sample.loss(net(*inputs)) / 2
            loss.backward()
        trainer.step(1)
        net.collect_params().zero_grad()
        trainer.set_learning_rate(1e-3 * min(1, (step + 2) / 4))
        losses.append(loss.asscalar())
    assert losses[-1] < losses[0], losses


@check("language model with truncated backpropagation")
def bptt() -> None:
    text = [[WORDS[(i * j) % len(WORDS)] for i in range(30)] for j in range(1, 9)]
    dataset = gluon.data.SimpleDataset([word for line in text for word in [*line, "<eos>"]])
    vocab = nlp.Vocab(nlp.data.count_tokens(dataset), padding_token=None, bos_token=None)
    batches = nlp.data.batchify.CorpusBPTTBatchify(vocab, 5, 4, last_batch="discard")(dataset)
    net = nlp.model.train.AWDRNN("lstm", len(vocab), 16, 24, 2, True, 0.1, 0.1, 0.1, 0.1, 0.1)
    net.initialize(mx.init.Uniform(0.1))
    net.hybridize(static_alloc=True)
    ar = nlp.loss.ActivationRegularizationLoss(2.0)
    tar = nlp.loss.TemporalActivationRegularizationLoss(1.0)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, "wd": 1e-6})
    params, means = net.collect_params().values(), []
    for _ in range(10):
        states, total = net.begin_state(batch_size=4, func=mx.nd.zeros), 0.0
        for data, target in batches:
            states = [[x.detach() for x in state] for state in states]
            with mx.autograd.record():
                output, states, raw, dropped = net(data, states)
                loss = SOFTMAX(output.reshape((-3, -1)), target.reshape((-1,))).mean()
                loss = loss + ar(*[d[-1:] for d in dropped[-1:]]) + tar(*raw[-1:])
            loss.backward()
            gluon.utils.clip_global_norm([p.grad() for p in params], 0.25)
            trainer.step(1)
            total += loss.mean().asscalar()
        means.append(total)
    assert means[-1] < 0.9 * means[0], means


@check("sampled softmax and noise contrastive estimation")
def sampled() -> None:
    rng = np.random.RandomState(0)
    x, label = nd.array(rng.normal(size=(6, 4))), numbers(6, below=20)
    for kind, loss, sparse in (
        (nlp.model.ISDense, SOFTMAX, True),
        (nlp.model.NCEDense, gluon.loss.SigmoidBCELoss(), True),
        (nlp.model.SparseISDense, SOFTMAX, True),
        (nlp.model.SparseNCEDense, gluon.loss.SigmoidBCELoss(), True),
    ):
        dense = kind(20, 5, 4) if "Sparse" in kind.__name__ else kind(20, 5, 4, sparse_grad=sparse)
        dense.initialize(mx.init.Normal(0.1))
        if "Sparse" not in kind.__name__:
            dense.hybridize()
        samples = nd.array([1, 3, 5, 7, 19])
        values = samples, nd.full((5,), 0.3), nd.full((6,), 0.2)
        trainer = gluon.Trainer(dense.collect_params(), "sgd", {"learning_rate": 0.5})
        losses = []
        for _ in range(5):
            with mx.autograd.record():
                pred, target = dense(x, values, label)
                value = loss(pred, target).mean()
            value.backward()
            trainer.step(1)
            losses.append(value.asscalar())
        assert losses[-1] < losses[0], (kind.__name__, losses)
    sampler = nlp.data.UnigramCandidateSampler(nd.array([1, 2, 3, 4]), dtype="float64")
    sampler.initialize()
    sampler.hybridize()
    drawn = sampler(nd.zeros((20000,))).asnumpy()
    np.testing.assert_allclose(
        np.bincount(drawn.astype(int), minlength=4) / 20000, [0.1, 0.2, 0.3, 0.4], atol=0.02
    )


@check("big rnn with sampled softmax")
def big_rnn() -> None:
    size = 30
    net = nlp.model.train.BigRNN(size, 8, 12, 1, 8, 10, 0.1, 0.1)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    data, label = numbers(5, 3, below=size), numbers(5, 3, below=size, seed=1)
    samples = nd.random.uniform(0, size, shape=(10,)).floor()
    values = samples, nd.full((10,), 0.3), nd.full((5, 3), 0.2)
    trainer = gluon.Trainer(net.collect_params(), "adagrad", {"learning_rate": 0.2})
    losses = []
    for _ in range(6):
        states = net.begin_state(batch_size=3, func=mx.nd.zeros)
        with mx.autograd.record():
            out, states, targets = net(data, label, states, values)
            loss = SOFTMAX(out, targets).mean()
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    assert losses[-1] < losses[0], losses
    final = nlp.model.BigRNN(size, 8, 12, 1, 8)
    final.initialize()
    out, _ = final(data, final.begin_state(batch_size=3, func=mx.nd.zeros))
    assert out.shape == (5, 3, size)


@check("cache language model")
def cache() -> None:
    net, size = language_model("standard_lstm_lm_200", hidden=12)
    cell = nlp.model.train.CacheCell(net, size, window=4, theta=0.6, lambdas=0.2)
    states = cell.begin_state(batch_size=1, func=mx.nd.zeros)
    words, history = None, None
    for step in range(3):
        data, target = numbers(3, 1, below=size, seed=step), numbers(3, 1, below=size, seed=step + 1)
        outs, words, history, states = cell(data, target, words, history, states)
        assert np.isfinite(outs.asnumpy()).all()


@check("vocabularies and embeddings of files")
def embeddings() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        path.write_text("".join(f"{w} {i}.5 {i * i} {-i}\n" for i, w in enumerate(WORDS)))
        table = nlp.embedding.TokenEmbedding.from_file(str(path), unknown_token="<unk>")
        table.serialize(str(Path(folder) / "vectors.npz"))
        again = nlp.embedding.TokenEmbedding.deserialize(str(Path(folder) / "vectors.npz"))
    np.testing.assert_allclose(table["cat"].asnumpy(), [2.5, 4, -2])
    np.testing.assert_allclose(again[["dog", "nothing"]].asnumpy(), [[3.5, 9, -3], [0, 0, 0]])
    table["cat"] = nd.array([1, 2, 3])
    vocab = nlp.Vocab(nlp.data.count_tokens(["cat", "cat", "dog", "unseen"]), max_size=3)
    vocab.set_embedding(table)
    np.testing.assert_allclose(vocab.embedding["cat"].asnumpy(), [1, 2, 3])
    assert vocab.embedding.idx_to_vec.shape == (len(vocab), 3)
    layer = gluon.nn.Embedding(len(vocab), 3)
    layer.initialize()
    layer.weight.set_data(vocab.embedding.idx_to_vec)
    np.testing.assert_allclose(layer(nd.array(vocab[["dog"]])).asnumpy(), [[3.5, 9, -3]])
    copy = nlp.Vocab.from_json(vocab.to_json())
    assert copy.idx_to_token == vocab.idx_to_token
    vectors = nd.array(np.random.RandomState(0).normal(size=(20, 6)))
    similar = nlp.embedding.evaluation.WordEmbeddingSimilarity(
        vectors, similarity_function="CosineSimilarity"
    )
    similar.initialize()
    similar.hybridize()
    a, b = vectors[:4].asnumpy(), vectors[4:8].asnumpy()
    cosine = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    np.testing.assert_allclose(similar(nd.arange(4), nd.arange(4, 8)).asnumpy(), cosine, rtol=1e-4)
    analogy = nlp.embedding.evaluation.WordEmbeddingAnalogy(vectors, analogy_function="ThreeCosAdd", k=2)
    analogy.initialize()
    analogy.hybridize()
    assert analogy(nd.array([0, 1]), nd.array([2, 3]), nd.array([4, 5])).shape == (2, 2)


@check("fasttext and word embedding models with sparse gradients")
def word_models() -> None:
    index = {word: i for i, word in enumerate(WORDS)}
    subwords = nlp.vocab.create_subword_function("NGramHashes", num_subwords=50)
    for net in (
        nlp.model.train.FasttextEmbeddingModel(index, subwords, 5, sparse_grad=True),
        nlp.model.train.CSREmbeddingModel(index, 5, sparse_grad=True),
    ):
        net.initialize(mx.init.Uniform(0.5))
        assert net[["cat", "dog"]].shape == (2, 5)
        rows = mx.nd.sparse.csr_matrix(
            (np.ones(3, "float32"), np.array([0, 4, 2]), np.array([0, 1, 3])), shape=(2, net.weight.shape[0])
        )
        trainer = gluon.Trainer(net.collect_params(), "adagrad", {"learning_rate": 0.5})
        before = net.weight.data().asnumpy()
        with mx.autograd.record():
            loss = (net(rows) ** 2).sum()
        loss.backward()
        trainer.step(1)
        changed = (net.weight.data().asnumpy() != before).any(axis=1)
        assert changed.nonzero()[0].tolist() == [0, 2, 4]


@check("data pipelines, samplers and batches")
def pipelines() -> None:
    rng = np.random.RandomState(0)
    rows = [(rng.randint(0, 9, n).tolist(), float(n)) for n in rng.randint(3, 12, 40)]
    dataset = gluon.data.SimpleDataset(rows)
    lengths = [len(tokens) for tokens, _ in rows]
    batchify = nlp.data.batchify.Tuple(
        nlp.data.batchify.Pad(axis=0, pad_val=-1, ret_length=True), nlp.data.batchify.Stack("float32")
    )
    for scheme in (nlp.data.ConstWidthBucket(), nlp.data.LinearWidthBucket(), nlp.data.ExpWidthBucket()):
        sampler = nlp.data.FixedBucketSampler(
            lengths, 4, num_buckets=3, ratio=0.5, shuffle=True, use_average_length=True, bucket_scheme=scheme
        )
        assert "batch" in sampler.stats()
        for workers in (0, 2):
            loader = gluon.data.DataLoader(
                dataset, batch_sampler=sampler, batchify_fn=batchify, num_workers=workers, thread_pool=True
            )
            count = 0
            for (tokens, sizes), labels in loader:
                assert (sizes.asnumpy() == labels.asnumpy()).all()
                assert tokens.shape[1] == int(sizes.max().asscalar())
                count += len(labels)
            assert count == len(rows)
    seen = [i for batch in nlp.data.SortedBucketSampler(lengths, 4) for i in batch]
    assert sorted(seen) == list(range(40))
    sharded = nlp.data.ShardedDataLoader(
        dataset,
        batch_sampler=nlp.data.FixedBucketSampler(lengths, 4, num_shards=2),
        batchify_fn=batchify,
    )
    assert all(len(shards) == 2 for shards in sharded)
    named = nlp.data.batchify.Dict({"a": nlp.data.batchify.Pad(pad_val=0), "b": nlp.data.batchify.Stack()})
    made = named([{"a": [1, 2], "b": 1}, {"a": [3], "b": 2}])
    assert made["a"].asnumpy().tolist() == [[1, 2], [3, 0]]
    with tempfile.TemporaryDirectory() as folder:
        for part in range(2):
            (Path(folder) / f"{part}.txt").write_text("the cat saw\na dog liked the bird\n" * 5)
        stream = nlp.data.SimpleDatasetStream(
            nlp.data.CorpusDataset, str(Path(folder) / "*.txt"), bos="<bos>", eos="<eos>", flatten=True
        )
        words = [word for part in nlp.data.PrefetchingStream(stream) for word in part]
        assert len(words) == 2 * 5 * (5 + 7)
        table = Path(folder) / "table.tsv"
        table.write_text("text\tlabel\nthe cat\t1\na dog\t0\n")
        tsv = nlp.data.TSVDataset(str(table), num_discard_samples=1, field_indices=[0, 1])
        assert [tuple(row) for row in tsv] == [("the cat", "1"), ("a dog", "0")]


@check("tokenizers and transforms")
def tokenizers() -> None:
    vocab = nlp.vocab.BERTVocab(nlp.data.count_tokens("the cat un ##aff ##able , saw".split()))
    tokenizer = nlp.data.BERTTokenizer(vocab, lower=True)
    assert tokenizer("The unaffable, cat") == ["the", "un", "##aff", "##able", ",", "cat"]
    transform = nlp.data.BERTSentenceTransform(tokenizer, max_seq_length=10, pair=True)
    tokens, length, types = transform(("the cat saw", "unaffable"))
    assert vocab.to_tokens(tokens.tolist())[: int(length)] == [
        *("[CLS] the cat saw [SEP] un ##aff ##able [SEP]".split())
    ]
    assert types.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    pieces = nlp.data.transforms.PadSequence(5, pad_val=-1)(nd.arange(3))
    assert pieces.asnumpy().tolist() == [0, 1, 2, -1, -1]
    assert nlp.data.transforms.ClipSequence(2)([1, 2, 3]) == [1, 2]
    assert nlp.data.SacreMosesTokenizer()("the cat, then.") == ["the", "cat", ",", "then", "."]


@check("losses and metrics")
def metrics() -> None:
    pred, label = nd.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), nd.array([1, 1, 1])
    accuracy = nlp.metric.MaskedAccuracy()
    accuracy.update([label], [pred], [nd.array([1, 0, 1])])
    assert accuracy.get()[1] == 1.0
    mean = nlp.metric.LengthNormalizedLoss()
    mean.update([nd.ones((2, 3)), nd.array([2, 2])], nd.array([3.0, 5.0]))
    assert mean.get()[1] > 0
    smooth = nlp.loss.LabelSmoothing(epsilon=0.3, units=3)
    smooth.hybridize()
    np.testing.assert_allclose(smooth(nd.array([[2]])).asnumpy(), [[[0.1, 0.1, 0.8]]], rtol=1e-6)
