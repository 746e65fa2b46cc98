"""Kinds of attention that differ in how heads and their parts are laid out."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exports.entry import Entry, floats, sequence, tokens
from exports.layers import (Attention, Block, Causal, RmsNorm, SwiGlu, causal,
                            join_heads, language_model, split_heads)


class AttentionBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(16, 24), nn.GELU(),
                                 nn.Linear(24, 16))

    def forward(self, x):
        y = self.norm(x)
        # The weights are asked for to stay off the fused fast path.
        x = x + self.attention(y, y, y, need_weights=True)[0]
        return x + self.mlp(x)


class EinsumAttention(nn.Module):
    def __init__(self, size=16, heads=4):
        super().__init__()
        shape = (size, heads, size // heads)
        self.wq, self.wk, self.wv = (nn.Parameter(torch.randn(shape))
                                     for _ in range(3))
        self.wo = nn.Parameter(torch.randn(heads, size // heads, size))

    def forward(self, x):
        q = torch.einsum('bld,dhk->blhk', x, self.wq)
        k = torch.einsum('bld,dhk->blhk', x, self.wk)
        v = torch.einsum('bld,dhk->blhk', x, self.wv)
        scores = torch.einsum('blhk,bmhk->bhlm', q, k).softmax(-1)
        mixed = torch.einsum('bhlm,bmhk->blhk', scores, v)
        return torch.einsum('blhk,hkd->bld', mixed, self.wo)


class Fused(Causal):
    """Queries, keys and values in one layer, block after block."""

    def __init__(self, size=16, heads=4):
        super().__init__(size, heads)
        self.q_proj = self.k_proj = self.v_proj = None
        self.qkv = nn.Linear(size, 3 * size)

    def project(self, x, context):
        return (split_heads(part, self.heads)
                for part in self.qkv(x).chunk(3, -1))


class FusedByHead(Fused):
    """Head by head its query, key and value, as in GPT-NeoX and BLOOM."""

    def project(self, x, context):
        return split_heads(self.qkv(x), self.heads).chunk(3, -1)


class FusedThenHeads(Fused):
    """[length, 3, heads, dim] permuted and unbound, as in vision models."""

    def project(self, x, context):
        batch, length, size = x.shape
        shape = (batch, length, 3, self.heads, self.dim)
        return self.qkv(x).reshape(shape).permute(2, 0, 3, 1, 4).unbind(0)


class FusedTranspose(Fused):
    """Each number of a head with its query, key and value side by side."""

    def project(self, x, context):
        batch, length, size = x.shape
        parts = self.qkv(x).reshape(batch, length, self.heads, self.dim, 3)
        return (parts[..., i].transpose(1, 2) for i in range(3))


class GroupedQuery(Causal):
    """Several query heads share a key head, by a fifth axis."""

    def mix(self, q, k, v):
        batch, heads, length, dim = q.shape
        q = q.reshape(batch, self.kv_heads, heads // self.kv_heads, length,
                      dim)
        mixed = self.score(q, k[:, :, None]).softmax(-1) @ v[:, :, None]
        return mixed.reshape(batch, heads, length, dim)


class RepeatedQuery(Causal):
    """The same with keys and values looked up for each query head."""

    def mix(self, q, k, v):
        shared = [i * self.kv_heads // self.heads for i in range(self.heads)]
        return super().mix(q, k[:, shared], v[:, shared])


class TiledQuery(Causal):
    """Key heads repeated as a whole: head i uses key head i mod 2."""

    def mix(self, q, k, v):
        times = self.heads // self.kv_heads
        return super().mix(q, k.repeat(1, times, 1, 1),
                           v.repeat(1, times, 1, 1))


class FusedGrouped(nn.Module):
    """Falcon: two queries, a key and a value for each key head, fused."""

    def __init__(self, size=16, kv_heads=2):
        super().__init__()
        self.kv_heads, self.dim = kv_heads, size // 4
        self.qkv = nn.Linear(size, kv_heads * 4 * self.dim)
        self.dense = nn.Linear(size, size)

    def forward(self, x):
        batch, length, size = x.shape
        parts = self.qkv(x).view(batch, length, self.kv_heads, 4, self.dim)
        q, k, v = parts[..., :2, :], parts[..., 2:3, :], parts[..., 3:, :]
        k, v = k.expand_as(q), v.expand_as(q)
        q, k, v = (y.reshape(batch, length, 4, self.dim).transpose(1, 2)
                   for y in (q, k, v))
        scores = causal(q @ k.transpose(-1, -2) / math.sqrt(self.dim))
        return self.dense(join_heads(scores.softmax(-1) @ v))


class QkNorm(Causal):
    """Norms of queries and keys with one scale for all heads."""

    def __init__(self):
        super().__init__()
        self.q_norm, self.k_norm = RmsNorm(self.dim), RmsNorm(self.dim)

    def project(self, x, context):
        q, k, v = super().project(x, context)
        return self.q_norm(q), self.k_norm(k), v


class QkNormWide(Causal):
    """Norms over all heads at once, as in OLMo 2."""

    def __init__(self):
        super().__init__()
        self.q_norm, self.k_norm = RmsNorm(16), RmsNorm(16)

    def project(self, x, context):
        return (split_heads(self.q_norm(self.q_proj(x)), self.heads),
                split_heads(self.k_norm(self.k_proj(x)), self.heads),
                split_heads(self.v_proj(x), self.heads))


class Cosine(Attention):
    """Cosines and a temperature for each head, as in Swin V2."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(4, 1, 1))

    def score(self, q, k):
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        return q @ k.transpose(-1, -2) * self.scale.exp()


