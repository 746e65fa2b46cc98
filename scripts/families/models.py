"""Tiny models of a family, made by its own code."""

import math
import os

import torch
import transformers
from safetensors.torch import save_file

try:
    from transformers.initialization import no_init_weights
except ImportError:
    from transformers.modeling_utils import no_init_weights

BATCH = 2


def fnv1a(text):
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return value


def attention_of(fixture):
    """The plain code is not the right one in all families."""
    return fixture.get('attention', 'eager')


def is_diffusion(fixture):
    return not hasattr(transformers, fixture['class'])


def class_of(fixture):
    if not is_diffusion(fixture):
        return getattr(transformers, fixture['class'])
    import diffusers
    return getattr(diffusers, fixture['class'])


def made(cls, config):
    if isinstance(config, dict):
        return cls.from_config(config)
    # Some releases fail to give models their first weights.
    with no_init_weights():
        model = cls(config)
    model.tie_weights()
    return model


def loaded(fixture, folder, dtype):
    """The model of a folder."""
    cls, config = config_of(fixture)
    more = {} if is_diffusion(fixture) else {'config': config}
    return cls.from_pretrained(folder, torch_dtype=dtype, **more).eval()


def config_of(fixture):
    """The class of the configuration may be younger than the settings."""
    cls = class_of(fixture)
    if is_diffusion(fixture):
        return cls, dict(fixture['config'])
    config = cls.config_class.from_dict(dict(fixture['config']))
    config._attn_implementation = attention_of(fixture)
    config._experts_implementation = 'eager'
    return cls, config


def random_model(fixture, seed):
    """Weights of a size that all of them matter."""
    cls, config = config_of(fixture)
    torch.manual_seed(seed)
    model = made(cls, config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() < 2:
                parameter.copy_(0.7 + 0.6 * torch.rand_like(parameter))
            else:
                parameter.normal_(0, 0.15)
    return model


def scattered(name, shape):
    """Numbers that depend on the name; tests/zoo makes the same."""
    size = math.prod(shape)
    start = fnv1a(name) % 1000
    vector = len(shape) < 2
    scale = vector and (name.endswith('weight') or
                        name.endswith('running_var'))
    fan_in = 1 if vector else size // shape[0]
    spread = 0.3 if scale else 0.1 if vector else 2 / math.sqrt(fan_in)
    values = (1.0 if scale else 0.0) + spread * torch.sin(
        start + torch.arange(size, dtype=torch.float64))
    return values.reshape(shape)


def scattered_model(fixture, tensors, folder):
    """A model in which each tensor has the numbers of its saved name."""
    made(*config_of(fixture)).save_pretrained(folder)
    for name in os.listdir(folder):
        if name.endswith('.safetensors'):
            save_file({name: scattered(name, shape).contiguous()
                       for name, shape in tensors.items()},
                      os.path.join(folder, name), {'format': 'pt'})
    return loaded(fixture, folder, torch.float64)


def limit_of(name, fixture):
    """Integers of an input are below this."""
    return fixture.get('limits', {}).get(name) or \
        fixture['config'].get('vocab_size', 2)


def inputs_of(fixture, dtype=torch.float64):
    """The same numbers in each run, and in tests/zoo."""
    made = {}
    for name, shape in fixture['inputs'].items():
        size = BATCH * math.prod(shape)
        steps = torch.arange(size, dtype=torch.float64)
        if name.endswith('ids') and name != 'time_ids':
            values = (7 * steps.long() + 3) % limit_of(name, fixture)
        else:
            values = torch.sin(0.7 * steps).to(dtype)
        made[name] = values.reshape([BATCH, *shape])
    return made


@torch.no_grad()
def outputs_of(model, fixture, dtype=torch.float64):
    """All floating outputs that the graph has, too, in its order."""
    # Some masks are made of the default type.
    torch.set_default_dtype(dtype)
    found = results_of(model, inputs_of(fixture, dtype))
    torch.set_default_dtype(torch.float32)
    names = fixture.get('outputs_named') or [first_name(found)]
    return [found[name].double() for name in names]


def results_of(model, inputs):
    """What the model calls its results."""
    if hasattr(model, 'quant_conv'):  # of diffusion
        latent = model.encode(inputs['sample']).latent_dist
        return {'sample': model.decode(latent.mean).sample,
                'moments': latent.parameters}
    if 'text_embeds' in inputs:
        more = {name: inputs.pop(name) for name in ('text_embeds', 'time_ids')}
        return model(**inputs, added_cond_kwargs=more)
    return model(**inputs)


def first_name(found):
    for name in ('logits', 'last_hidden_state'):
        if name in found:
            return name
    return next(iter(found))
