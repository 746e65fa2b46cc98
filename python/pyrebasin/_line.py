"""What lies between two models: interpolation, and the barrier of a loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._alignment import Alignment
from ._errors import UsageError
from ._merge import MergedModel, merge
from ._model import ModelLike
from ._options import MatchOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


def interpolate(
    a: ModelLike,
    b: ModelLike,
    /,
    *,
    points: int = 11,
    alignment: Alignment | None = None,
    **options: Unpack[MatchOptions],
) -> list[tuple[float, MergedModel]]:
    """Return models on the line from A to B.

    Parameters
    ----------
    a, b : model
        Two models. They are not aligned unless `alignment` is given.
    points : int
        The number of models, both ends included; default 11.
    alignment : Alignment, optional
        How to permute B first.
    **options
        See `MatchOptions`.

    Returns
    -------
    list of (float, MergedModel)
        The weight of B, from 0 to 1, and the model.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> line = rb.interpolate("a.safetensors", "b.safetensors", points=3)
    >>> [weight for weight, _ in line]
    [0.0, 0.5, 1.0]
    """
    if points < 2:
        raise UsageError("a line needs at least two points")
    line = []
    for index in range(points):
        weight = index / (points - 1)
        if alignment is None:
            model = merge([a, b], align=None, lambda_=weight, **options)
        else:
            # One proof is enough for all points.
            model = merge(
                [a, b],
                alignments=[None, alignment],
                lambda_=weight,
                verify=index == 0,
                **options,
            )
        line.append((weight, model))
    return line


@dataclass(frozen=True)
class Barrier:
    """The loss along a line.

    Attributes
    ----------
    weights : list of float
        The weight of B at each point.
    losses : list of float
        The loss at each point.
    barrier : float
        The largest amount by which the loss exceeds the line between the losses
        of both ends.
    """

    weights: list[float]
    losses: list[float]
    barrier: float


def _excess(weights: Sequence[float], losses: Sequence[float]) -> float:
    first, last = losses[0], losses[-1]
    return max(
        loss - ((1 - weight) * first + weight * last)
        for weight, loss in zip(weights, losses, strict=True)
    )


def barrier(
    loss_fn: Callable[[dict[str, Any]], float],
    a: ModelLike,
    b: ModelLike,
    /,
    *,
    points: int = 11,
    alignment: Alignment | None = None,
    **options: Unpack[MatchOptions],
) -> Barrier:
    """Measure the loss barrier between two models.

    Parameters
    ----------
    loss_fn : callable
        Takes a dict from names to arrays (tensors of PyTorch if the models have
        those), and returns the loss.
    a, b, points, alignment, **options
        As for `interpolate`.

    Returns
    -------
    Barrier

    Examples
    --------
    >>> import pyrebasin as rb
    >>> def squares(weights):
    ...     return sum(float((x ** 2).sum()) for x in weights.values())
    >>> found = rb.barrier(squares, "a.safetensors", "b.safetensors", points=3)
    >>> found.barrier
    0.0
    """
    line = interpolate(a, b, points=points, alignment=alignment, **options)
    weights = [weight for weight, _ in line]
    losses = [float(loss_fn(model.state_dict())) for _, model in line]
    return Barrier(weights, losses, _excess(weights, losses))
