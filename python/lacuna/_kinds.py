# SPDX-License-Identifier: MIT
"""From whatever people have to a source, and back: arrays, masked arrays, tensors of other libraries, sparse matrices,
lists of cells, xarray. Tables are in _tables. No library is imported that the data did not come from."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from ._axes import Axis, label_texts, plain_axes, share_labels
from ._settings import check_names
from ._sources import Array, Coords, DenseSource, ListedSource, Reading, Source
from ._tables import is_table, is_wide, table_source, wide_source
from ._tensor import Tensor, read


def source_of(data: Any, reading: Reading, known: list[Axis] | None = None) -> Source:
    """The data as a source. `known` are the modes of a fitted model, whose positions its labels are then looked up in."""
    if isinstance(data, (str, os.PathLike)):
        data = read(data)
    if isinstance(data, Tensor):
        source = _tensor_source(data, reading)
    elif _library(data) == "xarray":
        source = _xarray_source(data, reading, known)
    elif _library(data) == "scipy" and hasattr(data, "tocoo"):
        source = _scipy_source(data)
    elif _library(data) == "sparse" and hasattr(data, "coords"):
        source = _coo_source(data)
    elif is_wide(data, reading):
        source = wide_source(data)
    elif is_table(data):
        source = table_source(data, reading, known)
        if known is None:
            share_modes(source, reading)
        return source
    elif isinstance(data, tuple):
        source = _triple_source(data, reading.weight)
    else:
        source = _array_source(data, reading)
    if known is None:
        what = "a frame that is a matrix" if is_wide(data, reading) else type(data).__name__
        _refuse_columns(replace(reading, weight=None) if isinstance(data, tuple) else reading, what)
    else:
        _align(source, known)
    if reading.modes is not None and known is None:
        _name(source, list(reading.modes))
    if known is None:
        share_modes(source, reading)
    return source


def _refuse_columns(reading: Reading, what: str) -> None:
    """Keywords about columns say nothing about data that have none."""
    for name, expected in (("value", "a table"), ("bins", "a table"), ("weight", "a table or (coords, values, shape)")):
        if getattr(reading, name) is not None:
            raise ValueError(f"{name}: found one for {what}, expected {expected}")


def _library(data: Any) -> str:
    return type(data).__module__.split(".")[0]


def _name(source: Source, names: list[str]) -> None:
    if len(names) != len(source.axes):
        raise ValueError(f"modes: found {len(names)} names, expected {len(source.axes)}, one for each axis")
    for axis, name in zip(source.axes, names):
        axis.name = str(name)


def share_modes(source: Source, reading: Reading) -> None:
    """Two modes that are one set of things, such as heads and tails: those said, else, of facts, two that have most of
    their labels in common. A label, or a number, then means the same along both."""
    names = [axis.name for axis in source.axes]
    if reading.same is None:
        if any(axis.same_as >= 0 for axis in source.axes):
            return  # as the reader of a file found
        pairs = [(a, b) for b in range(len(names)) for a in range(b) if source.facts and _overlap(source.axes[a], source.axes[b])]
        if pairs:
            _share(source, *min(pairs))
        return
    said = [reading.same] if isinstance(reading.same, str) else [str(name) for name in reading.same]
    if said == ["none"]:
        return
    check_names(said, names, "same")
    if len(said) != 2 or said[0] == said[1]:
        raise ValueError(f"same: found {said}, expected two modes such as ['head', 'tail']")
    _share(source, *sorted(names.index(name) for name in said))


def _share(source: Source, first: int, second: int) -> None:
    a, b = source.axes[first], source.axes[second]
    if a.bins is not None or b.bins is not None or (a.labels is None) != (b.labels is None):
        raise ValueError(f"same: the modes '{a.name}' and '{b.name}' cannot be of one set: expected labels for both, or numbers for both")
    if isinstance(source, DenseSource):
        if a.size != b.size or (a.labels is not None and label_texts(a.labels) != label_texts(np.asarray(b.labels))):
            raise ValueError(f"same: the axes '{a.name}' and '{b.name}' of an array cannot be of one set: found other positions")
        b.same_as = first
        return
    assert isinstance(source, ListedSource)
    if a.labels is None:
        a.size = b.size = source.sizes[first] = source.sizes[second] = max(a.size, b.size)
        b.same_as = first
        return
    labels, here, there = share_labels(a, b)
    source.rename(first, Axis(a.name, len(labels), labels), here)
    source.rename(second, Axis(b.name, len(labels), labels, same_as=first), there)


def _overlap(a: Axis, b: Axis) -> bool:
    if a.labels is None or b.labels is None:
        return False
    ours, theirs = label_texts(a.labels), label_texts(b.labels)
    words = all(any(not text.isdigit() for text in texts) for texts in (ours, theirs))
    return words and len(set(ours) & set(theirs)) >= 0.5 * min(len(ours), len(theirs))


def _align(source: Source, known: list[Axis]) -> None:
    """Gives the source the modes of a model: labels are looked up, plain indices are what they are."""
    if len(source.axes) != len(known):
        raise ValueError(f"data: found {len(source.axes)} modes, expected {len(known)} as the model has")
    for k, (axis, model) in enumerate(zip(source.axes, known)):
        if axis.labels is not None and model.labels is not None:
            source.move(k, *model.find(axis.labels))
            continue
        may_grow = model._new is not None and model.labels is None and axis.size > model.size
        if isinstance(source, DenseSource) and axis.size != model.size and not may_grow:
            raise ValueError(
                f"data: found {axis.size} positions along mode '{model.name}', expected {model.size} as the model has"
            )
        source.sizes[k] = max(axis.size, model.size)
    source.axes = known


def _array_source(data: Any, reading: Reading) -> Source:
    if isinstance(data, np.ma.MaskedArray):
        hidden = np.broadcast_to(np.ma.getmaskarray(data), data.shape)
        return DenseSource(data.data, plain_axes(data.shape), lambda out: np.ma.array(out, mask=False), hidden=hidden,
                           missing_value=reading.missing_value)
    if isinstance(data, np.ndarray):
        array, rebuild = np.asarray(data), _same
    elif hasattr(data, "__dlpack__"):
        array, rebuild = _from_dlpack(data)
    elif isinstance(data, list):
        array, rebuild = np.array(data, dtype=np.float64), _same  # None is NaN there
    else:
        raise TypeError(
            f"data: found {type(data).__name__}, expected an array, a masked array, (coords, values, shape), a sparse "
            "matrix, a table, a DataArray, a lacuna.Tensor or a file's name"
        )
    return DenseSource(array, plain_axes(array.shape), rebuild, missing_value=reading.missing_value)


def _same(out: Array) -> Any:
    return out


def _from_dlpack(data: Any) -> tuple[Array, Any]:
    """The tensor's memory as an array, and the way back to a tensor of its library."""
    library = sys.modules.get(_library(data))
    plain = data.detach() if hasattr(data, "detach") else data
    try:
        array = np.from_dlpack(plain)
    except (BufferError, RuntimeError, TypeError) as problem:
        raise ValueError(f"data: its memory cannot be read ({problem}); move it to the CPU first") from None

    def rebuild(out: Array) -> Any:
        make = getattr(library, "from_dlpack", None)
        return make(np.ascontiguousarray(out)) if make else out

    return array, rebuild


