"""Whole architectures around attention, and some that replace it."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exports.entry import Entry, floats, ids, image, sequence, tokens
from exports.layers import (Apply, Attention, Block, Causal, Mlp, Residual,
                            join_heads, pooled_head, split_heads)


class Gpt2Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(size)
        self.c_attn = nn.Linear(size, 3 * size)
        self.c_proj = nn.Linear(size, size)
        self.ln_2 = nn.LayerNorm(size)
        self.c_fc = nn.Linear(size, 4 * size)
        self.c_out = nn.Linear(4 * size, size)

    def attend(self, x):
        batch, length, size = x.shape
        parts = self.c_attn(x).split(size, dim=2)
        q, k, v = (part.view(batch, length, self.heads, size // self.heads)
                   .transpose(1, 2) for part in parts)
        scores = q @ k.transpose(-1, -2) / math.sqrt(size // self.heads)
        keep = torch.ones(length, length).tril() > 0
        scores = scores.masked_fill(~keep, float('-inf'))
        mixed = scores.softmax(-1) @ v
        return self.c_proj(mixed.transpose(1, 2).reshape(batch, length, size))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x))))


class Gpt2(nn.Module):
    def __init__(self, size=16, words=20):
        super().__init__()
        self.wte = nn.Embedding(words, size)
        self.wpe = nn.Embedding(12, size)
        self.h = nn.ModuleList([Gpt2Block(size, 4), Gpt2Block(size, 4)])
        self.ln_f = nn.LayerNorm(size)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.h:
            x = block(x)
        return F.linear(self.ln_f(x), self.wte.weight)


class Albert(nn.Module):
    """One block, used three times; the embedding is narrower."""

    def __init__(self):
        super().__init__()
        self.embed, self.wider = nn.Embedding(20, 6), nn.Linear(6, 16)
        self.block, self.narrower = Block(Attention()), nn.Linear(16, 6)

    def forward(self, ids):
        x = self.wider(self.embed(ids))
        for _ in range(3):
            x = self.block(x)
        x = torch.tanh(self.narrower(x))
        return F.linear(x, self.embed.weight)


class Bert(nn.Module):
    """Three tables, post-norm layers, a pooler and a tied word head."""

    def __init__(self):
        super().__init__()
        self.words, self.places, self.kinds = (
            nn.Embedding(n, 16) for n in (20, 24, 2))
        self.norm = nn.LayerNorm(16)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(16, 4, 24, activation='gelu',
                                       batch_first=True) for _ in range(2))
        self.pooler, self.pair = nn.Linear(16, 16), nn.Linear(16, 2)
        self.dense, self.last = nn.Linear(16, 16), nn.LayerNorm(16)
        self.bias = nn.Parameter(torch.zeros(20))

    def forward(self, ids, kinds):
        places = self.places(torch.arange(ids.shape[1]))
        x = self.norm(self.words(ids) + places + self.kinds(kinds))
        for layer in self.layers:
            # Without the fused path of evaluation, which is not exported.
            x = layer.norm1(x + layer._sa_block(x, None, None))
            x = layer.norm2(x + layer._ff_block(x))
        words = self.last(F.gelu(self.dense(x)))
        return (F.linear(words, self.words.weight, self.bias),
                self.pair(torch.tanh(self.pooler(x[:, 0]))))


class EncoderDecoder(nn.Module):
    """Both sides with cross attention; the table of words is shared."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 16)
        self.encoder = nn.Sequential(Block(Attention()), nn.LayerNorm(16))
        self.self_, self.cross = Causal(), Attention()
        self.norms = nn.ModuleList(nn.LayerNorm(16) for _ in range(4))
        self.mlp = Mlp()

    def forward(self, source, target):
        memory = self.encoder(self.words(source))
        x = self.words(target) * 4
        x = x + self.self_(self.norms[0](x))
        x = x + self.cross(self.norms[1](x), memory)
        x = x + self.mlp(self.norms[2](x))
        return F.linear(self.norms[3](x), self.words.weight)


