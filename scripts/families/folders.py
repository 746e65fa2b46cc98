"""Folders of tiny models, and what the program makes of them."""

import math

from runtimes.permuting import run


def save(model, folder):
    model.save_pretrained(folder, safe_serialization=True)


def log10_order(count):
    """Of groups that are counted by hand."""
    return sum(times * math.lgamma(n + 1) / math.log(10)
               for n, times in count.values())


def permuted(rebasin, a, b, out):
    """A folder that holds B permuted by a random element."""
    alignment = out + '.json'
    run(rebasin, 'match', a, b, '--method', 'random', '--seed', '7', '-o',
        alignment, '--force')
    moved = run(rebasin, 'apply', b, '--align', alignment, '-o', out)
    return moved['units_moved']
