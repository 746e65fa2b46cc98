"""What is known of a model: how it is built, and what it takes."""

from typing import Callable, NamedTuple, Tuple, Union

import torch
from torch import nn

# Sizes of open axes: as traced, and the two at which exports are run.
SIZES = {
    'batch': (2, 3, 1),
    'length': (7, 5, 11),
    'other': (5, 8, 3),
    'height': (16, 12, 24),
    'width': (16, 20, 12),
    'depth': (6, 5, 8),
}

TRACED, RUNS = 0, (1, 2)


class Input(NamedTuple):
    """An input; axes that are words are open, numbers are fixed."""
    name: str
    kind: str  # float, ids or lengths
    axes: Tuple[Union[int, str], ...]
    below: int = 0  # ids are smaller


class Entry(NamedTuple):
    build: Callable[[], nn.Module]
    inputs: Tuple[Input, ...]
    sizes: dict = {}  # instead of those of SIZES
    opset: int = 11  # the first that can express the model
    reason: str = ''  # why older ones cannot


def floats(*axes, name='input'):
    return Input(name, 'float', axes)


def ids(below, *axes, name='input'):
    return Input(name, 'ids', axes, below)


def lengths(axis, *axes, name='lengths'):
    """How many elements of each sequence count, the longest first."""
    return Input(name, 'lengths', axes + (axis,))


def image(channels=3):
    return floats('batch', channels, 'height', 'width')


def sequence(size):
    return floats('batch', 'length', size)


def tokens(words=20):
    return ids(words, 'batch', 'length')


def sizes_of(entry, run):
    """The size of each open axis of a model: traced, or in one of the runs."""
    names = {axis for one in entry.inputs for axis in one.axes
             if isinstance(axis, str)}
    return {name: {**SIZES, **entry.sizes}[name][run] for name in names}


def shape_of(one, sizes):
    return [sizes.get(axis, axis) for axis in one.axes]


def example_of(one, sizes):
    shape = shape_of(one, sizes)
    if one.kind == 'ids':
        return torch.randint(0, one.below, shape)
    if one.kind == 'lengths':
        batch, longest = shape
        return torch.tensor([max(1, longest - i) for i in range(batch)])
    return torch.randn(shape)


def examples_of(entry, run=TRACED):
    sizes = sizes_of(entry, run)
    return tuple(example_of(one, sizes) for one in entry.inputs)