class Detector(nn.Module):
    """DETR: an image, a table of queries, boxes and classes."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8),
                                  nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1))
        self.rows, self.columns = (nn.Parameter(torch.randn(10, 8))
                                   for _ in range(2))
        self.encoder = Block(Attention())
        self.queries = nn.Embedding(6, 16)
        self.self_, self.cross, self.mlp = Attention(), Attention(), Mlp()
        self.norms = nn.ModuleList(nn.LayerNorm(16) for _ in range(3))
        self.classes, self.boxes = nn.Linear(16, 4), nn.Linear(16, 4)

    def places(self, height, width):
        rows = self.rows[:height, None].expand(height, width, 8)
        columns = self.columns[None, :width].expand(height, width, 8)
        return torch.cat((columns, rows), -1).flatten(0, 1)

    def forward(self, x):
        x = F.relu(self.body(x))
        places = self.places(x.shape[2], x.shape[3])
        memory = self.encoder(x.flatten(2).transpose(1, 2) + places)
        x = self.queries.weight[None].expand(x.shape[0], 6, 16)
        x = self.norms[0](x + self.self_(x))
        x = self.norms[1](x + self.cross(x, memory))
        x = self.norms[2](x + self.mlp(x))
        return self.classes(x), torch.sigmoid(self.boxes(x))


class Perceiver(nn.Module):
    """Latents read the input; a second table of queries reads them."""

    def __init__(self):
        super().__init__()
        self.into = nn.Linear(6, 16)
        self.latents, self.queries = (nn.Parameter(torch.randn(n, 16))
                                      for n in (5, 3))
        self.read, self.write = Attention(), Attention()
        self.block, self.head = Block(Attention()), nn.Linear(16, 4)

    def forward(self, x):
        batch = x.shape[0]
        latents = self.latents[None].expand(batch, 5, 16)
        latents = self.block(latents + self.read(latents, self.into(x)))
        queries = self.queries[None].expand(batch, 3, 16)
        return self.head(self.write(queries, latents))


class MixerLayer(nn.Module):
    def __init__(self, places, size):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.places, self.channels = Mlp(places, 12), Mlp(size, 24)

    def forward(self, x):
        y = self.places(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + y
        return x + self.channels(self.norm2(x))


def mixer():
    """Places are a hidden axis too, which a pooled head leaves free."""
    return nn.Sequential(
        nn.Conv2d(3, 16, 4, stride=4), nn.Flatten(2),
        Apply(lambda x: x.transpose(1, 2)), MixerLayer(16, 16),
        MixerLayer(16, 16), nn.LayerNorm(16), Apply(lambda x: x.mean(1)),
        nn.Linear(16, 5))


class GatedMlp(nn.Module):
    """gMLP: half of the channels gates the other, mixed along places."""

    def __init__(self):
        super().__init__()
        self.into, self.out = nn.Linear(6, 24), nn.Linear(12, 4)
        self.norm, self.mixing = nn.LayerNorm(12), nn.Linear(7, 7)

    def forward(self, x):
        value, gate = F.gelu(self.into(x)).chunk(2, -1)
        gate = self.mixing(self.norm(gate).transpose(1, 2)).transpose(1, 2)
        return self.out(value * gate)


class Conformer(nn.Module):
    """Half steps, attention and a gated depthwise convolution."""

    def __init__(self):
        super().__init__()
        self.front = nn.Conv2d(1, 4, 3, stride=2, padding=1)
        self.into = nn.Linear(4 * 4, 16)
        self.half1, self.half2 = Mlp(), Mlp()
        self.attention = Attention()
        self.norms = nn.ModuleList(nn.LayerNorm(16) for _ in range(5))
        self.pointwise = nn.Conv1d(16, 32, 1)
        self.depthwise = nn.Conv1d(16, 16, 3, padding=1, groups=16)
        self.batch_norm = nn.BatchNorm1d(16)
        self.last, self.head = nn.Conv1d(16, 16, 1), nn.Linear(16, 6)

    def convolve(self, x):
        x = F.glu(self.pointwise(x.transpose(1, 2)), dim=1)
        x = F.silu(self.batch_norm(self.depthwise(x)))
        return self.last(x).transpose(1, 2)

    def forward(self, x):
        x = F.relu(self.front(x[:, None])).transpose(1, 2).flatten(2)
        x = self.into(x)
        x = x + self.half1(self.norms[0](x)) / 2
        x = x + self.attention(self.norms[1](x))
        x = x + self.convolve(self.norms[2](x))
        x = x + self.half2(self.norms[3](x)) / 2
        return self.head(self.norms[4](x)).log_softmax(-1)


class AdaptiveNormBlock(nn.Module):
    """DiT: scales, shifts and gates of a block from a condition."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(16, elementwise_affine=False)
        self.attention, self.mlp = Attention(), Mlp()
        self.modulation = nn.Linear(6, 6 * 16)

    def forward(self, x, condition):
        parts = self.modulation(F.silu(condition))[:, None].chunk(6, -1)
        shift1, scale1, gate1, shift2, scale2, gate2 = parts
        y = self.norm(x) * (1 + scale1) + shift1
        x = x + gate1 * self.attention(y)
        y = self.norm(x) * (1 + scale2) + shift2
        return x + gate2 * self.mlp(y)


class DiffusionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out = nn.Linear(5, 16), nn.Linear(16, 5)
        self.blocks = nn.ModuleList(AdaptiveNormBlock() for _ in range(2))

    def forward(self, x, condition):
        x = self.into(x)
        for block in self.blocks:
            x = block(x, condition)
        return self.out(x)


class TwoTowers(nn.Module):
    """CLIP: images and texts, normalised, and their products."""

    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(),
                                   pooled_head(8, 10))
        self.words, self.block = nn.Embedding(20, 16), Block(Causal())
        self.text = nn.Linear(16, 10, bias=False)
        self.scale = nn.Parameter(torch.tensor(1.3))

    def forward(self, image, ids):
        image = self.image(image)
        text = self.text(self.block(self.words(ids)).amax(1))
        image = image / image.norm(dim=-1, keepdim=True)
        text = text / text.norm(dim=-1, keepdim=True)
        return self.scale.exp() * image @ text.t()


class FourierMixing(nn.Module):
    """A fixed transform along places and along channels, as in FNet."""

    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Embedding(20, 16), nn.LayerNorm(16)
        self.mlp, self.head = Mlp(), nn.Linear(16, 20)
        grid = torch.arange(16).float()
        self.register_buffer('cosines', torch.cos(
            grid[:, None] * grid[None] * (2 * math.pi / 16)))

    def forward(self, ids):
        x = self.embed(ids)
        x = self.norm(x + x @ self.cosines)
        return self.head(x + self.mlp(x))


class TokenShift(nn.Module):
    """RWKV's channel mixing: a share of the place before."""

    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Embedding(20, 16), nn.LayerNorm(16)
        self.share_k, self.share_r = (nn.Parameter(torch.rand(1, 1, 16))
                                      for _ in range(2))
        self.key, self.value = nn.Linear(16, 24), nn.Linear(24, 16)
        self.gate, self.head = nn.Linear(16, 16), nn.Linear(16, 20)

    def forward(self, ids):
        x = self.embed(ids)
        y = self.norm(x)
        last = F.pad(y, (0, 0, 1, 0))[:, :-1]
        k = y * self.share_k + last * (1 - self.share_k)
        r = y * self.share_r + last * (1 - self.share_r)
        k = torch.relu(self.key(k)) ** 2
        return self.head(x + torch.sigmoid(self.gate(r)) * self.value(k))


class Retention(nn.Module):
    """Decays with distance, for each head its own, and a group norm."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(20, 16), nn.Linear(16, 20)
        self.q, self.k, self.v, self.g, self.o = (
            nn.Linear(16, 16, bias=False) for _ in range(5))
        self.norm = nn.GroupNorm(4, 16)
        self.decay = nn.Parameter(torch.rand(4, 1, 1))

    def forward(self, ids):
        x = self.embed(ids)
        q, k, v = (split_heads(y(x), 4) for y in (self.q, self.k, self.v))
        apart = (torch.arange(x.shape[1])[:, None] -
                 torch.arange(x.shape[1])[None])
        decay = torch.sigmoid(self.decay) ** apart.clamp(min=0).float()
        mixed = (q @ k.transpose(-1, -2) * decay * (apart >= 0).float()) @ v
        mixed = join_heads(mixed)
        batch, length, size = mixed.shape
        mixed = self.norm(mixed.reshape(-1, size, 1))
        mixed = mixed.reshape(batch, length, size)
        return self.head(x + self.o(mixed * F.silu(self.g(x))))


class GraphNetwork(nn.Module):
    """Nodes send messages along a given adjacency; attention to neighbours."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(6, 12), nn.Linear(12, 8)
        self.left, self.right = nn.Linear(12, 1), nn.Linear(12, 1)
        self.head = nn.Linear(8, 3)

    def forward(self, x, edges):
        x = torch.relu(edges @ self.one(x))
        scores = self.left(x) + self.right(x).transpose(-1, -2)
        share = F.leaky_relu(scores, 0.2).softmax(-1)
        return self.head(torch.relu(share @ self.two(x)))


