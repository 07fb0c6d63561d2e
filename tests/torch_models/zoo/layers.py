"""Small models of one kind of layer each: norms, activations, losses, paddings, pools."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch_models.registry import floats, function, ints, model

MAP = floats("N", 6, 5, 4)
ROWS = floats("N", 8)
POSITIVE = floats("N", 6, low=0.05, high=0.95)


class Each(nn.Module):
    """Several layers, each on the same input."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        return tuple(layer(x) for layer in self.layers)


# ---- norms


@model("norms", x=MAP)
def norms() -> nn.Module:
    return Each(
        nn.BatchNorm2d(6),
        nn.BatchNorm2d(6, affine=False),
        nn.GroupNorm(3, 6),
        nn.InstanceNorm2d(6, affine=True),
        nn.LayerNorm((5, 4)),
        nn.LocalResponseNorm(3, alpha=0.1),
    )


@model("rms-norm", x=floats("N", "T", 8), exporters=("dynamo",))
def rms_norm() -> nn.Module:
    return nn.Sequential(nn.RMSNorm(8, eps=1e-5), nn.Linear(8, 4), nn.RMSNorm(4, elementwise_affine=False))


@model("instance-norm-1d", x=floats("N", 4, "T"))
def instance_norm_1d() -> nn.Module:
    return Each(nn.InstanceNorm1d(4), nn.GroupNorm(2, 4), nn.BatchNorm1d(4))


@function("normalize", x=floats("N", 6, "T"))
def normalize(x):
    spread, mean = torch.std_mean(x, dim=2, keepdim=True)
    return (
        F.normalize(x, dim=1),
        F.normalize(x, p=1.0, dim=2),
        (x - mean) / (spread + 1e-5),
        x.var(1, unbiased=False),
    )


# ---- activations


@model("activations", x=ROWS)
def activations() -> nn.Module:
    return Each(
        nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.1), nn.PReLU(), nn.ELU(0.7), nn.SELU(), nn.CELU(0.8), nn.GELU(),
        nn.GELU("tanh"), nn.Sigmoid(), nn.Tanh(), nn.SiLU(), nn.Mish(), nn.Softplus(), nn.Softsign(),
    )  # fmt: skip


@model("activations-more", x=ROWS)
def activations_more() -> nn.Module:
    return Each(
        nn.Hardtanh(-0.5, 0.7),
        nn.Hardsigmoid(),
        nn.Hardswish(),
        nn.Softplus(2.0),
        nn.LogSigmoid(),
        nn.Hardshrink(0.4),
        nn.Softshrink(0.3),
        nn.Tanhshrink(),
        nn.Threshold(0.0, 0.0),
        nn.GLU(),
        nn.Softmax(-1),
        nn.LogSoftmax(-1),
        nn.Softmin(-1),
    )


# ---- pools and paddings


@model("pools", x=floats("N", 2, 9, 8))
def pools() -> nn.Module:
    return Each(
        nn.MaxPool2d(3, 2, 1),
        nn.MaxPool2d(2, ceil_mode=True),
        nn.MaxPool2d(3, 1, dilation=2),
        nn.AvgPool2d(3, 2, 1),
        nn.AvgPool2d(3, 2, 1, count_include_pad=False),
        nn.AvgPool2d((2, 3), ceil_mode=True),
        nn.LPPool2d(2, 3, 2),
    )


@model("adaptive-pools", x=floats("N", 2, 8, 6))
def adaptive_pools() -> nn.Module:
    return Each(
        nn.AdaptiveAvgPool2d((4, 3)), nn.AdaptiveMaxPool2d((2, 2)), nn.AdaptiveAvgPool2d((8, 2)),
    )  # fmt: skip


@function("max-pool-indices", x=floats("N", 2, 8, 6))
def max_pool_indices(x):
    return F.max_pool2d(x, 2, return_indices=True)


@model("paddings", x=floats("N", 2, "H", "W"))
def paddings() -> nn.Module:
    return Each(
        nn.ZeroPad2d((1, 2, 0, 3)), nn.ConstantPad2d(1, -0.5), nn.ReflectionPad2d((2, 1, 1, 2)),
        nn.ReplicationPad2d((1, 2, 2, 1)), nn.ZeroPad2d((-1, 0, 2, -2)),
    )  # fmt: skip


