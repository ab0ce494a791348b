# SPDX-License-Identifier: MIT
"""What every kind of data comes down to: an array with holes, or a list of cells with values.

A source answers the same questions whatever it was made from: which entries it has, which cells are missing, and what
it would look like with other values in them - as the kind of thing that it came as.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from . import _core
from ._axes import Axis

Array = np.ndarray[Any, Any]
Coords = tuple[Array, ...]


@dataclass
class Reading:
    """How to read data that does not say everything about itself: the keywords of fit and its likes."""

    modes: Sequence[str] | None = None  # columns, or names of an array's axes
    value: str | None = None  # the column of values
    weight: Any = None  # the column of weights, or an array of them
    bins: Mapping[str, Any] | None = None  # widths of time columns: {"time": "7d"}
    missing_value: float | None = None  # this number, too, means missing
    same: Sequence[str] | str | None = None  # two modes that are one set of things; "none": no two
    side: Any = None  # tables of features of positions: {"user": table}
    graph: Any = None  # edges between positions: {"user": table}
    expects_values = False  # what a fitted model is to be told, not asked; no keyword


class Readings(TypedDict, total=False):
    """The same as keywords."""

    modes: Sequence[str] | None
    value: str | None
    weight: Any
    bins: Mapping[str, Any] | None
    missing_value: float | None
    same: Sequence[str] | str | None
    side: Any
    graph: Any


def parted(keywords: Mapping[str, Any]) -> tuple[Reading, dict[str, Any]]:
    """Keywords about how to read data, and all others."""
    reading = {name: value for name, value in keywords.items() if name in Reading.__dataclass_fields__}
    return Reading(**reading), {name: value for name, value in keywords.items() if name not in reading}


class Source:
    axes: list[Axis]
    sizes: list[int]  # of the modes, with what a model did not know of them
    facts = False  # nothing but facts: a table without values

    def entries(self) -> _core.Entries:
        """The cells with a value, as the library takes them; the one copy that is made."""
        raise NotImplementedError

    def without_value(self) -> int:
        """How many cells are listed that have no value: of an array, all missing ones."""
        raise NotImplementedError

    def cells(self) -> Coords:
        """All cells that the data lists: of an array, all there are."""
        raise NotImplementedError

    def holes(self) -> Coords:
        """The cells to be filled in."""
        raise NotImplementedError

    def filled(self, values: Array) -> Any:
        """The same kind of data with these values in the holes."""
        raise NotImplementedError

    def answered(self, values: Array) -> Any:
        """The same kind of data with these values in all listed cells; of a table, the column of them."""
        raise NotImplementedError

    def taken(self, which: Array) -> Any:
        """The same kind of data with only these of its entries, numbered as entries() lists them."""
        raise NotImplementedError

    def move(self, mode: int, places: Array, size: int) -> None:
        """Position p along the mode is places[p] of a model, whose mode would have this size with what is new."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)


def rounded(values: Array, dtype: np.dtype[Any]) -> Array:
    """Values as numbers of this type: whole ones rounded and kept within what the type holds."""
    if dtype.kind not in "iu":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    low, high = float(limits.min), float(limits.max)
    if high >= 2**62:  # the largest double below the end of the type
        high = float(np.nextafter(high, 0))
    return np.clip(np.rint(values), low, high).astype(dtype)


def native(array: Array, argument: str) -> Array:
    """The array with numbers that C has; no copy of what is so already."""
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as problem:
            raise ValueError(f"{argument}: found objects that are no numbers ({problem}), expected numbers") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{argument}: found an array of {array.dtype}, expected numbers")
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


