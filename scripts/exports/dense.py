"""Dense layers, and products of what they give."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import spectral_norm, weight_norm

from exports.entry import Entry, floats
from exports.layers import Apply, Branches, Residual


class Mlp(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 12),
                         nn.GELU(), nn.Linear(12, 4))


class WeightNormNet(nn.Sequential):
    def __init__(self):
        super().__init__(weight_norm(nn.Linear(6, 16)), nn.ReLU(),
                         weight_norm(nn.Linear(16, 4)))


class SpectralNormNet(nn.Sequential):
    def __init__(self):
        super().__init__(spectral_norm(nn.Linear(6, 16)), nn.LeakyReLU(0.2),
                         spectral_norm(nn.Linear(16, 12)), nn.Tanh(),
                         nn.Linear(12, 4))


class Bilinear(nn.Module):
    """x1' W x2, as between the halves of a pair."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(6, 8), nn.Linear(6, 10)
        self.pair = nn.Bilinear(8, 10, 12)  # which has no export of its own
        self.head = nn.Linear(12, 4)

    def forward(self, x):
        left, right = torch.tanh(self.left(x)), torch.tanh(self.right(x))
        pair = torch.einsum('bi,oij,bj->bo', left, self.pair.weight, right)
        return self.head(torch.relu(pair + self.pair.bias))


class OuterSelf(nn.Module):
    """The outer product of a vector with itself, flattened."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(64, 10)
        self.head = nn.Linear(10, 4)

    def forward(self, x):
        x = torch.relu(self.first(x))
        pairs = (x[:, :, None] * x[:, None, :]).flatten(1)
        return self.head(torch.relu(self.second(pairs)))


class OuterPair(OuterSelf):
    """The outer product of two vectors, flattened."""

    def __init__(self):
        super().__init__()
        self.other = nn.Linear(6, 8)

    def forward(self, x):
        one, two = torch.relu(self.first(x)), torch.tanh(self.other(x))
        pairs = torch.einsum('bi,bj->bij', one, two).flatten(1)
        return self.head(torch.relu(self.second(pairs)))


class UpperPairs(nn.Module):
    """Products of different features, each pair once, as in click models."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 5), nn.Linear(10, 4)
        self.rows, self.columns = torch.triu_indices(5, 5, 1)

    def forward(self, x):
        x = torch.relu(self.first(x))
        return self.head(x[:, self.rows] * x[:, self.columns])


class StridedPairs(nn.Module):
    """Maxout: the larger of two neighbours."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 16), nn.Linear(8, 4)

    def forward(self, x):
        x = self.first(x)
        return self.head(torch.maximum(x[:, ::2], x[:, 1::2]))


class GroupSort(nn.Module):
    """Neighbours sorted: smaller ones first."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 16), nn.Linear(16, 4)

    def forward(self, x):
        x = self.first(x).view(x.shape[0], 8, 2)
        low, high = x.min(-1).values, x.max(-1).values
        return self.head(torch.stack((low, high), -1).flatten(1))


class LocalWinners(nn.Module):
    """The two largest units of all go on, the others are silent."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 16), nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.first(x))
        least = x.topk(3, dim=1).values[:, -1:]
        return self.head(x * (x >= least).float())


class SortedUnits(nn.Module):
    """A set function: what comes out does not know the order of units."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 16), nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.first(x))
        return self.head(x.topk(16, dim=1).values)


class RunningSums(nn.Module):
    """Sums along the units, whose order matters, and along time."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 12), nn.Linear(12, 10)
        self.head = nn.Linear(10, 4)

    def forward(self, x):
        x = torch.relu(self.first(x)).cumsum(1)
        return self.head(torch.relu(self.second(x)).cumsum(-1))


class Highway(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 16), nn.Linear(16, 4)
        self.gates = nn.ModuleList(nn.Linear(16, 32) for _ in range(2))

    def forward(self, x):
        x = self.first(x)
        for layer in self.gates:
            value, gate = layer(x).chunk(2, dim=-1)
            gate = torch.sigmoid(gate)
            x = gate * torch.relu(value) + (1 - gate) * x
        return self.head(x)


class Gated(nn.Module):
    """A gate and a value in one tensor."""

    def __init__(self, activation):
        super().__init__()
        self.first, self.fused = nn.Linear(6, 8), nn.Linear(8, 24)
        self.head, self.activation = nn.Linear(12, 4), activation

    def forward(self, x):
        gate, value = self.fused(self.first(x)).chunk(2, dim=-1)
        return self.head(self.activation(gate) * value)


class GluUnit(nn.Module):
    """PyTorch's own, whose gate is the second half."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 24), nn.Linear(12, 4)

    def forward(self, x):
        return self.head(F.glu(self.first(x), dim=-1))


class HyperNetwork(nn.Module):
    """A layer whose weights another layer gives."""

    def __init__(self):
        super().__init__()
        self.context, self.maker = nn.Linear(6, 8), nn.Linear(8, 12 * 10)
        self.first, self.head = nn.Linear(6, 10), nn.Linear(12, 4)

    def forward(self, x):
        made = self.maker(torch.tanh(self.context(x))).view(-1, 12, 10)
        hidden = torch.relu(self.first(x))[:, :, None]
        return self.head(torch.relu(made @ hidden)[:, :, 0])


