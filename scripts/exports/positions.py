"""How attention knows places: rotations, slopes and learned differences."""

import math

import torch
from torch import nn

from exports.entry import Entry, tokens
from exports.layers import (Attention, Causal, RmsNorm, SwiGlu,
                            language_model)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rotate_pairs(x):
    """Neighbours rotate: (0, 1), (2, 3), ..."""
    return torch.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)


class RotaryAttention(nn.Module):
    """Grouped queries and rotary positions, as in Llama."""

    def __init__(self, size, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.dim = size // heads
        self.q_proj = nn.Linear(size, heads * self.dim, bias=False)
        self.k_proj = nn.Linear(size, kv_heads * self.dim, bias=False)
        self.v_proj = nn.Linear(size, kv_heads * self.dim, bias=False)
        self.o_proj = nn.Linear(heads * self.dim, size, bias=False)
        powers = torch.arange(0, self.dim, 2).float() / self.dim
        self.register_buffer('inv_freq', 1 / 10000 ** powers)

    def split(self, x, heads):
        batch, length, _ = x.shape
        return x.view(batch, length, heads, self.dim).transpose(1, 2)

    def repeat(self, x):
        batch, _, length, dim = x.shape
        x = x[:, :, None].expand(batch, self.kv_heads,
                                 self.heads // self.kv_heads, length, dim)
        return x.reshape(batch, self.heads, length, dim)

    def forward(self, x):
        batch, length, size = x.shape
        q = self.split(self.q_proj(x), self.heads)
        k = self.split(self.k_proj(x), self.kv_heads)
        v = self.split(self.v_proj(x), self.kv_heads)
        angles = torch.outer(torch.arange(length).float(), self.inv_freq)
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos(), angles.sin()
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k, v = self.repeat(k), self.repeat(v)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.dim)
        mask = torch.full((length, length), float('-inf')).triu(1)
        mixed = torch.softmax(scores + mask, dim=-1) @ v
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, length, size))


class DecoderLayer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.input_layernorm = RmsNorm(size)
        self.self_attn = RotaryAttention(size, 4, 2)
        self.post_attention_layernorm = RmsNorm(size)
        self.mlp = SwiGlu(size, 24)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, size=16, words=20):
        super().__init__()
        self.embed_tokens = nn.Embedding(words, size)
        self.layers = nn.ModuleList([DecoderLayer(size), DecoderLayer(size)])
        self.norm = RmsNorm(size)
        self.lm_head = nn.Linear(size, words, bias=False)

    def forward(self, ids):
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))


def frequencies(dim):
    return 1 / 100 ** (torch.arange(0, dim, 2).float() / dim)


class Rotary(Causal):
    """Queries and keys rotate by their places."""

    def __init__(self, size=32, heads=4, turning=8):
        super().__init__(size, heads)
        self.turning = turning
        self.register_buffer('inv_freq', frequencies(turning))

    def angles(self, length):
        return torch.arange(length).float()[:, None] * self.inv_freq

    def turned(self, x):
        angles = self.angles(x.shape[2])
        angles = torch.cat((angles, angles), -1)
        return x * angles.cos() + rotate_half(x) * angles.sin()

    def project(self, x, context):
        q, k, v = super().project(x, context)
        return self.turned(q), self.turned(k), v


class InterleavedRotary(Rotary):
    """As in GPT-J: neighbours are a pair."""

    def turned(self, x):
        angles = self.angles(x.shape[2])
        angles = torch.stack((angles, angles), -1).reshape(-1, self.turning)
        return x * angles.cos() + rotate_pairs(x) * angles.sin()


class SlicedRotary(Rotary):
    """Even and odd numbers rotated apart, and put together again."""

    def turned(self, x):
        angles = self.angles(x.shape[2])
        cos, sin = angles.cos(), angles.sin()
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack((even * cos - odd * sin, odd * cos + even * sin),
                           -1).flatten(-2)


class HalvedRotary(Rotary):
    """Even numbers first afterwards: a rotation that does not go back."""

    def turned(self, x):
        angles = self.angles(x.shape[2])
        cos, sin = angles.cos(), angles.sin()
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.cat((even * cos - odd * sin, odd * cos + even * sin), -1)


class PartialRotary(Rotary):
    """Half of each head rotates, as in GPT-NeoX."""

    def __init__(self):
        super().__init__(turning=4)

    def turned(self, x):
        fixed = x[..., self.turning:]
        return torch.cat((super().turned(x[..., :self.turning]), fixed), -1)


class TableRotary(Rotary):
    """Cosines and sines from tables cut to the length."""

    def __init__(self):
        super().__init__()
        angles = torch.arange(32).float()[:, None] * self.inv_freq
        angles = torch.cat((angles, angles), -1)
        self.register_buffer('cos_cached', angles.cos()[None, None])
        self.register_buffer('sin_cached', angles.sin()[None, None])

    def turned(self, x):
        length = x.shape[2]
        return (x * self.cos_cached[:, :, :length] +
                rotate_half(x) * self.sin_cached[:, :, :length])


class NamelessTableRotary(TableRotary):
    """The same under names that say nothing."""

    def __init__(self):
        super().__init__()
        self.register_buffer('t1', self.cos_cached)
        self.register_buffer('t2', self.sin_cached)
        del self.cos_cached, self.sin_cached

    def turned(self, x):
        length = x.shape[2]
        return (x * self.t1[:, :, :length] +
                rotate_half(x) * self.t2[:, :, :length])


