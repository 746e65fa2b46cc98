"""Federated averaging of models that are aligned first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._alignment import Alignment, align
from ._errors import UsageError
from ._merge import merge
from ._model import Model, ModelLike
from ._opening import open as open_model
from ._options import MATCH_NAMES, MatchOptions, check_names

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AlignedAverage:
    """A weighted mean of models, each of which is aligned as it arrives.

    Holds the mean and one model at a time, whatever their number is.

    Parameters
    ----------
    reference : model, optional
        What models are aligned to: the global model. Default: the mean of the
        models so far, of which the first is not permuted.
    **options
        See `MatchOptions`; they are those of `align` and `merge`.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> mean = rb.AlignedAverage()
    >>> mean.add("a.safetensors", weight=3)
    >>> mean.add("b.safetensors", weight=1)
    >>> mean.result()["fc1.weight"].shape
    (128, 64)
    """

    def __init__(
        self,
        reference: ModelLike | None = None,
        /,
        **options: Unpack[MatchOptions],
    ) -> None:
        check_names(options, MATCH_NAMES)
        self._options = options
        self._reference: Model | None = (
            None if reference is None else open_model(reference)
        )
        self._mean: Model | None = None
        self._weight = 0.0
        self.moved: list[int] = []

    def add(self, model: ModelLike, /, *, weight: float = 1.0) -> None:
        """Align a model and add it to the mean.

        Parameters
        ----------
        model : model
            The next model.
        weight : float
            Its share, such as the number of its examples.
        """
        if not weight > 0:
            raise UsageError(f"weight={weight} is not positive")
        target = self._reference if self._reference is not None else self._mean
        found = None if target is None else align(target, model, **self._options)
        self.moved.append(0 if found is None else found.units_moved)
        share = weight / (self._weight + weight)
        self._mean = self._with(model, found, share)
        self._weight += weight

    def _with(self, model: ModelLike, found: Alignment | None, share: float) -> Model:
        if self._mean is not None:
            return merge(
                [self._mean, model],
                alignments=[None, found],
                lambda_=share,
                verify=False,
                **self._options,
            )
        if found is None:
            return open_model(model)
        moved = found.apply(model, verify=False)
        return moved if isinstance(moved, Model) else open_model(moved)

    def result(self) -> Model:
        """Return the mean of all models that were added."""
        if self._mean is None:
            raise UsageError("no model was added")
        return self._mean

    def state_dict(self) -> Mapping[str, Any]:
        """Return the mean as a new dict of arrays."""
        return self.result().state_dict()
