"""Functions of tensors without layers: arithmetic, reductions, indexing, matrices, dtypes."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch_models.registry import flags, floats, function, ints, model

ROWS = floats("N", "T")
CUBE = floats("N", "T", 4)
BOTH = ("script", "dynamo")


# ---- arithmetic


@function("arithmetic", x=CUBE, y=floats(4, low=0.5, high=2.0))
def arithmetic(x, y):
    return (
        x + 2 * y,
        x / y - 1,
        (x.abs() + 0.1) ** 0.7,
        2.0**x,
        x % y,
        torch.remainder(x, 0.75),
        torch.fmod(x, 0.75),
        torch.maximum(x, y),
        torch.floor_divide(x.detach(), y.detach()),
        torch.lerp(x, y.expand_as(x), 0.3),
        torch.addcmul(x, x, y),
        x.clamp(-0.5, 0.8),
        x.clamp(min=0.1),
        torch.atan2(x, y),
    )


@function("unary", x=floats("N", 6, low=0.1, high=0.9))
def unary(x):
    return (
        x.exp(),
        x.log(),
        x.sqrt(),
        x.rsqrt(),
        x.sin(),
        x.cos(),
        x.tan(),
        x.asin(),
        x.acos(),
        x.atan(),
        x.tanh(),
        x.erf(),
        x.reciprocal(),
        x.abs().neg(),
        x.floor(),
        x.ceil(),
        (x * 7).round(),
        x.sign(),
        x.log2(),
        x.log10(),
        x.log1p(),
        x.expm1(),
        (x * 5 - 2).trunc(),
        x.square(),
        x.frac(),
    )


@function("hyperbolic", x=floats("N", 6, low=0.1, high=0.9), exporters=("dynamo",))
def hyperbolic(x):
    return (
        x.sinh(),
        x.cosh(),
        x.asinh(),
        (x + 1).acosh(),
        x.atanh(),
        torch.logit(x),
        torch.xlogy(x, x),
        torch.logaddexp(x, 1 - x),
    )


@function("comparisons", x=ROWS, y=ROWS, keep=flags("N", "T"))
def comparisons(x, y, keep):
    return (
        x > y,
        (x >= y) & keep,
        (x < y) | ~keep,
        x.eq(x),
        x.ne(y),
        torch.logical_xor(x > 0, keep),
        torch.isnan(x),
        torch.isinf(x / 0.0),
        torch.where(keep, x, y),
        keep.any(1),
        keep.all(),
        x.masked_fill(keep, -1.0),
        keep.sum(1),
    )


@function("integers", a=ints("N", 5, low=-9, below=10), b=ints("N", 5, low=1, below=5))
def integers(a, b):
    return (
        a + b,
        a * b - 3,
        (a + 9) // b,
        a % b,
        torch.div(a, b, rounding_mode="trunc"),
        a.abs(),
        -a,
        a.clamp(-3, 4),
        a.sum(1),
        a.max(1)[0],
        a.float() / b,
        torch.div(a, b),
        a.prod(1),
        (a > b).long(),
        a.sign(),
    )


@function("bitwise", a=ints("N", 5, below=64), b=ints("N", 5, below=6), opset={"script": 18})
def bitwise(a, b):
    return a & 12, a | b, a ^ b, ~a, torch.bitwise_left_shift(a, b), a >> 2


# ---- reductions and scans


@function("reductions", x=CUBE)
def reductions(x):
    return (
        x.sum(), x.sum(-1), x.mean((0, 2)), x.mean(1, keepdim=True), x.amax(2), x.amin((1, 2)), x.max(1)[0],
        x.min(-1)[1], x.argmax(1), x.argmin(), x.norm(dim=2), x.norm(p=1), x.logsumexp(1), x.var(2), x.std(1),
        torch.softmax(x, 1).prod(2), x.cumsum(1), (x > 0).sum(dim=1),
    )  # fmt: skip


@function("scans", x=floats("N", 6))
def scans(x):
    return (
        x.cumsum(-1),
        torch.cumsum(x.flip(0), 0),
        torch.diff(x, dim=1),
        torch.logcumsumexp(x, 1),
    )


@function("sorting", x=floats("N", 9))
def sorting(x):
    values, order = torch.sort(x, dim=1, descending=True)
    top, at = x.topk(3, dim=1)
    return (
        values,
        order,
        top,
        at,
        torch.argsort(x, 1),
        x.topk(2, largest=False)[0],
    )


@function("ranking", x=floats("N", "T"))
def ranking(x):
    return torch.sort(x, 1)[0], x.topk(3)[0], torch.argsort(x, dim=-1, descending=True)


# ---- shapes


@function("shapes", x=CUBE)
def shapes(x):
    n, t, c = x.shape
    return (
        x.reshape(n, -1),
        x.view(n * t, c),
        x.permute(2, 0, 1),
        x.unsqueeze(1).expand(n, 3, t, c),
        x.flatten(),
        x.repeat(1, 2, 1),
        torch.tile(x, (2, 1)),
        x.transpose(0, 1).contiguous().view(t, -1),
        x[:, None].squeeze(1),
        x.unflatten(2, (2, 2)),
        torch.stack([x, -x], 2),
        torch.cat([x, x[:, :1]], 1),
        x.movedim(0, 1),
        x.swapaxes(1, 2),
        torch.broadcast_to(x[:, :1], x.shape),
        x.repeat_interleave(2, dim=1),
        x.new_ones(n, 2),
    )


@function("splits", x=floats("N", 6, 4))
def splits(x):
    a, b, c = x.split([1, 2, 3], 1)
    d, e = x.chunk(2, 2)
    return a, b * 2, c, d + e, *x.unbind(2)[:2], *torch.tensor_split(x, 3, dim=1), x.unfold(1, 3, 2)


@function("made", x=ROWS)
def made(x):
    n, t = x.shape
    return (
        torch.zeros(n, t),
        torch.ones_like(x) * 3,
        torch.full((t, 2), 0.5),
        torch.arange(t),
        torch.arange(1, 2 * t, 3),
        torch.eye(4),
        torch.linspace(0, 1, 5) + x[:, :1],
        torch.tril(torch.ones(t, t)),
        x.new_full((n,), 2),
        torch.arange(t, dtype=torch.float32)[None] * x,
        torch.empty_like(x).fill_(1.5),
        torch.zeros(n, dtype=torch.int32),
    )


@function("triangles", x=floats("N", "T", "T"))
def triangles(x):
    return torch.tril(x), x.triu(1), torch.tril(x, -1), torch.triu(x, -2), torch.diagonal(x, 0, 1, 2)


@function("meshes", x=floats("T"), y=floats("S"))
def meshes(x, y):
    a, b = torch.meshgrid(x, y, indexing="ij")
    return a * b, torch.outer(x, y), x[:, None] - y


# ---- indexing


@function("slices", x=floats("N", 8, 6))
def slices(x):
    return (
        x[:, 1:5],
        x[:, ::2],
        x[..., -1],
        x[:, -3:],
        x[0],
        x[:, :, 1:-1:2],
        x.narrow(1, 2, 3),
        x.select(2, 1),
        x.flip(1),
        x.flip((1, 2)),
        torch.roll(x, 1, 1),
        x.roll((2, -1), (1, 2)),
        x[:, [0, 3, 3]],
    )


@function("slices-by-size", x=floats("N", "T", 4), keep=ints("S", below=3))
def slices_by_size(x, keep):
    s = keep.shape[0]
    return (
        x[:, : x.shape[1] // 2],
        x[:, -1],
        x[:, x.size(1) - 2 :],
        x[:, ::3],
        x[:, : s - 1],
        x[:, 1:] - x[:, :-1],
    )


@function("gathers", x=floats("N", 6, 4), index=ints("N", 3, 4, below=6), row=ints(5, below=6))
def gathers(x, index, row):
    return (
        x.gather(1, index),
        x.index_select(1, row),
        x[:, row],
        torch.take(x, row),
        F.embedding(row, x[0]),
        x[torch.arange(x.size(0)), 2],
        x[:, row, row.clamp(max=3)],
    )


@function("scatters", x=floats("N", 6, 4), index=ints("N", 3, 4, below=6), y=floats("N", 3, 4))
def scatters(x, index, y):
    return (
        torch.scatter_add(x, 1, index, y),
        x.scatter(1, index.clamp(max=0), 1.0),
        torch.scatter_reduce(x, 1, index, y, reduce="amax"),
        x.index_fill(1, torch.tensor([0, 2]), 0.25),
        x.index_copy(1, torch.tensor([4, 1]), y[:, :2]),
    )


class Writes(nn.Module):
    """Assignments to parts of a copy."""

    def forward(self, x, row):
        y = x.clone()
        y[:, 0] = 1.0
        y[:, 2:4] = x[:, 3:5] * 2
        y[:, row] += 0.5
        z = torch.zeros_like(x).index_put((torch.arange(2)[:, None], torch.tensor([1, 3])), torch.tensor(2.0))
        return y, z, x.masked_fill(x > 0.5, 0.0)


model("writes", x=floats("N", 6), row=ints(1, low=5, below=6))(Writes)


@function("masks", x=floats("N", "T"), keep=flags("N", "T"))
def masks(x, keep):
    return (
        x.masked_fill(~keep, float("-inf")).softmax(-1),
        torch.where(keep, x, 0.0),
        x * keep,
        keep.float().mean(1),
    )


@function("selections", x=floats("N", 6), exporters=BOTH)
def selections(x):
    return torch.nonzero(x > 0), x[x > 0]


@function("one-hot", index=ints("N", "T", below=7))
def one_hot(index):
    return (
        F.one_hot(index, 7),
        F.one_hot(index, num_classes=9).float().sum(1),
    )


@function("turns", x=floats("N", 4, 5), index=ints("N", "T", below=7), exporters=("dynamo",))
def turns(x, index):
    return torch.rot90(x, 1, (1, 2)), torch.bincount(index.flatten(), minlength=7), torch.kron(x[0], x[1])


@function("unique", x=ints("L", below=6))
def unique(x):
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    return values, inverse, counts


@function("search", x=floats("N", 5))
def search(x):
    edges = torch.tensor([-1.0, -0.2, 0.3, 1.0])
    return torch.bucketize(x, edges), torch.bucketize(x, edges, right=True)


# ---- matrices


@function("products", x=floats("N", 3, 4), y=floats("N", 4, 5), v=floats(4), w=floats(4, 6))
def products(x, y, v, w):
    return (
        torch.bmm(x, y),
        x @ w,
        x @ v,
        v @ w,
        torch.matmul(v, v),
        torch.baddbmm(x @ y, x, y, beta=0.5, alpha=2.0),
        torch.addmm(x[0] @ w, x[0], w, alpha=0.5),
        torch.tensordot(x, y, dims=([2], [1])),
        torch.linalg.norm(x, dim=(1, 2)),
        torch.addmv(v, y[0] @ y[0].t(), v),
        torch.chain_matmul(x[0], w),
    )


@function("einsum", x=floats("N", "T", 2, 4), y=floats("N", "S", 2, 4), m=floats("T", "S"))
def einsum(x, y, m):
    scores = torch.einsum("nthc,nshc->nhts", x, y)
    return (
        scores,
        torch.einsum("nhts,nshc->nthc", scores, y),
        torch.einsum("ts->st", m),
        torch.einsum("ntii->nt", x[..., :2]),
    )


class Bilinear(nn.Module):
    """Products of pairs through a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.pair = nn.Bilinear(4, 3, 5)

    def forward(self, x, y):
        return self.pair(x, y)


