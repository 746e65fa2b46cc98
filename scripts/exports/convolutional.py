"""Convolutions of all kinds, and norms between them."""

import torch
import torch.nn.functional as F
from torch import nn

from exports.entry import Entry, floats, image
from exports.layers import Apply, Branches, Residual, pooled_head


class GroupNormNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(4, 8),
                         nn.ReLU(), nn.Conv2d(8, 12, 3, stride=2),
                         nn.GroupNorm(3, 12), nn.SiLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(12, 5))


class GroupedBlock(nn.Module):
    """A bottleneck as in ResNeXt."""

    def __init__(self, channels, width, groups):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1, groups=groups, bias=False),
            nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, channels, 1, bias=False),
            nn.BatchNorm2d(channels))

    def forward(self, x):
        return F.relu(x + self.body(x))


class GroupedNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 16, 3), GroupedBlock(16, 24, 4),
                         GroupedBlock(16, 24, 8), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(16, 5))


def conv_pair(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1),
                         nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = conv_pair(3, 8), conv_pair(8, 12)
        self.bottom = conv_pair(12, 16)
        self.up2 = nn.ConvTranspose2d(16, 12, 2, stride=2)
        self.merge2 = conv_pair(24, 12)
        self.up1 = nn.ConvTranspose2d(12, 8, 2, stride=2)
        self.merge1 = conv_pair(16, 8)
        self.head = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        one = self.down1(x)
        two = self.down2(F.max_pool2d(one, 2))
        x = self.bottom(F.max_pool2d(two, 2))
        x = self.merge2(torch.cat((two, self.up2(x)), dim=1))
        x = self.merge1(torch.cat((one, self.up1(x)), dim=1))
        return self.head(x)


class PReluNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8, affine=True),
                         nn.PReLU(8), nn.Conv2d(8, 12, 3),
                         nn.InstanceNorm2d(12), nn.PReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(12, 5))


class DenseLayer(nn.Module):
    def __init__(self, inputs, growth):
        super().__init__()
        self.norm = nn.BatchNorm2d(inputs)
        self.conv = nn.Conv2d(inputs, growth, 3, padding=1, bias=False)

    def forward(self, x):
        return torch.cat((x, self.conv(F.relu(self.norm(x)))), dim=1)


class DenseToy(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 6, 3), DenseLayer(6, 4),
                         DenseLayer(10, 4), DenseLayer(14, 4),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(18, 5))


def shuffled(x, groups):
    batch, channels, height, width = x.shape
    x = x.view(batch, groups, channels // groups, height, width)
    return x.transpose(1, 2).reshape(batch, channels, height, width)


class ChannelShuffle(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 12, 1)
        self.second = nn.Conv2d(12, 12, 3, groups=3)
        self.third = nn.Conv2d(12, 4, 1)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.relu(self.second(shuffled(x, 3)))
        return self.third(x)


class PixelShuffleNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2),
                         nn.Conv2d(3, 4, 1))


def grouped_shuffle():
    """ShuffleNet of the first version: grouped 1x1 on both sides."""
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(),
        Residual(nn.Conv2d(12, 24, 1, groups=3), nn.BatchNorm2d(24), nn.ReLU(),
                 Apply(lambda x: shuffled(x, 3)),
                 nn.Conv2d(24, 24, 3, padding=1, groups=24),
                 nn.Conv2d(24, 12, 1, groups=3)),
        pooled_head(12))


def depthwise():
    """Depthwise, depthwise with two outputs a channel, and dilated."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU6(),
        nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Hardswish(),
        nn.Conv2d(8, 16, 3, padding=2, dilation=2, groups=8), nn.ReLU(),
        nn.Conv2d(16, 12, 1), nn.BatchNorm2d(12), nn.ReLU(), pooled_head(12))


def dilated_pyramid():
    """Branches of several dilations and one of the pooled image."""
    pooled = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 6, 1),
                           nn.ReLU())

    class Pyramid(nn.Module):
        def __init__(self):
            super().__init__()
            self.branches = nn.ModuleList(
                nn.Conv2d(8, 6, 3, padding=rate, dilation=rate)
                for rate in (1, 2, 3))
            self.pooled = pooled

        def forward(self, x):
            parts = [F.relu(branch(x)) for branch in self.branches]
            parts.append(F.interpolate(self.pooled(x), size=x.shape[2:],
                                       mode='nearest'))
            return torch.cat(parts, 1)

    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), Pyramid(),
                         nn.Conv2d(24, 10, 1), nn.ReLU(), nn.Conv2d(10, 2, 1))


def transposed():
    """Transposed convolutions, one of them grouped."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(),
        nn.ConvTranspose2d(8, 12, 4, stride=2, padding=1, groups=4), nn.ReLU(),
        nn.ConvTranspose2d(12, 6, 3, stride=2, padding=1, output_padding=1),
        nn.Tanh(), nn.Conv2d(6, 2, 3, padding=1))


