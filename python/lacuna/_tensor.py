# SPDX-License-Identifier: MIT
"""What a file holds, and files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._axes import Axis
from ._progress import log
from ._settings import check_names

Array = np.ndarray[Any, Any]


class Tensor:
    """Cells and their values, with the modes they speak of; what `lacuna.read` returns.

    coords : one array of indices, from 0, for each mode
    values : the values; NaN: the cell is listed without one
    weights : how much each entry counts, or None
    axes : the modes, with names, labels and positions
    dense : whether it lists every cell, last mode fastest
    facts : whether it is a table without values, whose every row says that something is so

    One that was read knows how its file was laid out: `write` writes it, and what it is completed to, alike.
    """

    def __init__(self, axes: list[Axis], coords: tuple[Array, ...], values: Array, weights: Array | None = None,
                 dense: bool = False, facts: bool = False) -> None:
        self._layout: _core.Layout | None = None
        self.axes = list(axes)
        self.coords = tuple(np.asarray(along) for along in coords)
        self.values = np.asarray(values, np.float64)
        self.weights = None if weights is None else np.asarray(weights, np.float64)
        self.dense = dense
        self.facts = facts

        self._check()

    def _check(self) -> None:
        for axis in self.axes:
            if not isinstance(axis, Axis):
                raise TypeError(f"axes: found {type(axis).__name__}, expected lacuna.Axis")
        if len(self.coords) != len(self.axes):
            raise ValueError(f"coords: found {len(self.coords)} arrays, expected {len(self.axes)}, one for each axis")
        if self.values.ndim != 1:
            raise ValueError(f"values: found {self.values.ndim} axes, expected one")
        lists = [(f"coords along '{axis.name}'", along) for axis, along in zip(self.axes, self.coords)]
        for name, numbers in [*lists, *([("weights", self.weights)] if self.weights is not None else [])]:
            if numbers.shape != self.values.shape:
                expected = f"one number for each of {len(self.values)} values"
                raise ValueError(f"{name}: found an array of shape {numbers.shape}, expected {expected}")
        for axis, along in zip(self.axes, self.coords):
            if along.dtype.kind not in "iu" and along.size:
                raise ValueError(f"coords: found an array of {along.dtype} along '{axis.name}', expected indices from 0")
            if along.size and not 0 <= int(along.min()) <= int(along.max()) < axis.size:
                found = f"indices from {along.min()} to {along.max()} along '{axis.name}'"
                raise ValueError(f"coords: found {found}, expected 0 to {axis.size - 1}")

    @staticmethod
    def of_array(array: Array, axes: list[Axis]) -> Tensor:
        coords = tuple(grid.ravel() for grid in np.indices(array.shape, np.uint32))
        return Tensor(list(axes), coords, np.ascontiguousarray(array, np.float64).ravel(), dense=True)

    def like(self, other: Tensor) -> Tensor:
        """This one, laid out in files as the other is. A table of facts has no column for other values."""
        self._layout = None if other.facts else other._layout
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)

    @property
    def modes(self) -> list[str]:
        return [axis.name for axis in self.axes]

    @property
    def labels(self) -> list[Any]:
        return [axis.labels for axis in self.axes]

    def __len__(self) -> int:
        return len(self.values)

    def to_numpy(self) -> Array:
        """All cells as an array; NaN where there is no value."""
        total = float(np.prod([float(size) for size in self.shape]))
        _core.require_memory(8 * total, f"an array of {total:.4g} cells")
        out = np.full(self.shape, np.nan)
        out[tuple(along.astype(np.intp) for along in self.coords)] = self.values
        return out

    def to_pandas(self) -> Any:
        """A long table: a column for each mode, and `value`."""
        import pandas

        columns = {}
        for axis, along in zip(self.axes, self.coords):
            columns[axis.name] = along if axis.labels is None else axis.labels[along]
        return pandas.DataFrame({**columns, "value": self.values})

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_layout": None}

    def __repr__(self) -> str:
        sizes = " x ".join(f"{axis.name} {axis.size}" for axis in self.axes)
        return f"<lacuna.Tensor {sizes}, {len(self)} cells>"


_OPTIONS = (
    "format", "index_base", "shape", "missing_value", "variable", "mask", "invert_mask", "delimiter", "decimal",
    "header", "columns", "value_column", "weight_column", "indices", "bins", "positions", "coordinates", "same",
    "wide", "values", "time_zone",
)  # fmt: skip


def _set(how: _core.ReadOptions, key: str, value: Any) -> None:
    try:
        if key == "bins":
            how.set_bins([(str(column), str(width)) for column, width in dict(value).items()])
        elif key == "coordinates":
            how.set_coordinates([(str(mode), os.fspath(file)) for mode, file in dict(value).items()])
        elif key in ("shape", "columns", "positions", "same", "values"):
            listed = [int(one) if key == "shape" else str(one) for one in value]
            setattr(how, "value_columns" if key == "values" else key, listed)
        elif key == "wide":
            if value is not False:
                how.wide = "column" if value is True else str(value)
        elif key == "mask":
            how.mask = os.fspath(value)
        else:
            setattr(how, "table_indices" if key == "indices" else key, value)
    except (TypeError, OverflowError) as problem:
        raise TypeError(f"{key}: found {value!r}, which read() cannot take for this option") from problem
    except ValueError as problem:
        said = str(problem)
        raise ValueError(said if said.startswith(f"{key}:") else f"{key}: found {value!r} ({said})") from None


def read(path: str | os.PathLike[str], **options: Any) -> Tensor:
    """Reads a file: .tns, .tns.gz, sptensor, CSV and its likes, .npy, .npz, .mat, PNG, JPEG, BMP, and what
    lacuna-formats reads where it is installed: NetCDF, HDF5, TIFF, MATLAB 7.3.

    The options are the command line's of the same names: format, index_base, shape, missing_value, variable, mask,
    invert_mask, delimiter, decimal, header, columns, value_column, weight_column, indices, bins ({"time": "7d"}),
    positions (["height"]), coordinates ({"band": "wavelengths.txt"}), same (["head", "tail"]), wide ("hour", or True: a mode
    lies across the columns of the table), values (["temperature", "humidity"]: several value columns, the labels of a mode),
    time_zone ("Europe/Berlin", of stamps without an offset).
    FormatError says where the file is not what was expected.
    """
    check_names(options, _OPTIONS, "read()")
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"{name}: there is no such file")
    how = _core.ReadOptions()
    for key, value in options.items():
        if value is not None:
            _set(how, key, value)
    file = _core.read(name, how)
    for note in file.notes:
        log.info(note)
    weights = np.asarray(file.entries.weights)
    tensor = Tensor(
        [Axis.of_mode(mode) for mode in file.modes],
        tuple(np.asarray(along) for along in file.entries.coords),
        np.asarray(file.entries.values),
        weights if weights.size else None,
        file.dense,
        file.facts,
    )
    tensor._layout = file.layout
    return tensor
