"""The file of a family: what tests/zoo/families/NAME.json says.

    class    what transformers calls the model
    config   its config.json, small
    inputs   of the graph, by name: the shape of one example
    count    for each kind of group: [n, times], n! to the power of times
    tensors  names and shapes of the model, as saved by its own code
    outputs  what its own code computes: three numbers, and the sum of all
"""

import json
import os


def path_of(folder, name):
    return os.path.join(folder, name + '.json')


def read(folder, name):
    with open(path_of(folder, name), encoding='utf-8') as file:
        return json.load(file)


def names_in(folder):
    return sorted(name[:-5] for name in os.listdir(folder)
                  if name.endswith('.json'))


def line(value):
    return json.dumps(value)


def block(value):
    """An object with an item in each line, or anything else in one line."""
    if not isinstance(value, dict) or not value:
        return line(value)
    items = ',\n'.join(f'    {line(key)}: {line(item)}'
                       for key, item in value.items())
    return '{\n' + items + '\n  }'


def write(folder, name, fixture):
    text = ',\n'.join(f'  {line(key)}: {block(value)}'
                      for key, value in fixture.items())
    with open(path_of(folder, name), 'w', encoding='utf-8') as file:
        file.write('{\n' + text + '\n}\n')
