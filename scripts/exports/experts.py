"""Mixtures of experts, as stacked weights and as lists of modules."""

import torch
import torch.nn.functional as F
from torch import nn

from exports.entry import Entry, sequence
from exports.layers import Mlp


class Routed(nn.Module):
    """A router gives every token a share of each expert."""

    def __init__(self, experts=4, size=8, hidden=6):
        super().__init__()
        self.into, self.head = nn.Linear(6, size), nn.Linear(size, 4)
        self.router = nn.Linear(size, experts, bias=False)
        self.build(experts, size, hidden)

    def build(self, experts, size, hidden):
        self.w1 = nn.Parameter(torch.randn(experts, size, hidden))
        self.w2 = nn.Parameter(torch.randn(experts, hidden, size))

    def shares(self, x):
        return self.router(x).softmax(-1)

    def mixed(self, x, shares):
        """All experts run, and most shares are zero."""
        y = torch.relu(torch.einsum('bld,edh->bleh', x, self.w1))
        y = torch.einsum('bleh,ehd->bled', y, self.w2)
        return (y * shares[..., None]).sum(2)

    def forward(self, x):
        x = torch.tanh(self.into(x))
        return self.head(x + self.mixed(x, self.shares(x)))


def top_shares(scores, count=2):
    """The shares of the largest scores, the others are zero."""
    top, index = scores.topk(count, dim=-1)
    return torch.zeros_like(scores).scatter(-1, index, top.softmax(-1))


class TopStacked(Routed):
    def shares(self, x):
        return top_shares(self.router(x))


class TopMatMul(TopStacked):
    """The same with batched products instead of Einsum."""

    def mixed(self, x, shares):
        y = torch.relu(x[:, None] @ self.w1) @ self.w2
        return (y * shares.permute(0, 2, 1)[..., None]).sum(1)


class TopGathered(Routed):
    """The weights of the chosen experts are looked up for each token."""

    def forward(self, x):
        x = torch.tanh(self.into(x))
        top, index = self.router(x).softmax(-1).topk(2, dim=-1)
        w1, w2 = self.w1[index], self.w2[index]
        y = torch.relu(x[:, :, None, None] @ w1) @ w2
        return self.head(x + (y[..., 0, :] * top[..., None]).sum(2))


class TopThreshold(TopMatMul):
    """Shares below the second largest are cut."""

    def shares(self, x):
        shares = self.router(x).softmax(-1)
        least = shares.topk(2, dim=-1).values[..., -1:]
        return shares * (shares >= least).to(shares.dtype)


class ExpertList(Routed):
    """Experts are modules of their own, each with its column of shares."""

    def build(self, experts, size, hidden):
        self.experts = nn.ModuleList(Mlp(size, hidden)
                                     for _ in range(experts))

    def mixed(self, x, shares):
        return sum(shares[..., i:i + 1] * expert(x)
                   for i, expert in enumerate(self.experts))


class TopExpertList(ExpertList):
    def shares(self, x):
        return top_shares(self.router(x))


class DispatchedList(ExpertList):
    """Each expert runs on its own tokens, as Mixtral is written."""

    def forward(self, x):
        x = torch.tanh(self.into(x))
        flat = x.reshape(-1, x.shape[-1])
        top, index = self.router(flat).softmax(-1).topk(2, dim=-1)
        total = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(index == i)
            y = expert(flat[token]) * top[token, slot][:, None]
            total = total.index_add(0, token, y)
        return self.head(x + total.reshape(x.shape))


class SharedExpert(TopMatMul):
    """One expert for all tokens beside the routed ones, with a gate."""

    def build(self, experts, size, hidden):
        super().build(experts, size, hidden)
        self.shared, self.gate = Mlp(size, 10), nn.Linear(size, 1)

    def mixed(self, x, shares):
        return (super().mixed(x, shares) +
                torch.sigmoid(self.gate(x)) * self.shared(x))


class FusedExperts(TopMatMul):
    """Gate and value of each expert side by side, a bias that selects."""

    def build(self, experts, size, hidden):
        self.w1 = nn.Parameter(torch.randn(experts, size, 2 * hidden))
        self.w2 = nn.Parameter(torch.randn(experts, hidden, size))
        self.choice = nn.Parameter(torch.randn(experts))

    def shares(self, x):
        scores = torch.sigmoid(self.router(x))
        index = (scores + self.choice).topk(2, dim=-1).indices
        top = scores.gather(-1, index)
        top = top / top.sum(-1, keepdim=True)
        return torch.zeros_like(scores).scatter(-1, index, top)

    def mixed(self, x, shares):
        gate, value = (x[:, None] @ self.w1).chunk(2, -1)
        y = (F.silu(gate) * value) @ self.w2
        return (y * shares.permute(0, 2, 1)[..., None]).sum(1)


class GroupedRouting(FusedExperts):
    """First the better half of the groups, then experts within them."""

    def shares(self, x):
        scores = torch.sigmoid(self.router(x)) + self.choice
        batch, length, experts = scores.shape
        pairs = scores.view(batch, length, 2, experts // 2)
        best = pairs.amax(-1, keepdim=True)
        kept = pairs * (best >= best.amax(2, keepdim=True)).float()
        return top_shares(kept.reshape(batch, length, experts))


class SoftSlots(Routed):
    """Soft MoE: slots are mixtures of tokens."""

    def build(self, experts, size, hidden):
        super().build(experts, size, hidden)
        del self.router  # slots do without
        self.slots = nn.Parameter(torch.randn(size, experts, 2))

    def forward(self, x):
        x = torch.tanh(self.into(x))
        scores = torch.einsum('bld,des->bles', x, self.slots)
        slots = torch.einsum('bld,bles->besd', x, scores.softmax(1))
        y = torch.relu(slots @ self.w1) @ self.w2
        back = scores.flatten(2).softmax(-1).view_as(scores)
        return self.head(torch.einsum('besd,bles->bld', y, back))


class MixtureHeads(nn.Module):
    """A mixture density head: shares, means and widths from one layer."""

    def __init__(self):
        super().__init__()
        self.body, self.last = nn.Linear(6, 12), nn.Linear(12, 5 * 3)

    def forward(self, x):
        share, mean, width = self.last(torch.relu(self.body(x))).chunk(3, -1)
        share = share.softmax(-1)
        middle = (share * mean).sum(-1)
        return middle, (share * (width.exp() + mean ** 2)).sum(-1)


VECTORS = (sequence(6),)


def einsum_model(build):
    return Entry(build, VECTORS, opset=12, reason='Einsum')


MODELS = {
    'experts-soft': einsum_model(Routed),
    'experts-top': einsum_model(TopStacked),
    'experts-matmul': Entry(TopMatMul, VECTORS),
    'experts-gathered': Entry(TopGathered, VECTORS),
    'experts-threshold': Entry(TopThreshold, VECTORS),
    'experts-list': Entry(ExpertList, VECTORS),
    'experts-top-list': Entry(TopExpertList, VECTORS),
    'experts-dispatched': Entry(DispatchedList, VECTORS),
    'experts-shared': Entry(SharedExpert, VECTORS),
    'experts-fused': Entry(FusedExperts, VECTORS),
    'experts-grouped': Entry(GroupedRouting, VECTORS),
    'experts-slots': einsum_model(SoftSlots),
    'mixture-heads': Entry(MixtureHeads, VECTORS),
}