class DenseSource(Source):
    """An array. A cell is missing where it is NaN, hidden, or the number that means missing."""

    def __init__(self, array: Array, axes: list[Axis], rebuild: Callable[[Array], Any], *, hidden: Array | None = None,
                 missing_value: float | None = None) -> None:
        if array.ndim < 2:
            raise ValueError(f"data: found {array.ndim} axes, expected at least 2")
        self.array = native(array, "data")
        self.axes = axes
        self.sizes = list(array.shape)
        self.hidden = hidden
        self.missing_value = missing_value
        self._rebuild = rebuild
        self._places: dict[int, Array] = {}

    def move(self, mode: int, places: Array, size: int) -> None:
        self._places[mode] = places
        self.sizes[mode] = size

    def _moved(self, coords: Coords) -> Coords:
        return tuple(self._places[k][along] if k in self._places else along for k, along in enumerate(coords))

    def entries(self) -> _core.Entries:
        if self._places:
            observed = np.nonzero(~self.missing())
            return _core.listed_entries(list(self._moved(observed)), self.array[observed], None)
        hidden = None if self.hidden is None else np.ascontiguousarray(self.hidden)
        return _core.dense_entries(self.array, hidden, self.missing_value)

    def shows_a_picture(self) -> bool:
        """As the command line takes dense files of so many rows and columns: fewer are a table."""
        return self.array.ndim in (2, 3) and min(self.array.shape[:2]) >= 16

    def missing(self) -> Array:
        missing = np.isnan(self.array) if self.array.dtype.kind == "f" else np.zeros(self.array.shape, bool)
        if self.hidden is not None:
            missing = missing | self.hidden
        return missing if self.missing_value is None else missing | (self.array == self.missing_value)

    def without_value(self) -> int:
        return int(self.missing().sum())

    def cells(self) -> Coords:
        total = float(np.prod([float(size) for size in self.array.shape]))
        _core.require_memory(total * (8 + 8 * self.array.ndim), f"listing all {total:.4g} cells")
        return self._moved(tuple(grid.ravel() for grid in np.indices(self.array.shape, np.uint32)))

    def holes(self) -> Coords:
        return self._moved(np.nonzero(self.missing()))

    def filled(self, values: Array) -> Any:
        out = self.array.copy(order="K")
        missing = self.missing()
        if out.dtype.kind == "b" and missing.any():  # shares, not yes or no
            out = out.astype(np.float64)
        out[missing] = rounded(values, out.dtype)
        return self._rebuild(out)

    def answered(self, values: Array) -> Any:
        return self._rebuild(values.reshape(self.array.shape))

    def taken(self, which: Array) -> Any:
        out = self.array.astype(self.array.dtype if self.array.dtype.kind == "f" else np.float64, order="K")
        observed = np.nonzero(~self.missing())
        kept = np.full(out.shape, np.nan, out.dtype)
        at = tuple(along[which] for along in observed)
        kept[at] = out[at]
        return self._rebuild(kept)


class ListedSource(Source):
    """A list of cells. What is not listed is missing; a NaN is a cell that is listed without a value."""

    def __init__(self, coords: Coords, values: Array, axes: list[Axis], rebuild: Callable[[Coords, Array], Any], *,
                 weights: Array | None = None, sizes: list[int] | None = None) -> None:
        self.coords = coords
        self.values = native(values, "values")
        self.axes = axes
        self.sizes = sizes or [axis.size for axis in axes]
        self.weights = None if weights is None else native(np.asarray(weights), "weight")
        self._rebuild = rebuild
        self._own = coords  # as the data lists them; coords are where a model has them

    def rename(self, mode: int, axis: Axis, places: Array) -> None:
        """Another axis for a mode, on which what was at position p is at places[p]."""
        self.axes = [axis if k == mode else one for k, one in enumerate(self.axes)]
        self.coords = tuple(places[along] if k == mode else along for k, along in enumerate(self.coords))
        self._own = self.coords
        self.sizes[mode] = axis.size

    def move(self, mode: int, places: Array, size: int) -> None:
        self.coords = tuple(places[along] if k == mode else along for k, along in enumerate(self.coords))
        self.sizes[mode] = size

    def _empty(self) -> Array:
        return np.isnan(self.values) if self.values.dtype.kind == "f" else np.zeros(len(self.values), bool)

    def entries(self) -> _core.Entries:
        empty = self._empty()
        if not empty.any():
            return _core.listed_entries(list(self.coords), self.values, self.weights)
        kept = ~empty
        weights = None if self.weights is None else self.weights[kept]
        return _core.listed_entries([along[kept] for along in self.coords], self.values[kept], weights)

    def without_value(self) -> int:
        return int(self._empty().sum())

    def cells(self) -> Coords:
        return self.coords

    def _unlisted(self) -> Coords:
        """The cells that are not listed, in C order."""
        total = float(np.prod([float(size) for size in self.shape]))
        _core.require_memory(total * (8 + 4 * len(self.axes)) * 2, f"listing all {total:.4g} cells")
        listed = np.zeros(self.shape, bool)
        listed[tuple(along.astype(np.intp) for along in self._own)] = True
        return np.nonzero(~listed)

    def holes(self) -> Coords:
        empty = self._empty()
        return tuple(along[empty] for along in self.coords) if empty.any() else self._unlisted()

    def filled(self, values: Array) -> Any:
        empty = self._empty()
        if empty.any():
            out = self.values.copy()
            out[empty] = values
            return self._rebuild(self._own, out)
        coords = tuple(np.concatenate([a.astype(np.intp), b]) for a, b in zip(self._own, self._unlisted()))
        return self._rebuild(coords, np.concatenate([self.values, rounded(values, self.values.dtype)]))

    def answered(self, values: Array) -> Any:
        return self._rebuild(self._own, values)

    def taken(self, which: Array) -> Any:
        rows = np.flatnonzero(~self._empty())[which]
        return self._rebuild(tuple(along[rows] for along in self._own), self.values[rows])