def one_dimensional():
    """A network for sound: strides, groups and a pooled end."""
    return nn.Sequential(
        nn.Conv1d(2, 8, 7, stride=2, padding=3), nn.GroupNorm(1, 8), nn.GELU(),
        nn.Conv1d(8, 12, 3, padding=1, groups=4), nn.BatchNorm1d(12),
        nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(12, 10, 3, padding=1), nn.ELU(),
        nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(10, 4))


def three_dimensional():
    """A network for video or volumes, with a factorised convolution."""
    return nn.Sequential(
        nn.Conv3d(2, 6, (1, 3, 3), padding=(0, 1, 1)), nn.BatchNorm3d(6),
        nn.ReLU(), nn.Conv3d(6, 8, (3, 1, 1), padding=(1, 0, 0)), nn.ReLU(),
        nn.MaxPool3d((1, 2, 2)), nn.Conv3d(8, 8, 3, padding=1, groups=2),
        nn.InstanceNorm3d(8, affine=True), nn.ReLU(), nn.AdaptiveAvgPool3d(1),
        nn.Flatten(), nn.Linear(8, 4))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, squeezed):
        super().__init__()
        self.down = nn.Linear(channels, squeezed)
        self.up = nn.Linear(squeezed, channels)

    def forward(self, x):
        scale = self.up(F.relu(self.down(x.mean((2, 3)))))
        return x * torch.sigmoid(scale)[:, :, None, None]


def squeeze_excite():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.SiLU(),
        Residual(nn.Conv2d(12, 16, 3, padding=1), nn.BatchNorm2d(16),
                 nn.SiLU(), SqueezeExcite(16, 4), nn.Conv2d(16, 12, 1)),
        pooled_head(12))


class EfficientChannel(nn.Module):
    """Channels attend to their neighbours: a convolution along them."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 12, 3, padding=1)
        self.along = nn.Conv1d(1, 1, 3, padding=1, bias=False)
        self.head = pooled_head(12)

    def forward(self, x):
        x = F.relu(self.first(x))
        scale = self.along(x.mean((2, 3))[:, None])[:, 0]
        return self.head(x * torch.sigmoid(scale)[:, :, None, None])


class SpatialChannel(nn.Module):
    """CBAM: a scale for each channel, then one for each place."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 12, 3, padding=1)
        self.down, self.up = nn.Conv2d(12, 4, 1), nn.Conv2d(4, 12, 1)
        self.place, self.head = nn.Conv2d(2, 1, 5, padding=2), pooled_head(12)

    def squeeze(self, x):
        return self.up(F.relu(self.down(x)))

    def forward(self, x):
        x = F.relu(self.first(x))
        x = x * torch.sigmoid(self.squeeze(F.adaptive_avg_pool2d(x, 1)) +
                              self.squeeze(F.adaptive_max_pool2d(x, 1)))
        places = torch.cat((x.mean(1, True), x.amax(1, True)), 1)
        return self.head(x * torch.sigmoid(self.place(places)))


class SelectiveKernel(nn.Module):
    """Two branches, and a softmax between them for each channel."""

    def __init__(self):
        super().__init__()
        self.small = nn.Conv2d(3, 8, 3, padding=1)
        self.large = nn.Conv2d(3, 8, 5, padding=2)
        self.down, self.up = nn.Linear(8, 5), nn.Linear(5, 16)
        self.head = pooled_head(8)

    def forward(self, x):
        both = torch.stack((F.relu(self.small(x)), F.relu(self.large(x))), 1)
        middle = F.relu(self.down(both.sum(1).mean((2, 3))))
        share = self.up(middle).view(-1, 2, 8).softmax(1)
        return self.head((both * share[..., None, None]).sum(1))


