"""Networks for images."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch_models.registry import floats, model

RGB = floats("N", 3, 16, 16)
ANY_RGB = floats("N", 3, "H", "W")


def conv_bn(
    c_in: int, c_out: int, kernel: int = 3, stride: int = 1, groups: int = 1, act=nn.ReLU
) -> nn.Sequential:
    """Convolution, normalization, activation."""
    conv = nn.Conv2d(c_in, c_out, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(c_out), act())


def head(channels: int, classes: int = 5) -> nn.Sequential:
    """Scores of a map's mean."""
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


@model("lenet", x=floats("N", 1, 16, 16))
def lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(4, 8, 5), nn.Tanh(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(32, 12), nn.Tanh(), nn.Linear(12, 10),
    )  # fmt: skip


@model("alexnet", x=floats("N", 3, 32, 32))
def alexnet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 2),
        nn.ReLU(inplace=True),
        nn.LocalResponseNorm(3),
        nn.MaxPool2d(3, 2),
        nn.Conv2d(8, 12, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        nn.AdaptiveAvgPool2d((1, 1)),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(12, 16),
        nn.ReLU(),
        nn.Linear(16, 6),
    )


class VGG(nn.Module):
    """Blocks of convolutions, and a reshape by the batch's size."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(6, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 8, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.classifier = nn.Sequential(nn.Linear(128, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 5))

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x.view(x.size(0), -1))


model("vgg", x=RGB)(VGG)


class Residual(nn.Module):
    """Two convolutions beside a way around them."""

    def __init__(self, c_in: int, c_out: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False), nn.BatchNorm2d(c_out)
        self.conv2, self.bn2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False), nn.BatchNorm2d(c_out)
        self.relu = nn.ReLU(inplace=True)
        self.down = None
        if stride > 1 or c_in != c_out:
            self.down = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        way = x if self.down is None else self.down(x)
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + way)


def resnet_trunk() -> list[nn.Module]:
    """The layers of a small residual network."""
    return [conv_bn(3, 8, 3, 2), nn.MaxPool2d(3, 2, 1), Residual(8, 8), Residual(8, 12, 2)]


@model("resnet", x=floats("N", 3, "H", "W"))
def resnet() -> nn.Module:
    return nn.Sequential(*resnet_trunk(), head(12))


@model("resnet-11", x=floats("N", 3, 16, 16), opset={"script": 11}, exporters=("script",))
def resnet_of_opset_11() -> nn.Module:
    return nn.Sequential(*resnet_trunk(), head(12))


class Bottleneck(nn.Module):
    """A residual block of groups, as in ResNeXt and RegNet, with the scales of squeeze and excitation."""

    def __init__(self, c_in: int, c_out: int, stride: int, groups: int) -> None:
        super().__init__()
        self.a, self.b = conv_bn(c_in, c_out, 1), conv_bn(c_out, c_out, 3, stride, groups)
        self.c = nn.Sequential(nn.Conv2d(c_out, c_out, 1, bias=False), nn.BatchNorm2d(c_out))
        self.squeeze = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(c_out, 4, 1), nn.ReLU(), nn.Conv2d(4, c_out, 1), nn.Sigmoid()
        )
        self.down = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        y = self.b(self.a(x))
        return F.relu(self.c(y * self.squeeze(y)) + self.down(x))


@model("regnet", x=RGB)
def regnet() -> nn.Module:
    return nn.Sequential(conv_bn(3, 8, 3, 2), Bottleneck(8, 8, 1, 2), Bottleneck(8, 12, 2, 3), head(12))


class DenseLayer(nn.Module):
    """Appends its own maps to what it takes."""

    def __init__(self, c_in: int, growth: int) -> None:
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(c_in), nn.Conv2d(c_in, growth, 3, padding=1, bias=False)

    def forward(self, x):
        return torch.cat([x, self.conv(F.relu(self.norm(x)))], 1)


@model("densenet", x=RGB)
def densenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), DenseLayer(8, 4), DenseLayer(12, 4),
        nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 8, 1), nn.AvgPool2d(2, 2),
        DenseLayer(8, 4), nn.BatchNorm2d(12), nn.ReLU(), head(12),
    )  # fmt: skip


class Inception(nn.Module):
    """Four branches side by side."""

    def __init__(self, c_in: int) -> None:
        super().__init__()
        self.one = conv_bn(c_in, 4, 1)
        self.three = nn.Sequential(conv_bn(c_in, 4, 1), conv_bn(4, 6, 3))
        self.wide = nn.Sequential(
            nn.Conv2d(c_in, 4, (1, 5), padding=(0, 2)), nn.Conv2d(4, 4, (5, 1), padding=(2, 0))
        )
        self.pool = conv_bn(c_in, 4, 1)

    def forward(self, x):
        pooled = F.avg_pool2d(x, kernel_size=3, stride=1, padding=1)
        return torch.cat([self.one(x), self.three(x), self.wide(x), self.pool(pooled)], 1)


@model("inception", x=RGB)
def inception() -> nn.Module:
    return nn.Sequential(conv_bn(3, 8, 3, 2), Inception(8), nn.MaxPool2d(3, 2), Inception(18), head(18))


class GoogLeNet(nn.Module):
    """Inception blocks after a change of the input's scale, and scores of the middle too."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.block, self.last = conv_bn(3, 8, 3, 2), Inception(8), Inception(18)
        self.middle, self.head = head(18), head(18)

    def forward(self, x):
        x = torch.stack([x[:, c] * (0.2 + 0.1 * c) + 0.05 for c in range(3)], 1)
        y = self.block(self.stem(x))
        return self.head(self.last(F.max_pool2d(y, 3, 2, ceil_mode=True))), self.middle(y)


