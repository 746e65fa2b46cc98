"""The small images of digits in data/digits, and training on them."""

import gzip
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

FOLDER = Path(__file__).parent.parent / "data" / "digits"


def _numbers(name, header):
    with gzip.open(FOLDER / name) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


def load(split):
    """Return images of 8 x 8 numbers from 0 to 1, and labels; "train" or "t10k"."""
    images = _numbers(f"{split}-images-idx3-ubyte.gz", 16).reshape(-1, 1, 8, 8)
    labels = _numbers(f"{split}-labels-idx1-ubyte.gz", 8)
    return torch.tensor(images / 255, dtype=torch.float32), torch.tensor(
        labels, dtype=torch.long
    )


def mlp(seed):
    """Return a new network of dense layers."""
    torch.manual_seed(seed)
    layers = [nn.Flatten()]
    for inputs in (64, 256, 256, 256):
        layers += [nn.Linear(inputs, 256), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(256, 10))


def train(net, images, labels, epochs):
    """Train a network with Adam, in batches of 50."""
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-4)
    net.train()
    for _ in range(epochs):
        for batch in torch.randperm(len(images)).split(50):
            optimizer.zero_grad()
            cross_entropy(net(images[batch]), labels[batch]).backward()
            optimizer.step()
    return net.eval()


@torch.no_grad()
def accuracy(net, images, labels):
    """Return the percentage of images that a network classifies rightly."""
    return 100 * (net.eval()(images).argmax(1) == labels).double().mean().item()
