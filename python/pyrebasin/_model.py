"""Models: files, state dicts and modules under one type."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import NDArray

from . import _arrays, _core
from ._errors import UsageError
from ._options import RUN_NAMES, RunOptions, check_names, run_settings

if TYPE_CHECKING:
    from typing_extensions import Unpack

ModelLike: TypeAlias = Any  # str | PathLike | Mapping | torch.nn.Module | Model

_UNITS = {
    "": 1,
    "b": 1,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "tb": 1e12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


def _byte_count(size: int | str | None) -> int:
    if size is None:
        return 0
    match = re.fullmatch(r"([0-9.]+) *([a-z]*)", str(size).lower())
    try:
        count = int(float(match[1]) * _UNITS[match[2]]) if match else 0
    except (KeyError, ValueError):
        count = 0
    if not 0 < count < 2**62:
        raise UsageError(f"shard_size={size!r} is no size", hint="e.g. 2GB")
    return count


class Model(Mapping[str, Any]):
    """A model: a mapping from names of tensors to arrays.

    Models come from `open`, `merge` and `Alignment.apply`. Arrays are those of
    the framework of the model's origin: NumPy for files, PyTorch for state
    dicts of PyTorch. NumPy arrays are read-only views of the model's memory;
    tensors of PyTorch are copies.

    Attributes
    ----------
    path : str
        The file that was opened; empty if the model came from memory.
    metadata : dict of str to str
        The metadata of its file.

    Examples
    --------
    >>> import numpy as np, pyrebasin as rb
    >>> model = rb.open({"fc.weight": np.eye(2, dtype=np.float32)})
    >>> list(model)
    ['fc.weight']
    >>> model["fc.weight"].shape
    (2, 2)
    >>> model.dtype("fc.weight")
    'F32'
    """

    def __init__(
        self,
        weights: _core.Weights,
        *,
        path: str = "",
        framework: str = "numpy",
        graph: Any = None,
        find_structure: Callable[[Model], str] | None = None,
    ) -> None:
        self._weights = weights
        self._rows = {name: (dtype, shape) for name, dtype, shape in weights.rows()}
        self._framework = framework
        self._find_structure = find_structure
        # What the structure is found by where nothing is said about it: a file
        # with a graph, or a traced graph.
        self._graph = graph
        self.path = path

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata of the model's file."""
        return self._weights.metadata

    @property
    def nbytes(self) -> int:
        """The size of all tensors, in bytes."""
        return self._weights.nbytes

    @property
    def fingerprint(self) -> str:
        """A hash of all names and shapes, as alignment files have it."""
        return self._weights.fingerprint

    @cached_property
    def structure(self) -> str:
        """The name of the architecture or graph; empty if it is not known.

        It is found on first use, for models from `open` only.
        """
        return self._find_structure(self) if self._find_structure else ""

    def dtype(self, name: str) -> str:
        """Return the element type of a tensor: ``"F32"``, ``"BF16"``, ..."""
        return self._rows[name][0]

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return self._rows[name][1]

    def numpy(self, name: str) -> NDArray[Any]:
        """Return a read-only array that shares the memory of a tensor."""
        return _arrays.to_numpy(self._weights, name, *self._rows[name])

    def torch(self, name: str) -> Any:
        """Return a tensor of PyTorch with a copy of a tensor."""
        return _arrays.to_torch(self._weights, name, *self._rows[name])

    def __getitem__(self, name: str) -> Any:
        return _arrays.to_framework(
            self._framework, self._weights, name, *self._rows[name]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        source = repr(self.path) if self.path else "from memory"
        return f"<Model {source}, {len(self)} tensors, {self.nbytes:,} bytes>"

    # A model is what it holds in memory, not only what is equal to it.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def state_dict(self) -> dict[str, Any]:
        """Return a new dict of all tensors, for `torch.nn.Module.load_state_dict`.

        Examples
        --------
        >>> import numpy as np, pyrebasin as rb
        >>> rb.open({"x": np.zeros(3)}).state_dict()
        {'x': array([0., 0., 0.])}
        """
        return {name: self[name] for name in self}

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        shard_size: int | str | None = None,
        **options: Unpack[RunOptions],
    ) -> None:
        """Write the model; the file is either complete or does not change.

        Parameters
        ----------
        path : path
            Its ending chooses the format: .safetensors, .pt or .npz; .onnx for
            models that came with a graph.
        force : bool
            Replace an existing file.
        shard_size : int or str
            Split the output into files of at most this size, e.g. ``"2GB"``.
        **options
            See `RunOptions`.

        Raises
        ------
        UsageError
            If the file exists and `force` is not given.
        FileError
            If it cannot be written.
        """
        check_names(options, RUN_NAMES)
        graph_from = self._graph if isinstance(self._graph, str) else ""
        _core.save(
            self._weights,
            os.fspath(path),
            graph_from,
            force,
            _byte_count(shard_size),
            run_settings(options),
        )


def is_module(model: object) -> bool:
    """Tell whether this is a torch.nn.Module."""
    return hasattr(model, "state_dict") and hasattr(model, "named_parameters")


def _model_of_arrays(arrays: Mapping[str, Any]) -> Model:
    return Model(_arrays.weights_of(arrays), framework=_arrays.framework_of(arrays))


def as_source(model: ModelLike, place: str) -> tuple[_core.ModelInput, Model | None]:
    """Return what the library opens, and the model if it is in memory."""
    if isinstance(model, (str, os.PathLike)):
        return _core.ModelInput.of_file(os.fspath(model)), None
    if isinstance(model, Model) and model.path:
        return _core.ModelInput.of_file(model.path), model
    if not isinstance(model, Model):
        if is_module(model):
            model = model.state_dict()
        if not isinstance(model, Mapping):
            raise UsageError(
                f"model {place} is of type {type(model).__name__}",
                hint="give a path, a mapping of names to arrays, or a torch.nn.Module",
            )
        model = _model_of_arrays(model)
    return _core.ModelInput.of_weights(model._weights, f"model {place}"), model


def framework_of(models: list[ModelLike]) -> str:
    """Return the framework that results have: that of the first in memory."""
    for model in models:
        if isinstance(model, Model):
            return model._framework
        if is_module(model):
            return "torch"
        if isinstance(model, Mapping):
            return _arrays.framework_of(model)
    return "numpy"
