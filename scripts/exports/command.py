"""The command line of scripts/export-models."""

import argparse
import os
import sys
import warnings

from exports import files, manifest
from exports.catalog import MODELS


def parse():
    names = list(MODELS)
    parser = argparse.ArgumentParser(
        description='Exports models of many kinds to ONNX.')
    parser.add_argument('folder')
    parser.add_argument('--opset', type=int, default=16)
    parser.add_argument('--only', nargs='+', choices=names, default=names,
                        metavar='NAME', help=', '.join(names))
    parser.add_argument('--seed', type=int, default=0,
                        help='of the weights; default 0')
    parser.add_argument('--dynamic', action='store_true',
                        help='leave every size open that the model takes')
    parser.add_argument('--stripped', action='store_true',
                        help='also graph and weights apart')
    parser.add_argument('--dynamo', action='store_true',
                        help='with the exporter of PyTorch 2')
    return parser.parse_args()


def reason_of(error):
    """The first line of a message, or what kind of error it is."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0].split('. ')[0] if lines else ''
    return f'{type(error).__name__}: {first}'[:160]


def record(name, options):
    """What the manifest says of a model, which is written by the way."""
    needed = MODELS[name].opset
    if options.opset < needed:
        return {'skipped': f'{MODELS[name].reason} needs opset {needed}',
                **manifest.origin_of(options)}
    return manifest.record_of(name, files.export_all_forms(name, options),
                              options)


def main():
    options = parse()
    os.makedirs(options.folder, exist_ok=True)
    warnings.filterwarnings('ignore')
    content, failed = manifest.read(options.folder), False
    for name in options.only:
        try:
            content[name] = record(name, options)
        except Exception as error:  # one model must not keep others back
            content[name] = {'failed': reason_of(error),
                             **manifest.origin_of(options)}
            failed = True
        told = content[name].get('failed') or content[name].get('skipped')
        print(f'{name}: {told}' if told else name,
              file=sys.stderr if told else sys.stdout, flush=True)
        manifest.write(options.folder, content)
    return 1 if failed else 0