class ClickModel(nn.Module):
    """Tables for each field, factorisation machine and a deep part."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, 6) for n in (9, 7, 5))
        self.first = nn.ModuleList(nn.Embedding(n, 1) for n in (9, 7, 5))
        self.deep = nn.Sequential(nn.Linear(18, 12), nn.ReLU(),
                                  nn.Linear(12, 1))

    def forward(self, fields):
        x = torch.stack([t(fields[:, i]) for i, t in enumerate(self.tables)],
                        1)
        pairs = (x.sum(1) ** 2 - (x ** 2).sum(1)).sum(-1, keepdim=True) / 2
        once = sum(t(fields[:, i]) for i, t in enumerate(self.first))
        return torch.sigmoid(pairs + once + self.deep(x.flatten(1)))


class CrossNetwork(nn.Module):
    """x0 * (W x) + x, as in DCN V2, beside a projection of pairs."""

    def __init__(self):
        super().__init__()
        self.into = nn.Linear(6, 10)
        self.crosses = nn.ModuleList(nn.Linear(10, 10) for _ in range(2))
        self.head = nn.Linear(10, 2)

    def forward(self, x):
        first = x = self.into(x)
        for cross in self.crosses:
            x = first * cross(x) + x
        return self.head(x)


def deep_norm_stack():
    """Scaled residuals: a learned gain for each channel and block."""
    class Scaled(Residual):
        def __init__(self):
            super().__init__(nn.LayerNorm(16), Mlp())
            self.gain = nn.Parameter(torch.full((16,), 1e-5))

        def forward(self, x):
            return x + self.gain * self.body(x)

    return nn.Sequential(nn.Embedding(20, 16), Scaled(), Scaled(),
                         nn.Linear(16, 20))


TOKENS = (tokens(),)

MODELS = {
    'gpt2': Entry(Gpt2, TOKENS, opset=14, reason='Trilu'),
    'albert': Entry(Albert, TOKENS),
    'bert': Entry(Bert, (ids(20, 'batch', 'length', name='ids'),
                         ids(2, 'batch', 'length', name='kinds'))),
    'encoder-decoder': Entry(EncoderDecoder, (
        ids(20, 'batch', 'length', name='source'),
        ids(20, 'batch', 'other', name='target'))),
    'detector': Entry(Detector, (image(),)),
    'perceiver': Entry(Perceiver, (sequence(6),)),
    'mixer': Entry(mixer, (floats('batch', 3, 16, 16),)),
    'gated-mlp': Entry(GatedMlp, (floats('batch', 7, 6),)),
    'conformer': Entry(Conformer, (floats('batch', 'length', 8),),
                       {'length': (12, 9, 17)}),
    'diffusion-transformer': Entry(DiffusionTransformer, (
        sequence(5), floats('batch', 6, name='condition'))),
    'two-towers': Entry(TwoTowers, (
        floats('batch', 3, 'height', 'width', name='image'),
        ids(20, 'other', 'length', name='ids'))),
    'fourier-mixing': Entry(FourierMixing, TOKENS),
    'token-shift': Entry(TokenShift, TOKENS),
    'retention': Entry(Retention, TOKENS, opset=12, reason='Clip of integers'),
    'graph-network': Entry(GraphNetwork, (
        sequence(6), floats('batch', 'length', 'length', name='edges'))),
    'click-model': Entry(ClickModel, (ids(5, 'batch', 3),)),
    'cross-network': Entry(CrossNetwork, (floats('batch', 6),)),
    'layer-scale': Entry(deep_norm_stack, TOKENS),
}
