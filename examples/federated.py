"""Federated averaging of clients that start apart, plain and aligned."""

import torch

import digits
import pyrebasin as rb

CLIENTS, ROUNDS = 4, 3


def average(nets, graph, aligned):
    if not aligned:
        return rb.merge(nets, align=None).state_dict()
    mean = rb.AlignedAverage(model=graph)
    for net in nets:
        mean.add(net)
    return mean.state_dict()


images, labels = digits.load("train")
parts = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
parts = parts.chunk(CLIENTS)
graph = rb.trace(digits.mlp(0), images[:1])

for aligned in (False, True):
    nets = [digits.mlp(1 + client) for client in range(CLIENTS)]  # separate starts
    for number in range(1, ROUNDS + 1):
        for net, part in zip(nets, parts, strict=True):
            digits.train(net, images[part], labels[part], epochs=10)
        state = average(nets, graph, aligned)
        for net in nets:
            net.load_state_dict(state)
        right = digits.accuracy(nets[0], *digits.load("t10k"))
        print(f"{'aligned' if aligned else 'plain'}, round {number}: {right:.1f} %")
