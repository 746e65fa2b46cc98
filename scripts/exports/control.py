"""Control flow: branches and loops of scripted modules."""

from typing import List

import torch
import torch.nn.functional as F
from torch import nn

from exports.entry import Entry, image, sequence
from exports.layers import pooled_head


class BranchOnShape(nn.Module):
    """Images that are wide are handled otherwise."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.wide, self.tall = nn.Conv2d(8, 6, 3), nn.Conv2d(8, 6, 1)
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        x = torch.relu(self.first(x))
        if x.shape[3] > x.shape[2]:
            x = torch.relu(self.wide(x))
        else:
            x = torch.relu(self.tall(x))
        return self.head(x.mean([2, 3]))


class BranchOnValue(nn.Module):
    """Which half of the network runs depends on the numbers that come in."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 12), nn.Linear(12, 4)
        self.one, self.two = nn.Linear(12, 12), nn.Linear(12, 12)

    def forward(self, x):
        x = torch.relu(self.first(x))
        if bool(x.sum() > 30):
            x = torch.relu(self.one(x))
        else:
            x = torch.tanh(self.two(x)) + x
        return self.last(x)


class LoopOverTime(nn.Module):
    """A recurrence written by hand, as long as the input."""

    def __init__(self):
        super().__init__()
        self.into, self.again = nn.Linear(6, 8), nn.Linear(8, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        state = torch.zeros(x.shape[0], 8)
        for i in range(x.shape[1]):
            state = torch.tanh(self.into(x[:, i]) + self.again(state))
        return self.head(state)


class LoopCollects(LoopOverTime):
    """Every state is an output."""

    def forward(self, x):
        state = torch.zeros(x.shape[0], 8)
        states: List[torch.Tensor] = []
        for i in range(x.shape[1]):
            state = torch.tanh(self.into(x[:, i]) + self.again(state))
            states.append(self.head(state))
        return torch.stack(states, 1)


class LoopRepeats(nn.Module):
    """One layer three times, written as a loop."""

    def __init__(self):
        super().__init__()
        self.first, self.again = nn.Linear(6, 10), nn.Linear(10, 10)
        self.head = nn.Linear(10, 4)

    def forward(self, x):
        x = self.first(x)
        for _ in range(3):
            x = x + torch.relu(self.again(x))
        return self.head(x)


class LoopOverLayers(nn.Module):
    """Scripted over a list of layers, with a switch on each."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 10)
        self.layers = nn.ModuleList(nn.Linear(10, 10) for _ in range(3))
        self.head, self.residual = nn.Linear(10, 4), True

    def forward(self, x):
        x = self.first(x)
        for layer in self.layers:
            y = torch.relu(layer(x))
            if self.residual:
                y = y + x
            x = y
        return self.head(x)


class SplitSequence(nn.Module):
    """Parts of a hidden layer in a list, taken from it one by one."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.parts = nn.ModuleList(nn.Linear(4, 5) for _ in range(3))
        self.head = nn.Linear(15, 4)

    def forward(self, x):
        pieces = torch.split(torch.relu(self.first(x)), 4, dim=-1)
        done: List[torch.Tensor] = []
        for i, part in enumerate(self.parts):
            done.append(torch.relu(part(pieces[i])))
        return self.head(torch.cat(done, -1))


class StateSpace(nn.Module):
    """A selective state space: decays by the input, state by state."""

    def __init__(self, size=8, states=4):
        super().__init__()
        self.into, self.conv = nn.Linear(6, 2 * size), nn.Conv1d(
            size, size, 3, padding=2, groups=size)
        self.select = nn.Linear(size, 2 * states + 3)
        self.step = nn.Linear(3, size)
        self.rates = nn.Parameter(torch.rand(size, states))
        self.skip, self.out = nn.Parameter(torch.rand(size)), nn.Linear(size, 4)

    def scan(self, x, step, b, c):
        state = torch.zeros(x.shape[0], 8, 4)
        states: List[torch.Tensor] = []
        for i in range(x.shape[1]):
            decay = torch.exp(-step[:, i, :, None] * torch.exp(self.rates))
            add = (step[:, i] * x[:, i])[:, :, None] * b[:, i, None]
            state = decay * state + add
            states.append((state * c[:, i, None]).sum(-1))
        return torch.stack(states, 1)

    def forward(self, x):
        parts = self.into(x)
        x, gate = parts[..., :8], parts[..., 8:]
        length = x.shape[1]
        x = F.silu(self.conv(x.transpose(1, 2))[:, :, :length])
        x = x.transpose(1, 2)
        chosen = self.select(x)
        step = F.softplus(self.step(chosen[..., 8:]))
        y = self.scan(x, step, chosen[..., :4], chosen[..., 4:8])
        return self.out((y + self.skip * x) * F.silu(gate))


class Padded(nn.Module):
    """Padding to a multiple of four, known only when it runs."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Conv2d(3, 8, 4, stride=4), pooled_head(8)

    def forward(self, x):
        bottom = (4 - x.shape[2] % 4) % 4
        right = (4 - x.shape[3] % 4) % 4
        x = F.pad(x, (0, right, 0, bottom))
        return self.head(torch.relu(self.first(x)))


class BranchOnHalf(nn.Module):
    """Cut or padded to eight places, by its length."""

    def __init__(self):
        super().__init__()
        self.first, self.mixing = nn.Linear(6, 10), nn.Linear(8, 8)
        self.head = nn.Linear(10, 4)

    def forward(self, x):
        x = torch.relu(self.first(x))
        if x.shape[1] > 8:
            x = x[:, :8]
        else:
            x = F.pad(x, [0, 0, 0, 8 - x.shape[1]])
        x = torch.relu(self.mixing(x.transpose(1, 2)))
        return self.head(x.mean(-1))


def scripted(kind):
    return lambda: torch.jit.script(kind())


VECTORS = (sequence(6),)

MODELS = {
    'branch-on-shape': Entry(scripted(BranchOnShape), (image(),)),
    'branch-on-value': Entry(scripted(BranchOnValue), VECTORS),
    'branch-on-length': Entry(scripted(BranchOnHalf), VECTORS),
    'loop-over-time': Entry(scripted(LoopOverTime), VECTORS),
    'loop-collects': Entry(scripted(LoopCollects), VECTORS),
    'loop-repeats': Entry(scripted(LoopRepeats), VECTORS),
    'loop-over-layers': Entry(scripted(LoopOverLayers), VECTORS),
    'split-sequence': Entry(scripted(SplitSequence), VECTORS),
    'state-space': Entry(scripted(StateSpace), VECTORS),
    'padded': Entry(Padded, (image(),),
                    {'height': (14, 17, 23), 'width': (13, 10, 8)}),
}
