"""What is known about models: their symmetries, proofs and differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _core
from ._alignment import Alignment
from ._model import ModelLike
from ._opening import open_together
from ._options import (
    MATCH_NAMES,
    OPEN_NAMES,
    MatchOptions,
    OpenOptions,
    _whole,
    check_names,
    match_settings,
    open_settings,
    run_settings,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Group:
    """A set of interchangeable units.

    Attributes
    ----------
    name : str
        Its name in axis expressions.
    size : int
        The number of units.
    within : str
        The outer group, or the empty string.
    copies : int
        The number of independent permutations.
    """

    name: str
    size: int
    within: str
    copies: int


@dataclass(frozen=True)
class Inspection:
    """The symmetries of a model.

    Attributes
    ----------
    structure : str
        The name of the architecture or graph.
    groups : dict of str to Group
        The groups of interchangeable units.
    axes : dict of str to list of str
        The axis expressions of each tensor, as in docs/symmetries.md.
    statistics : frozenset of str
        Tensors that are permuted but not matched.
    fixed : list of FixedAxis
        Indices that are not permuted, and why.
    barriers : list of str
        Operators without a rule.
    log10_symmetries : float
        log10 of the number of weight settings with the same function.
    spec : str
        The symmetries as the text of a spec file.
    """

    structure: str
    groups: dict[str, Group]
    axes: dict[str, list[str]]
    statistics: frozenset[str]
    fixed: list[_core.FixedAxis]
    barriers: list[str]
    log10_symmetries: float
    spec: str


def _inspection(structure: _core.Structure) -> Inspection:
    rows = structure.axes()
    return Inspection(
        structure=structure.name,
        groups={row[0]: Group(*row) for row in structure.groups()},
        axes={name: list(axes) for name, axes, _ in rows},
        statistics=frozenset(name for name, _, statistic in rows if statistic),
        fixed=structure.fixed(),
        barriers=structure.barriers(),
        log10_symmetries=structure.log10_order,
        spec=structure.spec_json,
    )


def inspect(model: ModelLike, /, **options: Unpack[OpenOptions]) -> Inspection:
    """Find the symmetries of a model.

    Parameters
    ----------
    model : model
        A model.
    **options
        See `OpenOptions`.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> import pyrebasin as rb
    >>> found = rb.inspect("a.safetensors")
    >>> found.groups["fc1"].size
    128
    >>> found.axes["fc2.weight"]
    ['fc2', 'fc1']
    """
    check_names(options, OPEN_NAMES)
    return _inspection(open_together([model], options, "symmetry")[0].structure)


def describe(model: object, /, **options: Unpack[OpenOptions]) -> Inspection:
    """Find the symmetries of an architecture or a graph, without weights.

    Parameters
    ----------
    model : str, path or Graph
        An architecture (``"resnet20:width=4"``), an .onnx file, or what `trace`
        returns.
    **options
        See `OpenOptions`.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> import pyrebasin as rb
    >>> rb.describe("resnet20").groups["layer1.0.conv1"].size
    16
    """
    check_names(options, OPEN_NAMES)
    settings = open_settings({**options, "model": model}, "symmetry")
    return _inspection(_core.describe_structure(settings, run_settings(options)))


def verify(
    model: ModelLike,
    alignment: Alignment | None = None,
    /,
    *,
    trials: int = 0,
    **options: Unpack[OpenOptions],
) -> _core.Proof:
    """Prove by running that permuting a model does not change its function.

    Parameters
    ----------
    model : model
        A model whose graph is known or recognised.
    alignment : Alignment, optional
        Test this one instead of random elements of the group.
    trials : int
        The number of random elements; default 3, more for tiny groups.
    **options
        See `OpenOptions`.

    Returns
    -------
    Proof
        ``proof.proved`` tells whether it succeeded, ``proof.verdict`` why not.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> rb.verify("a.safetensors").verdict
    'the same function'
    """
    check_names(options, OPEN_NAMES)
    opened = open_together([model], options, "graph")[0]
    if alignment is not None:
        alignment._check_fits(opened)
    return _core.verify(
        opened,
        alignment._core if alignment is not None else None,
        _whole("trials", trials, 0, 1_000_000),
        run_settings(options),
    )


@dataclass(frozen=True)
class Difference:
    """How two models differ.

    Attributes
    ----------
    verdict : str
        ``"identical"``, ``"equal_modulo_symmetry"``, ``"different"`` or
        ``"different_graphs"``.
    alignment : Alignment or None
        The alignment by which they were compared, with its report.
    graph_differences : list of str
        For models with different graphs.
    """

    verdict: str
    alignment: Alignment | None
    graph_differences: list[str]

    @property
    def equal(self) -> bool:
        """True if both compute the same function for sure."""
        return self.verdict in ("identical", "equal_modulo_symmetry")


def diff(a: ModelLike, b: ModelLike, /, **options: Unpack[MatchOptions]) -> Difference:
    """Tell how far apart two models are, and whether one is the other permuted.

    Parameters
    ----------
    a, b : model
        Two models.
    **options
        See `MatchOptions`.

    Returns
    -------
    Difference

    Examples
    --------
    >>> import pyrebasin as rb
    >>> rb.diff("a.safetensors", "b.safetensors").verdict
    'different'
    """
    check_names(options, MATCH_NAMES)
    said = "model" in options or "spec" in options
    opened = open_together(
        [a, b],
        options,
        "symmetry" if said else "if_known",
        allow_different_graphs=True,
    )
    found = _core.compare(
        opened[0], opened[1], match_settings(options), run_settings(options)
    )
    known = Alignment(found.alignment) if found.alignment else None
    return Difference(found.verdict, known, found.graph_differences)