class Film(nn.Module):
    """Features scaled and shifted by a second input."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.film = nn.Linear(6, 16)
        self.second, self.head = nn.Conv2d(8, 12, 3), pooled_head(12)

    def forward(self, x, condition):
        scale, shift = self.film(condition)[:, :, None, None].chunk(2, 1)
        x = F.relu(self.first(x) * (1 + scale) + shift)
        return self.head(F.relu(self.second(x)))


class AdaptiveInstanceNorm(nn.Module):
    """A generator whose norms take scales and shifts from a style."""

    def __init__(self):
        super().__init__()
        self.style = nn.Sequential(nn.Linear(6, 10), nn.LeakyReLU(0.2))
        self.affine = nn.ModuleList((nn.Linear(10, 16), nn.Linear(10, 24)))
        self.convs = nn.ModuleList((nn.Conv2d(3, 8, 3, padding=1),
                                    nn.Conv2d(8, 12, 3, padding=1)))
        self.head = nn.Conv2d(12, 3, 1)

    def forward(self, x, style):
        style = self.style(style)
        for conv, affine in zip(self.convs, self.affine):
            scale, shift = affine(style)[:, :, None, None].chunk(2, 1)
            x = F.leaky_relu(F.instance_norm(conv(x)) * scale + shift)
        return self.head(x)


def inception():
    def conv(inputs, outputs, size):
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False),
            nn.BatchNorm2d(outputs), nn.ReLU())

    def block(inputs):
        return Branches(
            conv(inputs, 4, 1),
            nn.Sequential(conv(inputs, 6, 1), conv(6, 8, 3)),
            nn.Sequential(conv(inputs, 4, 1), conv(4, 6, 5)),
            nn.Sequential(nn.MaxPool2d(3, 1, 1), conv(inputs, 2, 1)))

    return nn.Sequential(conv(3, 8, 3), block(8), block(20), pooled_head(20))


class GroupNormOverConcat(nn.Module):
    """Groups of a norm and of a convolution lie across a border."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(3, 5, 3, padding=1)
        self.two = nn.Conv2d(3, 7, 3, padding=1)
        self.norm, self.conv = (nn.GroupNorm(3, 12),
                                nn.Conv2d(12, 8, 3, groups=2))
        self.head = pooled_head(8)

    def forward(self, x):
        x = torch.cat((self.one(x), self.two(x)), 1)
        return self.head(F.relu(self.conv(F.relu(self.norm(x)))))


class CrossStage(nn.Module):
    """Halves go two ways and meet; then split where they did not meet."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 12, 3, padding=1)
        self.body = nn.Conv2d(6, 6, 3, padding=1)
        self.merge = nn.Conv2d(18, 12, 1)
        self.left, self.right = nn.Conv2d(4, 6, 1), nn.Conv2d(8, 6, 1)
        self.head = pooled_head(12)

    def forward(self, x):
        one, two = F.silu(self.first(x)).chunk(2, 1)
        three = two + F.silu(self.body(two))
        x = F.silu(self.merge(torch.cat((one, two, three), 1)))
        left, right = x[:, :4], x[:, 4:]
        return self.head(torch.cat((self.left(left), self.right(right)), 1))


class SkipElsewhere(nn.Module):
    """Two producers concatenated 8 + 4 and added to one that is 12 wide."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 8, 1), nn.Conv2d(3, 4, 1)
        self.three, self.four = nn.Conv2d(3, 4, 1), nn.Conv2d(3, 8, 1)
        self.merge, self.head = nn.Conv2d(12, 10, 3), pooled_head(10)

    def forward(self, x):
        a = torch.cat((self.one(x), self.two(x)), 1)
        b = torch.cat((self.three(x), self.four(x)), 1)
        return self.head(F.relu(self.merge(F.relu(a + b))))


