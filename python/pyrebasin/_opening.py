"""Opens models, alone or together, for all other functions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._model import Model, ModelLike, as_source, framework_of
from ._options import (
    OPEN_NAMES,
    OpenOptions,
    check_names,
    open_settings,
    run_settings,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _letter(index: int) -> str:
    return chr(ord("A") + index) if index < 26 else str(index + 1)


def with_graph(
    options: Mapping[str, Any], models: Sequence[Model | None]
) -> dict[str, Any]:
    """Return the options with the graph that a model in memory came with."""
    if options.get("model", "auto") != "auto" or options.get("spec"):
        return dict(options)
    if any(model is None or model.path for model in models):
        return dict(options)
    for model in models:
        if model is not None and model._graph:
            return {**options, "model": model._graph}
    return dict(options)


def open_together(
    models: Sequence[ModelLike],
    options: Mapping[str, Any],
    need: str,
    base: ModelLike | None = None,
    allow_different_graphs: bool = False,
) -> list[_core.Model]:
    """Open models that belong together; `base` becomes the last of them."""
    sources = [as_source(model, _letter(i)) for i, model in enumerate(models)]
    if base is not None:
        sources.append(as_source(base, "base"))
    options = with_graph(options, [model for _, model in sources])
    settings = open_settings(options, need)
    settings.set_allow_different_graphs(allow_different_graphs)
    return _core.open_models(
        [source for source, _ in sources],
        settings,
        base is not None,
        run_settings(options),
    )


def graph_of(options: Mapping[str, Any], opened: _core.Model) -> Any:
    """Return what a result needs so that its structure is found again."""
    return opened.onnx_file or (
        options["model"] if hasattr(options.get("model"), "onnx") else None
    )


def open(model: ModelLike, /, **options: Unpack[OpenOptions]) -> Model:
    """Open a model: any file or folder that the program opens, or arrays.

    Parameters
    ----------
    model : path, mapping or torch.nn.Module
        A file or folder; a mapping from names to arrays (of NumPy, PyTorch,
        JAX, or others with ``__dlpack__``), which is used without a copy; or a
        module, of which the state dict is taken.
    **options
        See `OpenOptions`.

    Returns
    -------
    Model
        Weights of files stay in memory-mapped files until they are read.

    Raises
    ------
    FileError, BadInputError, UnsupportedError, LimitError
        If the file cannot be read.

    Examples
    --------
    >>> import pyrebasin as rb
    >>> model = rb.open("a.safetensors")
    >>> model.structure
    'mlp:depth=2,width=128,in=64,out=10,names=fc'
    >>> model["fc1.weight"].shape
    (128, 64)
    """
    check_names(options, OPEN_NAMES)
    said = "model" in options or "spec" in options
    opened = open_together([model], options, "symmetry" if said else "nothing")[0]
    is_file = isinstance(model, (str, os.PathLike)) or (
        isinstance(model, Model) and bool(model.path)
    )
    return Model(
        opened.weights,
        path=opened.name if is_file else "",
        framework=framework_of([model]),
        graph=graph_of(options, opened),
        find_structure=lambda known: _structure_name(known, options),
    )


def _structure_name(model: Model, options: Mapping[str, Any]) -> str:
    return open_together([model], options, "if_known")[0].structure.name
