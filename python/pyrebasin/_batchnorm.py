"""BatchNorm statistics of merged modules, measured anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._errors import UsageError


def _layers(torch: Any, module: Any) -> list[Any]:
    kind = torch.nn.modules.batchnorm._BatchNorm
    return [
        part
        for part in module.modules()
        if isinstance(part, kind) and part.running_mean is not None
    ]


def _inputs_of(batch: Any) -> Any:
    return batch[0] if isinstance(batch, (list, tuple)) else batch


def recalculate_batchnorm(module: Any, loader: Iterable[Any]) -> int:
    """Measure the BatchNorm statistics of a merged module on data.

    The average of two networks' statistics is not the statistics of the average
    network. All statistics are reset, the module runs on all batches as in
    training, and the statistics become the means over all batches, equally
    weighted.

    Parameters
    ----------
    module : torch.nn.Module
        The merged module; its statistics change.
    loader : iterable
        Batches: tensors, or tuples that start with the inputs, such as those of
        a ``DataLoader``.

    Returns
    -------
    int
        The number of batches.

    Raises
    ------
    UsageError
        If the module has no BatchNorm statistics, or there is no batch.
    """
    import torch

    layers = _layers(torch, module)
    if not layers:
        raise UsageError(f"{type(module).__name__} has no BatchNorm statistics")
    training = [(part, part.training) for part in module.modules()]
    momenta = [layer.momentum for layer in layers]
    batches = 0
    try:
        module.eval()
        for layer in layers:
            layer.reset_running_stats()
            layer.momentum = None  # a cumulative average
            layer.train()
        with torch.no_grad():
            for batch in loader:
                module(_inputs_of(batch))
                batches += 1
    finally:
        for layer, momentum in zip(layers, momenta, strict=True):
            layer.momentum = momentum
        for part, mode in training:
            part.training = mode
    if batches == 0:
        raise UsageError("there is no batch to measure statistics on")
    return batches