class UNetAttention(nn.Module):
    """UNet of diffusion: time, GroupNorm, attention over places, skips."""

    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(4, 12), nn.SiLU(),
                                  nn.Linear(12, 8))
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.down = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(4, 16)
        self.qkv, self.proj = nn.Conv2d(16, 48, 1), nn.Conv2d(16, 16, 1)
        self.up, self.last = nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(16, 3, 1)

    def attend(self, x):
        batch, channels, height, width = x.shape
        q, k, v = self.qkv(self.norm(x)).flatten(2).chunk(3, 1)
        q, k, v = (y.reshape(batch, 2, channels // 2, height * width)
                   for y in (q, k, v))
        weights = (q.transpose(-1, -2) @ k / 3).softmax(-1)
        mixed = v @ weights.transpose(-1, -2)
        return x + self.proj(mixed.reshape(batch, channels, height, width))

    def forward(self, x, time):
        x = self.first(x) + self.time(time)[:, :, None, None]
        y = self.attend(F.silu(self.down(F.silu(x))))
        y = F.silu(self.up(F.interpolate(y, scale_factor=2.0)))
        return self.last(torch.cat((y, x), 1))


class StandardizedConv(nn.Conv2d):
    """Weights are standardised before use."""

    def forward(self, x):
        weight = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
        square = weight.pow(2).mean((1, 2, 3), keepdim=True)
        return F.conv2d(x, weight / (square + 1e-5).sqrt(), self.bias,
                        self.stride, self.padding)


def weight_standardized():
    return nn.Sequential(
        StandardizedConv(3, 8, 3), nn.GroupNorm(2, 8), nn.ReLU(),
        StandardizedConv(8, 12, 3), nn.GroupNorm(4, 12), nn.ReLU(),
        pooled_head(12))


class ChannelsLastNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm(channels)

    def forward(self, x):
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class GlobalResponse(nn.Module):
    """ConvNeXt V2's norm over places and then over channels."""

    def __init__(self, channels):
        super().__init__()
        self.gamma, self.beta = (nn.Parameter(torch.randn(1, channels, 1, 1))
                                 for _ in range(2))

    def forward(self, x):
        size = x.pow(2).sum((2, 3), keepdim=True).sqrt()
        scale = size / (size.mean(1, keepdim=True) + 1e-6)
        return self.gamma * (x * scale) + self.beta + x


def convnext_v2():
    return nn.Sequential(
        nn.Conv2d(3, 8, 2, stride=2), ChannelsLastNorm(8),
        Residual(nn.Conv2d(8, 8, 7, padding=3, groups=8), ChannelsLastNorm(8),
                 nn.Conv2d(8, 24, 1), nn.GELU(), GlobalResponse(24),
                 nn.Conv2d(24, 8, 1)),
        pooled_head(8))


class MixedKernels(nn.Module):
    """CondConv: for each image its own mixture of kernels."""

    def __init__(self, kernels=3):
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, padding=1)
        self.route = nn.Linear(6, kernels)
        self.kernels = nn.Parameter(torch.randn(kernels, 8, 6, 3, 3))
        self.head = pooled_head(8)

    def forward(self, x):
        x = F.relu(self.first(x))
        share = torch.sigmoid(self.route(x.mean((2, 3))))
        # Every image is run through every kernel: the same, and exportable.
        all_ = F.conv2d(x, self.kernels.flatten(0, 1), padding=1)
        shape = (x.shape[0], 3, 8, x.shape[2], x.shape[3])
        mixed = all_.view(shape) * share[:, :, None, None, None]
        return self.head(F.relu(mixed.sum(1)))


class Coordinates(nn.Module):
    """Places are channels of their own."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(5, 8, 3), nn.Conv2d(8, 6, 3)
        self.head = pooled_head(6)

    def forward(self, x):
        batch, _, height, width = x.shape
        rows = torch.arange(height)[:, None].expand(height, width) / 10
        columns = torch.arange(width)[None].expand(height, width) / 10
        places = torch.stack((rows, columns))[None].expand(batch, 2, height,
                                                           width)
        return self.head(F.relu(self.second(F.relu(self.first(
            torch.cat((x, places), 1))))))


class Blurred(nn.Module):
    """A fixed kernel on every channel before each stride."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 12, 3)
        self.head = pooled_head(12)
        kernel = torch.tensor([1.0, 2.0, 1.0])
        self.register_buffer('kernel', torch.outer(kernel, kernel) / 16)

    def forward(self, x):
        x = F.relu(self.first(x))
        kernel = self.kernel[None, None].expand(8, 1, 3, 3)
        x = F.conv2d(x, kernel, stride=2, groups=8)
        return self.head(F.relu(self.second(x)))


