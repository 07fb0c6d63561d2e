"""Transformers for text, images and sound."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch_models.registry import flags, floats, ints, model

WORDS = ints("N", "T", below=20)
MASK = ints("N", "T", below=2, low=0)


def split(x: torch.Tensor, heads: int) -> torch.Tensor:
    """(N, T, C) as (N, heads, T, C / heads)."""
    n, t, c = x.shape
    return x.view(n, t, heads, c // heads).transpose(1, 2)


def joined(x: torch.Tensor) -> torch.Tensor:
    """Heads side by side again."""
    return x.transpose(1, 2).flatten(2)


class Feed(nn.Module):
    """Two layers, the first one wide."""

    def __init__(self, size: int, act=F.gelu) -> None:
        super().__init__()
        self.grow, self.shrink, self.act = nn.Linear(size, 2 * size), nn.Linear(2 * size, size), act

    def forward(self, x):
        return self.shrink(self.act(self.grow(x)))


# ---- PyTorch's own layers


@model("transformer-encoder", x=floats("N", "T", 8))
def transformer_encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


class Encoder(nn.Module):
    """PyTorch's encoder with a mask of what is padding."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu", norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def forward(self, words, keep):
        return self.layers(self.words(words), src_key_padding_mask=~keep)


model("transformer-masked", words=WORDS, keep=flags("N", "T"))(Encoder)


class Translator(nn.Module):
    """nn.Transformer with a causal mask for the target."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(20, 8), nn.Embedding(18, 8)
        self.core = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        self.out = nn.Linear(8, 18)

    def forward(self, source, target):
        mask = torch.triu(torch.full((target.size(1), target.size(1)), float("-inf")), 1)
        return self.out(
            self.core(self.source(source), self.target(target), tgt_mask=mask, tgt_is_causal=True)
        )


model("transformer", source=WORDS, target=ints("N", "S", below=18))(Translator)


class CrossAttention(nn.Module):
    """nn.MultiheadAttention of two sequences, with its weights."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True)

    def forward(self, query, memory):
        return self.attention(query, memory, memory)


model("cross-attention", query=floats("N", "S", 8), memory=floats("N", "T", 6))(CrossAttention)


# ---- text


class BertLayer(nn.Module):
    """Attention and a feed-forward net, each normalized after it is added."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))
        self.dense, self.norm, self.heads = nn.Linear(size, size), nn.LayerNorm(size, 1e-12), heads
        self.feed, self.last = Feed(size), nn.LayerNorm(size, 1e-12)

    def forward(self, x, bias):
        q, k, v = (split(f(x), self.heads) for f in (self.query, self.key, self.value))
        score = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1)) + bias
        x = self.norm(x + self.dense(joined(torch.matmul(score.softmax(-1), v))))
        return self.last(x + self.feed(x))


class Bert(nn.Module):
    """Words, places and kinds; a mask as a bias; the first word's vector through tanh."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(20, 8), nn.Embedding(16, 8), nn.Embedding(2, 8)
        self.register_buffer("position_ids", torch.arange(16).expand((1, -1)))
        self.norm, self.layers = nn.LayerNorm(8), nn.ModuleList([BertLayer(8, 2) for _ in range(2)])
        self.pool = nn.Linear(8, 8)

    def forward(self, input_ids, attention_mask, token_type_ids):
        places = self.position_ids[:, : input_ids.size(1)]
        x = self.norm(self.words(input_ids) + self.kinds(token_type_ids) + self.places(places))
        bias = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pool(x[:, 0]))


model("bert", input_ids=WORDS, attention_mask=MASK, token_type_ids=MASK)(Bert)


