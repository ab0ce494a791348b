# SPDX-License-Identifier: MIT
"""Fits that are stopped, or killed, and go on later."""

from __future__ import annotations

import os
import warnings
from typing import Any, TypeAlias

import numpy as np

from . import _core

Path: TypeAlias = str | os.PathLike[str] | None


def opened(checkpoint: Path, every: Any, resume: Path) -> _core.Checkpoint | None:
    """What the keywords ask for; None where they ask for nothing."""
    seconds = _seconds(every)
    if checkpoint is None and resume is None:
        return None
    file, source = ("" if one is None else os.fspath(one) for one in (checkpoint, resume))
    if source and source != file and not os.path.exists(source):
        raise FileNotFoundError(f"{source}: there is no such file")
    folder = os.path.dirname(os.path.abspath(file))
    if file and not (os.path.isdir(folder) and os.access(folder, os.W_OK)):
        raise OSError(f"{file}: expected a folder that can be written to")
    return _core.open_checkpoint(file, seconds, source)


def _seconds(every: Any) -> float:
    if isinstance(every, str):
        return 0.0 if every == "0" else float(_core.duration(every, "every"))
    number = isinstance(every, (int, float, np.number)) and not isinstance(every, (bool, np.bool_))
    if not number or not 0.0 <= float(every) < float("inf"):
        raise ValueError(f"every: found {every!r}, expected seconds, or a text such as '30s', '5m' or '1h'")
    return float(every)


def told(checkpoint: _core.Checkpoint | None) -> None:
    """Warns when what a fit left could not be written."""
    if checkpoint is not None and checkpoint.problem is not None:
        warnings.warn(f"the checkpoint could not be written ({checkpoint.problem})", RuntimeWarning, stacklevel=4)