class MadeWeights(nn.Module):
    """Weights made of weights: low rank, a Kronecker product, a mask."""

    def __init__(self):
        super().__init__()
        self.up, self.down = (nn.Parameter(torch.randn(12, 3)),
                              nn.Parameter(torch.randn(3, 6)))
        self.left, self.right = (nn.Parameter(torch.randn(4, 3)),
                                 nn.Parameter(torch.randn(2, 4)))
        self.head = nn.Linear(8, 4)
        self.gain = nn.Parameter(torch.randn(8, 1))

    def forward(self, x):
        x = torch.relu(F.linear(x, self.up @ self.down))
        kron = self.left[:, None, :, None] * self.right[None, :, None, :]
        weight = kron.reshape(8, 12) * torch.sigmoid(self.gain)
        return self.head(torch.relu(F.linear(x, weight)))


class SymmetricWeights(nn.Module):
    """Weights that are made symmetric, and skew ones."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 8), nn.Linear(8, 4)
        self.square = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        x = torch.tanh(self.first(x))
        x = x + torch.tanh(x @ (self.square + self.square.t()))
        x = x + torch.tanh(x @ (self.square - self.square.t()))
        return self.head(x)


class TiedAutoencoder(nn.Module):
    """The decoder is the encoder transposed."""

    def __init__(self):
        super().__init__()
        self.weight1 = nn.Parameter(torch.randn(16, 6))
        self.weight2 = nn.Parameter(torch.randn(10, 16))
        self.bias1, self.bias2, self.bias3 = (
            nn.Parameter(torch.randn(n)) for n in (16, 10, 16))

    def forward(self, x):
        x = torch.relu(F.linear(x, self.weight1, self.bias1))
        x = torch.relu(F.linear(x, self.weight2, self.bias2))
        x = torch.relu(F.linear(x, self.weight2.t(), self.bias3))
        return F.linear(x, self.weight1.t())


class ManyOutputs(nn.Module):
    """A trunk with heads; one of the hidden layers is an output, too."""

    def __init__(self):
        super().__init__()
        self.trunk, self.middle = nn.Linear(6, 16), nn.Linear(16, 12)
        self.one, self.two = nn.Linear(12, 4), nn.Linear(16, 3)

    def forward(self, x):
        x = torch.relu(self.trunk(x))
        y = torch.relu(self.middle(x))
        return self.one(y), self.two(x), y, x.mean(1)


class PartlyOut(nn.Module):
    """Half of a hidden layer is seen outside."""

    def __init__(self):
        super().__init__()
        self.trunk, self.head = nn.Linear(6, 16), nn.Linear(16, 4)

    def forward(self, x):
        x = torch.relu(self.trunk(x))
        return self.head(x), x[:, 5:9]


class Siamese(nn.Module):
    """Two inputs, one encoder, and how near they are."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(),
                                     nn.Linear(16, 8))

    def forward(self, one, two):
        one, two = self.encoder(one), self.encoder(two)
        return F.cosine_similarity(one, two), torch.cdist(one, two)


class DeepSets(nn.Module):
    """Elements of a set, pooled in several ways."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(6, 12), nn.ReLU(),
                                   nn.Linear(12, 10))
        self.outer = nn.Sequential(nn.Linear(30, 8), nn.ReLU(),
                                   nn.Linear(8, 4))

    def forward(self, x):
        x = self.inner(x)
        return self.outer(torch.cat((x.mean(1), x.amax(1), x.std(1)), -1))


class FourierFeatures(nn.Module):
    """Sines and cosines of learned directions, as for coordinates."""

    def __init__(self):
        super().__init__()
        self.directions = nn.Parameter(torch.randn(3, 8))
        self.body = nn.Sequential(nn.Linear(16, 12), nn.ReLU(),
                                  nn.Linear(12, 4))

    def forward(self, x):
        angles = x @ self.directions
        return self.body(torch.cat((angles.sin(), angles.cos()), -1))


class RadialBasis(nn.Module):
    """Distances from learned centres."""

    def __init__(self):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(10, 6))
        self.widths, self.head = (nn.Parameter(torch.rand(10)),
                                  nn.Linear(10, 4))

    def forward(self, x):
        square = (x[:, None] - self.centres[None]).pow(2).sum(-1)
        return self.head(torch.exp(-square * self.widths.abs()))


class Ensemble(nn.Module):
    """Members in stacked weights; their mean comes out."""

    def __init__(self, members=4):
        super().__init__()
        self.first = nn.Parameter(torch.randn(members, 6, 12))
        self.bias = nn.Parameter(torch.randn(members, 1, 12))
        self.second = nn.Parameter(torch.randn(members, 12, 4))

    def forward(self, x):
        x = torch.relu(torch.matmul(x, self.first) + self.bias)
        return (x @ self.second).mean(0)


class EinsumChain(nn.Module):
    """Contractions over several axes at once, and a trace."""

    def __init__(self):
        super().__init__()
        self.one = nn.Parameter(torch.randn(6, 4, 5))
        self.two = nn.Parameter(torch.randn(4, 5, 3, 7))
        self.three = nn.Parameter(torch.randn(3, 7, 4))

    def forward(self, x):
        x = torch.tanh(torch.einsum('bi,iac->bac', x, self.one))
        x = torch.tanh(torch.einsum('bac,acde->bde', x, self.two))
        return torch.einsum('bde,deo->bo', x, self.three)


class TensorTrain(nn.Module):
    """A dense layer in the form of a chain of small tensors."""

    def __init__(self):
        super().__init__()
        self.cores = nn.ParameterList([
            nn.Parameter(torch.randn(1, 2, 3, 4)),
            nn.Parameter(torch.randn(4, 3, 4, 1))])
        self.head = nn.Linear(12, 4)

    def forward(self, x):
        x = x.view(-1, 2, 3)
        weight = torch.einsum('aijb,bklc->ikjl', *self.cores)
        x = torch.einsum('bik,ikjl->bjl', x, weight)
        return self.head(torch.relu(x).flatten(1))


class Circulant(nn.Module):
    """Hidden units rolled against each other."""

    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 12), nn.Linear(12, 4)

    def forward(self, x):
        x = torch.relu(self.first(x))
        return self.head(x * torch.roll(x, 3, dims=1) + x.flip(1))


class Folded(nn.Module):
    """One layer's units as a table; rows and columns are used apart."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 24)
        self.rows, self.columns = nn.Linear(6, 5), nn.Linear(4, 5)
        self.head = nn.Linear(5, 4)

    def forward(self, x):
        x = torch.relu(self.first(x)).view(-1, 4, 6)
        rows, columns = self.rows(x), self.columns(x.transpose(1, 2))
        return self.head(rows.sum(1) + columns.sum(1))