class DistilBert(nn.Module):
    """As BERT without kinds; what is masked is filled in with the least number; scores of the first word."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(20, 8), nn.Embedding(16, 8), nn.LayerNorm(8)
        self.q, self.k, self.v, self.o = (nn.Linear(8, 8) for _ in range(4))
        self.norm2, self.feed, self.norm3 = nn.LayerNorm(8), Feed(8), nn.LayerNorm(8)
        self.pre, self.out = nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, input_ids, attention_mask):
        n, length = input_ids.shape
        places = torch.arange(length, dtype=torch.long).unsqueeze(0).expand_as(input_ids)
        x = self.norm(self.words(input_ids) + self.places(places))
        q, k, v = (split(f(x), 2) for f in (self.q, self.k, self.v))
        score = torch.matmul(q / math.sqrt(4), k.transpose(2, 3))
        mask = (attention_mask == 0).view(n, 1, 1, length).expand_as(score)
        weight = score.masked_fill(mask, torch.finfo(torch.float32).min).softmax(-1)
        x = self.norm2(self.o(torch.matmul(weight, v).transpose(1, 2).contiguous().view(n, -1, 8)) + x)
        x = self.norm3(self.feed(x) + x)
        return self.out(F.relu(self.pre(x[:, 0])))


model("distilbert", input_ids=WORDS, attention_mask=MASK)(DistilBert)


class GPT2Block(nn.Module):
    """One product for queries, keys and values; a causal mask cut out of a square."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2, self.heads = nn.LayerNorm(size), nn.LayerNorm(size), heads
        self.attend, self.project = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.feed = Feed(size, lambda x: F.gelu(x, approximate="tanh"))
        self.register_buffer("mask", torch.tril(torch.ones(16, 16, dtype=torch.bool)).view(1, 1, 16, 16))

    def forward(self, x):
        q, k, v = (split(part, self.heads) for part in self.attend(self.norm1(x)).split(x.size(-1), dim=2))
        score = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        t = score.size(-1)
        score = torch.where(self.mask[:, :, :t, :t], score, torch.finfo(score.dtype).min)
        x = x + self.project(joined(score.softmax(-1) @ v))
        return x + self.feed(self.norm2(x))


class GPT2(nn.Module):
    """Scores of the next word by the words' own vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(20, 8), nn.Embedding(16, 8)
        self.blocks, self.norm = nn.Sequential(GPT2Block(8, 2), GPT2Block(8, 2)), nn.LayerNorm(8)

    def forward(self, input_ids):
        places = torch.arange(0, input_ids.size(1), device=input_ids.device).unsqueeze(0)
        return F.linear(
            self.norm(self.blocks(self.words(input_ids) + self.places(places))), self.words.weight
        )


model("gpt2", input_ids=WORDS)(GPT2)


class GPTWithCache(nn.Module):
    """One block that takes keys and values of earlier words, and gives them back with its own."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.attend, self.out = nn.Embedding(20, 8), nn.Linear(8, 24), nn.Linear(8, 20)

    def forward(self, input_ids, keys, values):
        q, k, v = (split(part, 2) for part in self.attend(self.words(input_ids)).split(8, dim=2))
        k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        return self.out(joined(F.scaled_dot_product_attention(q, k, v))), k, v


_PAST = floats("N", 2, "S", 4)
model("gpt-cache", input_ids=ints("N", 1, below=20), keys=_PAST, values=_PAST)(GPTWithCache)


class T5Norm(nn.Module):
    """The scale of the root of the mean square."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.to(torch.float32).pow(2).mean(-1, keepdim=True) + 1e-6))


class T5(nn.Module):
    """Attention with a bias by how far words are apart, in buckets."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.bias, self.norm = nn.Embedding(20, 8), nn.Embedding(8, 2), T5Norm(8)
        self.q, self.k, self.v, self.o = (nn.Linear(8, 8, bias=False) for _ in range(4))
        self.norm2 = T5Norm(8)
        self.wi = nn.Linear(8, 16, bias=False)
        self.gate = nn.Linear(8, 16, bias=False)
        self.wo = nn.Linear(16, 8, bias=False)

    def buckets(self, length: int) -> torch.Tensor:
        """The bucket of each pair of places: exact when near, by logarithms when far."""
        context, memory = torch.arange(length)[:, None], torch.arange(length)[None, :]
        apart = memory - context
        side = (apart > 0).to(torch.long) * 4
        apart = torch.abs(apart)
        far = 2 + (torch.log(apart.float() / 2) / math.log(8 / 2) * 2).to(torch.long)
        return side + torch.where(apart < 2, apart, torch.min(far, torch.full_like(far, 3)))

    def forward(self, input_ids):
        x = self.words(input_ids)
        bias = self.bias(self.buckets(input_ids.shape[1])).permute([2, 0, 1]).unsqueeze(0)
        y = self.norm(x)
        q, k, v = (split(f(y), 2) for f in (self.q, self.k, self.v))
        weight = (torch.matmul(q, k.transpose(3, 2)) + bias).float().softmax(-1)
        x = x + self.o(joined(torch.matmul(weight, v)))
        y = self.norm2(x)
        return x + self.wo(F.gelu(self.wi(y), approximate="tanh") * self.gate(y))