class TalkingHeads(Attention):
    """Heads are mixed before and after the softmax."""

    def __init__(self):
        super().__init__()
        self.before, self.after = (nn.Parameter(torch.randn(4, 4))
                                   for _ in range(2))

    def mix(self, q, k, v):
        scores = self.score(q, k).permute(0, 2, 3, 1) @ self.before
        share = scores.softmax(2) @ self.after
        return share.permute(0, 3, 1, 2) @ v


class Differential(Causal):
    """The difference of two softmaxes, a norm for each head."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(4, 1, 1))
        self.norm = RmsNorm(4)

    def mix(self, q, k, v):
        (q1, q2), (k1, k2) = q.chunk(2, -1), k.chunk(2, -1)
        share = self.score(q1, k1).softmax(-1)
        share = share - self.gain * self.score(q2, k2).softmax(-1)
        return self.norm(share @ v)


class GatedHeads(Causal):
    """A gate for each head, and one for each number."""

    def __init__(self):
        super().__init__()
        self.head_gate, self.gate = nn.Linear(16, 4), nn.Linear(16, 16)

    def forward(self, x):
        mixed = self.mix(*self.project(x, x))
        mixed = mixed * torch.sigmoid(self.head_gate(x)).transpose(1, 2)[
            ..., None]
        return self.o_proj(join_heads(mixed) * torch.sigmoid(self.gate(x)))


class Latent(nn.Module):
    """Keys and values from a low rank; a part of the keys for all heads."""

    def __init__(self, size=16, heads=4, rank=6, dim=4, shared=2):
        super().__init__()
        self.heads, self.dim, self.shared = heads, dim, shared
        self.q = nn.Linear(size, heads * (dim + shared))
        self.down = nn.Linear(size, rank + shared)
        self.norm = RmsNorm(rank)
        self.up = nn.Linear(rank, heads * 2 * dim)
        self.o = nn.Linear(heads * dim, size)

    def forward(self, x):
        low = self.down(x)
        rank = low.shape[-1] - self.shared
        latent, shared = low[..., :rank], low[..., rank:]
        q = split_heads(self.q(x), self.heads)
        k, v = split_heads(self.up(self.norm(latent)), self.heads).chunk(2, -1)
        scores = q[..., :self.dim] @ k.transpose(-1, -2)
        scores = scores + q[..., self.dim:] @ shared[:, None].transpose(-1, -2)
        return self.o(join_heads(causal(scores / 3).softmax(-1) @ v))


class LinearAttention(Attention):
    """Feature maps instead of a softmax."""

    def mix(self, q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        context = k.transpose(-1, -2) @ v
        total = (q * k.sum(2, keepdim=True)).sum(-1, keepdim=True)
        return (q @ context) / (total + 1e-6)


class ChannelAttention(Attention):
    """XCiT: numbers of a head attend to each other, not places."""

    def mix(self, q, k, v):
        q, k = F.normalize(q, dim=2), F.normalize(k, dim=2)
        share = (q.transpose(-1, -2) @ k).softmax(-1)
        return v @ share.transpose(-1, -2)


class LearnedKeys(Attention):
    """Learned keys and values stand before those of the sequence."""

    def __init__(self):
        super().__init__()
        self.keys, self.values = (nn.Parameter(torch.randn(1, 4, 3, 4))
                                  for _ in range(2))

    def project(self, x, context):
        q, k, v = super().project(x, context)
        shape = (x.shape[0], 4, 3, 4)
        return (q, torch.cat((self.keys.expand(shape), k), 2),
                torch.cat((self.values.expand(shape), v), 2))


class Sinks(Causal):
    """A learned number beside the scores takes a share of each head."""

    def __init__(self):
        super().__init__()
        self.sinks = nn.Parameter(torch.randn(4))

    def mix(self, q, k, v):
        scores = self.score(q, k)
        sinks = self.sinks.view(1, 4, 1, 1).expand(
            scores.shape[0], 4, scores.shape[2], 1)
        return torch.cat((scores, sinks), -1).softmax(-1)[..., :-1] @ v


class SlidingWindow(Attention):
    """Each place sees itself and the three before it."""

    def score(self, q, k):
        scores = super().score(q, k)
        distance = (torch.arange(q.shape[2])[:, None] -
                    torch.arange(k.shape[2])[None])
        keep = (distance >= 0) & (distance < 4)
        return scores.masked_fill(~keep, -1e9)


class Cross(nn.Module):
    """Queries of one sequence, keys and values of another."""

    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm, self.mlp = nn.LayerNorm(16), SwiGlu(16, 20)
        self.head = nn.Linear(16, 4)

    def forward(self, x, context):
        x = x + self.attention(self.norm(x), context)
        return self.head(x + self.mlp(x))


class Masked(nn.Module):
    """A mask of numbers comes in and is added to the scores."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x, mask):
        q, k, v = (split_heads(y, 4) for y in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / 2 + (1 - mask[:, None, None]) * -9
        return self.out(join_heads(scores.softmax(-1) @ v))


class Cached(nn.Module):
    """Earlier keys and values come in, and go out longer."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(16, 16) for _ in range(4))

    def forward(self, x, keys, values):
        q = split_heads(self.q(x), 4)
        k = torch.cat((keys, split_heads(self.k(x), 4)), 2)
        v = torch.cat((values, split_heads(self.v(x), 4)), 2)
        mixed = (q @ k.transpose(-1, -2) / 2).softmax(-1) @ v
        return self.o(join_heads(mixed)), k, v


class Parallel(nn.Module):
    """Attention and what follows it side by side, on one norm."""

    def __init__(self):
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(16), FusedByHead()
        self.mlp = nn.Sequential(nn.Linear(16, 24), nn.GELU(),
                                 nn.Linear(24, 16))

    def forward(self, x):
        y = self.norm(x)
        return x + self.attention(y) + self.mlp(y)


class ParallelFused(nn.Module):
    """All of that in one layer before and one after, as in ViT-22B."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.into, self.out = nn.Linear(16, 48 + 24), nn.Linear(16 + 24, 16)

    def forward(self, x):
        q, k, v, hidden = self.into(self.norm(x)).split((16, 16, 16, 24), -1)
        q, k, v = (split_heads(y, 4) for y in (q, k, v))
        mixed = join_heads(causal(q @ k.transpose(-1, -2)).softmax(-1) @ v)
        return x + self.out(torch.cat((mixed, F.gelu(hidden)), -1))


class Sandwich(Block):
    """Norms before and after each part, as in Gemma 2."""

    def __init__(self):
        super().__init__(Causal(), norm=RmsNorm, mlp=SwiGlu(16, 24))
        self.after1, self.after2 = RmsNorm(16), RmsNorm(16)

    def forward(self, x):
        x = x + self.after1(self.attention(self.norm1(x)))
        return x + self.after2(self.mlp(self.norm2(x)))


class PostNorm(Block):
    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.mlp(x))


