"""Merges models."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._alignment import Alignment
from ._errors import UsageError
from ._model import Model, ModelLike, framework_of
from ._opening import graph_of, open_together
from ._options import (
    MATCH_NAMES,
    MatchOptions,
    check_names,
    match_settings,
    run_settings,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class MergedModel(Model):
    """A merged model, and how it came about.

    Attributes
    ----------
    alignments : list of Alignment
        How each model was permuted; empty if they were not aligned.
    report : MatchReport or None
        The quality of the alignment of two models.
    proofs : list of Proof
        One for each model that moved.
    """

    def __init__(self, merged: _core.Merged, **known: Any) -> None:
        super().__init__(merged.weights, **known)
        self.alignments = [Alignment(core) for core in merged.alignments]
        self.report = merged.match
        self.many = merged.many
        self.proofs = merged.proofs
        self.three_way = merged.three_way
        self.taken = merged.taken


def _shares(
    count: int, weights: Sequence[float] | None, lambda_: float | None
) -> list[float]:
    if lambda_ is not None:
        if count != 2 or weights is not None:
            raise UsageError("lambda_ is for two models", hint="use weights= for more")
        if not 0 <= lambda_ <= 1:
            raise UsageError(f"lambda_={lambda_} is not between 0 and 1")
        return [1 - lambda_, float(lambda_)]
    if weights is None:
        return []
    shares = [float(weight) for weight in weights]
    if len(shares) != count:
        raise UsageError(f"weights has {len(shares)} numbers for {count} models")
    if abs(sum(shares) - 1) > 1e-6:
        raise UsageError(f"weights must sum to 1, not {sum(shares):g}")
    return shares


def _check_list(models: Any) -> list[ModelLike]:
    if isinstance(models, (str, os.PathLike, Mapping)):
        raise UsageError("merge takes a list of models", hint="merge([a, b])")
    listed = list(models)
    if len(listed) < 2:
        raise UsageError("a merge needs at least two models")
    return listed


def merge(
    models: Sequence[ModelLike],
    /,
    *,
    alignments: Sequence[Alignment | None] | None = None,
    weights: Sequence[float] | None = None,
    lambda_: float | None = None,
    align: str | None = "weights",
    interpolation: str = "linear",
    base: ModelLike | None = None,
    three_way: str = "auto",
    many: str = "mergemany",
    repair: str = "none",
    verify: bool = True,
    allow_nonfinite: bool = False,
    **options: Unpack[MatchOptions],
) -> MergedModel:
    """Align models, prove that this changes nothing, and average them.

    Parameters
    ----------
    models : sequence of models
        Two models or more: paths, mappings, modules or `Model` objects.
    alignments : sequence of Alignment or None, optional
        How to permute each model, if that is known; None: not at all.
    weights : sequence of float, optional
        The weight of each model; they sum to 1. Default: equal weights.
    lambda_ : float, optional
        For two models: the weight of B, instead of `weights`.
    align : str or None
        One of `methods`; ``"none"`` or None: merge without alignment.
    interpolation : str
        ``"linear"`` (default), ``"slerp"`` or ``"many"`` (all aligned jointly;
        always so for more than two models).
    base : model, optional
        The common ancestor of two models.
    three_way : str
        With `base`: ``"auto"`` (default), ``"delta"`` or ``"mean"``.
    many : str
        How models are aligned jointly: ``"mergemany"`` (default),
        ``"consistent"`` or ``"frank-wolfe"``.
    repair : str
        ``"none"`` (default) or ``"bias"``.
    verify : bool
        Prove each permuted model by running.
    allow_nonfinite : bool
        Copy NaN and infinities into the result instead of refusing them.
    **options
        See `MatchOptions`.

    Returns
    -------
    MergedModel

    Raises
    ------
    MismatchError
        If the models do not fit each other, or a permuted model does not
        compute the same function.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> m = rb.merge(["a.safetensors", "b.safetensors"])
    >>> m.proofs[0].proved
    True
    >>> m.save("merged.safetensors")
    """
    check_names(options, MATCH_NAMES)
    listed = _check_list(models)
    shares = _shares(len(listed), weights, lambda_)
    if repair not in ("none", "bias"):
        raise UsageError(f"repair={repair!r} is unknown", hint="it can be none, bias")
    method = None if align == "none" else align
    if alignments is not None and len(alignments) != len(listed):
        raise UsageError(
            f"alignments has {len(alignments)} elements for {len(listed)} models"
        )
    if alignments is not None and (base is not None or repair != "none"):
        raise UsageError("alignments= excludes base= and repair=")
    if base is not None and (shares or interpolation != "linear" or repair != "none"):
        three_way = "mean" if three_way == "auto" else three_way
    settings = _core.merge_settings(
        align=method,
        match=match_settings(options),
        interpolation=interpolation,
        weights=shares,
        three_way=three_way,
        many=many,
        models=len(listed),
        repair_biases=repair == "bias",
        verify=verify,
        allow_nonfinite=allow_nonfinite,
    )
    need = "symmetry" if method or alignments is not None else "nothing"
    opened = open_together(listed, options, "graph" if repair == "bias" else need, base)
    how = run_settings(options)
    if alignments is None:
        merged = _core.merge(opened, base is not None, settings, how)
    else:
        cores = [known._core if known else None for known in alignments]
        merged = _core.merge_aligned(opened, cores, settings, how)
    return MergedModel(
        merged, framework=framework_of(listed), graph=graph_of(options, opened[0])
    )


def soup(
    models: Sequence[ModelLike], /, **options: Unpack[MatchOptions]
) -> MergedModel:
    """Align many models jointly, in an order-independent way, and average them.

    The same as ``merge(models, interpolation="many", many="consistent")``.

    Parameters
    ----------
    models : sequence of models
        Two models or more.
    **options
        See `MatchOptions`.

    Returns
    -------
    MergedModel

    Examples
    --------
    >>> import pyrebasin as rb
    >>> m = rb.soup(["a.safetensors", "b.safetensors"])
    >>> len(m.alignments)
    2
    """
    return merge(models, interpolation="many", many="consistent", **options)
