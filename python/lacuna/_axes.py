# SPDX-License-Identifier: MIT
"""Modes as Python sees them: names, and labels of any type for their positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

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


class Bins(NamedTuple):
    """Spans of time that are the positions of a mode, as the command line's --bin makes them."""

    origin: int  # where the first one begins, in units since 1970
    width: int
    unit: str  # "second", "day" or "month"
    dates: bool  # they are called by dates, not by seconds
    time_zone: str  # whose calendar and clock; empty: UTC

    def numbers(self, values: np.ndarray[Any, Any], name: str, utc: bool = False) -> np.ndarray[Any, Any]:
        """The number of each value's bin, negative before the first one."""
        if values.dtype.kind in "OUT":
            seconds = parse_stamps(values, name, self.time_zone)[0]
            return np.asarray(_core.bin_numbers(self, seconds, False))
        return np.asarray(_core.bin_numbers(self, seconds_of(values, name), values.dtype.kind == "M" and not utc))

    def label(self, number: int) -> Any:
        """A bin's first day or moment, or where stamps were numbers its first second."""
        return self.label_called(_core.bin_texts(self, [number])[0])

    def label_called(self, text: str) -> Any:
        """The same, of the bin that files call so."""
        if self.unit != "second":
            return np.datetime64(text, "D")
        start = int(np.asarray(_core.parse_stamps([text], self.time_zone)[0])[0])
        return np.datetime64(start, "s") if self.dates else start


@dataclass
class Axis:
    """One mode. Without labels its positions are plain indices from 0; with bins they are spans of time."""

    name: str
    size: int
    labels: np.ndarray[Any, Any] | None = None
    positions: np.ndarray[Any, Any] | None = None
    bins: Bins | None = None
    same_as: int = -1  # an earlier mode whose positions these are; -1: none
    unit: str = ""  # of the positions, for people: "nm"
    in_order: bool = False  # neighbours are known to lie side by side, as the rows of a picture do
    side: Any = field(default=None, repr=False, compare=False)  # what is known of the positions beside the entries
    _places: dict[str, int] | None = field(default=None, repr=False, compare=False)
    _new: list[tuple[str, Any]] | None = field(default=None, repr=False, compare=False)  # text and label; None: fixed

    def __post_init__(self) -> None:
        whole = isinstance(self.size, (int, np.integer)) and not isinstance(self.size, (bool, np.bool_))
        if not whole or not 0 <= self.size < UNSEEN:
            raise ValueError(f"size: found {self.size!r}, expected a whole number of positions, from 0 to {UNSEEN - 1}")
        for name in ("labels", "positions"):
            along = getattr(self, name)
            if along is not None and np.shape(along) != (self.size,):
                raise ValueError(f"{name}: found an array of shape {np.shape(along)}, expected {self.size}, one for each position")
            setattr(self, name, None if along is None else np.asarray(along))

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
        bins = None if mode.bins is None else Bins(*mode.bins)
        return Axis(mode.name, mode.size, labels, positions if positions.size else None, bins, mode.same_as, mode.unit,
                    mode.in_order, mode.side)  # fmt: skip

    @staticmethod
    def of_coordinates(name: str, values: np.ndarray[Any, Any]) -> Axis:
        """Of an array's axis whose positions have these coordinates."""
        return Axis(name, len(values), values, positions_of(values))

    def mode(self) -> _core.Mode:
        labels = [] if self.labels is None else label_texts(self.labels)
        if len(set(labels)) < len(labels):
            raise ValueError(f"mode '{self.name}': found the same label twice, expected different ones")
        positions = [] if self.positions is None else self.positions.tolist()
        return _core.make_mode(self.name, self.size, labels, positions, self.bins, self.same_as, self.side, self.unit,
                               self.in_order)  # fmt: skip

    def find(self, values: np.ndarray[Any, Any], utc: bool = False) -> tuple[np.ndarray[Any, Any], int]:
        """The positions of labels, and the size that the mode would have with those it did not know.

        Times without an offset are what the mode's clock shows, unless they are said to be UTC's.
        """
        values = np.asarray(values)
        if self.bins is not None:
            return self._bins_of(self.bins.numbers(values, self.name, utc))
        if self.labels is None:
            if values.dtype.kind not in "iu":
                raise ValueError(f"mode '{self.name}': found values that are not whole numbers, expected indices from 0")
            if values.size and int(values.min()) < 0:
                raise ValueError(f"mode '{self.name}': found the index {int(values.min())}, expected 0 or more")
            if values.size and int(values.max()) > UNSEEN:
                raise ValueError(f"mode '{self.name}': found the index {int(values.max())}, expected at most {UNSEEN}")
            return values, max(self.size, int(values.max()) + 1 if values.size else 0)
        uniques, codes = factorize(values)
        places, size = self._look_up(label_texts(uniques), uniques)
        return places[codes], size

    def _look_up(self, texts: list[str], labels: Any) -> tuple[np.ndarray[Any, Any], int]:
        known = self.places()
        size = self.size + len(self._new or ())
        places = np.empty(len(texts), np.uint32)
        for number, text in enumerate(texts):
            place = known.get(text)
            if place is None:
                place, size = size, size + 1
                if self._new is not None:
                    known[text] = place
                    self._new.append((text, labels[number]))
            places[number] = place
        return places, size

    def places(self) -> dict[str, int]:
        """The position of each label, as it is written."""
        if self._places is None:
            self._places = {text: place for place, text in enumerate(label_texts(np.asarray(self.labels)))}
        return self._places

    def _bins_of(self, bins: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int]:
        if self.labels is not None:  # those of the calendar, and some that came later and far from the others
            uniques, codes = np.unique(bins, return_inverse=True)
            assert self.bins is not None
            texts = _core.bin_texts(self.bins, uniques.tolist())
            places, size = self._look_up(texts, texts)
            return places[codes.ravel()], size
        if self._new is None:
            return np.where((bins < 0) | (bins >= self.size), UNSEEN, bins).astype(np.uint32), self.size
        if len(bins) and (bins.min() < 0 or bins.max() >= UNSEEN):
            raise ValueError(
                f"mode '{self.name}': found a time {'before its first bin' if bins.min() < 0 else 'far beyond its last bin'}, "
                f"expected one from {self.label_at(0)} on"
            )
        return bins.astype(np.uint32), max(self.size, int(bins.max(initial=-1)) + 1)

    def label_list(self) -> list[Any]:
        return [] if self.labels is None else list(self.labels.tolist())

    def label_at(self, position: int) -> Any:
        """What people call this position: its label, its index, or the beginning of its bin."""
        if self.bins is not None and self.labels is None:
            return self.bins.label(position)
        if self.labels is None:
            return position
        label = self.labels[position]
        if self.bins is not None:
            return self.bins.label_called(str(label))
        return label.item() if isinstance(label, (np.integer, np.floating, np.bool_)) else label