@function("circular-padding", x=floats("N", 2, 6, 5))
def circular_padding(x):
    return F.pad(x, (1, 2, 2, 1), mode="circular")


@model("rearrangements", x=floats("N", 8, 6, 4))
def rearrangements() -> nn.Module:
    return Each(
        nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.Flatten(1, 2), nn.Unflatten(1, (2, 4)),
        nn.Unfold(3, padding=1, stride=2),
    )  # fmt: skip


@model("channel-shuffle", x=floats("N", 8, 6, 4), exporters=("dynamo",))
def channel_shuffle() -> nn.Module:
    return nn.ChannelShuffle(4)


@function("fold", x=floats("N", 8, 12), opset={"script": 18})
def fold(x):
    return F.fold(x, output_size=(4, 5), kernel_size=2), F.fold(x * 2, (4, 5), 2).relu()


@function("interpolate", x=floats("N", 2, 6, 5))
def interpolate(x):
    return (
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, size=(9, 8), mode="bilinear", align_corners=True),
        F.interpolate(x, scale_factor=1.5, mode="bilinear"),
        F.interpolate(x, size=(3, 10), mode="nearest"),
        F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False),
        F.interpolate(x, size=(3, 5), mode="area"),
    )


@function("interpolate-1d-3d", x=floats("N", 2, "T"), y=floats("N", 1, 3, 4, 4))
def interpolate_1d_3d(x, y):
    return (
        F.interpolate(x, scale_factor=2.0, mode="linear"),
        F.interpolate(y, scale_factor=2, mode="nearest"),
        F.interpolate(y, size=(6, 5, 7), mode="trilinear", align_corners=True),
    )


@function("interpolate-nearest-exact", x=floats("N", 2, 6, 5), exporters=("dynamo",))
def interpolate_nearest_exact(x):
    return F.interpolate(x, size=(9, 8), mode="nearest-exact")


# ---- losses


class Losses(nn.Module):
    """Losses of a linear layer's scores against classes."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(6, 5)

    def forward(self, x, label):
        y = self.out(x)
        return (
            F.cross_entropy(y, label),
            F.cross_entropy(y, label, reduction="none"),
            F.nll_loss(F.log_softmax(y, 1), label),
            F.cross_entropy(y, label, ignore_index=2, reduction="sum"),
        )


model("losses-of-classes", x=floats("N", 6), label=ints("N", below=5))(Losses)


@function("losses", x=POSITIVE, target=POSITIVE)
def losses(x, target):
    target = target.detach()
    return (
        F.mse_loss(x, target),
        F.huber_loss(x, target, delta=0.3),
        F.smooth_l1_loss(x, target, beta=0.4),
        F.kl_div(x.log(), target, reduction="batchmean"),
        F.binary_cross_entropy(x, target),
        F.binary_cross_entropy_with_logits(x, target, reduction="sum"),
        F.soft_margin_loss(x, target),
    )


@function("losses-of-pairs", a=floats("N", 6), b=floats("N", 6), c=floats("N", 6))
def losses_of_pairs(a, b, c):
    return (
        F.cosine_similarity(a, b),
        F.pairwise_distance(a, c),
        F.margin_ranking_loss(a, b, torch.sign(c), margin=0.2),
        F.poisson_nll_loss(a, b.abs()),
    )


@function("losses-more", a=floats("N", 6), b=floats("N", 6), c=floats("N", 6), exporters=("dynamo",))
def losses_more(a, b, c):
    return F.l1_loss(a, b, reduction="none"), F.triplet_margin_loss(a, b, c)


class LossOfPlaces(nn.Module):
    """Cross entropy with weights of classes, over places."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 1)
        self.register_buffer("weight", torch.tensor([0.5, 1.0, 2.0, 1.5]))

    def forward(self, x, label):
        return F.cross_entropy(self.conv(x), label, self.weight)


model("loss-of-places", x=floats("N", 2, 4, 3), label=ints("N", 4, 3, below=4))(LossOfPlaces)
