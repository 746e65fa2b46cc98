"""What the program says of a model, and a random permutation of it."""

import json
import os
import subprocess


class Refused(Exception):
    """The program did not permute a model, and said why."""


def run(rebasin, *words):
    """The result of a command, or what it said instead."""
    command = [rebasin, *words, '--quiet', '--json']
    done = subprocess.run(command, capture_output=True, text=True,
                          check=False, timeout=1800)
    if done.returncode in (0, 1) and done.stdout.strip():
        return json.loads(done.stdout)
    said = ' '.join(done.stderr.split()).replace('rebasin: error: ', '')
    raise Refused(f'{words[0]} exits with {done.returncode}: {said}')


def is_free(axis):
    """Whether something of an axis may be permuted."""
    return any(not factor.strip('() ').isdigit()
               for segment in axis.split('+') for factor in segment.split('*'))


def elements_of(tensor):
    count = 1
    for size in tensor['shape']:
        count *= size
    return count


def free_share(tensors):
    """The share of all weights that stand in a tensor with a free axis."""
    free = sum(elements_of(tensor) for tensor in tensors
               if any(map(is_free, tensor.get('axes', []))))
    return free / max(1, sum(map(elements_of, tensors)))


def described(rebasin, path):
    found = run(rebasin, 'inspect', path)
    return {'log10_order': found.get('log10_symmetries'),
            'free': free_share(found['tensors'])}


def verdict(rebasin, path):
    found = run(rebasin, 'verify', path)
    if not found['same']:
        return 'NOT THE SAME'
    return 'proved' if found['proved'] else (
        'NOT PROVED: ' + ', '.join(map(str, found['unproved'])))


def permuted(rebasin, a, b, folder):
    """A file that holds B, permuted at random."""
    alignment = os.path.join(folder, 'alignment.json')
    path = os.path.join(folder, 'permuted.onnx')
    run(rebasin, 'match', a, b, '--method', 'random', '--seed', '7', '-o',
        alignment, '--force')
    run(rebasin, 'apply', b, '--align', alignment, '-o', path, '--force')
    if not os.path.exists(path):
        raise Refused('apply wrote nothing')
    return path
