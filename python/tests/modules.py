"""Modules with odd features, for the tests of tracing."""

import math

import torch
from torch import nn
from torch.nn import functional


class Tied(nn.Module):
    """The embedding is the output layer, too."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.hidden = nn.Linear(16, 32)
        self.back = nn.Linear(32, 16)
        self.out = nn.Linear(16, 20, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.out(x + self.back(self.hidden(x).relu()))


class Twice(nn.Module):
    """One layer is used twice."""

    def __init__(self):
        super().__init__()
        self.first, self.again = nn.Linear(4, 16), nn.Linear(16, 16)
        self.last = nn.Linear(16, 3)

    def forward(self, x):
        return self.last(self.again(self.again(self.first(x).relu()).relu()).relu())


class Functional(nn.Module):
    """Parameters of its own, used by functions."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(16, 4))
        self.b = nn.Parameter(torch.randn(16))
        self.v = nn.Parameter(torch.randn(3, 16))

    def forward(self, x):
        return functional.linear(
            functional.gelu(functional.linear(x, self.w, self.b)), self.v
        )


class InPlace(nn.Module):
    """Operations that change their input."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.out = nn.Linear(8, 5)

    def forward(self, x):
        x = self.norm(self.conv(x)).relu_()
        x.mul_(2).add_(1)
        return self.out(x.mean((2, 3)))


class Attention(nn.Module):
    """Attention written with matrix products."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(16, 16) for _ in range(4))
        self.out = nn.Linear(16, 5)

    def heads(self, x):
        return x.reshape(x.shape[0], x.shape[1], 4, 4).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        scores = (q @ k.transpose(-1, -2) / math.sqrt(4)).softmax(-1)
        mixed = (scores @ v).transpose(1, 2).reshape(x.shape)
        return self.out((x + self.o(mixed)).mean(1))


class Dictionary(nn.Module):
    """Several outputs, in a dict."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.heads = nn.ModuleDict({"a": nn.Linear(16, 2), "b": nn.Linear(16, 3)})

    def forward(self, x):
        x = self.body(x).relu()
        return {name: head(x) for name, head in self.heads.items()}


class Gated(nn.Module):
    """Two branches that are multiplied."""

    def __init__(self):
        super().__init__()
        self.gate, self.up = nn.Linear(8, 24, bias=False), nn.Linear(8, 24, bias=False)
        self.down = nn.Linear(24, 8, bias=False)

    def forward(self, x):
        return x + self.down(functional.silu(self.gate(x)) * self.up(x))


class Recurrent(nn.Module):
    """An LSTM."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 12, batch_first=True)
        self.out = nn.Linear(12, 3)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


class Concatenated(nn.Module):
    """Values that are concatenated and normalised."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(4, 10)
        self.norm = nn.LayerNorm(16)
        self.out = nn.Linear(16, 3)

    def forward(self, x):
        return self.out(self.norm(torch.cat([self.a(x), self.b(x)], -1)))


class Grouped(nn.Module):
    """Grouped and depthwise convolutions."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 16, 1)
        self.b = nn.Conv2d(16, 16, 3, padding=1, groups=4)
        self.c = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.out = nn.Linear(16, 4)

    def forward(self, x):
        x = self.c(self.b(self.a(x).relu()).relu()).relu()
        return self.out(x.flatten(2).mean(-1))


class Untraceable(nn.Module):
    """Something that ONNX does not have."""

    def forward(self, x):
        return torch.linalg.eigvals(x)


EXAMPLES = {
    Tied: torch.zeros(2, 7, dtype=torch.long),
    Twice: torch.randn(2, 4),
    Functional: torch.randn(2, 4),
    InPlace: torch.randn(2, 3, 8, 8),
    Attention: torch.randn(2, 5, 16),
    Dictionary: torch.randn(2, 4),
    Gated: torch.randn(2, 8),
    Recurrent: torch.randn(2, 6, 4),
    Concatenated: torch.randn(2, 4),
    Grouped: torch.randn(2, 3, 8, 8),
}
