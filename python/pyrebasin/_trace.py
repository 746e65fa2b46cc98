"""Graphs of PyTorch modules: exported in memory, without their weights."""

from __future__ import annotations

import inspect
import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ._errors import MismatchError, UnsupportedError, UsageError

OPSET = 17


@dataclass(frozen=True)
class Graph:
    """The graph of a module; any ``model=`` takes it.

    Attributes
    ----------
    name : str
        The module's class, for messages.
    onnx : bytes
        The graph as an ONNX model without weights.
    """

    name: str
    onnx: bytes = field(repr=False)


def _as_tuple(example: Any) -> tuple[Any, ...]:
    return example if isinstance(example, tuple) else (example,)


def _check_module(module: Any) -> None:
    if not hasattr(module, "state_dict") or not hasattr(module, "modules"):
        raise UsageError(f"trace takes a torch.nn.Module, not {type(module).__name__}")
    for name, tensor in module.state_dict().items():
        if getattr(tensor, "is_meta", False):
            raise UnsupportedError(
                f'parameter "{name}" is on the device meta: it has no numbers',
                hint="load its weights first",
            )


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """Set all modules to evaluation, and afterwards to what each was."""
    before = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in before:
            part.training = training


@contextmanager
def _plain_attention(torch: Any) -> Iterator[None]:
    """Keep attention from its fast path, which exporters do not know.

    Older versions take that path only where no gradients are wanted.
    """
    switch = getattr(torch.backends, "mha", None)
    before = switch.get_fastpath_enabled() if switch else None
    if switch:
        switch.set_fastpath_enabled(False)
    try:
        with torch.enable_grad():
            yield
    finally:
        if switch:
            switch.set_fastpath_enabled(before)


def _export_options(
    torch: Any, dynamic_axes: Mapping[str, Any] | None, names: Sequence[str] | None
) -> dict[str, Any]:
    options: dict[str, Any] = {
        # Parameters become inputs of the graph and keep their names; weights
        # are not written. Nothing is folded into, or fused with, anything.
        "export_params": False,
        "do_constant_folding": False,
        "training": torch.onnx.TrainingMode.PRESERVE,
        "opset_version": OPSET,
        "dynamic_axes": dict(dynamic_axes or {}),
        "input_names": list(names or []) or None,
    }
    # Newer versions have two exporters; this is the one that keeps names.
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    return options


def trace(
    module: Any,
    example: Any,
    *,
    dynamic_axes: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
) -> Graph:
    """Export the graph of a module in memory.

    The module runs once, as in evaluation, on the example. Its weights are not
    written, and its parameters keep their names.

    Parameters
    ----------
    module : torch.nn.Module
        The module; its state does not change.
    example : tensor or tuple
        The arguments of a call. Shapes hold for the whole graph, except for the
        axes that `dynamic_axes` names.
    dynamic_axes, input_names
        As for ``torch.onnx.export``: axes that may have any length.

    Returns
    -------
    Graph
        For ``model=`` of the other functions.

    Raises
    ------
    UnsupportedError
        If PyTorch cannot export the module; the message says why.

    Examples
    --------
    >>> import torch, pyrebasin as rb  # doctest: +SKIP
    >>> net = torch.nn.Sequential(  # doctest: +SKIP
    ...     torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    >>> graph = rb.trace(net, torch.zeros(1, 4))  # doctest: +SKIP
    >>> rb.inspect(net, model=graph).groups["0"].size  # doctest: +SKIP
    8
    """
    import torch

    _check_module(module)
    target = io.BytesIO()
    options = _export_options(torch, dynamic_axes, input_names)
    try:
        with _evaluating(module), _plain_attention(torch), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(module, _as_tuple(example), target, **options)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = lines[0] if lines else type(error).__name__
        raise UnsupportedError(
            f"PyTorch cannot export {type(module).__name__}: {reason}",
            hint="export an .onnx file in another way and give its path as model=",
        ) from error
    return Graph(type(module).__name__, target.getvalue())


@dataclass(frozen=True)
class ModuleCheck:
    """A module run before and after its units were permuted.

    Attributes
    ----------
    largest : float
        The largest absolute value of the outputs.
    difference : float
        The largest absolute difference between both runs.
    same : bool
        Whether the difference is within the tolerance.
    """

    largest: float
    difference: float
    same: bool


def _tensors(outputs: Any) -> Iterator[Any]:
    if hasattr(outputs, "detach"):
        yield outputs.detach().double()
    elif isinstance(outputs, Mapping):
        for one in outputs.values():
            yield from _tensors(one)
    elif isinstance(outputs, (list, tuple)):
        for one in outputs:
            yield from _tensors(one)


def _run(module: Any, state: Mapping[str, Any], example: tuple[Any, ...]) -> list[Any]:
    import copy

    import torch

    double = copy.deepcopy(module).double().eval()
    double.load_state_dict(state)
    arguments = [
        one.double()
        if isinstance(one, torch.Tensor) and one.is_floating_point()
        else one
        for one in example
    ]
    with torch.no_grad():
        return list(_tensors(double(*arguments)))


def check_module(
    module: Any,
    alignment: Any,
    example: Any,
    *,
    tolerance: float = 1e-7,
    **options: Any,
) -> ModuleCheck:
    """Run a module of the user's own before and after it is permuted.

    A copy of the module runs in double precision on the example, with its
    weights and with permuted ones. This tests the module itself, beside the
    proof on its graph.

    Parameters
    ----------
    module : torch.nn.Module
        The module; it does not change.
    alignment : Alignment
        How to permute it.
    example : tensor or tuple
        The arguments of a call.
    tolerance : float
        The largest difference that passes, relative to the largest value.
    **options
        See `OpenOptions`.

    Returns
    -------
    ModuleCheck

    Raises
    ------
    MismatchError
        If the outputs differ by more.
    """
    moved = alignment.apply(module, **{"verify": False, **options})
    arguments = _as_tuple(example)
    before = _run(module, module.state_dict(), arguments)
    after = _run(module, moved, arguments)
    if not before:
        raise UsageError("the module returns no tensors")
    largest = max(float(x.abs().max()) for x in before if x.numel())
    difference = max(
        float((x - y).abs().max())
        for x, y in zip(before, after, strict=True)
        if x.numel()
    )
    same = difference <= tolerance * max(largest, 1e-300)
    if not same:
        raise MismatchError(
            f"permuting {type(module).__name__} changes its outputs by "
            f"{difference:g} (largest value {largest:g})",
            hint="the alignment was made for another graph",
        )
    return ModuleCheck(largest, difference, same)