def unshuffled():
    """Pixels of a neighbourhood become channels, twice."""
    def fold(x):
        batch, channels, height, width = x.shape
        x = x.view(batch, channels, height // 2, 2, width // 2, 2)
        return x.permute(0, 1, 3, 5, 2, 4).reshape(
            batch, channels * 4, height // 2, width // 2)

    return nn.Sequential(Apply(fold), nn.Conv2d(12, 8, 3, padding=1),
                         nn.ReLU(), Apply(fold), nn.Conv2d(32, 10, 1),
                         nn.ReLU(), pooled_head(10))


class GhostModule(nn.Module):
    """Half of the channels are cheap images of the other half."""

    def __init__(self):
        super().__init__()
        self.primary = nn.Conv2d(3, 8, 1)
        self.cheap = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last, self.head = nn.Conv2d(16, 10, 1), pooled_head(10)

    def forward(self, x):
        x = F.relu(self.primary(x))
        x = torch.cat((x, F.relu(self.cheap(x))), 1)
        return self.head(F.relu(self.last(x)))


class Res2Net(nn.Module):
    """Quarters of the channels, each fed with the one before."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv2d(3, 16, 1), nn.Conv2d(16, 12, 1)
        self.convs = nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1)
                                   for _ in range(3))
        self.head = pooled_head(12)

    def forward(self, x):
        parts = F.relu(self.first(x)).split(4, 1)
        done = [parts[0]]
        for part, conv in zip(parts[1:], self.convs):
            done.append(F.relu(conv(part + done[-1])))
        return self.head(self.last(torch.cat(done, 1)))


class ShiftedChannels(nn.Module):
    """TSM: some channels come from the next frame, some from the last."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(4, 12, 1), nn.Conv1d(12, 8, 1)

    def forward(self, x):
        x = F.relu(self.first(x))
        ahead = F.pad(x[:, :3, 1:], (0, 1))
        behind = F.pad(x[:, 3:6, :-1], (1, 0))
        return self.second(torch.cat((ahead, behind, x[:, 6:]), 1))


class Pyramids(nn.Module):
    """A feature pyramid: sums from the top down, several outputs."""

    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList((nn.Conv2d(3, 8, 3, 2, 1),
                                     nn.Conv2d(8, 12, 3, 2, 1),
                                     nn.Conv2d(12, 16, 3, 2, 1)))
        self.sides = nn.ModuleList(nn.Conv2d(n, 10, 1) for n in (8, 12, 16))
        self.head = nn.Conv2d(10, 4, 3, padding=1)

    def forward(self, x):
        levels = []
        for stage, side in zip(self.stages, self.sides):
            x = F.relu(stage(x))
            levels.append(side(x))
        top, outputs = levels[-1], []
        for level in reversed(levels):
            if level is not top:
                top = level + F.interpolate(top, size=level.shape[2:])
            outputs.append(self.head(F.relu(top)))
        return tuple(outputs)


IMAGE = (image(),)
EVEN = {'height': (16, 8, 24), 'width': (16, 24, 8)}
CONDITION = (image(), floats('batch', 6, name='condition'))

MODELS = {
    'groupnorm': Entry(GroupNormNet, IMAGE),
    'grouped': Entry(GroupedNet, IMAGE),
    'unet': Entry(UNet, IMAGE, EVEN),
    'prelu': Entry(PReluNet, IMAGE),
    'dense-toy': Entry(DenseToy, IMAGE),
    'channel-shuffle': Entry(ChannelShuffle, IMAGE),
    'pixel-shuffle': Entry(PixelShuffleNet, IMAGE),
    'grouped-shuffle': Entry(grouped_shuffle, IMAGE),
    'depthwise': Entry(depthwise, IMAGE),
    'dilated-pyramid': Entry(dilated_pyramid, IMAGE),
    'transposed': Entry(transposed, IMAGE),
    'conv1d': Entry(one_dimensional, (floats('batch', 2, 'length'),),
                    {'length': (32, 20, 50)}),
    'conv3d': Entry(three_dimensional,
                    (floats('batch', 2, 'depth', 'height', 'width'),),
                    {'height': (8, 6, 10), 'width': (8, 10, 6)}),
    'squeeze-excite': Entry(squeeze_excite, IMAGE),
    'efficient-channel': Entry(EfficientChannel, IMAGE),
    'spatial-channel': Entry(SpatialChannel, IMAGE),
    'selective-kernel': Entry(SelectiveKernel, IMAGE),
    'film': Entry(Film, CONDITION),
    'adaptive-instance': Entry(AdaptiveInstanceNorm, CONDITION),
    'inception': Entry(inception, IMAGE),
    'norm-over-concat': Entry(GroupNormOverConcat, IMAGE),
    'cross-stage': Entry(CrossStage, IMAGE),
    'skip-elsewhere': Entry(SkipElsewhere, IMAGE),
    'unet-attention': Entry(UNetAttention,
                            (image(), floats('batch', 4, name='time')), EVEN),
    'weight-standardized': Entry(weight_standardized, IMAGE),
    'convnext-v2': Entry(convnext_v2, IMAGE),
    'mixed-kernels': Entry(MixedKernels, IMAGE),
    'coordinates': Entry(Coordinates, IMAGE),
    'blurred': Entry(Blurred, IMAGE),
    'unshuffled': Entry(unshuffled, IMAGE, EVEN),
    'ghost': Entry(GhostModule, IMAGE),
    'res2net': Entry(Res2Net, IMAGE),
    'shifted-channels': Entry(ShiftedChannels,
                              (floats('batch', 4, 'length'),)),
    'feature-pyramid': Entry(Pyramids, IMAGE),
}