model("googlenet", x=RGB)(GoogLeNet)


class Fire(nn.Module):
    """Squeezes, then expands in two ways."""

    def __init__(self, c_in: int, squeeze: int, expand: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(c_in, squeeze, 1)
        self.one, self.three = nn.Conv2d(squeeze, expand, 1), nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.one(x)), F.relu(self.three(x))], 1)


@model("squeezenet", x=ANY_RGB)
def squeezenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True), Fire(8, 4, 6), Fire(12, 4, 6),
        nn.Dropout(0.5), nn.Conv2d(12, 5, 1), nn.ReLU(), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(),
    )  # fmt: skip


class Inverted(nn.Module):
    """Expands, filters each channel, projects; with scales by squeeze and excitation if asked for."""

    def __init__(self, c_in: int, c_out: int, stride: int, act, kernel: int = 3, scaled=None) -> None:
        super().__init__()
        wide = 2 * c_in
        self.expand = conv_bn(c_in, wide, 1, act=act)
        self.depth = conv_bn(wide, wide, kernel, stride, wide, act)
        self.scale = None
        if scaled is not None:
            layers = nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, 4, 1), act(), nn.Conv2d(4, wide, 1), scaled()
            self.scale = nn.Sequential(*layers)
        self.project = nn.Sequential(nn.Conv2d(wide, c_out, 1, bias=False), nn.BatchNorm2d(c_out))
        self.adds = stride == 1 and c_in == c_out

    def forward(self, x):
        y = self.depth(self.expand(x))
        if self.scale is not None:
            y = y * self.scale(y)
        y = self.project(y)
        return x + y if self.adds else y


@model("mobilenet-v2", x=RGB)
def mobilenet_v2() -> nn.Module:
    return nn.Sequential(
        conv_bn(3, 8, 3, 2, act=nn.ReLU6), Inverted(8, 8, 1, nn.ReLU6), Inverted(8, 12, 2, nn.ReLU6), head(12)
    )


@model("mobilenet-v3", x=ANY_RGB)
def mobilenet_v3() -> nn.Module:
    return nn.Sequential(
        conv_bn(3, 8, 3, 2, act=nn.Hardswish),
        Inverted(8, 8, 1, nn.ReLU, 3, nn.Hardsigmoid),
        Inverted(8, 12, 2, nn.Hardswish, 5, nn.Hardsigmoid),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 16), nn.Hardswish(), nn.Linear(16, 5),
    )  # fmt: skip