model("t5", input_ids=WORDS)(T5)


class LlamaBlock(nn.Module):
    """Turned queries and keys, fewer keys than queries, a gated net."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = T5Norm(8), T5Norm(8)
        self.q, self.k, self.v, self.o = (nn.Linear(8, size, bias=False) for size in (8, 4, 4, 8))
        self.gate = nn.Linear(8, 16, bias=False)
        self.up = nn.Linear(8, 16, bias=False)
        self.down = nn.Linear(16, 8, bias=False)

    @staticmethod
    def turned(x, cos, sin):
        """Pairs of numbers turned by their place."""
        half = x.shape[-1] // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin

    def forward(self, x, cos, sin, mask):
        n, t, _ = x.shape
        y = self.norm1(x)
        q = self.turned(self.q(y).view(n, t, 4, 2).transpose(1, 2), cos, sin)
        k = self.turned(self.k(y).view(n, t, 2, 2).transpose(1, 2), cos, sin)
        v = self.v(y).view(n, t, 2, 2).transpose(1, 2)
        k, v = (z[:, :, None].expand(n, 2, 2, t, 2).reshape(n, 4, t, 2) for z in (k, v))
        weight = (torch.matmul(q, k.transpose(2, 3)) / math.sqrt(2) + mask).softmax(-1, dtype=torch.float32)
        x = x + self.o(torch.matmul(weight, v).transpose(1, 2).reshape(n, t, 8))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """A causal mask made from the length, and angles from the places."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.blocks = nn.ModuleList([LlamaBlock() for _ in "ab"])
        self.norm = T5Norm(8)
        self.register_buffer("frequency", torch.tensor([1.0]))
        self.out = nn.Linear(8, 20, bias=False)

    def forward(self, input_ids):
        x = self.words(input_ids)
        t = input_ids.shape[1]
        places = torch.arange(t).unsqueeze(0)
        angles = (self.frequency[None, :, None].float() @ places[:, None, :].float()).transpose(1, 2)
        angles = torch.cat((angles, angles), dim=-1)[:, None]
        mask = torch.full((t, t), torch.finfo(torch.float32).min)
        mask = (torch.triu(mask, diagonal=1) if t != 1 else mask)[None, None]
        for block in self.blocks:
            x = block(x, angles.cos(), angles.sin(), mask)
        return self.out(self.norm(x))


model("llama", input_ids=WORDS)(Llama)


class Roberta(nn.Module):
    """Places counted by the words that are no padding; PyTorch's attention with a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(20, 8, 1), nn.Embedding(18, 8, 1), nn.LayerNorm(8)
        self.qkv = nn.Linear(8, 24)
        self.o = nn.Linear(8, 8)
        self.norm2 = nn.LayerNorm(8)
        self.out = nn.Linear(8, 20)

    def forward(self, input_ids):
        keep = input_ids.ne(1)
        places = torch.cumsum(keep.int(), dim=1).type_as(input_ids) * keep + 1
        x = self.norm(self.words(input_ids) + self.places(places))
        q, k, v = (split(part, 2) for part in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep[:, None, None, :])
        return self.out(self.norm2(x + self.o(joined(y))))


model("roberta", input_ids=ints("N", "T", below=20, low=1))(Roberta)


class CausalSDPA(nn.Module):
    """PyTorch's causal attention."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        return joined(
            F.scaled_dot_product_attention(*(split(p, 2) for p in self.qkv(x).chunk(3, -1)), is_causal=True)
        )