model("bilinear", x=floats("N", 4), y=floats("N", 3))(Bilinear)


@function("determinants", x=floats("N", 3, 3), gradients=False, tolerance=1e-4)
def determinants(x):
    x = x @ x.transpose(1, 2) + torch.eye(3)
    return torch.det(x), torch.logdet(x)


@function("cross", x=floats("N", 3), y=floats("N", 3))
def cross(x, y):
    return torch.linalg.cross(x, y), torch.dot(x[0], y[0]), torch.linalg.vector_norm(x, 3.0, 1)


# ---- spectra


@function("stft-old", x=floats("N", 64), tolerance=1e-4, exporters=("script",))
def stft_without_complex_numbers(x):
    y = torch.stft(x, 16, 8, window=torch.hann_window(16), return_complex=False, center=False)
    return y.pow(2).sum(-1).add(1e-3).log()


@function("stft", x=floats("N", 64), tolerance=1e-4)
def stft(x):
    y = torch.stft(x, 16, 8, window=torch.hann_window(16), return_complex=True, center=False)
    return torch.view_as_real(y).pow(2).sum(-1).add(1e-3).log()


@function("fft", x=floats("N", 16), exporters=("dynamo",))
def fft(x):
    return torch.view_as_real(torch.fft.rfft(x)).square().sum(-1)


