"""Learned tables of which a part is read, by the sizes of the input."""

import torch
import torch.nn.functional as F
from torch import nn

from exports.entry import Entry, floats, image, sequence, tokens
from exports.layers import Attention, Block, Causal, LanguageModel


class SlicedPositions(LanguageModel):
    """pos[:, :length]"""

    def __init__(self, rows=24):
        super().__init__(Block(Causal()))
        self.pos = nn.Parameter(torch.randn(1, rows, 16))

    def positioned(self, x):
        return x + self.pos[:, :x.shape[1]]


class LastPositions(SlicedPositions):
    """The last rows of the table, so that the end is always the same row."""

    def positioned(self, x):
        return x + self.pos[:, -x.shape[1]:]


class OffsetPositions(SlicedPositions):
    """As in OPT and RoBERTa: the first two rows are not for places."""

    def positioned(self, x):
        return x + self.pos[:, 2:x.shape[1] + 2]


class Sinusoids(LanguageModel):
    """pe[:length], length first, a buffer with PyTorch's tutorial's name."""

    def __init__(self):
        super().__init__(Block(Causal()))
        place = torch.arange(24).float()[:, None]
        rate = torch.exp(torch.arange(0, 16, 2) * (-4.0 / 16))
        table = torch.stack((torch.sin(place * rate), torch.cos(place * rate)),
                            -1).flatten(1)
        self.register_buffer('pe', table[:, None])

    def positioned(self, x):
        x = x.transpose(0, 1)
        return (x + self.pe[:x.shape[0]]).transpose(0, 1)


class GatheredPositions(LanguageModel):
    """wpe(arange(length))"""

    def __init__(self):
        super().__init__(Block(Causal()))
        self.wpe, self.kinds = nn.Embedding(24, 16), nn.Embedding(2, 16)

    def positioned(self, x):
        places = torch.arange(x.shape[1])
        return x + self.wpe(places) + self.kinds(places % 2)


class SlicedMask(nn.Module):
    """A table of causal ones, and one of trained biases, both cut."""

    def __init__(self, rows=24):
        super().__init__()
        self.embed, self.head = nn.Embedding(20, 16), nn.Linear(16, 20)
        self.q, self.k, self.v = (nn.Linear(16, 16) for _ in range(3))
        self.table = nn.Parameter(torch.randn(rows, rows))
        keep = torch.ones(rows, rows).tril()
        self.register_buffer('bias', keep.view(1, rows, rows))

    def forward(self, ids):
        x, length = self.embed(ids), ids.shape[1]
        scores = self.q(x) @ self.k(x).transpose(-1, -2) / 4
        scores = scores + self.table[:length, :length]
        keep = self.bias[:, :length, :length]
        scores = torch.where(keep == 0, torch.tensor(-1e9), scores)
        return self.head(torch.relu(scores.softmax(-1) @ self.v(x)))


class MixedByTable(nn.Module):
    """Places are mixed by a cut table of weights: no table of numbers."""

    def __init__(self, rows=24):
        super().__init__()
        self.first, self.head = nn.Linear(6, 12), nn.Linear(12, 4)
        self.mixing = nn.Parameter(torch.randn(rows, rows))
        self.gain = nn.Parameter(torch.rand(rows, 1))

    def forward(self, x):
        length = x.shape[1]
        x = torch.relu(self.first(x))
        x = torch.relu(self.mixing[:length, :length] @ x) * self.gain[:length]
        return self.head(x)


class PooledPrompts(nn.Module):
    """Learned vectors before the sequence; the first are read afterwards."""

    def __init__(self):
        super().__init__()
        self.prompts = nn.Parameter(torch.randn(4, 16))
        self.block, self.head = Block(Attention()), nn.Linear(16, 4)

    def forward(self, x):
        prompts = self.prompts[None].expand(x.shape[0], 4, 16)
        x = self.block(torch.cat((prompts, x), 1))
        return self.head(x[:, :2].mean(1)), x[:, 4:].mean(1)


class Queries(nn.Module):
    """A table of queries reads the sequence: what comes out has its rows."""

    def __init__(self, read=None):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(10, 16))
        self.read = read
        self.attention, self.head = Attention(), nn.Linear(16, 4)

    def forward(self, x):
        rows = self.queries[:self.read] if self.read else self.queries
        queries = rows[None].expand(x.shape[0], len(rows), 16)
        return self.head(queries + self.attention(queries, x))


