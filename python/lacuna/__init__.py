# SPDX-License-Identifier: MIT
"""Fills in the missing entries of multi-way data.

    lacuna.complete(data)           data with holes in, the same kind of data without them out
    lacuna.TensorCompleter(...)     fit, partial_fit, predict, transform, score, top, save; lacuna.load
    lacuna.tune, certify, evaluate, explain, info, split, report
    lacuna.methods(), settings()    what there is to choose from
    lacuna.read, write              files
"""

from ._start import _core as _core
from ._axes import Axis
from ._completer import StoppedWarning, TensorCompleter
from ._results import NotFittedError
from ._report import Report
from ._settings import methods, settings
from ._tensor import Tensor, read
from ._tune import Tuned, tune
from ._verbs import certify, complete, evaluate, explain, info, load, report, split, write

FormatError = _core.FormatError
__version__ = _core.__version__

__all__ = [
    "Axis", "FormatError", "NotFittedError", "Report", "StoppedWarning", "Tensor", "TensorCompleter", "Tuned",
    "__version__", "certify", "complete", "evaluate", "explain", "info", "load", "methods", "read", "report", "settings", "split", "tune",
    "write",
]  # fmt: skip
