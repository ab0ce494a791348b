# SPDX-License-Identifier: MIT
"""Modes as Python sees them: names, and labels of any type for their positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core

UNSEEN = 0xFFFFFFFF  # a position that no mode has


def label_texts(values: np.ndarray[Any, Any]) -> list[str]:
    """Labels as files and the command line write them: 17, not 17.0; times as short as they can be."""
    values = np.asarray(values)
    if values.dtype.kind == "M":
        for unit in ("D", "s", "ms", "us"):
            if (values == values.astype(f"datetime64[{unit}]")).all():
                values = values.astype(f"datetime64[{unit}]")
                break
        return [str(text) for text in np.datetime_as_string(values)]
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.floor(values)).all():
        values = values.astype(np.int64) if (np.abs(values) < 2**62).all() else values
    return [str(value) for value in values.tolist()]


def factorize(values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The different values, in the order that the readers of files give labels, and the number of each row's."""
    if values.dtype.kind in "biufmM":
        uniques, codes = np.unique(values, return_inverse=True)
        return uniques, codes.astype(np.uint32, copy=False).ravel()
    table: dict[Any, int] = {}
    codes = np.fromiter((table.setdefault(value, len(table)) for value in values.tolist()), np.int64, len(values))
    uniques = np.empty(len(table), object)
    uniques[:] = list(table)
    texts = [str(value) for value in table]
    if len(set(texts)) < len(texts):
        raise ValueError("labels: found two that differ but are written alike, expected different ones")
    places = np.asarray(_core.label_places(texts))
    ordered = np.empty_like(uniques)
    ordered[places] = uniques
    return ordered, places[codes]


def positions_of(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Where along a mode its indices lie, in units of the usual step; None when the values do not say."""
    if values.dtype.kind == "M":
        values = values.astype("datetime64[ns]").astype(np.int64)
        values = values - values.min() if len(values) else values
    if values.dtype.kind not in "iuf" or len(values) < 2:
        return None
    places = values.astype(np.float64)
    steps = np.diff(np.sort(places))
    if not np.isfinite(places).all() or not (steps > 0).all():
        return None
    return np.asarray((places - places.min()) / float(np.median(steps)))


@dataclass
class Axis:
    """One mode. Without labels its positions are plain indices from 0; with bins they are spans of time."""

    name: str
    size: int
    labels: np.ndarray[Any, Any] | None = None
    positions: np.ndarray[Any, Any] | None = None
    bins: tuple[int, int] | None = None  # origin and width in seconds
    _places: dict[str, int] | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def of_mode(mode: _core.Mode) -> Axis:
        """As a model's file has it: labels are texts, or whole numbers where all of them are written so."""
        labels = None
        if texts := mode.labels:
            labels = np.array(texts, object)
            if all(text.lstrip("-").isdigit() for text in texts):
                numbers = [int(text) for text in texts]
                if [str(number) for number in numbers] == texts and max(map(abs, numbers)) < 2**62:
                    labels = np.array(numbers, np.int64)
        positions = np.asarray(mode.positions)
        return Axis(mode.name, mode.size, labels, positions if positions.size else None, mode.bins)

    @staticmethod
    def of_coordinates(name: str, values: np.ndarray[Any, Any]) -> Axis:
        """Of an array's axis whose positions have these coordinates."""
        return Axis(name, len(values), values, positions_of(values))

    def mode(self) -> _core.Mode:
        labels = [] if self.labels is None else label_texts(self.labels)
        if len(set(labels)) < len(labels):
            raise ValueError(f"mode '{self.name}': found the same label twice, expected different ones")
        positions = [] if self.positions is None else self.positions.tolist()
        return _core.make_mode(self.name, self.size, labels, positions, self.bins)

    def find(self, values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int]:
        """The positions of labels, and the size that the mode would have with those it did not know."""
        values = np.asarray(values)
        if self.bins is not None:
            return self._bins_of(values), self.size
        if self.labels is None:
            if values.dtype.kind not in "iu":
                raise ValueError(f"mode '{self.name}': found values that are not whole numbers, expected indices from 0")
            if values.size and int(values.min()) < 0:
                raise ValueError(f"mode '{self.name}': found the index {int(values.min())}, expected 0 or more")
            if values.size and int(values.max()) > UNSEEN:
                raise ValueError(f"mode '{self.name}': found the index {int(values.max())}, expected at most {UNSEEN}")
            return values, max(self.size, int(values.max()) + 1 if values.size else 0)
        uniques, codes = factorize(values)
        if self._places is None:
            self._places = {text: place for place, text in enumerate(label_texts(self.labels))}
        size = self.size
        places = np.empty(len(uniques), np.uint32)
        for number, text in enumerate(label_texts(uniques)):
            place = self._places.get(text)
            if place is None:
                place, size = size, size + 1
            places[number] = place
        return places[codes], size

    def _bins_of(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        assert self.bins is not None
        origin, width = self.bins
        bins = (seconds_of(values, self.name) - origin) // width
        return np.where((bins < 0) | (bins >= self.size), UNSEEN, bins).astype(np.uint32)

    def label_at(self, position: int) -> Any:
        """What people call this position: its label, its index, or the beginning of its bin."""
        if self.bins is not None:
            return np.datetime64(self.bins[0] + position * self.bins[1], "s")
        if self.labels is None:
            return position
        label = self.labels[position]
        return label.item() if isinstance(label, (np.integer, np.floating, np.bool_)) else label


def seconds_of(values: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """Time stamps, or numbers of seconds, as whole seconds."""
    if values.dtype.kind == "M":
        return np.asarray(values.astype("datetime64[s]").astype(np.int64))
    if values.dtype.kind in "iuf":
        return np.asarray(np.floor(values).astype(np.int64))
    raise ValueError(f"bins: found values of '{name}' that are neither times nor numbers of seconds")


def plain_axes(shape: tuple[int, ...], names: list[str] | None = None) -> list[Axis]:
    """Modes without labels; mode1, mode2, ... as files name them."""
    return [Axis(names[k] if names else f"mode{k + 1}", int(size)) for k, size in enumerate(shape)]