model("sdpa-causal", x=floats("N", "T", 8))(CausalSDPA)


class Sinusoid(nn.Module):
    """Places as sines and cosines, cut out of a table, and a whole sequence's mean under a mask."""

    def __init__(self) -> None:
        super().__init__()
        angle = torch.arange(16)[:, None] / 10 ** (torch.arange(4) / 2)
        self.register_buffer("table", torch.stack([angle.sin(), angle.cos()], -1).flatten(1))
        self.words, self.out = nn.Embedding(20, 8), nn.Linear(8, 4)

    def forward(self, words, keep):
        x = self.words(words) * math.sqrt(8) + self.table[: words.size(1)]
        keep = keep.unsqueeze(-1).type_as(x)
        return F.normalize(self.out((x * keep).sum(1) / keep.sum(1).clamp(min=1e-9)), p=2, dim=1)


model("sentence", words=WORDS, keep=flags("N", "T"))(Sinusoid)


# ---- images and sound


class ViT(nn.Module):
    """Patches as words, and one word more for the class."""

    def __init__(self) -> None:
        super().__init__()
        self.patch, self.first = nn.Conv2d(3, 8, 4, 4), nn.Parameter(torch.randn(1, 1, 8))
        self.places = nn.Parameter(torch.randn(1, 17, 8) * 0.1)
        self.block = nn.TransformerEncoderLayer(
            8, 2, 16, activation="gelu", batch_first=True, norm_first=True
        )
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 5)

    def forward(self, x):
        n = x.shape[0]
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(n, -1, -1), x], dim=1) + self.places
        return self.head(self.norm(self.block(x))[:, 0])


model("vit", x=floats("N", 3, 16, 16))(ViT)


class ViTOfAnySize(nn.Module):
    """Places resized to the number of patches."""

    def __init__(self) -> None:
        super().__init__()
        self.patch, self.places = nn.Conv2d(3, 8, 4, 4), nn.Parameter(torch.randn(1, 8, 4, 4) * 0.1)
        self.block, self.head = BertLayer(8, 2), nn.Linear(8, 5)

    def forward(self, x):
        y = self.patch(x)
        y = y + F.interpolate(self.places, size=y.shape[-2:], mode="bicubic", align_corners=False)
        return self.head(self.block(y.flatten(2).transpose(1, 2), 0.0).mean(1))


model("vit-any-size", x=floats("N", 3, "H", "W"))(ViTOfAnySize)


class Swin(nn.Module):
    """Attention in windows, then in shifted windows; then every four patches become one."""

    def __init__(self) -> None:
        super().__init__()
        self.patch, self.norm, self.norm2 = nn.Conv2d(3, 8, 2, 2), nn.LayerNorm(8), nn.LayerNorm(8)
        self.qkv, self.o, self.feed = nn.Linear(8, 24), nn.Linear(8, 8), Feed(8)
        self.bias = nn.Parameter(torch.randn(49, 2) * 0.1)
        y, x = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
        y, x = y.flatten(), x.flatten()
        self.register_buffer("pairs", (y[:, None] - y + 3) * 7 + x[:, None] - x + 3)
        self.reduce, self.last, self.head = nn.Linear(32, 12, bias=False), nn.LayerNorm(32), nn.Linear(12, 5)

    def attend(self, x, shift: int):
        """Attention inside of windows of 4 × 4."""
        n, h, w, c = x.shape
        y = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2)) if shift else x
        y = y.view(n, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        q, k, v = self.qkv(y).reshape(-1, 16, 3, 2, c // 2).permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.bias[self.pairs.view(-1)].view(16, 16, 2).permute(2, 0, 1).unsqueeze(0)
        y = ((q * 0.5) @ k.transpose(-2, -1) + bias).softmax(-1) @ v
        y = self.o(y.transpose(1, 2).reshape(-1, 16, c))
        y = y.view(n, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h, w, c)
        return torch.roll(y, shifts=(shift, shift), dims=(1, 2)) if shift else y

    def forward(self, x):
        x = self.patch(x).permute(0, 2, 3, 1)
        for shift in (0, 2):
            x = x + self.attend(self.norm(x), shift)
            x = x + self.feed(self.norm2(x))
        parts = [x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]
        return self.head(self.reduce(self.last(torch.cat(parts, -1))).mean((1, 2)))


model("swin", x=floats("N", 3, 16, 16))(Swin)


class Clip(nn.Module):
    """Images and texts, and how well each fits each."""

    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 8, 4, 4), nn.ReLU(), nn.Flatten())
        self.text = nn.Embedding(20, 8)
        self.project, self.norm = nn.Linear(128, 6, bias=False), nn.LayerNorm(8)
        self.words, self.scale = nn.Linear(8, 6, bias=False), nn.Parameter(torch.tensor(1.0))

    def forward(self, image, text):
        a = self.project(self.image(image))
        b = self.norm(self.text(text))
        b = self.words(b[torch.arange(b.shape[0]), text.argmax(dim=-1)])
        a, b = a / a.norm(dim=-1, keepdim=True), b / b.norm(dim=-1, keepdim=True)
        scores = self.scale.exp() * a @ b.t()
        return scores, scores.t()


