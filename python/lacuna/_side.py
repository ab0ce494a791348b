# SPDX-License-Identifier: MIT
"""What is known of a mode's positions beside the entries: tables of features, and graphs.

The library reads them from files, with its rules for what is a number and what a category; what is in memory is handed to
it as one."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._axes import Axis, label_texts
from ._progress import log
from ._settings import check_names
from ._sources import DenseSource, Reading, Source
from ._tables import Column, columns_of, is_table


def attach(source: Source, reading: Reading) -> None:
    """Gives the modes of the source what `side` and `graph` say about them. A list of cells may thereby get new positions."""
    for argument, given in (("side", reading.side), ("graph", reading.graph)):
        if given is None:
            continue
        if not isinstance(given, Mapping):
            raise ValueError(f"{argument}: found {type(given).__name__}, expected a dict such as {{'user': table}}")
        names = [axis.name for axis in source.axes]
        check_names(given, names, argument)
        for name, what in given.items():
            drawn = argument == "side" and isinstance(reading.graph, Mapping) and name in reading.graph
            _attach(source, names.index(name), argument, what, drawn)


def _attach(source: Source, k: int, argument: str, what: Any, drawn: bool) -> None:
    axis = source.axes[k]
    if axis.bins is not None and axis.labels is None:
        raise ValueError(f"{argument}: mode '{axis.name}' is made of time stamps, expected one of labels or positions")
    may_grow = not isinstance(source, DenseSource)
    if isinstance(what, (str, os.PathLike)):
        mode, notes = _core.side_from_file(os.fspath(what), axis.mode(), argument == "graph", may_grow, drawn)
    else:
        rows = _edges(what, axis) if argument == "graph" else _features(what, axis)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "side.csv")
            with open(path, "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(rows)
            try:
                mode, notes = _core.side_from_file(path, axis.mode(), argument == "graph", may_grow, drawn)
            except _core.FormatError as problem:
                raise ValueError(str(problem).replace(path, f"{argument}['{axis.name}']")) from None
    for note in notes:
        log.info(note)
    _take(source, k, mode)


def _take(source: Source, k: int, mode: _core.Mode) -> None:
    """The axis with what the mode now says; names that it did not have come after its own."""
    axis = source.axes[k]
    axis.side = mode.side
    added = mode.size - axis.size
    if added == 0:
        return
    if axis.labels is not None:
        labels = np.empty(mode.size, object)
        labels[: axis.size] = axis.labels
        labels[axis.size :] = Axis.of_mode(mode).label_list()[axis.size :]
        numbers = axis.labels.dtype.kind in "iu" and all(isinstance(label, int) for label in labels[axis.size :])
        axis.labels = labels.astype(np.int64) if numbers else labels
        axis._places = None
    axis.size = source.sizes[k] = mode.size
    axis.positions = None


def _features(what: Any, axis: Axis) -> Iterable[Sequence[str]]:
    """A header and a row for each position: its name, then the features."""
    if is_table(what):
        if getattr(getattr(what, "index", None), "name", None) == axis.name:
            what = what.reset_index()
        columns = columns_of(what)
        label = axis.name if axis.name in columns else next(iter(columns))
        ordered = {label: columns.pop(label), **columns}
        return [list(ordered), *zip(*(_texts(column) for column in ordered.values()))]
    array = np.asarray(what)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or len(array) != axis.size:
        raise ValueError(
            f"side: found an array of shape {array.shape} for mode '{axis.name}', expected ({axis.size}, features), a row "
            "for each position, or a table with a column of labels"
        )
    header = [axis.name, *(f"feature{c + 1}" for c in range(array.shape[1]))]
    columns_text = [_texts(Column(column, -1)) for column in array.T]
    return [header, *zip(_names(axis), *columns_text)]


def _edges(what: Any, axis: Axis) -> Iterable[Sequence[str]]:
    """A row for each edge: two names, and maybe a weight."""
    if is_table(what):
        columns = list(columns_of(what).values())
    elif hasattr(what, "tocoo"):
        stored = what.tocoo()
        names = np.array(_names(axis), object)
        if stored.shape != (axis.size, axis.size):
            raise ValueError(f"graph: found a matrix of shape {stored.shape}, expected ({axis.size}, {axis.size})")
        columns = [Column(names[stored.row], -1), Column(names[stored.col], -1), Column(stored.data, -1)]
    else:
        columns = [Column(np.asarray(one), -1) for one in what]
    if len(columns) not in (2, 3) or any(np.ndim(column.values) != 1 for column in columns):
        raise ValueError(f"graph: found {len(columns)} columns, expected two of ends and maybe one of weights")
    return list(zip(*(_texts(column) for column in columns)))


def _names(axis: Axis) -> list[str]:
    return [str(k) for k in range(axis.size)] if axis.labels is None else label_texts(axis.labels)


def _texts(column: Column) -> list[str]:
    """As files have them; nothing where there is nothing."""
    values = column.values if column.labels is None else column.labels[column.values]
    if values.dtype.kind == "O":
        return ["" if value is None or value != value else str(value) for value in values.tolist()]
    if values.dtype.kind in "fM":
        there = ~np.isnat(values) if values.dtype.kind == "M" else ~np.isnan(values)
        texts = np.full(len(values), "", object)
        texts[there] = label_texts(values[there])
        return list(texts)
    return label_texts(values)