class LearnedRotary(Rotary):
    """Frequencies are trained, for each head its own."""

    def __init__(self):
        super().__init__()
        self.rates = nn.Parameter(torch.rand(4, 1, 4))

    def angles(self, length):
        return torch.arange(length).float()[:, None] * self.rates


class Alibi(Causal):
    """A slope for each head; the slopes are fixed."""

    def __init__(self):
        super().__init__()
        slopes = torch.tensor([2.0 ** -(2 * i + 2) for i in range(4)])
        self.register_buffer('slopes', slopes.view(4, 1, 1))

    def score(self, q, k):
        distance = (torch.arange(k.shape[2])[None] -
                    torch.arange(q.shape[2])[:, None])
        return super().score(q, k) + self.slopes * distance


class LearnedSlopes(Alibi):
    def __init__(self):
        super().__init__()
        del self.slopes
        self.slopes = nn.Parameter(torch.rand(4, 1, 1))


class Buckets(Attention):
    """A learned number for each head and distance, as in T5."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(12, 4)

    def bucket(self, distance):
        """Near distances one by one, far ones by their logarithm."""
        size = distance.abs()
        far = 3 + (size.clamp(min=1).float() / 3).log().mul(2).long()
        near = torch.where(size < 3, size, far.clamp(max=5))
        return near + 6 * (distance > 0).long()

    def score(self, q, k):
        distance = (torch.arange(k.shape[2])[None] -
                    torch.arange(q.shape[2])[:, None])
        bias = self.bias(self.bucket(distance)).permute(2, 0, 1)
        return super().score(q, k) + bias


class RelativeKeys(Attention):
    """A learned vector for each distance meets the queries, cut at 4."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(9, 4))

    def score(self, q, k):
        distance = (torch.arange(k.shape[2])[None] -
                    torch.arange(q.shape[2])[:, None]).clamp(-4, 4) + 4
        near = torch.einsum('bhqd,qkd->bhqk', q, self.table[distance])
        return super().score(q, k) + near


class Disentangled(Attention):
    """Content to place and place to content, as in DeBERTa."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(9, 16))

    def places(self, layer):
        return layer(self.table).view(9, 4, 4).transpose(0, 1)

    def score(self, q, k):
        distance = (torch.arange(k.shape[2])[None] -
                    torch.arange(q.shape[2])[:, None]).clamp(-4, 4) + 4
        shape = (q.shape[0], 4, q.shape[2], k.shape[2])
        index = distance[None, None].expand(shape)
        to_place = q @ self.places(self.k_proj).transpose(-1, -2)
        to_content = k @ self.places(self.q_proj).transpose(-1, -2)
        return (super().score(q, k) + to_place.gather(-1, index) +
                to_content.gather(-1, index.transpose(-1, -2)).transpose(
                    -1, -2))


class ShiftedRelative(Attention):
    """Transformer-XL: distances by padding and cutting, with two biases."""

    def __init__(self):
        super().__init__()
        self.u, self.v = (nn.Parameter(torch.randn(4, 1, 4))
                          for _ in range(2))
        self.place = nn.Linear(16, 16, bias=False)

    def table(self, length):
        turns = torch.arange(length - 1, -1, -1).float()[:, None]
        angles = turns * frequencies(16)
        return torch.cat((angles.sin(), angles.cos()), -1)

    def shift(self, x):
        batch, heads, rows, columns = x.shape
        x = torch.cat((x.new_zeros(batch, heads, rows, 1), x), -1)
        x = x.view(batch, heads, columns + 1, rows)
        return x[:, :, 1:].reshape(batch, heads, rows, columns)

    def score(self, q, k):
        length = k.shape[2]
        places = self.place(self.table(length)).view(length, 4, 4)
        near = (q + self.v) @ places.permute(1, 2, 0)
        return super().score(q + self.u, k) + self.shift(near)


TOKENS = (tokens(),)


def model_of(attention, size=16, **options):
    def build():
        model = language_model(attention, size=size)()
        if size != 16:
            model.embed = nn.Embedding(20, size)
            model.norm, model.head = nn.LayerNorm(size), nn.Linear(size, 20)
        return model
    return Entry(build, TOKENS, **options)


CLIP = {'opset': 12, 'reason': 'Clip of integers'}

MODELS = {
    'decoder': Entry(Decoder, TOKENS, opset=14, reason='Trilu'),
    'rotary-half': model_of(Rotary, 32),
    'rotary-interleaved': model_of(InterleavedRotary, 32),
    'rotary-sliced': model_of(SlicedRotary, 32),
    'rotary-halved': model_of(HalvedRotary, 32),
    'rotary-partial': model_of(PartialRotary, 32),
    'rotary-table': model_of(TableRotary, 32),
    'rotary-nameless-table': model_of(NamelessTableRotary, 32),
    'rotary-learned': model_of(LearnedRotary, 32),
    'alibi': model_of(Alibi),
    'learned-slopes': model_of(LearnedSlopes),
    'relative-buckets': model_of(Buckets, **CLIP),
    'relative-keys': model_of(RelativeKeys, **CLIP),
    'disentangled': model_of(Disentangled, **CLIP),
    'relative-shifted': model_of(ShiftedRelative),
}