model("clip", image=floats("N", 3, 16, 16), text=ints("S", "T", below=20))(Clip)


class MixerBlock(nn.Module):
    """Layers over places, then over channels."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(8)
        self.norm2 = nn.LayerNorm(8)
        self.places = Feed(16)
        self.channels = Feed(8)

    def forward(self, x):
        x = x + self.places(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class Mixer(nn.Module):
    """MLP-Mixer."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 4, 4)
        self.block = MixerBlock()
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.norm(self.block(self.patch(x).flatten(2).transpose(1, 2))).mean(dim=1))


model("mlp-mixer", x=floats("N", 3, 16, 16))(Mixer)


class Whisper(nn.Module):
    """An encoder of sound, and a decoder of text that looks at it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(4, 8, 3, padding=1), nn.Conv1d(8, 8, 3, 2, 1)
        self.register_buffer("places", torch.randn(32, 8) * 0.1)
        self.encode = nn.TransformerEncoderLayer(
            8, 2, 16, activation="gelu", batch_first=True, norm_first=True
        )
        self.words, self.at = nn.Embedding(20, 8), nn.Parameter(torch.randn(16, 8) * 0.1)
        self.decode = nn.TransformerDecoderLayer(
            8, 2, 16, activation="gelu", batch_first=True, norm_first=True
        )
        self.register_buffer("mask", torch.full((16, 16), float("-inf")).triu_(1), persistent=False)

    def forward(self, sound, tokens):
        x = F.gelu(self.conv2(F.gelu(self.conv1(sound)))).permute(0, 2, 1)
        x = self.encode(x + self.places[: x.shape[1]])
        t = tokens.shape[1]
        y = self.words(tokens) + self.at[:t]
        y = self.decode(y, x, tgt_mask=self.mask[:t, :t])
        return y @ self.words.weight.t()


model("whisper", sound=floats("N", 4, "L"), tokens=ints("N", "T", below=20))(Whisper)


class Detr(nn.Module):
    """Queries that look at an image's places."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.queries = nn.Conv2d(3, 8, 4, 4), nn.Parameter(torch.randn(5, 8))
        self.rows, self.columns = nn.Parameter(torch.rand(10, 4)), nn.Parameter(torch.rand(10, 4))
        self.core = nn.Transformer(8, 2, 1, 1, 16)
        self.classes, self.boxes = nn.Linear(8, 4), nn.Linear(8, 4)

    def forward(self, x):
        y = self.stem(x)
        h, w = y.shape[-2:]
        columns = self.columns[:w].unsqueeze(0).repeat(h, 1, 1)
        rows = self.rows[:h].unsqueeze(1).repeat(1, w, 1)
        places = torch.cat([columns, rows], -1).flatten(0, 1).unsqueeze(1)
        queries = self.queries.unsqueeze(1).repeat(1, x.shape[0], 1)
        y = self.core(places + 0.1 * y.flatten(2).permute(2, 0, 1), queries).transpose(0, 1)
        return self.classes(y), self.boxes(y).sigmoid()


model("detr", x=floats("N", 3, "H", "W"))(Detr)