SEQUENCE, TOKENS = (sequence(16),), (tokens(),)
FIVE = {'length': (5, 4, 9)}


def model_of(attention, **options):
    return Entry(language_model(attention, **options), TOKENS)


MODELS = {
    'mha': Entry(AttentionBlock, SEQUENCE, FIVE),
    'einsum': Entry(EinsumAttention, SEQUENCE, FIVE, opset=12,
                    reason='Einsum'),
    'fused-blocks': model_of(Fused),
    'fused-by-head': model_of(FusedByHead),
    'fused-permuted': model_of(FusedThenHeads),
    'fused-by-number': model_of(FusedTranspose),
    'fused-grouped': model_of(FusedGrouped),
    'grouped-query': model_of(lambda: GroupedQuery(kv_heads=2)),
    'repeated-query': model_of(lambda: RepeatedQuery(kv_heads=2, bias=False)),
    'tiled-query': model_of(lambda: TiledQuery(kv_heads=2)),
    'multi-query': model_of(lambda: GroupedQuery(kv_heads=1)),
    'multi-query-broadcast': model_of(lambda: Causal(kv_heads=1)),
    'qk-norm': model_of(QkNorm),
    'qk-norm-wide': model_of(QkNormWide),
    'cosine-attention': model_of(Cosine),
    'talking-heads': model_of(TalkingHeads),
    'differential': model_of(Differential),
    'gated-heads': model_of(GatedHeads),
    'latent-attention': model_of(Latent),
    'linear-attention': model_of(LinearAttention),
    'channel-attention': model_of(ChannelAttention),
    'learned-keys': model_of(LearnedKeys),
    'sinks': model_of(Sinks),
    'sliding-window': model_of(SlidingWindow),
    'cross-attention': Entry(Cross, (
        sequence(16), floats('batch', 'other', 16, name='context'))),
    'masked': Entry(Masked, (
        sequence(16), floats('batch', 'length', name='mask'))),
    'cached': Entry(Cached, (
        sequence(16), floats('batch', 4, 'other', 4, name='keys'),
        floats('batch', 4, 'other', 4, name='values'))),
    'parallel': Entry(lambda: nn.Sequential(nn.Embedding(20, 16), Parallel(),
                                            Parallel(), nn.Linear(16, 20)),
                      TOKENS),
    'parallel-fused': Entry(lambda: nn.Sequential(
        nn.Embedding(20, 16), ParallelFused(), ParallelFused(),
        nn.Linear(16, 20)), TOKENS),
    'sandwich': Entry(lambda: nn.Sequential(
        nn.Embedding(20, 16), Sandwich(), Sandwich(), nn.Linear(16, 20)),
        TOKENS),
    'post-norm': Entry(lambda: nn.Sequential(
        nn.Embedding(20, 16), PostNorm(Attention()), PostNorm(Attention()),
        nn.Linear(16, 20)), TOKENS),
}