@model("mnasnet", x=RGB)
def mnasnet() -> nn.Module:
    return nn.Sequential(
        conv_bn(3, 8, 3, 2), Inverted(8, 8, 1, nn.ReLU, 5), Inverted(8, 12, 2, nn.ReLU), head(12)
    )


@model("efficientnet", x=RGB)
def efficientnet() -> nn.Module:
    return nn.Sequential(
        conv_bn(3, 8, 3, 2, act=nn.SiLU),
        Inverted(8, 8, 1, nn.SiLU, 3, nn.Sigmoid),
        Inverted(8, 12, 2, nn.SiLU, 5, nn.Sigmoid),
        head(12),
    )


class Shuffled(nn.Module):
    """Half of the channels go through, and then all are shuffled among groups."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        depth = nn.Sequential(nn.Conv2d(half, half, 3, 1, 1, groups=half, bias=False), nn.BatchNorm2d(half))
        self.branch = nn.Sequential(conv_bn(half, half, 1), depth, conv_bn(half, half, 1))

    def forward(self, x):
        left, right = x.chunk(2, dim=1)
        y = torch.cat((left, self.branch(right)), dim=1)
        n, c, h, w = y.size()
        return y.view(n, 2, c // 2, h, w).transpose(1, 2).contiguous().view(n, c, h, w)


@model("shufflenet", x=ANY_RGB)
def shufflenet() -> nn.Module:
    return nn.Sequential(conv_bn(3, 8, 3, 2), Shuffled(8), Shuffled(8), head(8))


class ConvNeXtBlock(nn.Module):
    """A wide depthwise convolution, then layers over the channels in the last axis."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depth = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.grow = nn.Linear(channels, 2 * channels)
        self.shrink = nn.Linear(2 * channels, channels)
        self.scale = nn.Parameter(torch.full((channels,), 0.5))

    def forward(self, x):
        y = self.norm(self.depth(x).permute(0, 2, 3, 1))
        y = self.scale * self.shrink(F.gelu(self.grow(y)))
        return x + y.permute(0, 3, 1, 2)


@model("convnext", x=ANY_RGB)
def convnext() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 4, 4), ConvNeXtBlock(8), ConvNeXtBlock(8), head(8))


