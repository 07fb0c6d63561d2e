"""Machine translation with attention: encoder, decoder, masked loss, greedy and beam search."""

import collections
import io
import math

from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.contrib import text
from mxnet.gluon import data as gdata
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn, rnn

PAD, BOS, EOS = "<pad>", "<bos>", "<eos>"
pairs = "ich bin da .\ti am here .\nich bin alt .\ti am old .\ndu bist da .\tyou are here .\n"
pairs += "du bist alt .\tyou are old .\nwir sind da .\twe are here .\nwir sind alt .\twe are old ."
max_seq_len = 6


def process_one_seq(seq_tokens, all_tokens, all_seqs):
    all_tokens.extend(seq_tokens)
    seq_tokens += [EOS] + [PAD] * (max_seq_len - len(seq_tokens) - 1)
    all_seqs.append(seq_tokens)


def build_data(all_tokens, all_seqs):
    vocab = text.vocab.Vocabulary(collections.Counter(all_tokens), reserved_tokens=[PAD, BOS, EOS])
    indices = [vocab.to_indices(seq) for seq in all_seqs]
    return vocab, nd.array(indices)


def read_data():
    in_tokens, out_tokens, in_seqs, out_seqs = [], [], [], []
    for line in io.StringIO(pairs):
        in_seq, out_seq = line.rstrip().split("\t")
        process_one_seq(in_seq.split(" "), in_tokens, in_seqs)
        process_one_seq(out_seq.split(" "), out_tokens, out_seqs)
    in_vocab, in_data = build_data(in_tokens, in_seqs)
    out_vocab, out_data = build_data(out_tokens, out_seqs)
    return in_vocab, out_vocab, gdata.ArrayDataset(in_data, out_data)


class Encoder(nn.Block):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, drop_prob=0, **kwargs):
        super(Encoder, self).__init__(**kwargs)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = rnn.GRU(num_hiddens, num_layers, dropout=drop_prob)

    def forward(self, inputs, state):
        embedding = self.embedding(inputs).swapaxes(0, 1)
        return self.rnn(embedding, state)

    def begin_state(self, *args, **kwargs):
        return self.rnn.begin_state(*args, **kwargs)


def attention_model(attention_size):
    model = nn.Sequential()
    model.add(nn.Dense(attention_size, activation="tanh", use_bias=False, flatten=False))
    model.add(nn.Dense(1, use_bias=False, flatten=False))
    return model


def attention_forward(model, enc_states, dec_state):
    dec_states = nd.broadcast_axis(dec_state.expand_dims(0), axis=0, size=enc_states.shape[0])
    enc_and_dec_states = nd.concat(enc_states, dec_states, dim=2)
    e = model(enc_and_dec_states)
    alpha = nd.softmax(e, axis=0)
    return (alpha * enc_states).sum(axis=0)


class Decoder(nn.Block):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, attention_size, **kwargs):
        super(Decoder, self).__init__(**kwargs)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.attention = attention_model(attention_size)
        self.rnn = rnn.GRU(num_hiddens, num_layers, dropout=0)
        self.out = nn.Dense(vocab_size, flatten=False)

    def forward(self, cur_input, state, enc_states):
        c = attention_forward(self.attention, enc_states, state[0][-1])
        input_and_c = nd.concat(self.embedding(cur_input), c, dim=1)
        output, state = self.rnn(input_and_c.expand_dims(0), state)
        output = self.out(output).squeeze(axis=0)
        return output, state

    def begin_state(self, enc_state):
        return enc_state


in_vocab, out_vocab, dataset = read_data()
loss = gloss.SoftmaxCrossEntropyLoss()


def batch_loss(encoder, decoder, X, Y):
    batch_size = X.shape[0]
    enc_state = encoder.begin_state(batch_size=batch_size)
    enc_outputs, enc_state = encoder(X, enc_state)
    dec_state = decoder.begin_state(enc_state)
    dec_input = nd.array([out_vocab.token_to_idx[BOS]] * batch_size)
    mask, num_not_pad_tokens = nd.ones(shape=(batch_size,)), 0
    l = nd.array([0])
    for y in Y.T:
        dec_output, dec_state = decoder(dec_input, dec_state, enc_outputs)
        l = l + (mask * loss(dec_output, y)).sum()
        dec_input = y
        num_not_pad_tokens += mask.sum().asscalar()
        mask = mask * (y != out_vocab.token_to_idx[EOS])
    return l / num_not_pad_tokens


