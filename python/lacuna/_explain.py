# SPDX-License-Identifier: MIT
"""What a prediction rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._axes import Axis
from ._settings import check_names
from ._top import _places

Cell = dict[str, Any]


def explain_cells(model: _core.Model, axes: list[Axis], given: Mapping[str, Any], by: str, count: Any,
                  interval: float | None) -> Cell | list[Cell]:
    """One account, or, where a mode is given a list of labels, one for each of them."""
    names = [axis.name for axis in axes]
    check_names(given, names, "explain()")
    for name in names:
        if name not in given:
            raise ValueError(f"where: found no {name}, expected a label of every mode, or None for one that was never seen")
    if isinstance(count, (bool, np.bool_)) or not isinstance(count, (int, np.integer)) or not 0 <= count < 2**31:
        raise ValueError(f"count: found {count!r}, expected a whole number >= 0")
    if interval is not None and not (model.has_intervals and 0.0 < float(interval) < 1.0):
        raise ValueError("interval: the model was fitted without intervals=True" if not model.has_intervals
                         else f"interval: found {interval}, expected a number between 0 and 1")  # fmt: skip
    several = [name for name in names if np.ndim(given[name]) > 0]
    asked = [None if given[axis.name] is None else _places(axis, given[axis.name], "where") for axis in axes]
    lengths = {len(given[name]) for name in several}
    if len(lengths) > 1:
        raise ValueError(f"where: found lists of {sorted(lengths)} labels, expected lists of the same length")
    questions = lengths.pop() if several else 1
    cells = [[None if along is None else int(along[q if len(along) > 1 else 0]) for along in asked] for q in range(questions)]
    found = [dict(one) for one in _core.explain(model, cells, by, int(count))]
    answers = [_labelled(model, axes, cell, one, interval) for cell, one in zip(cells, found)]
    return answers if several else answers[0]


def _labelled(model: _core.Model, axes: list[Axis], cell: list[int | None], found: Cell, interval: float | None) -> Cell:
    def place(modes: Any) -> Cell:
        return {axes[k].name: _label(axes[k], cell[k]) for k in modes}

    answer: Cell = {"cell": place(range(len(axes))), "value": found["value"]}
    support = found.pop("support")
    if interval is not None:
        half = model.half_width(support, float(interval))
        ends = np.array([found["value"] - half, found["value"] + half])
        if model.clip is not None:
            ends = np.clip(ends, *model.clip)
        answer["low"], answer["high"] = ends.tolist() if np.isfinite(half) else (None, None)
    for term in found["terms"]:
        for name in ("of", "fiber"):
            if name in term:
                term[name] = place(term[name])
        for entry in term.get("entries", ()):
            entry["cell"] = {axis.name: _label(axis, index) for axis, index in zip(axes, entry["cell"])}
        if "biases" in term:
            term["biases"] = dict(zip((axis.name for axis in axes), term["biases"]))
        for component in term.get("components", ()):
            component["component"] = tuple(component["component"])
    return {**answer, **{name: found[name] for name in ("guess", "terms", "sum", "clip")}}


def _label(axis: Axis, index: int | None) -> Any:
    return None if index is None else axis.label_at(index)
