"""Results of all exports of a model as one row."""


def spread(values, form):
    """One number, or the smallest and the largest."""
    texts = [form.format(value) for value in (min(values), max(values))]
    return texts[0] if texts[0] == texts[1] else '-'.join(texts)


def of_key(results, key, form):
    values = [one[key] for one in results if one.get(key) is not None]
    return spread(values, form) if values else ''


def at_size(results, index):
    """The largest difference at the first or second size of each export."""
    found = [one['differences'][min(index, len(one['differences']) - 1)]
             for one in results if one.get('differences')]
    numbers = [value for value in found if not isinstance(value, str)]
    if not numbers:
        return ''
    return f'{max(numbers):.1e}'


def verdicts(results):
    said = sorted({one['verdict'] for one in results if 'verdict' in one})
    refused = sorted({one['refused'] for one in results if 'refused' in one})
    left = sorted({f"{one['opset']}: {one['skipped']}" for one in results
                   if 'skipped' in one})
    return '; '.join(said + [f'refused: {why}' for why in refused] +
                     [f'not exported at {why}' for why in left])


def kinds(results):
    """At which opsets, and by which exporter."""
    found = {(one['exporter'], one['opset']) for one in results
             if 'skipped' not in one}
    return ' '.join(f'{opset}' + ('d' if exporter == 'dynamo' else '')
                    for exporter, opset in sorted(found, reverse=True))


def row_of(model, results):
    axes = next((one['axes'] for one in results if 'axes' in one), [])
    return [model, kinds(results), ' '.join(axes),
            of_key(results, 'log10_order', '{:.1f}'),
            of_key(results, 'free', '{:.0%}'),
            at_size(results, 0), at_size(results, 1), verdicts(results)]


def markdown(results):
    heads = ['model', 'opsets', 'open axes', 'log10 order', 'free',
             'first size', 'second size', 'verify']
    models = dict.fromkeys(one['model'] for one in results)
    rows = [heads, ['---'] * len(heads)]
    rows += [row_of(model, [one for one in results if one['model'] == model])
             for model in models]
    return '\n'.join('| ' + ' | '.join(row) + ' |' for row in rows)