def _triple_source(data: tuple[Any, ...], weight: Any = None) -> Source:
    if len(data) not in (2, 3):
        raise ValueError(f"data: found a tuple of {len(data)}, expected (coords, values) or (coords, values, shape)")
    coords = _coords(data[0])
    values = np.asarray(data[1])
    if values.ndim != 1 or len(values) != len(coords[0]):
        raise ValueError(f"values: found {values.shape}, expected {len(coords[0])} numbers, one for each cell")
    shape = tuple(data[2]) if len(data) == 3 else tuple(int(along.max()) + 1 if along.size else 0 for along in coords)
    if len(shape) != len(coords):
        raise ValueError(
            f"coords: found {len(coords)} rows for a shape of {len(shape)} modes, expected one row of indices for each "
            "mode; transpose an array that has a row for each cell"
        )
    _check_coords(coords, shape)

    def rebuild(coords: Coords, values: Array) -> Any:
        return (np.stack([np.asarray(along) for along in coords]), values, shape)[: len(data)]

    if weight is not None and np.shape(weight) != values.shape:
        raise ValueError(f"weight: found an array of shape {np.shape(weight)}, expected {len(values)} numbers, one for each cell")
    return ListedSource(coords, values, plain_axes(shape), rebuild, weights=weight)


def _coords(data: Any) -> Coords:
    if isinstance(data, (tuple, list)):
        coords = tuple(np.asarray(along) for along in data)
    else:
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(f"coords: found {array.ndim} axes, expected two, modes x cells")
        coords = tuple(array)
    if len(coords) < 2:
        raise ValueError(f"coords: found {len(coords)} modes, expected at least 2")
    for k, along in enumerate(coords):
        if along.ndim != 1 or along.dtype.kind not in "iu":
            raise ValueError(f"coords: found no list of whole numbers along mode {k}, expected indices from 0")
        if len(along) != len(coords[0]):
            raise ValueError(f"coords: found {len(along)} indices along mode {k}, expected {len(coords[0])}")
    return coords


