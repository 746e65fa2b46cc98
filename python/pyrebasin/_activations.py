"""Matching by what units do on data, whatever runs the networks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._alignment import Alignment
from ._arrays import is_torch
from ._errors import MismatchError, UsageError
from ._model import ModelLike
from ._opening import open_together
from ._options import (
    MATCH_NAMES,
    MatchOptions,
    check_names,
    match_settings,
    run_settings,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

COSTS = ("correlation", "product")


def _floats(name: str, values: Any) -> Any:
    if is_torch(values):
        values = values.detach().cpu().float().contiguous().numpy()
    array = np.ascontiguousarray(values, dtype=np.float32)
    if array.ndim == 0:
        raise UsageError(f"activations at {name} are a single number")
    return array


def _axis_of(name: str, values: Any, units: int) -> int:
    """Return the axis with units: channels of images, else the last one."""
    for axis in (1, values.ndim - 1) if values.ndim > 3 else (values.ndim - 1, 1):
        if axis < values.ndim and values.shape[axis] == units:
            return axis
    raise MismatchError(
        f"activations at {name} have the shape {list(values.shape)}, and no axis of "
        f"{units} units",
        hint="give the input of the layer with this weight",
    )


class ActivationMatcher:
    """Match B to A by the activations of their units on the same examples.

    Units are compared where they enter the next layer: at the inputs of dense
    layers and convolutions. Groups that no activation shows are matched by
    weights. Only one matrix for each group is kept.

    Parameters
    ----------
    a, b : model
        Two models of the same structure.
    cost : str
        ``"correlation"`` (default) or ``"product"``, as in the paper.
    **options
        See `MatchOptions`.

    Attributes
    ----------
    taps : dict of str to int
        The layers whose inputs show units, by the path of their module, and the
        number of units there. It suffices to give some of them.

    Examples
    --------
    >>> import numpy as np, pyrebasin as rb
    >>> matcher = rb.ActivationMatcher("a.safetensors", "b.safetensors")
    >>> matcher.taps
    {'fc2': 128, 'fc3': 128}
    >>> random = np.random.default_rng(0)
    >>> units = random.standard_normal((100, 128))  # of A, on 100 examples
    >>> matcher.add({"fc2": units}, {"fc2": units[:, ::-1]})
    >>> matcher.align().permutations["fc1"][:3]
    array([127, 126, 125], dtype=int32)
    """

    def __init__(
        self,
        a: ModelLike,
        b: ModelLike,
        /,
        *,
        cost: str = "correlation",
        **options: Unpack[MatchOptions],
    ) -> None:
        check_names(options, MATCH_NAMES)
        if cost not in COSTS:
            raise UsageError(
                f"cost={cost!r} is unknown", hint="it can be " + ", ".join(COSTS)
            )
        self._options = options
        opened = open_together([a, b], options, "symmetry")
        self._core = _core.ActivationMatcher(opened[0], opened[1], cost == COSTS[0])
        self.taps = {
            name.removesuffix(".weight"): units
            for name, units in self._core.taps()
            if name.endswith(".weight")
        }

    def add(self, a: Mapping[str, Any], b: Mapping[str, Any], /) -> None:
        """Add a batch of activations of both models on the same examples.

        Parameters
        ----------
        a, b : mapping of str to array
            The inputs of the layers that `taps` names. All batches have the
            same names.
        """
        if set(a) != set(b):
            raise UsageError("A and B have activations at different layers")
        seen = []
        for path in a:
            if path not in self.taps:
                raise UsageError(
                    f"{path!r} is no layer whose inputs show units",
                    hint="those are " + ", ".join(self.taps),
                )
            x, y = _floats(path, a[path]), _floats(path, b[path])
            axis = _axis_of(path, x, self.taps[path])
            seen.append((f"{path}.weight", axis, x, y))
        self._core.add(seen)

    @contextmanager
    def attach(self, module_a: Any, module_b: Any, /) -> Iterator[None]:
        """Collect activations whenever both modules of PyTorch have run.

        Within the context, run A and then B on each batch, in evaluation.

        Parameters
        ----------
        module_a, module_b : torch.nn.Module
            The modules of models A and B.
        """
        import torch

        kinds = (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
        seen: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        handles = []

        def watch(path: str, side: int) -> Any:
            def hook(layer: Any, inputs: tuple[Any, ...]) -> None:
                # The first use counts for a layer that is used twice. A copy,
                # because later layers may work in place.
                if path not in seen[side]:
                    seen[side][path] = _floats(path, inputs[0]).copy()

            return hook

        def finish(layer: Any, inputs: Any, outputs: Any) -> None:
            if not seen[0]:
                raise UsageError("run A before B on each batch")
            self.add(*seen)
            seen[0].clear()
            seen[1].clear()

        try:
            for side, module in enumerate((module_a, module_b)):
                for path, layer in module.named_modules():
                    plain = (
                        isinstance(layer, kinds) and getattr(layer, "groups", 1) == 1
                    )
                    if plain and path in self.taps:
                        hook = layer.register_forward_pre_hook(watch(path, side))
                        handles.append(hook)
            handles.append(module_b.register_forward_hook(finish))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def align(self) -> Alignment:
        """Return the alignment of B to A by all activations so far."""
        core = self._core.match(
            match_settings(self._options), run_settings(self._options)
        )
        return Alignment(core)