class PooledQueries(Queries):
    """The same, with their mean: rows may be exchanged."""

    def forward(self, x):
        return super().forward(x).mean(1)


class CountedQueries(Queries):
    """As many queries as the second input has rows."""

    def forward(self, x, targets):
        count = targets.shape[1]
        queries = self.queries[:count] + targets
        return self.head(queries + self.attention(queries, x)).mean(1)


class Patches(nn.Module):
    """A vision transformer; its kinds differ in how they know places."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 4, stride=4)
        self.blocks = nn.Sequential(Block(Attention()), Block(Attention()))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 5)

    def places(self, x):
        raise NotImplementedError

    def forward(self, x):
        x = self.patch(x)
        x = (x + self.places(x)).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(1))


class CutPatches(Patches):
    """A corner of the table."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 16, 8, 8))

    def places(self, x):
        return self.table[:, :, :x.shape[2], :x.shape[3]]


class CentredPatches(CutPatches):
    """The middle of the table, as in SD3."""

    def places(self, x):
        top = torch.div(8 - x.shape[2], 2, rounding_mode='floor')
        left = torch.div(8 - x.shape[3], 2, rounding_mode='floor')
        return self.table[:, :, top:top + x.shape[2], left:left + x.shape[3]]


class StretchedPatches(CutPatches):
    """The table interpolated to the size of the image."""

    def __init__(self, mode):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 16, 4, 4))
        self.mode = mode

    def places(self, x):
        return F.interpolate(self.table, size=(x.shape[2], x.shape[3]),
                             mode=self.mode, align_corners=False)


class CrossedPatches(Patches):
    """A table of rows and one of columns, concatenated, as in DETR."""

    def __init__(self):
        super().__init__()
        self.rows, self.columns = nn.Embedding(8, 8), nn.Embedding(8, 8)

    def places(self, x):
        height, width = x.shape[2], x.shape[3]
        rows = self.rows.weight[:height][:, None].expand(height, width, 8)
        columns = self.columns(torch.arange(width))[None].expand(
            height, width, 8)
        return torch.cat((columns, rows), -1).permute(2, 0, 1)[None]


class ClassToken(nn.Module):
    """A learned vector for the class, and a table of a fixed image size."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 4, stride=4)
        self.token = nn.Parameter(torch.randn(1, 1, 16))
        self.table = nn.Parameter(torch.randn(1, 17, 16))
        self.block, self.head = Block(Attention()), nn.Linear(16, 5)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        token = self.token.expand(x.shape[0], 1, 16)
        x = torch.cat((token, x), 1) + self.table
        return self.head(self.block(x)[:, 0])


class Windows(nn.Module):
    """Windows with a table of differences, shifted, as in Swin."""

    def __init__(self, shift, side=4):
        super().__init__()
        self.patch, self.shift, self.side = nn.Conv2d(3, 16, 2, 2), shift, side
        self.qkv, self.proj = nn.Linear(16, 48), nn.Linear(16, 16)
        self.table = nn.Parameter(torch.randn((2 * side - 1) ** 2, 4))
        self.head = nn.Linear(16, 5)
        self.register_buffer('relative_position_index', self.index())

    def index(self):
        place = torch.stack(torch.meshgrid(
            torch.arange(self.side), torch.arange(self.side),
            indexing='ij')).flatten(1)
        apart = place[:, :, None] - place[:, None] + self.side - 1
        return apart[0] * (2 * self.side - 1) + apart[1]

    def windows(self, x):
        batch, height, width, size = x.shape
        x = x.view(batch, height // self.side, self.side, width // self.side,
                   self.side, size)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, self.side ** 2, size)

    def attend(self, x):
        count, length, size = x.shape
        qkv = self.qkv(x).reshape(count, length, 3, 4, size // 4)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.table[self.relative_position_index.flatten()]
        bias = bias.view(length, length, 4).permute(2, 0, 1)
        share = (q @ k.transpose(-1, -2) / 2 + bias).softmax(-1)
        return self.proj((share @ v).transpose(1, 2).reshape(count, length,
                                                             size))

    def forward(self, x):
        x = self.patch(x).permute(0, 2, 3, 1)
        if self.shift:
            x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        batch = x.shape[0]
        x = self.attend(self.windows(x)).reshape(batch, -1, 16)
        return self.head(x.mean(1))


class LengthBySquare(nn.Module):
    """A table read up to the square of a size, and from the far end."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Conv2d(3, 8, 1), nn.Linear(8, 4)
        self.table = nn.Parameter(torch.randn(600, 8))
        self.far = nn.Parameter(torch.randn(40, 8))

    def forward(self, x):
        count = x.shape[2] * x.shape[3]
        far = self.far[40 - x.shape[2]:]
        x = self.first(x).flatten(2).transpose(1, 2)
        x = torch.relu(x + self.table[:count])
        return self.head(x.mean(1) + far.mean(0))


