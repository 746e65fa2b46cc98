"""All models by name."""

from exports import (attention, control, convolutional, dense, detection,
                     experts, generative, positions, recurrent, tables,
                     transformers, vision)

MODELS = {}
for module in (dense, convolutional, generative, recurrent, attention,
               positions, tables, transformers, experts, control, detection,
               vision):
    MODELS.update(module.MODELS)
