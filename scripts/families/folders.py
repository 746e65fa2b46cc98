"""Folders of tiny models, and what the program makes of them."""

import math
import os

import torch

from families import models
from runtimes.permuting import run


def save(model, folder):
    model.save_pretrained(folder, safe_serialization=True)


def load(fixture, folder):
    cls, config = models.config_of(fixture)
    model = cls.from_pretrained(folder, config=config,
                                torch_dtype=torch.float32)
    return model.eval()


def log10_order(count):
    """Of groups that are counted by hand."""
    return sum(times * math.lgamma(n + 1) / math.log(10)
               for n, times in count.values())


def permuted(rebasin, a, b, out):
    """B permuted by a random element, in a folder of its own."""
    alignment = out + '.json'
    run(rebasin, 'match', a, b, '--method', 'random', '--seed', '7', '-o',
        alignment, '--force')
    os.makedirs(out, exist_ok=True)
    target = os.path.join(out, 'model.safetensors')
    moved = run(rebasin, 'apply', b, '--align', alignment, '-o', target,
                '--force')
    return moved['units_moved']


def copy_config(source, target):
    name = 'config.json'
    with open(os.path.join(source, name), encoding='utf-8') as file:
        text = file.read()
    with open(os.path.join(target, name), 'w', encoding='utf-8') as file:
        file.write(text)
