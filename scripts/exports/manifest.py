"""FOLDER/exports.json: what was exported, and at which sizes it can run.

Programs that run the files without PyTorch read it.
"""

import json
import os

from exports import entry as entries
from exports.catalog import MODELS

NAME = 'exports.json'


def read(folder):
    path = os.path.join(folder, NAME)
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def write(folder, content):
    with open(os.path.join(folder, NAME), 'w', encoding='utf-8') as file:
        json.dump(content, file, indent=1, sort_keys=True)


def origin_of(options):
    return {'opset': options.opset,
            'exporter': 'dynamo' if options.dynamo else 'script'}


def record_of(name, files, options):
    entry = MODELS[name]
    runs = entries.RUNS if options.dynamic else (entries.TRACED,)
    return {'files': files, **origin_of(options),
            'inputs': [one._asdict() for one in entry.inputs],
            'traced': entries.sizes_of(entry, entries.TRACED),
            'sizes': [entries.sizes_of(entry, run) for run in runs]}