def share_labels(a: Axis, b: Axis) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The labels of two modes that are one set, in the order that files give them; where a's are among them, and b's."""
    first, second = np.asarray(a.labels), np.asarray(b.labels)
    table = dict(zip(label_texts(first), first.tolist() if first.dtype.kind == "O" else first))
    for text, label in zip(label_texts(second), second.tolist() if second.dtype.kind == "O" else second):
        table.setdefault(text, label)
    places = dict(zip(table, np.asarray(_core.label_places(list(table))).tolist()))
    labels = np.empty(len(table), object)
    for text, label in table.items():
        labels[places[text]] = label
    kind = first.dtype.kind
    if kind in "iufM" and second.dtype.kind == kind:
        labels = np.array(labels.tolist(), np.result_type(first, second))
    where = [np.array([places[text] for text in label_texts(side)], np.uint32) for side in (first, second)]
    return labels, where[0], where[1]


def growing(axes: list[Axis]) -> list[Axis]:
    """Copies that take up the labels which are looked for and not there. Modes that share their positions share those."""
    copies: list[Axis] = []
    for axis in axes:
        copy = replace(axis, _places=None if axis.labels is None else dict(axis.places()), _new=[])
        if axis.same_as >= 0:
            copy._places, copy._new = copies[axis.same_as]._places, copies[axis.same_as]._new
        copies.append(copy)
    return copies


def new_labels(axis: Axis) -> list[str]:
    return [text for text, _ in axis._new or ()]


def grown(axis: Axis, size: int) -> Axis:
    """The axis with the labels that a growing one took up; of plain indices and bins, with this size."""
    more = [label for _, label in axis._new or ()]
    if axis.labels is None or not more:
        positions = axis.positions if size == axis.size else None
        return replace(axis, size=size if axis.labels is None else axis.size, positions=positions, _new=None)
    labels = _joined(axis.labels, more)
    return replace(axis, size=len(labels), labels=labels, positions=_continued(axis, labels), _new=None)


def _joined(labels: np.ndarray[Any, Any], more: Iterable[Any]) -> np.ndarray[Any, Any]:
    added = list(more)
    kind = labels.dtype.kind
    if kind in "iufM" and all(getattr(np.asarray(label).dtype, "kind", "O") == kind for label in added):
        return np.concatenate([labels, np.array(added)])
    out = np.empty(len(labels) + len(added), object)
    out[: len(labels)] = labels
    out[len(labels) :] = added
    return out


def _continued(axis: Axis, labels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Where the labels lie along the mode, on the scale that the first of them have; None when they do not say."""
    if axis.positions is None or labels.dtype.kind not in "iufM" or axis.size < 2:
        return None
    places = (labels - labels[0]).astype("m8[ns]").astype(np.float64) if labels.dtype.kind == "M" else labels.astype(np.float64)
    low, high = int(np.argmin(axis.positions)), int(np.argmax(axis.positions))
    scale = (axis.positions[high] - axis.positions[low]) / (places[high] - places[low])
    return np.concatenate([axis.positions, axis.positions[low] + scale * (places[axis.size :] - places[low])])


def parse_stamps(values: np.ndarray[Any, Any], name: str, time_zone: str = "") -> tuple[np.ndarray[Any, Any], bool]:
    """Time stamps that are texts, as whole seconds; whether all of them are dates and not numbers."""
    try:
        seconds, dates = _core.parse_stamps([str(value) for value in values.tolist()], time_zone)
    except ValueError as problem:
        raise ValueError(f"mode '{name}': {problem}") from None
    return np.asarray(seconds), dates


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
