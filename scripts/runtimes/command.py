"""The command line of scripts/compare-runtimes."""

import argparse
import glob
import json
import os
import sys
import tempfile

from runtimes import permuting, running, table

LIMIT = 1e-4


def read_json(path, otherwise=None):
    if not os.path.exists(path):
        return otherwise
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def compare(rebasin, a, b, record):
    """All that is known of a pair of files."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            found.update(permuting.described(rebasin, b))
            found['verdict'] = permuting.verdict(rebasin, b)
            path = permuting.permuted(rebasin, a, b, folder)
            found['differences'] = running.differences(record, b, path)
        except permuting.Refused as refusal:
            found['refused'] = str(refusal).replace(b, 'B').replace(a, 'A')
    return found


def open_axes(record):
    return sorted({axis for one in record['inputs'] for axis in one['axes']
                   if isinstance(axis, str)})


def results_of(rebasin, pair, model, record):
    """A result for each file of a model in a folder with a pair."""
    told = record.get('skipped') or record.get('failed')
    if told:
        yield {'model': model, 'skipped': told, 'file': model,
               'opset': record['opset'], 'exporter': record['exporter']}
        return
    for file in record['files']:
        a, b = (os.path.join(pair, side, file) for side in 'ab')
        if not os.path.exists(a) or not os.path.exists(b):
            continue
        common = {'model': model, 'file': file, 'opset': record['opset'],
                  'exporter': record['exporter'], 'axes': open_axes(record)}
        yield {**common, **compare(rebasin, a, b, record)}


def describe(pair, one):
    numbers = ' '.join(value if isinstance(value, str) else f'{value:.1e}'
                       for value in one.get('differences', []))
    said = one.get('verdict', '') + ' ' + one.get('refused', '') + ' ' + \
        one.get('skipped', '')
    return f'{os.path.basename(pair)} {one["file"]}: {numbers} {said}'.strip()


def is_wrong(one):
    return any(not isinstance(value, str) and value > LIMIT
               for value in one.get('differences', []))


def parse():
    parser = argparse.ArgumentParser(
        description='Runs permuted models in ONNX Runtime.')
    parser.add_argument('folder')
    parser.add_argument('rebasin')
    parser.add_argument('--only', nargs='+', metavar='NAME')
    parser.add_argument('--table', action='store_true',
                        help='print the results so far, run nothing')
    return parser.parse_args()


def run_all(options, results):
    """Fills in results, by pair, file, and so on."""
    for path in sorted(glob.glob(os.path.join(options.folder, '**/b',
                                              'exports.json'),
                                 recursive=True)):
        pair = os.path.dirname(os.path.dirname(path))
        for model, record in read_json(path).items():
            if options.only and model not in options.only:
                continue
            for one in results_of(options.rebasin, pair, model, record):
                key = os.path.relpath(pair, options.folder)
                results[f'{key}/{one["file"]}'] = one
                print(describe(pair, one), file=sys.stderr, flush=True)


def main():
    options = parse()
    path = os.path.join(options.folder, 'results.json')
    results = read_json(path, {})
    if not options.table:
        run_all(options, results)
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(results, file, indent=1)
    print(table.markdown(results.values()))
    return 1 if any(map(is_wrong, results.values())) else 0
