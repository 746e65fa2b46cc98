"""Models written as ONNX files, and their weights as safetensors."""

import inspect
import json
import os
import struct

import torch

from exports import entry as entries
from exports.catalog import MODELS

TRAINED_ENDINGS = ('running_mean', 'running_var')


def hash_of(name):
    """The same for every run, unlike hash()."""
    return sum(ord(letter) * 31 ** i for i, letter in enumerate(name)) % 2 ** 31


def trained_tensors(model):
    """Parameters and statistics by name; other buffers are constants."""
    found = dict(model.named_parameters())
    found.update((name, tensor) for name, tensor in model.named_buffers()
                 if name.endswith(TRAINED_ENDINGS))
    return found


@torch.no_grad()
def randomize(model):
    """Statistics and parameters that are not all zeros, ones or equal.

    The exporter would store equal parameters once.
    """
    for key, tensor in trained_tensors(model).items():
        if tensor.flatten()[:99].unique().numel() > 2:
            continue
        if key.endswith(('weight', 'running_var', 'scale')):
            tensor.uniform_(0.5, 1.5)
        else:
            tensor.normal_(0, 0.2)


def make(name, seed=0):
    """A model ready to be exported, its entry and its examples."""
    entry = MODELS[name]
    torch.manual_seed(hash_of(name) + seed)
    model = entry.build().eval()
    randomize(model)
    return model, entry, entries.examples_of(entry)


def flat(outputs):
    """All tensors of nested outputs, in the exporter's order."""
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    if isinstance(outputs, dict):
        outputs = outputs.values()
    return [tensor for one in outputs for tensor in flat(one)]


@torch.no_grad()
def open_outputs(model, entry, traced):
    """Names of all outputs, and which of their axes depend on the sizes.

    The model is run at other sizes: the exporter must be told.
    """
    outputs = flat(model(*traced))
    names = ['output'] if len(outputs) == 1 else [
        f'output{i}' for i in range(len(outputs))]
    found = {name: set() for name in names}
    for run in entries.RUNS:
        others = flat(model(*entries.examples_of(entry, run)))
        for name, one, other in zip(names, outputs, others):
            found[name] |= {i for i, size in enumerate(one.shape)
                            if size != other.shape[i]}
    return {name: {i: f'{name}_{i}' for i in axes}
            for name, axes in found.items()}


def open_axes(one, example):
    """Lengths have an axis less than the sequences that they are of."""
    return {i: axis for i, axis in enumerate(one.axes[:example.dim()])
            if isinstance(axis, str)}


def open_inputs(entry, examples):
    return {one.name: open_axes(one, example)
            for one, example in zip(entry.inputs, examples)}


def axes_of(model, entry, examples, dynamic):
    if not dynamic:
        count = len(flat(model(*examples)))
        return ['output'] if count == 1 else [
            f'output{i}' for i in range(count)], None
    outputs = open_outputs(model, entry, examples)
    return list(outputs), {**open_inputs(entry, examples), **outputs}


def export(name, path, options, **more):
    model, entry, examples = make(name, options.seed)
    outputs, axes = axes_of(model, entry, examples, options.dynamic)
    if 'dynamo' in inspect.signature(torch.onnx.export).parameters:
        more['dynamo'] = False
    torch.onnx.export(
        model, examples, path, opset_version=options.opset,
        training=torch.onnx.TrainingMode.PRESERVE,
        input_names=[one.name for one in entry.inputs],
        output_names=outputs, dynamic_axes=axes, **more)


def dynamic_shapes(entry, examples):
    """What the exporter of PyTorch 2 takes for dynamic_axes."""
    return tuple({i: torch.export.Dim.AUTO for i in open_axes(one, example)}
                 for one, example in zip(entry.inputs, examples))


def export_dynamo(name, path, options):
    """By torch.export, the exporter of PyTorch 2."""
    model, entry, examples = make(name, options.seed)
    shapes = dynamic_shapes(entry, examples) if options.dynamic else None
    torch.onnx.export(
        model, examples, path, opset_version=options.opset, dynamo=True,
        input_names=[one.name for one in entry.inputs], verbose=False,
        dynamic_shapes=shapes, external_data=False)


def export_all_forms(name, options):
    """The names of the files that were written."""
    base = os.path.join(options.folder, name)
    if options.dynamo:
        export_dynamo(name, base + '.onnx', options)
        return [name + '.onnx']
    export(name, base + '.onnx', options, do_constant_folding=False)
    export(name, base + '-folded.onnx', options, do_constant_folding=True)
    if options.stripped:
        export(name, base + '-stripped.onnx', options, export_params=False,
               do_constant_folding=False)
        model, _, _ = make(name, options.seed)
        write_safetensors(base + '.safetensors', model.state_dict())
    return [name + '.onnx', name + '-folded.onnx']


def write_safetensors(path, tensors):
    types = {torch.float32: 'F32', torch.int64: 'I64', torch.bool: 'BOOL'}
    header, offset = {}, 0
    for name, tensor in sorted(tensors.items()):
        end = offset + tensor.element_size() * tensor.numel()
        header[name] = {'dtype': types[tensor.dtype],
                        'shape': list(tensor.shape),
                        'data_offsets': [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text)
        for _, tensor in sorted(tensors.items()):
            file.write(tensor.detach().contiguous().numpy().tobytes())