def stochastic_depth_mlp():
    """Residual blocks with gains of their own, one of them zero."""
    blocks = [Residual(nn.LayerNorm(12), nn.Linear(12, 20), nn.ELU(),
                       nn.Linear(20, 12)) for _ in range(3)]
    return nn.Sequential(nn.Linear(6, 12), *blocks, nn.LayerNorm(12),
                         nn.Linear(12, 4))


def crossed_branches():
    """Concatenated twice, with borders at other places."""
    return nn.Sequential(
        Branches(nn.Linear(6, 8), nn.Linear(6, 4)), nn.ReLU(),
        Apply(lambda x: torch.cat((x[:, :6], x[:, 2:]), 1)),
        nn.Linear(16, 10), nn.ReLU(), nn.Linear(10, 4))


VECTOR = (floats('batch', 6),)

MODELS = {
    'mlp': Entry(Mlp, VECTOR),
    'weight-norm': Entry(WeightNormNet, VECTOR),
    'spectral-norm': Entry(SpectralNormNet, VECTOR),
    'bilinear': Entry(Bilinear, VECTOR, opset=12, reason='Einsum'),
    'outer-self': Entry(OuterSelf, VECTOR),
    'outer-pair': Entry(OuterPair, VECTOR, opset=12, reason='Einsum'),
    'upper-pairs': Entry(UpperPairs, VECTOR),
    'strided-pairs': Entry(StridedPairs, VECTOR),
    'group-sort': Entry(GroupSort, VECTOR),
    'local-winners': Entry(LocalWinners, VECTOR),
    'sorted-units': Entry(SortedUnits, VECTOR),
    'running-sums': Entry(RunningSums, (floats('batch', 'length', 6),)),
    'highway': Entry(Highway, VECTOR),
    'geglu': Entry(lambda: Gated(F.gelu), VECTOR),
    'reglu': Entry(lambda: Gated(torch.relu), VECTOR),
    'glu': Entry(GluUnit, VECTOR),
    'hyper-network': Entry(HyperNetwork, VECTOR),
    'made-weights': Entry(MadeWeights, VECTOR),
    'symmetric-weights': Entry(SymmetricWeights, VECTOR),
    'tied-autoencoder': Entry(TiedAutoencoder, VECTOR),
    'many-outputs': Entry(ManyOutputs, VECTOR),
    'partly-out': Entry(PartlyOut, VECTOR),
    'siamese': Entry(Siamese, (floats('batch', 6, name='one'),
                               floats('other', 6, name='two')),
                     {'batch': (5, 3, 8), 'other': (5, 3, 8)}),
    'deep-sets': Entry(DeepSets, (floats('batch', 'length', 6),)),
    'fourier-features': Entry(FourierFeatures, (floats('batch', 3),)),
    'radial-basis': Entry(RadialBasis, VECTOR),
    'ensemble': Entry(Ensemble, VECTOR),
    'einsum-chain': Entry(EinsumChain, VECTOR, opset=12,
                          reason='Einsum'),
    'tensor-train': Entry(TensorTrain, VECTOR, opset=12, reason='Einsum'),
    'circulant': Entry(Circulant, VECTOR),
    'folded-rows': Entry(Folded, VECTOR),
    'residual-mlp': Entry(stochastic_depth_mlp, VECTOR),
    'crossed-branches': Entry(crossed_branches, VECTOR),
}
