"""Pieces that models of several kinds are made of."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Branches(nn.Module):
    """Several modules on one input, their outputs concatenated."""

    def __init__(self, *branches, dim=1):
        super().__init__()
        self.branches = nn.ModuleList(branches)
        self.dim = dim

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], self.dim)


class Residual(nn.Module):
    def __init__(self, *body):
        super().__init__()
        self.body = nn.Sequential(*body)

    def forward(self, x):
        return x + self.body(x)


class Apply(nn.Module):
    """A function as a layer."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def pooled_head(channels, classes=5):
    """From images of any size to classes."""
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(channels, classes))


class RmsNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * (x * scale)


class SwiGlu(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.gate_proj = nn.Linear(size, hidden, bias=False)
        self.up_proj = nn.Linear(size, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


def split_heads(x, heads):
    """[batch, length, heads * dim] to [batch, heads, length, dim]."""
    batch, length, size = x.shape
    return x.reshape(batch, length, heads, size // heads).transpose(1, 2)


def join_heads(x):
    batch, heads, length, dim = x.shape
    return x.transpose(1, 2).reshape(batch, length, heads * dim)


def before(queries, keys):
    """Which keys a query may see: those before it, and its own."""
    return torch.arange(keys)[None] <= torch.arange(queries)[:, None]


def causal(scores):
    keep = before(scores.shape[-2], scores.shape[-1])
    return scores.masked_fill(~keep, float('-inf'))


class Attention(nn.Module):
    """Heads side by side; kinds of attention change a part of it."""

    def __init__(self, size=16, heads=4, kv_heads=None, bias=True):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads or heads
        self.dim = size // heads
        self.q_proj = nn.Linear(size, size, bias=bias)
        self.k_proj = nn.Linear(size, self.kv_heads * self.dim, bias=bias)
        self.v_proj = nn.Linear(size, self.kv_heads * self.dim, bias=bias)
        self.o_proj = nn.Linear(size, size, bias=bias)

    def project(self, x, context):
        return (split_heads(self.q_proj(x), self.heads),
                split_heads(self.k_proj(context), self.kv_heads),
                split_heads(self.v_proj(context), self.kv_heads))

    def score(self, q, k):
        return q @ k.transpose(-1, -2) / math.sqrt(self.dim)

    def mix(self, q, k, v):
        return self.score(q, k).softmax(-1) @ v

    def forward(self, x, context=None):
        q, k, v = self.project(x, x if context is None else context)
        return self.o_proj(join_heads(self.mix(q, k, v)))


class Causal(Attention):
    def score(self, q, k):
        return causal(super().score(q, k))


class Mlp(nn.Sequential):
    def __init__(self, size=16, hidden=24):
        super().__init__(nn.Linear(size, hidden), nn.GELU(),
                         nn.Linear(hidden, size))


class Block(nn.Module):
    """Norms before attention and before what follows it."""

    def __init__(self, attention, size=16, norm=nn.LayerNorm, mlp=None):
        super().__init__()
        self.norm1, self.norm2 = norm(size), norm(size)
        self.attention = attention
        self.mlp = mlp or Mlp(size)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Module):
    """Tokens in, a number for each word out."""

    def __init__(self, *blocks, size=16, words=20, norm=nn.LayerNorm):
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.blocks = nn.Sequential(*blocks)
        self.norm = norm(size)
        self.head = nn.Linear(size, words, bias=False)

    def positioned(self, x):
        return x

    def forward(self, ids):
        x = self.positioned(self.embed(ids))
        return self.head(self.norm(self.blocks(x)))


def language_model(attention, layers=2, **options):
    """How to build a model of blocks with one kind of attention."""
    return lambda: LanguageModel(*(Block(attention(), **options)
                                   for _ in range(layers)))
