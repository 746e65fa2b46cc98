"""Autoencoders, generators and flows."""

import torch
import torch.nn.functional as F
from torch import nn

from exports.entry import Entry, floats, image
from exports.layers import Apply


class VariationalAutoencoder(nn.Module):
    """Mean and variance come out of one layer; the noise is an input."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(),
                                     nn.Linear(16, 8))
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU(),
                                     nn.Linear(16, 6))

    def forward(self, x, noise):
        mean, log_variance = self.encoder(x).chunk(2, -1)
        latent = mean + noise * torch.exp(log_variance / 2)
        return torch.sigmoid(self.decoder(latent)), mean, log_variance


def generator():
    """DCGAN: from a vector to an image."""
    return nn.Sequential(
        nn.Linear(6, 16 * 4 * 4), nn.ReLU(),
        Apply(lambda x: x.view(-1, 16, 4, 4)), nn.BatchNorm2d(16),
        nn.ConvTranspose2d(16, 8, 4, 2, 1, bias=False),
        nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 3, 4, 2, 1),
        nn.Tanh())


class StyleGenerator(nn.Module):
    """StyleGAN 2: a learned constant, modulated and demodulated kernels."""

    def __init__(self):
        super().__init__()
        self.mapping = nn.Sequential(nn.Linear(6, 10), nn.LeakyReLU(0.2))
        self.constant = nn.Parameter(torch.randn(1, 8, 4, 4))
        self.style = nn.Linear(10, 8)
        self.weight = nn.Parameter(torch.randn(12, 8, 3, 3))
        self.noise = nn.Parameter(torch.randn(1, 1, 4, 4))
        self.to_rgb = nn.Conv2d(12, 3, 1)

    def forward(self, latent):
        style = self.style(self.mapping(latent)) + 1
        x = self.constant * style[:, :, None, None]
        x = F.conv2d(x, self.weight, padding=1)
        # The norm of each modulated kernel.
        square = torch.einsum('oikl,bi->bo', self.weight ** 2, style ** 2)
        x = x * torch.rsqrt(square + 1e-8)[:, :, None, None] + self.noise
        return self.to_rgb(F.leaky_relu(x, 0.2))


class CouplingFlow(nn.Module):
    """RealNVP: halves change each other, with a reversal between."""

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList(
            nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 6))
            for _ in range(3))

    def forward(self, x):
        total = torch.zeros_like(x[:, 0])
        for step in self.steps:
            one, two = x.chunk(2, -1)
            scale, shift = step(one).chunk(2, -1)
            x = torch.cat((two * torch.exp(scale) + shift, one), -1)
            total = total + scale.sum(-1)
        return x, total


class VectorQuantized(nn.Module):
    """The nearest of learned codes goes on."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv2d(3, 6, 4, stride=2, padding=1)
        self.codes = nn.Parameter(torch.randn(10, 6))
        self.decoder = nn.ConvTranspose2d(6, 3, 4, stride=2, padding=1)

    def forward(self, x):
        x = self.encoder(x).permute(0, 2, 3, 1)
        near = (x[..., None, :] - self.codes).pow(2).sum(-1).argmin(-1)
        return self.decoder(F.embedding(near, self.codes).permute(0, 3, 1, 2))


class MaskedDense(nn.Linear):
    def __init__(self, inputs, outputs, mask):
        super().__init__(inputs, outputs)
        self.register_buffer('mask', mask.float())

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


def autoregressive():
    """MADE: masks let each output see the inputs before it alone."""
    inputs, hidden = torch.arange(6), torch.arange(16) % 5
    return nn.Sequential(
        MaskedDense(6, 16, hidden[:, None] >= inputs[None]), nn.ReLU(),
        MaskedDense(16, 16, hidden[:, None] >= hidden[None]), nn.ReLU(),
        MaskedDense(16, 6, inputs[:, None] > hidden[None]))


def convolutional_autoencoder():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(8, 12, 3, stride=2, padding=1), nn.ReLU(),
        nn.Upsample(scale_factor=2), nn.Conv2d(12, 8, 3, padding=1), nn.ReLU(),
        nn.Upsample(scale_factor=2, mode='bilinear', align_corners=False),
        nn.Conv2d(8, 3, 3, padding=1), Apply(torch.sigmoid))


class WaveNet(nn.Module):
    """Gated dilated convolutions with skips; the past alone is seen."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(2, 8, 1)
        self.gates = nn.ModuleList(nn.Conv1d(8, 20, 2, dilation=2 ** i)
                                   for i in range(3))
        self.outs = nn.ModuleList(nn.Conv1d(10, 8 + 6, 1) for _ in range(3))
        self.head = nn.Conv1d(6, 4, 1)

    def forward(self, x):
        x, skips = self.first(x), 0
        for i, (gate, out) in enumerate(zip(self.gates, self.outs)):
            signal, open_ = gate(F.pad(x, (2 ** i, 0))).chunk(2, 1)
            y = out(torch.tanh(signal) * torch.sigmoid(open_))
            x, skips = x + y[:, :8], skips + y[:, 8:]
        return self.head(F.relu(skips))


VECTOR = (floats('batch', 6),)
EVEN = {'height': (16, 8, 24), 'width': (16, 24, 8)}

MODELS = {
    'vae': Entry(VariationalAutoencoder,
                 VECTOR + (floats('batch', 4, name='noise'),)),
    'generator': Entry(generator, VECTOR),
    'style-generator': Entry(StyleGenerator, VECTOR, opset=12,
                             reason='Einsum'),
    'coupling-flow': Entry(CouplingFlow, VECTOR),
    'vector-quantized': Entry(VectorQuantized, (image(),), EVEN),
    'autoregressive': Entry(autoregressive, VECTOR),
    'conv-autoencoder': Entry(convolutional_autoencoder, (image(),), EVEN),
    'wavenet': Entry(WaveNet, (floats('batch', 2, 'length'),)),
}