@function(
    "grid-sample", x=floats("N", 2, 5, 6), grid=floats("N", 4, 3, 2, low=-1.2, high=1.2), opset={"script": 20}
)
def grid_sample(x, grid):
    return (
        F.grid_sample(x, grid, align_corners=True),
        F.grid_sample(x, grid, mode="nearest", align_corners=False),
        F.grid_sample(x, grid, mode="bicubic", padding_mode="reflection", align_corners=False),
    )


# ---- dtypes


@function("casts", x=floats("N", 5), i=ints("N", 5, low=-3, below=9))
def casts(x, i):
    return (
        x.int(),
        (x * 3).long(),
        x.bool(),
        x.double() / 3,
        x.half() * 2,
        i.float(),
        i.to(torch.int32) + 1,
        i.bool(),
        x.type_as(i),
        (i % 2 == 0).float(),
        i.to(torch.uint8) if False else i.short(),
        x + i,
    )


@model("half", x=floats("N", 6, dtype="float16"), tolerance=5e-3)
def half() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 4), nn.Softmax(-1)).half()


@model("half-conv", x=floats("N", 3, 8, 8, dtype="float16"), tolerance=5e-3)
def half_conv() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(96, 4),
    ).half()


class Brain(nn.Module):
    """A layer that computes in bfloat16 between float32."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(6, 8).bfloat16(), nn.Linear(8, 4)

    def forward(self, x):
        return self.b(F.relu(self.a(x.to(torch.bfloat16))).float())


model("bfloat16", x=floats("N", 6), tolerance=2e-2)(Brain)


@model("double", x=floats("N", 6, dtype="float64"))
def double() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4)).double()


class Bytes(nn.Module):
    """Pixels as bytes, made numbers and normalized."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.register_buffer("mean", torch.tensor([0.5, 0.4, 0.3]).view(3, 1, 1))

    def forward(self, image):
        x = (image.float() / 255 - self.mean) / 0.25
        y = self.conv(x)
        return y, (y.sigmoid() * 255).to(torch.uint8).to(torch.int32)


model("bytes", image=ints("N", 3, 8, 8, below=256, dtype="uint8"), tolerance=1e-4)(Bytes)


@function("scalars", x=floats("N", 4), scale=floats(), count=ints(low=1, below=4))
def scalars(x, scale, count):
    return x * scale, x.sum() / count, scale.exp(), x.size(0) * scale, count + 1, x.mean() > 0
