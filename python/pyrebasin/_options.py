"""Options that many functions share, with the names of the command line."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from . import _core
from ._errors import UsageError

if TYPE_CHECKING:
    from ._trace import Graph

logger = logging.getLogger("pyrebasin")

Progress = Callable[[str, int, int], None]
Patterns = str | Iterable[str]


class RunOptions(TypedDict, total=False):
    """How an operation runs.

    Attributes
    ----------
    threads : int
        The number of threads; 0 (default): one for each core.
    seed : int
        The seed of all random numbers; default 0.
    progress : bool or callable
        ``True``: a progress bar of tqdm, if it is installed. A callable gets
        the stage, the number of steps done, and their total. Default: none.
    """

    threads: int
    seed: int
    progress: bool | Progress


class OpenOptions(RunOptions, total=False):
    """How models are opened, and how they run.

    Attributes
    ----------
    model : str, Graph or torch.nn.Module
        The architecture: ``"auto"`` (default: recognised), a name with options
        (``"resnet20:width=4"``), an .onnx file, or what `trace` returns.
    spec : str
        A file with the symmetries, or ``"mlp"``.
    constant, trained : str or iterable of str
        Patterns of tensors of a graph that are not trained, or are.
    allow_uncovered : bool, str or iterable of str
        Accept tensors that the structure does not describe: all, or those that
        match a pattern.
    symmetries : str
        ``"permute"`` (default), ``"permute+scale"``, ``"permute+sign"`` or
        ``"permute+scale+sign"``.
    dtype : str
        Convert models to ``"F64"``, ``"F32"``, ``"F16"`` or ``"BF16"`` first.
    key : str
        The dictionary of a PyTorch file that holds the tensors.
    rename : mapping of str to str
        Names of tensors in files, and the names to read them under.
    skip_unsupported, keep_prefixes, follow_symlinks : bool
        As the options of the command line with these names.
    """

    model: str | Graph | Any
    spec: str
    constant: Patterns
    trained: Patterns
    allow_uncovered: bool | Patterns
    symmetries: str
    dtype: str
    key: str
    rename: Mapping[str, str]
    skip_unsupported: bool
    keep_prefixes: bool
    follow_symlinks: bool


class MatchOptions(OpenOptions, total=False):
    """How weights are matched, how models are opened, and how all of it runs.

    Attributes
    ----------
    start : str
        ``"anchored"`` (default), ``"annealed"``, ``"best"`` or ``"identity"``.
    order : str
        ``"evidence"`` (default) or ``"random"``.
    restarts : int
        Additional starts; default 0.
    max_passes : int
        The largest number of passes; default 100.
    balance : bool
        Normalise the scales of ReLU units first; default False.
    """

    start: str
    order: str
    restarts: int
    max_passes: int
    balance: bool


RUN_NAMES = frozenset(RunOptions.__annotations__)
OPEN_NAMES = frozenset(OpenOptions.__annotations__) | RUN_NAMES
MATCH_NAMES = frozenset(MatchOptions.__annotations__) | OPEN_NAMES


def check_names(options: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise TypeError for an option that there is not."""
    for name in options:
        if name not in known:
            listed = ", ".join(sorted(known))
            raise TypeError(f"there is no option {name!r}; options are {listed}")


def _patterns(given: Patterns) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _whole(name: str, value: Any, least: int, most: int = 2**31 - 1) -> int:
    if not hasattr(value, "__index__") or isinstance(value, bool):
        raise UsageError(f"{name} must be a whole number, not {value!r}")
    number = value.__index__()
    if not least <= number <= most:
        raise UsageError(f"{name}={number} is not between {least} and {most}")
    return int(number)


class _Bar:
    """A progress bar of tqdm, with one bar for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(total=total, desc=stage, leave=False)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


def _progress(given: bool | Progress) -> Progress | None:
    if callable(given):
        return given
    if not given:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)


def run_settings(options: Mapping[str, Any]) -> _core.Settings:
    """Return how an operation runs."""
    return _core.Settings(
        threads=_whole("threads", options.get("threads", 0), 0, 4096),
        seed=_whole("seed", options.get("seed", 0), 0, 2**64 - 1),
        progress=_progress(options.get("progress", False)),
        warn=logger.warning,
    )


def open_settings(options: Mapping[str, Any], need: str) -> _core.OpenSettings:
    """Return how models are opened; `need` says what must be known of them."""
    settings = _core.OpenSettings()
    model = options.get("model", "auto")
    if hasattr(model, "onnx"):
        settings.set_graph(model.name, model.onnx)
    elif isinstance(model, str) or hasattr(model, "__fspath__"):
        settings.set_model(str(model))
    else:
        raise UsageError(
            f"model= cannot be of type {type(model).__name__}",
            hint="trace a module with an example: model=trace(module, example)",
        )
    spec = str(options.get("spec", ""))
    settings.set_spec(spec)
    # A model that is named beside a spec tests it.
    both = bool(spec) and "model" in options and need != "nothing"
    settings.set_need("graph" if both else need)
    settings.set_constant(_patterns(options.get("constant", ())))
    settings.set_trained(_patterns(options.get("trained", ())))
    allowed = options.get("allow_uncovered", False)
    patterns = [] if isinstance(allowed, bool) else _patterns(allowed)
    settings.set_allow_uncovered(patterns, allowed is True)
    settings.set_symmetries(options.get("symmetries", "permute"))
    if options.get("dtype"):
        settings.set_dtype(options["dtype"])
    settings.set_key(options.get("key", ""))
    settings.set_rename(list(dict(options.get("rename", {})).items()))
    settings.set_skip_unsupported(options.get("skip_unsupported", False))
    settings.set_keep_prefixes(options.get("keep_prefixes", False))
    settings.set_follow_symlinks(options.get("follow_symlinks", False))
    return settings


def match_settings(options: Mapping[str, Any]) -> _core.MatchOptions:
    """Return how weights are matched."""
    return _core.MatchOptions(
        start=options.get("start", "anchored"),
        order=options.get("order", "evidence"),
        restarts=_whole("restarts", options.get("restarts", 0), 0, 1_000_000),
        max_passes=_whole("max_passes", options.get("max_passes", 100), 1, 1_000_000),
        balance=bool(options.get("balance", False)),
    )
