"""Merges neural networks that were trained apart.

`pyrebasin` permutes the units of one network into the order of the other,
proves that the permuted network computes the same function, and averages the
weights. It is a thin layer over the C++ library of the program `rebasin`.

>>> import pyrebasin as rb
>>> m = rb.merge(["a.safetensors", "b.safetensors"])
>>> m.report.objective_after > m.report.objective_before
True
"""

from ._activations import ActivationMatcher
from ._alignment import Alignment, align, methods
from ._batchnorm import recalculate_batchnorm
from ._core import (
    FixedAxis,
    ManyReport,
    MatchReport,
    OutputDifference,
    Proof,
    TensorMatch,
)
from ._core import version as __version__
from ._errors import (
    BadInputError,
    Error,
    FileError,
    LimitError,
    MismatchError,
    UnsupportedError,
    UsageError,
)
from ._federated import AlignedAverage
from ._inspect import Difference, Group, Inspection, describe, diff, inspect, verify
from ._line import Barrier, barrier, interpolate
from ._merge import MergedModel, merge, soup
from ._model import Model
from ._opening import open
from ._options import MatchOptions, OpenOptions, RunOptions
from ._trace import Graph, ModuleCheck, check_module, trace

__all__ = [
    "ActivationMatcher",
    "AlignedAverage",
    "Alignment",
    "BadInputError",
    "Barrier",
    "Difference",
    "Error",
    "FileError",
    "FixedAxis",
    "Graph",
    "Group",
    "Inspection",
    "LimitError",
    "ManyReport",
    "MatchOptions",
    "MatchReport",
    "MergedModel",
    "MismatchError",
    "Model",
    "ModuleCheck",
    "OpenOptions",
    "OutputDifference",
    "Proof",
    "RunOptions",
    "TensorMatch",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "align",
    "barrier",
    "check_module",
    "describe",
    "diff",
    "inspect",
    "interpolate",
    "merge",
    "methods",
    "open",
    "recalculate_batchnorm",
    "soup",
    "trace",
    "verify",
]
