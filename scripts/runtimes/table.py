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
    broken = sorted({value.split(':')[0] for one in results
                     for value in one.get('differences', [])
                     if isinstance(value, str)})
    return '; '.join(said + [f'refused: {why}' for why in refused] +
                     [f'the export itself {why}' for why in broken])


def kind_of(one):
    """The opset; with d if the exporter is that of PyTorch 2."""
    return f'{one["opset"]}{"d" if one["exporter"] == "dynamo" else ""}'


def kinds(results):
    found = {kind_of(one) for one in results if 'skipped' not in one}
    return ' '.join(sorted(found))


def row_of(model, results):
    axes = next((one['axes'] for one in results if 'axes' in one), [])
    return [model, kinds(results), ' '.join(axes),
            of_key(results, 'log10_order', '{:.1f}'),
            of_key(results, 'free', '{:.0%}'),
            at_size(results, 0), at_size(results, 1), verdicts(results)]


def left_out(results):
    """What was not exported, by reason."""
    reasons = {}
    for one in results:
        if 'skipped' in one:
            key = f'{kind_of(one)}, {one["skipped"]}'
            reasons.setdefault(key, []).append(one['model'])
    return [f'- {why}: {", ".join(models)}'
            for why, models in sorted(reasons.items())]


def markdown(results):
    results = list(results)
    heads = ['model', 'opsets', 'open axes', 'log10 order', 'free',
             'first size', 'second size', 'verify']
    by_model = {}
    for one in results:
        by_model.setdefault(one['model'], []).append(one)
    rows = [heads, ['---'] * len(heads)]
    rows += [row_of(model, found) for model, found in by_model.items()
             if any('file' in one and 'skipped' not in one for one in found)]
    lines = ['| ' + ' | '.join(row) + ' |' for row in rows]
    return '\n'.join(lines + [''] + left_out(results))