class UNet(nn.Module):
    """Down and up again; what comes up is padded to the size of what is beside it."""

    def __init__(self, bilinear: bool) -> None:
        super().__init__()
        self.a, self.b, self.c = conv_bn(3, 6), conv_bn(6, 8), conv_bn(14, 6)
        self.up = (
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            if bilinear
            else nn.ConvTranspose2d(8, 8, 2, stride=2)
        )
        self.out = nn.Conv2d(6, 2, 1)

    def forward(self, x):
        a = self.a(x)
        y = self.up(self.b(F.max_pool2d(a, 2)))
        dy, dx = a.size(2) - y.size(2), a.size(3) - y.size(3)
        y = F.pad(y, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.out(self.c(torch.cat([a, y], dim=1)))


@model("unet", x=ANY_RGB)
def unet() -> nn.Module:
    return UNet(False)


@model("unet-odd", x=floats("N", 3, 15, 13))
def unet_of_odd_sizes() -> nn.Module:
    return UNet(True)


class FPN(nn.Module):
    """Maps of three scales; each gets what is above it, resized to its size."""

    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.ModuleList([conv_bn(3, 6, 3, 2), conv_bn(6, 8, 3, 2), conv_bn(8, 10, 3, 2)])
        self.sides = nn.ModuleList([nn.Conv2d(c, 6, 1) for c in (6, 8, 10)])

    def forward(self, x):
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        y = self.sides[2](maps[2])
        outputs = [y]
        for i in (1, 0):
            y = self.sides[i](maps[i]) + F.interpolate(y, size=maps[i].shape[-2:], mode="nearest")
            outputs.append(y)
        return tuple(outputs)


model("fpn", x=ANY_RGB)(FPN)


class SSD(nn.Module):
    """Boxes and scores for each place of two maps, and the boxes decoded."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = conv_bn(3, 8, 3, 2), conv_bn(8, 8, 3, 2)
        self.boxes = nn.ModuleList([nn.Conv2d(8, 8, 3, padding=1) for _ in "ab"])
        self.scores = nn.ModuleList([nn.Conv2d(8, 6, 3, padding=1) for _ in "ab"])
        self.register_buffer("anchors", torch.rand(2 * (64 + 16), 4) * 0.5 + 0.25)

    def forward(self, x):
        a = self.a(x)
        maps = (a, self.b(a))
        boxes = [
            f(m).permute(0, 2, 3, 1).reshape(m.shape[0], -1, 4) for f, m in zip(self.boxes, maps, strict=True)
        ]
        scores = [
            f(m).permute(0, 2, 3, 1).reshape(m.shape[0], -1, 3)
            for f, m in zip(self.scores, maps, strict=True)
        ]
        offset, score = torch.cat(boxes, 1), torch.cat(scores, 1)
        centre = self.anchors[:, :2] + offset[..., :2] * 0.1 * self.anchors[:, 2:]
        size = self.anchors[:, 2:] * torch.exp(offset[..., 2:].clamp(max=4.0) * 0.2)
        return torch.cat([centre - size / 2, centre + size / 2], -1), score.softmax(-1)


model("ssd", x=RGB)(SSD)


class Yolo(nn.Module):
    """A detection layer that adds a grid of the places."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.out = nn.Sequential(conv_bn(3, 8, 3, 2, act=nn.SiLU), nn.Conv2d(8, 8, 3, 2, 1)), None
        self.out = nn.Conv2d(8, 2 * 7, 1)

    def forward(self, x):
        y = self.out(self.trunk(x))
        n, _, h, w = y.shape
        y = y.view(n, 2, 7, h, w).permute(0, 1, 3, 4, 2).contiguous().sigmoid()
        rows, columns = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack((columns, rows), 2).float()
        places = (y[..., :2] * 2 - 0.5 + grid) * 4.0
        return torch.cat((places, y[..., 2:4] * 8, y[..., 4:]), -1).view(n, -1, 7)


model("yolo", x=ANY_RGB)(Yolo)


@model("dcgan", z=floats("N", 8, 1, 1))
def dcgan() -> nn.Module:
    return nn.Sequential(
        nn.ConvTranspose2d(8, 12, 4, 1, 0, bias=False), nn.BatchNorm2d(12), nn.ReLU(True),
        nn.ConvTranspose2d(12, 6, 4, 2, 1, bias=False), nn.BatchNorm2d(6), nn.ReLU(True),
        nn.ConvTranspose2d(6, 3, 3, 2, 1, output_padding=1), nn.Tanh(),
    )  # fmt: skip


@model("discriminator", x=RGB)
def discriminator() -> nn.Module:
    return nn.Sequential(
        nn.utils.parametrizations.weight_norm(nn.Conv2d(3, 6, 4, 2, 1)), nn.LeakyReLU(0.2),
        nn.Conv2d(6, 8, 4, 2, 1), nn.InstanceNorm2d(8, affine=True), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 4),
        nn.Sigmoid(),
    )  # fmt: skip


@model("autoencoder", x=floats("N", 1, 16, 16))
def autoencoder() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 3, 2, 1), nn.ELU(), nn.Conv2d(6, 4, 3, 2, 1), nn.ELU(),
        nn.ConvTranspose2d(4, 6, 3, 2, 1, 1), nn.ELU(), nn.ConvTranspose2d(6, 1, 2, 2), nn.Sigmoid(),
    )  # fmt: skip


class VAE(nn.Module):
    """Mean and spread of a code, and the image of the code that is `noise` away."""

    def __init__(self) -> None:
        super().__init__()
        self.encode, self.mean, self.spread = nn.Linear(64, 16), nn.Linear(16, 4), nn.Linear(16, 4)
        self.decode = nn.Sequential(nn.Linear(4, 16), nn.Softplus(), nn.Linear(16, 64), nn.Sigmoid())

    def forward(self, x, noise):
        h = F.relu(self.encode(x.flatten(1)))
        mean, log_variance = self.mean(h), self.spread(h)
        z = mean + noise * torch.exp(0.5 * log_variance)
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp(), dim=1)
        return self.decode(z).view_as(x), divergence


