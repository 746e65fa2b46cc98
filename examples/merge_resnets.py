"""Merges two of torchvision's ResNets, and measures BatchNorm's statistics anew."""

import torch
from torch.nn.functional import interpolate
from torchvision.models.resnet import BasicBlock, ResNet

import digits
import pyrebasin as rb


def make(seed):
    torch.manual_seed(seed)
    return ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10)


def load(split):
    images, labels = digits.load(split)
    return interpolate(images.expand(-1, 3, -1, -1), scale_factor=2), labels


images, labels = load("train")
a = digits.train(make(1), images, labels, epochs=3)
b = digits.train(make(2), images, labels, epochs=3)

graph = rb.trace(a, images[:1])
merged = make(0)
merged.load_state_dict(rb.merge([a, b], model=graph).state_dict())
print(f"merged: {digits.accuracy(merged, *load('t10k')):.1f} % right")

rb.recalculate_batchnorm(merged, images.split(50))
print(f"with its own statistics: {digits.accuracy(merged, *load('t10k')):.1f} %")
print(f"A: {digits.accuracy(a, *load('t10k')):.1f} %")