encoder = Encoder(len(in_vocab), 12, 16, 2)
decoder = Decoder(len(out_vocab), 12, 16, 2, 10)
encoder.initialize(Seeded(0.3), force_reinit=True)
decoder.initialize(Seeded(0.3), force_reinit=True)
enc_trainer = gluon.Trainer(encoder.collect_params(), "adam", {"learning_rate": 0.02})
dec_trainer = gluon.Trainer(decoder.collect_params(), "adam", {"learning_rate": 0.02})
curve = []
for epoch in range(10):
    for X, Y in gdata.DataLoader(dataset, 3, shuffle=False):
        with autograd.record():
            l = batch_loss(encoder, decoder, X, Y)
        l.backward()
        enc_trainer.step(1)
        dec_trainer.step(1)
        curve.append(l.asscalar())
show("loss", curve)


def encoded(sentence):
    in_tokens = sentence.split(" ")
    in_tokens += [EOS] + [PAD] * (max_seq_len - len(in_tokens) - 1)
    enc_input = nd.array([in_vocab.to_indices(in_tokens)])
    return encoder(enc_input, encoder.begin_state(batch_size=1))


def translate(sentence):
    enc_output, enc_state = encoded(sentence)
    dec_input = nd.array([out_vocab.token_to_idx[BOS]])
    dec_state = decoder.begin_state(enc_state)
    output_tokens = []
    for _ in range(max_seq_len):
        dec_output, dec_state = decoder(dec_input, dec_state, enc_output)
        pred = dec_output.argmax(axis=1)
        pred_token = out_vocab.idx_to_token[int(pred.asscalar())]
        if pred_token == EOS:
            break
        output_tokens.append(pred_token)
        dec_input = pred
    return output_tokens


def beam_search(sentence, k):
    enc_output, enc_state = encoded(sentence)
    beams = [([out_vocab.token_to_idx[BOS]], 0.0, decoder.begin_state(enc_state))]
    for _ in range(max_seq_len):
        candidates = []
        for tokens, score, state in beams:
            if tokens[-1] == out_vocab.token_to_idx[EOS]:
                candidates.append((tokens, score, state))
                continue
            out, new_state = decoder(nd.array([tokens[-1]]), state, enc_output)
            best = nd.topk(out.log_softmax(), k=k, ret_typ="both")
            for value, index in zip(best[0][0].asnumpy(), best[1][0].asnumpy()):
                candidates.append((tokens + [int(index)], score + float(value), new_state))
        beams = sorted(candidates, key=lambda c: -c[1] / len(c[0]) ** 0.75)[:k]
    return beams


def bleu(pred_tokens, label_tokens, k):
    len_pred, len_label = len(pred_tokens), len(label_tokens)
    score = math.exp(min(0, 1 - len_label / max(len_pred, 1)))
    for n in range(1, k + 1):
        label_subs = collections.Counter(" ".join(label_tokens[i : i + n]) for i in range(len_label - n + 1))
        matches = 0
        for i in range(len_pred - n + 1):
            if label_subs[" ".join(pred_tokens[i : i + n])] > 0:
                matches += 1
                label_subs[" ".join(pred_tokens[i : i + n])] -= 1
        score *= math.pow(matches / max(len_pred - n + 1, 1), math.pow(0.5, n))
    return score


for sentence, label in (line.split("\t") for line in pairs.split("\n")[:3]):
    print("=>", translate(sentence))
    show("bleu", bleu(translate(sentence), label.split(" "), 2))
    beams = beam_search(sentence, 3)
    print([out_vocab.to_tokens(tokens) for tokens, _, _ in beams])
    show("scores", [score for _, score, _ in beams])