model("vae", x=floats("N", 1, 8, 8), noise=floats("N", 4))(VAE)


@model("super-resolution", x=floats("N", 1, "H", "W"))
def super_resolution() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.PReLU(8),
        nn.Conv2d(8, 9, 3, padding=1), nn.PixelShuffle(3),
    )  # fmt: skip


class FCN(nn.Module):
    """Scores of each place, resized to the input's size."""

    def __init__(self, mode: str, align: bool | None) -> None:
        super().__init__()
        self.trunk = nn.Sequential(conv_bn(3, 6, 3, 2), nn.Conv2d(6, 6, 3, 2, 2, dilation=2), nn.ReLU())
        self.out, self.mode, self.align = nn.Conv2d(6, 3, 1), mode, align

    def forward(self, x):
        y = self.out(self.trunk(x))
        return F.interpolate(y, size=x.shape[-2:], mode=self.mode, align_corners=self.align)


for _mode, _align in (
    ("nearest", None),
    ("bilinear", False),
    ("bilinear", True),
    ("bicubic", False),
    ("bicubic", True),
):
    _name = f"fcn-{_mode}{'-aligned' if _align else ''}"
    model(_name, x=ANY_RGB)(lambda mode=_mode, align=_align: FCN(mode, align))


class DeepLab(nn.Module):
    """Convolutions of several dilations beside the mean of all places."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = conv_bn(3, 6, 3, 2)
        self.rates = nn.ModuleList([nn.Conv2d(6, 4, 3, padding=r, dilation=r) for r in (1, 2, 3)])
        self.pool, self.out = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(6, 4, 1)), nn.Conv2d(16, 3, 1)

    def forward(self, x):
        y = self.stem(x)
        mean = F.interpolate(self.pool(y), size=y.shape[2:], mode="bilinear", align_corners=False)
        return F.interpolate(self.out(torch.cat([r(y) for r in self.rates] + [mean], 1)), scale_factor=2.0)


model("deeplab", x=ANY_RGB)(DeepLab)


class SpatialTransformer(nn.Module):
    """Turns the image by what it sees in it."""

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(1, 4, 5, 2), nn.ReLU(), nn.Flatten(), nn.Linear(144, 6))
        self.out = head(1)

    def forward(self, x):
        turn = (self.look(x) * 0.1).view(-1, 2, 3) + torch.tensor([[1.0, 0, 0], [0, 1, 0]])
        grid = F.affine_grid(turn, list(x.size()), align_corners=False)
        y = F.grid_sample(x, grid, align_corners=False, padding_mode="border")
        return y, self.out(y)


model("spatial-transformer", x=floats("N", 1, 16, 16), opset={"script": 20})(SpatialTransformer)


class CBAM(nn.Module):
    """Attention over channels, then over places."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.mlp = conv_bn(3, 8), nn.Sequential(nn.Conv2d(8, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 1))
        self.place, self.head = nn.Conv2d(2, 1, 7, padding=3), head(8)

    def forward(self, x):
        x = self.stem(x)
        x = x * torch.sigmoid(self.mlp(F.adaptive_avg_pool2d(x, 1)) + self.mlp(F.adaptive_max_pool2d(x, 1)))
        where = torch.cat([x.mean(1, keepdim=True), x.max(1, keepdim=True)[0]], 1)
        return self.head(x * torch.sigmoid(self.place(where)))


model("cbam", x=ANY_RGB)(CBAM)


class StyleTransfer(nn.Module):
    """Reflected borders, instance norms, nearest upsampling."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.ReflectionPad2d(4), nn.Conv2d(3, 6, 9), nn.InstanceNorm2d(6, affine=True), nn.ReLU(),
            nn.ReflectionPad2d(1), nn.Conv2d(6, 8, 3, 2), nn.InstanceNorm2d(8, affine=True), nn.ReLU(),
            nn.Upsample(scale_factor=2), nn.ReplicationPad2d(1), nn.Conv2d(8, 3, 3),
        )  # fmt: skip

    def forward(self, x):
        return torch.tanh(self.layers(x))


model("style-transfer", x=ANY_RGB)(StyleTransfer)
