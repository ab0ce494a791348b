# SPDX-License-Identifier: MIT
"""Top lists: of all cells that a question leaves open, the best ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._axes import Axis, label_texts
from ._settings import check_names
from ._sources import Array, Coords

Listed = list[tuple[Any, float]]


def top_lists(model: _core.Model, axes: list[Axis], given: Mapping[str, Any], count: Any, open: Any, lowest: bool,
              candidates: Any, excluded: Coords | None, seen: bool) -> Listed | list[Listed]:
    """One list, or, where a mode is given a list of labels, one for each of them."""
    names = [axis.name for axis in axes]
    check_names(given, names, "top()")
    opened = _opened(names, given, open)
    if isinstance(count, (bool, np.bool_)) or not isinstance(count, (int, np.integer)) or not 1 <= count < 2**31:
        raise ValueError(f"n: found {count!r}, expected a whole number > 0")
    fixed = {names.index(name): value for name, value in given.items() if value is not None}
    either = [k for k, name in enumerate(names) if k not in fixed and name not in opened]
    asked = {k: _places(axes[k], value, "where") for k, value in fixed.items()}
    several = [k for k, value in fixed.items() if np.ndim(value) > 0]
    lengths = {len(asked[k]) for k in several}
    if len(lengths) > 1:
        raise ValueError(f"where: found lists of {sorted(lengths)} labels, expected lists of the same length")
    questions = lengths.pop() if several else 1
    queries = [np.broadcast_to(asked[k], questions) if k in asked else np.zeros(questions, np.uint32) for k in range(len(axes))]
    ranked = [names.index(name) for name in opened]
    excluded = excluded or tuple(np.empty(0, np.uint32) for _ in axes)
    starts, coords, values = _core.top(model, [np.ascontiguousarray(one) for one in queries], ranked, either, int(count),
                                       bool(lowest), _candidates(axes, opened, candidates), list(excluded), bool(seen))
    starts, values = np.asarray(starts), np.asarray(values)
    lists = [
        [(_label(axes, ranked, coords, cell), float(values[cell])) for cell in range(starts[q], starts[q + 1])]
        for q in range(questions)
    ]
    return lists if several else lists[0]


def _opened(names: list[str], given: Mapping[str, Any], open: Any) -> list[str]:
    """The modes to choose along, in the model's order: those said, else all that are not given."""
    if open is None:
        opened = [name for name in names if name not in given]
    else:
        said = [open] if isinstance(open, str) else [str(name) for name in open]
        check_names(said, names, "top()")
        for name in said:
            if given.get(name) is not None:
                raise ValueError(f"open: found '{name}', which is given, expected a mode that is not")
        opened = [name for name in names if name in said]
    if not opened:
        raise ValueError("where: found every mode given, expected at least one left open")
    return opened


def _places(axis: Axis, value: Any, argument: str) -> Array:
    """Where labels of the mode are; ValueError for those that it does not have."""
    labels = np.asarray(value)
    if labels.ndim == 0:
        labels = labels[None]
    if labels.ndim > 1:
        raise ValueError(f"{argument}: found an array of {labels.ndim} axes for mode '{axis.name}', expected labels")
    places = np.asarray(axis.find(labels)[0])
    unknown = np.flatnonzero(places.astype(np.uint64) >= axis.size)
    if len(unknown):
        label = labels.tolist()[unknown[0]] if labels.dtype.kind != "M" else str(labels[unknown[0]])
        raise ValueError(f"{argument}: found {label!r}, expected {_expected(axis, label)}")
    return places.astype(np.uint32)


def _expected(axis: Axis, label: Any) -> str:
    if axis.bins is not None:
        return f"a time of mode '{axis.name}': from {axis.label_at(0)} on, {axis.size} steps of {_core.bin_width(axis.bins)}"
    if axis.labels is None:
        return f"an index of mode '{axis.name}', 0 to {axis.size - 1}"
    meant = _core.nearest(str(label), label_texts(axis.labels))
    return f"a label of mode '{axis.name}', such as {axis.label_at(0)!r}" + (f"; did you mean {meant}?" if meant else "")


def _candidates(axes: list[Axis], opened: list[str], candidates: Any) -> list[list[int]]:
    """For each open mode the positions to choose among; none at all: all."""
    if candidates is None:
        return []
    if not isinstance(candidates, Mapping):
        if len(opened) != 1:
            raise ValueError(f"candidates: found a list where {len(opened)} modes are open, expected a dict by their names")
        candidates = {opened[0]: candidates}
    check_names(candidates, opened, "candidates")
    by_name = {axis.name: axis for axis in axes}
    chosen = []
    for name in opened:
        among = candidates.get(name)
        places = [] if among is None else np.unique(_places(by_name[name], list(among), "candidates")).tolist()
        if among is not None and not places:
            raise ValueError(f"candidates: found none of mode '{name}', expected at least one")
        chosen.append(places)
    return chosen


def _label(axes: list[Axis], ranked: list[int], coords: Any, cell: int) -> Any:
    labels = tuple(axes[k].label_at(int(coords[k][cell])) for k in ranked)
    return labels[0] if len(labels) == 1 else labels
