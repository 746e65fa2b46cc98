"""Alignments: how the units of one model are put into the order of another."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import BadInputError, FileError, UsageError
from ._model import Model, ModelLike, framework_of, is_module
from ._opening import graph_of, open_together
from ._options import (
    MATCH_NAMES,
    OPEN_NAMES,
    MatchOptions,
    OpenOptions,
    check_names,
    match_settings,
    run_settings,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class Alignment:
    """A permutation, and factors, for each group of interchangeable units.

    Alignments come from `align`, `Alignment.load` and `diff`.

    Attributes
    ----------
    report : MatchReport or None
        The quality of the alignment, for alignments from `align`.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> r = rb.align("a.safetensors", "b.safetensors")
    >>> r.units_moved
    255
    >>> sorted(r.permutations)
    ['fc1', 'fc2']
    >>> r.inverse().inverse() == r
    True
    """

    def __init__(self, core: _core.Alignment) -> None:
        self._core = core

    @property
    def report(self) -> _core.MatchReport | None:
        """The quality of the alignment; None unless it comes from `align`."""
        return self._core.report

    @property
    def permutations(self) -> dict[str, NDArray[np.int32]]:
        """The permutation of each group.

        Position i of the permuted model holds unit ``permutation[i]`` of the
        original. A group within another one has one row for each copy.
        """
        return dict(self._core.permutations())

    @property
    def factors(self) -> list[tuple[str, str, NDArray[np.float64]]]:
        """Group, kind ("scale" or "sign") and factors of each scaling."""
        return self._core.factors()

    @property
    def units_moved(self) -> int:
        """The number of units that move."""
        return self._core.units_moved

    @property
    def is_identity(self) -> bool:
        """True if nothing moves and all factors are 1."""
        return self._core.is_identity

    def inverse(self) -> Alignment:
        """Return the alignment that undoes this one."""
        return Alignment(self._core.inverse())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alignment) and self._core.equals(other._core)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        groups = len(self._core.permutations())
        return f"<Alignment of {groups} groups, {self.units_moved} units moved>"

    def to_json(self) -> str:
        """Return the text of an alignment file; the program reads it too."""
        return self._core.to_json()

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write an alignment file.

        Raises
        ------
        UsageError
            If the file exists and `force` is not given.
        """
        try:
            with Path(path).open("w" if force else "x", encoding="utf-8") as file:
                file.write(self.to_json())
        except FileExistsError:
            raise UsageError(
                f'"{os.fspath(path)}" exists', hint="force=True replaces it"
            ) from None
        except OSError as error:
            raise FileError(f'cannot write "{os.fspath(path)}": {error}') from error

    @classmethod
    def from_json(cls, text: str, *, origin: str = "the text") -> Alignment:
        """Read the text of an alignment file."""
        core = _core.Alignment.from_json(text, origin, _fingerprint(text, origin))
        return cls(core)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Alignment:
        """Read an alignment file, of this package or of the program."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise FileError(f'cannot read "{os.fspath(path)}": {error}') from error
        except UnicodeDecodeError as error:
            raise BadInputError(
                f'"{os.fspath(path)}" is no alignment: {error}'
            ) from None
        return cls.from_json(text, origin=f'"{os.fspath(path)}"')

    def apply(
        self,
        model: ModelLike,
        /,
        *,
        verify: bool = True,
        **options: Unpack[OpenOptions],
    ) -> Any:
        """Return the model with its units permuted.

        Parameters
        ----------
        model : path, mapping, torch.nn.Module or Model
            A model like the one that was aligned.
        verify : bool
            Prove first, by running, that the permuted model computes the same
            function. If its graph is not known, or cannot be run, this is
            skipped with a warning.
        **options
            See `OpenOptions`.

        Returns
        -------
        dict or Model
            A new dict of arrays for a mapping or a module, a `Model` for
            others. Tensors of PyTorch for tensors of PyTorch.

        Raises
        ------
        MismatchError
            If the model does not fit the alignment, or the proof fails.
        """
        check_names(options, OPEN_NAMES)
        given: Mapping[str, Any] = options
        asked = given.get("model", "auto") != "auto"
        need = "graph" if asked else ("if_known" if verify else "nothing")
        names = self._core.tensor_names()
        trained = given.get("trained", ())
        trained = [trained] if isinstance(trained, str) else list(trained)
        with_names = {**given, "trained": [*trained, *names]}
        opened = open_together([model], with_names, need)[0]
        self._check_fits(opened)
        weights, _ = _core.apply(self._core, opened, verify, run_settings(given))
        moved = Model(
            weights, framework=framework_of([model]), graph=graph_of(given, opened)
        )
        is_dict = isinstance(model, Mapping) and not isinstance(model, Model)
        return moved.state_dict() if is_dict or is_module(model) else moved

    def _check_fits(self, opened: _core.Model) -> None:
        # Reading its own text checks the fingerprint with the library's words.
        fingerprint = opened.weights.fingerprint
        if self._core.fingerprint not in ("", fingerprint):
            _core.Alignment.check(self.to_json(), "the alignment", fingerprint)


def _fingerprint(text: str, origin: str) -> str:
    try:
        content = json.loads(text)
    except ValueError:
        return ""  # the library says what is wrong, with the position
    found = content.get("fingerprint", "") if isinstance(content, dict) else ""
    return found if isinstance(found, str) else ""


def align(
    a: ModelLike,
    b: ModelLike,
    /,
    *,
    method: str = "weights",
    **options: Unpack[MatchOptions],
) -> Alignment:
    """Find the permutation of B's units that fits A best.

    Parameters
    ----------
    a, b : path, mapping, torch.nn.Module or Model
        Two models of the same structure. Arrays must not be changed by another
        thread meanwhile.
    method : str
        One of `methods` that needs no data; default ``"weights"``.
    **options
        See `MatchOptions`.

    Returns
    -------
    Alignment
        It moves B to A.

    Raises
    ------
    MismatchError
        If the models do not fit each other, or no structure is known.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> r = rb.align("a.safetensors", "b.safetensors")
    >>> r.report.objective_after > r.report.objective_before
    True
    """
    check_names(options, MATCH_NAMES)
    opened = open_together([a, b], options, "symmetry")
    core = _core.align(
        opened[0], opened[1], method, match_settings(options), run_settings(options)
    )
    return Alignment(core)


def methods() -> dict[str, str]:
    """Return the methods of `align` and what they look for.

    Returns
    -------
    dict of str to str
        From the name to one line of help.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> rb.methods()["weights"]
    'the closest weights (default)'
    """
    return {name: text for name, text, needs_data in _core.methods() if not needs_data}