def _check_coords(coords: Coords, shape: tuple[int, ...]) -> None:
    for k, (along, size) in enumerate(zip(coords, shape)):
        wrong = [int(end) for end in (along.min(), along.max()) if end < 0 or end >= size] if along.size else []
        if wrong:
            raise ValueError(f"coords: found the index {wrong[0]} along mode {k}, expected 0 to {size - 1}")


def _scipy_source(data: Any) -> Source:
    if data.ndim != 2:
        raise ValueError(f"data: found {data.ndim} axes, expected 2")
    stored = data.tocoo()

    def rebuild(coords: Coords, values: Array) -> Any:
        return type(stored)((values, coords), shape=stored.shape).asformat(data.format)

    return ListedSource((stored.row, stored.col), stored.data, plain_axes(stored.shape), rebuild)


def _coo_source(data: Any) -> Source:
    stored = data if hasattr(data, "coords") and hasattr(data, "fill_value") else data.tocoo()

    def rebuild(coords: Coords, values: Array) -> Any:
        return type(stored)(np.stack(coords), values, shape=stored.shape, fill_value=stored.fill_value)

    return ListedSource(tuple(stored.coords), stored.data, plain_axes(stored.shape), rebuild)


def _tensor_source(data: Tensor, reading: Reading) -> Source:
    if data.dense:
        axes = [replace(a) for a in data.axes]
        return DenseSource(data.to_numpy(), axes, lambda out: Tensor.of_array(out, data.axes).like(data),
                           missing_value=reading.missing_value)

    def rebuild(coords: Coords, values: Array) -> Any:
        return Tensor(list(data.axes), coords, np.asarray(values, np.float64)).like(data)

    axes = [replace(a) for a in data.axes]
    source = ListedSource(data.coords, data.values, axes, rebuild, weights=data.weights)
    source.facts = data.facts
    return source


def _xarray_source(data: Any, reading: Reading, known: list[Axis] | None) -> Source:
    if not hasattr(data, "dims") or hasattr(data, "data_vars"):
        raise TypeError("data: found an xarray Dataset, expected one DataArray of it")
    given = data
    names = [axis.name for axis in known or []]
    if known is not None and sorted(names) == sorted(map(str, data.dims)):
        data = data.transpose(*names)
    axes = []
    for name, size in zip(data.dims, data.shape):
        said = name in data.coords and data.coords[name].ndim == 1
        axes.append(Axis.of_coordinates(str(name), np.asarray(data.coords[name].values)) if said else Axis(str(name), size))

    def rebuild(out: Array) -> Any:
        return data.copy(data=out).transpose(*given.dims)

    return DenseSource(np.asarray(data.values), axes, rebuild, missing_value=reading.missing_value)