class FarRows(nn.Module):
    """Rows that only long inputs reach are pooled with the others."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(30, 12))
        self.first, self.head = nn.Linear(6, 12), nn.Linear(12, 4)

    def forward(self, x):
        read = self.rows[:x.shape[1]]
        near = torch.relu(self.first(x)).mean(1)
        return self.head(near * read.mean(0) + read.amax(0))


class StridedTable(nn.Module):
    """Every second row, up to the length."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(48, 12))
        self.first, self.head = nn.Linear(6, 12), nn.Linear(12, 4)

    def forward(self, x):
        read = self.rows[:2 * x.shape[1]:2] + self.rows[1:2 * x.shape[1]:2]
        return self.head(torch.relu(self.first(x) + read))


class ChunkedTable(nn.Module):
    """Rows come in pages of four; the last page is cut."""

    def __init__(self):
        super().__init__()
        self.pages = nn.Parameter(torch.randn(6, 4, 12))
        self.first, self.head = nn.Linear(6, 12), nn.Linear(12, 4)

    def forward(self, x):
        rows = self.pages.view(24, 12)[:x.shape[1]]
        return self.head(torch.relu(self.first(x) + rows))


TOKENS, VECTORS, IMAGE = (tokens(),), (sequence(6),), (image(),)
STATES = (sequence(16),)
PATCHES = {'height': (16, 12, 24), 'width': (16, 20, 8)}
WINDOWS = {'height': (16, 8, 24), 'width': (16, 24, 8)}

MODELS = {
    'positions-sliced': Entry(SlicedPositions, TOKENS),
    'positions-last': Entry(LastPositions, TOKENS),
    'positions-offset': Entry(OffsetPositions, TOKENS),
    'positions-gathered': Entry(GatheredPositions, TOKENS),
    'sinusoids': Entry(Sinusoids, TOKENS),
    'sliced-mask': Entry(SlicedMask, TOKENS),
    'mixed-by-table': Entry(MixedByTable, VECTORS),
    'prompts': Entry(PooledPrompts, STATES),
    'queries': Entry(Queries, STATES),
    'queries-cut': Entry(lambda: Queries(6), STATES),
    'queries-pooled': Entry(PooledQueries, STATES),
    'queries-counted': Entry(CountedQueries, (
        sequence(16), floats('batch', 'other', 16, name='targets'))),
    'vit-cut': Entry(CutPatches, IMAGE, PATCHES),
    'vit-centred': Entry(CentredPatches, IMAGE, PATCHES),
    'vit-bilinear': Entry(lambda: StretchedPatches('bilinear'), IMAGE,
                          PATCHES),
    'vit-bicubic': Entry(lambda: StretchedPatches('bicubic'), IMAGE, PATCHES),
    'vit-crossed': Entry(CrossedPatches, IMAGE, PATCHES),
    'vit-class-token': Entry(ClassToken, (floats('batch', 3, 16, 16),)),
    'windows': Entry(lambda: Windows(0), IMAGE, WINDOWS),
    'windows-shifted': Entry(lambda: Windows(2), IMAGE, WINDOWS),
    'table-by-area': Entry(LengthBySquare, IMAGE),
    'table-far-rows': Entry(FarRows, VECTORS),
    'table-strided': Entry(StridedTable, VECTORS),
    'table-pages': Entry(ChunkedTable, VECTORS),
}
