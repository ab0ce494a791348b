# SPDX-License-Identifier: MIT
"""Long tables, a row for each cell: pandas, polars, pyarrow, and whatever offers itself as an Arrow stream.

Which columns are what follows the rules of the command line: the values are in the column called value, rating,
score, y, weight or count, else in the last one if it holds numbers; without one every row is a fact of value 1. All
other columns are modes. A pandas frame of numbers whose index says what its rows are is a matrix, and a Series with several
levels a tensor.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._axes import UNSEEN, Axis, Bins, factorize, parse_stamps, positions_of, seconds_of
from ._sources import Array, Coords, DenseSource, ListedSource, Reading, Source

_VALUE_NAMES = ("value", "rating", "score", "y", "weight", "count")


class Column(NamedTuple):
    values: Array
    nulls: int  # the first row without a value, -1: none
    labels: Array | None = None  # text: the values are numbers of these
    utc: bool = False  # times of known moments, not what some clock shows


def is_table(data: Any) -> bool:
    return _is_pandas(data) or hasattr(data, "__arrow_c_stream__")


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "iloc")


def is_wide(data: Any, reading: Reading) -> bool:
    """A pandas frame that is a matrix: numbers in every column, and an index that says what the rows are.

    Whole numbers without a name say nothing: they are what is left when rows of a long table are picked. With a name
    they do, unless a column is called as values are.
    """
    if not _is_pandas(data) or getattr(data, "ndim", 0) != 2 or reading.modes is not None or reading.value is not None:
        return False
    index = data.index
    if index.nlevels > 1 or not all(dtype.kind in "biuf" for dtype in data.dtypes):
        return False
    if index.dtype.kind not in "iu":
        return True
    return index.name is not None and not any(str(name).lower() in _VALUE_NAMES for name in data.columns)


def wide_source(data: Any) -> Source:
    columns = data.columns

    def axis(index: Any, name: str) -> Axis:
        values = np.asarray(index)
        return Axis.of_coordinates(str(index.name) if index.name is not None else name, values)

    def rebuild(out: Array) -> Any:
        return type(data)(out, index=data.index, columns=columns)

    return DenseSource(data.to_numpy(), [axis(data.index, "row"), axis(columns, "column")], rebuild)


def table_source(data: Any, reading: Reading, known: list[Axis] | None) -> Source:
    if _is_pandas(data) and data.ndim == 1:
        return _series_source(data, reading, known)
    table = _PandasTable(data) if _is_pandas(data) else _ArrowTable(data)
    return _TableSource(table, reading, known)


def columns_of(data: Any) -> dict[str, Column]:
    """All columns of a table, by name."""
    table = _PandasTable(data) if _is_pandas(data) else _ArrowTable(data)
    if not table.names:
        raise ValueError("data: found a table without columns")
    read = table.read(table.names)
    return {name: read[name] for name in table.names}


class _Table:
    """A table's columns, and the table with other columns."""

    names: list[str]

    def is_number(self, name: str) -> bool:
        raise NotImplementedError

    def read(self, names: list[str]) -> dict[str, Column]:
        raise NotImplementedError

    def rows(self, which: Array) -> Any:
        raise NotImplementedError

    def with_column(self, name: str, values: Array) -> Any:
        raise NotImplementedError

    def made(self, columns: dict[str, Array]) -> Any:
        """A table of the same kind with these columns."""
        raise NotImplementedError

    def column(self, name: str, values: Array) -> Any:
        """One column of the same kind."""
        raise NotImplementedError


class _PandasTable(_Table):
    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.names = [str(name) for name in frame.columns]
        if len(set(self.names)) < len(self.names):
            raise ValueError("data: found two columns of the same name, expected different ones")
        self._keys = dict(zip(self.names, frame.columns))

    def is_number(self, name: str) -> bool:
        return str(getattr(self.frame[self._keys[name]].dtype, "kind", "O")) in "biuf"

    def read(self, names: list[str]) -> dict[str, Column]:
        columns = {}
        for name in names:
            series = self.frame[self._keys[name]]
            empty = np.flatnonzero(series.isna().to_numpy())
            first = int(empty[0]) if len(empty) else -1
            if self.is_number(name):
                values = series.to_numpy(dtype=np.float64, na_value=np.nan) if first >= 0 else series.to_numpy()
                columns[name] = Column(values, first)
            elif getattr(series.dtype, "kind", "O") == "M":
                utc = getattr(series.dtype, "tz", None) is not None
                if utc:
                    series = series.dt.tz_convert("UTC").dt.tz_localize(None)
                columns[name] = Column(series.to_numpy(), first, utc=utc)
            else:
                columns[name] = Column(series.to_numpy(dtype=object), first)
        return columns

    def rows(self, which: Array) -> Any:
        return self.frame.iloc[which]

    def with_column(self, name: str, values: Array) -> Any:
        frame = self.frame.copy()
        frame[self._key(name)] = values
        return frame

    def made(self, columns: dict[str, Array]) -> Any:
        return type(self.frame)({self._key(name): values for name, values in columns.items()})

    def column(self, name: str, values: Array) -> Any:
        return sys.modules["pandas"].Series(values, index=self.frame.index, name=self._key(name))

    def _key(self, name: str) -> Any:
        """What the frame itself calls the column, which may be a number or a tuple."""
        return self._keys.get(name, name)


class _ArrowTable(_Table):
    def __init__(self, data: Any) -> None:
        self.data = data
        self._stream = _core.ArrowTable(data.__arrow_c_stream__())
        self._kinds = dict(self._stream.columns())
        self.names = list(self._kinds)

    def is_number(self, name: str) -> bool:
        return self._kinds[name] in ("whole", "number", "nulls")

    def read(self, names: list[str]) -> dict[str, Column]:
        unknown = [name for name in names if self._kinds[name] == "other"]
        if unknown:
            raise ValueError(f"data: the column '{unknown[0]}' is of a type that is neither numbers, text nor times")
        columns = {}
        for read in self._stream.read([self.names.index(name) for name in names]):
            values, nulls = np.asarray(read["values"]), np.asarray(read["nulls"])
            first = int(nulls[0]) if len(nulls) else -1
            labels = None
            if read["kind"] == "text":
                labels = np.array(read["labels"], object)
            elif read["kind"] == "time":
                values = values.astype(f"datetime64[{read['unit']}]")
            elif read["kind"] == "nulls":
                values = np.full(read["rows"], np.nan)
            elif len(nulls):
                values = values.astype(np.float64)
                values[nulls] = np.nan
            columns[read["name"]] = Column(values, first, labels, read["utc"])
        return columns

    def _library(self) -> Any:
        return sys.modules.get(type(self.data).__module__.split(".")[0])

    def rows(self, which: Array) -> Any:
        if hasattr(self.data, "take"):
            return self.data.take(which)
        return self.data[which] if hasattr(self.data, "with_columns") else self._unknown()

    def with_column(self, name: str, values: Array) -> Any:
        if hasattr(self.data, "with_columns"):
            return self.data.with_columns(self.column(name, values))
        if hasattr(self.data, "set_column"):
            column = self.column(name, values)
            if name in self.names:
                return self.data.set_column(self.names.index(name), name, column)
            return self.data.append_column(name, column)
        return self._unknown()

    def made(self, columns: dict[str, Array]) -> Any:
        library = self._library()
        columns = {name: values.tolist() if values.dtype.kind == "O" else values for name, values in columns.items()}
        if hasattr(library, "DataFrame"):
            return library.DataFrame(columns)
        return library.table(columns) if hasattr(library, "table") else self._unknown()

    def column(self, name: str, values: Array) -> Any:
        library = self._library()
        if hasattr(library, "Series"):
            return library.Series(name, values)
        return library.array(values) if hasattr(library, "array") else values

    def _unknown(self) -> Any:
        raise TypeError(
            f"data: {type(self.data).__name__} can be read but not made again; convert it to polars, pandas or pyarrow"
        )


class _TableSource(ListedSource):
    def __init__(self, table: _Table, reading: Reading, known: list[Axis] | None) -> None:
        self.table = table
        value, modes = _columns(table, reading, known)
        wanted = list(modes) + [name for name in (value, _weight_column(table, reading)) if name is not None]
        columns = table.read(list(dict.fromkeys(wanted)))
        for name in modes:
            if columns[name].nulls >= 0:
                raise ValueError(f"data: row {columns[name].nulls} has no '{name}', expected a label")
        axes, coords, sizes = [], [], []
        for k, name in enumerate(modes):
            axis, along, size = _mode_of(name, columns[name], reading, None if known is None else known[k])
            axes.append(axis)
            coords.append(along)
            sizes.append(size)
        # Without values each row is a fact of value 1; of a fitted model it is a cell to predict.
        self.facts = value is None
        unsaid = 1.0 if known is None or reading.expects_values else np.nan
        values = columns[value].values if value is not None else np.full(len(coords[0]), unsaid)
        if value is not None and not table.is_number(value):
            raise ValueError(f"value: the column '{value}' holds no numbers")
        if reading.missing_value is not None:
            values = np.where(values == reading.missing_value, np.nan, values)
        weight = _weight_column(table, reading)
        weights = columns[weight].values if weight is not None else reading.weight
        self.value_name = value or reading.value or "value"
        self._mode_names = list(modes)
        super().__init__(tuple(coords), values, axes, self._table_of, weights=weights, sizes=sizes)

    def _table_of(self, coords: Coords, values: Array) -> Any:
        columns = {}
        for name, axis, along in zip(self._mode_names, self.axes, coords):
            labels = np.arange(axis.size) if axis.labels is None else axis.labels
            columns[name] = labels[along] if axis.bins is None else np.array([axis.label_at(int(p)) for p in along])
        return self.table.made({**columns, self.value_name: values})

    def filled(self, values: Array) -> Any:
        empty = self._empty()
        if not empty.any():
            return super().filled(values)
        out = self.values.astype(np.float64)
        out[empty] = values
        return self.table.with_column(self.value_name, out)

    def answered(self, values: Array) -> Any:
        return self.table.column(self.value_name, values)

    def taken(self, which: Array) -> Any:
        return self.table.rows(np.flatnonzero(~self._empty())[which])


def _weight_column(table: _Table, reading: Reading) -> str | None:
    if not isinstance(reading.weight, str):
        return None
    if reading.weight not in table.names:
        raise ValueError(_no_column("weight", reading.weight, table))
    return reading.weight


def _no_column(argument: str, name: str, table: _Table) -> str:
    near = _core.nearest(name, table.names)
    return f"{argument}: there is no column '{name}'" + (f"; did you mean {near}?" if near else "")


def _columns(table: _Table, reading: Reading, known: list[Axis] | None) -> tuple[str | None, list[str]]:
    """The column of values, if any, and those of the modes."""
    names = table.names
    modes = [axis.name for axis in known] if known is not None else list(reading.modes or [])
    for name in modes:
        if name not in names:
            raise ValueError(_no_column("modes" if known is None else "data", name, table))
    taken = {*modes, *([reading.weight] if isinstance(reading.weight, str) else [])}
    value = reading.value
    if value is not None and value not in names:
        if known is None:
            raise ValueError(_no_column("value", value, table))
        value = None  # cells to predict have no values yet
    free = [name for name in names if name not in taken]
    if value is None:
        value = next((name for word in _VALUE_NAMES for name in free if name.lower() == word), None)
    expected = known is None or reading.expects_values
    if value is None and expected and free and table.is_number(free[-1]) and len(free) > (0 if modes else 2):
        value = free[-1]
    if [name.lower() for name in names[2:]] == ["rating", "timestamp"] and names[3] not in (reading.bins or {}):
        free.remove(names[3])  # MovieLens: when a rating was made is no mode, unless it is binned
    modes = modes or [name for name in free if name != value]
    if len(modes) < 2:
        raise ValueError(f"modes: found {len(modes)} columns for modes, expected at least 2")
    return value, modes


def _mode_of(name: str, column: Column, reading: Reading, model: Axis | None) -> tuple[Axis, Array, int]:
    """The mode that a column makes, and the positions of its rows."""
    values = column.values
    if model is not None:
        if column.labels is not None:  # a lookup for each label, not for each row
            places, size = model.find(column.labels)
            return model, places[values], size
        along, size = model.find(values, column.utc)
        return model, along, size
    if reading.bins and name in reading.bins:
        return _binned(name, values if column.labels is None else column.labels[values], reading.bins[name])
    if column.labels is not None:
        return Axis(name, len(column.labels), column.labels), values, len(column.labels)
    labels, along = factorize(values)
    positions = positions_of(labels) if labels.dtype.kind in "fM" else None
    return Axis(name, len(labels), labels, positions), along, len(labels)


def _binned(name: str, values: Array, width: Any) -> tuple[Axis, Array, int]:
    """The mode that a column of times makes: bins that hold all of them, the first one the earliest."""
    if values.dtype.kind in "OUT":
        seconds, dates = parse_stamps(values, name)
    else:
        seconds, dates = seconds_of(values, name), values.dtype.kind == "M"
    bins = Bins(*_core.bins_from(int(seconds.min()) if len(seconds) else 0, str(width), dates))
    along = np.asarray(_core.bin_numbers(bins, seconds, False))
    size = int(along.max(initial=0)) + 1
    if size >= UNSEEN:
        raise ValueError(f"bins: found times that span {size} bins of {_core.bin_width(bins)} in '{name}', expected fewer than {UNSEEN}")
    labels = None if bins.unit == "second" else np.array(_core.bin_texts(bins, list(range(size))), object)
    return Axis(name, size, labels, bins=bins), along, size


def _series_source(data: Any, reading: Reading, known: list[Axis] | None) -> Source:
    """A pandas Series whose index has a level for each mode."""
    if data.index.nlevels < 2:
        raise ValueError(f"data: found a Series with {data.index.nlevels} index level, expected at least 2, one for each mode")
    if known is not None and len(known) != data.index.nlevels:
        raise ValueError(f"data: found {data.index.nlevels} modes, expected {len(known)} as the model has")
    axes, coords, sizes = [], [], []
    for k in range(data.index.nlevels):
        level = data.index.get_level_values(k)
        name = str(level.name) if level.name is not None else f"mode{k + 1}"
        column = Column(np.asarray(level), -1)
        axis, along, size = _mode_of(name, column, reading, None if known is None else known[k])
        axes.append(axis)
        coords.append(along)
        sizes.append(size)

    def rebuild(coords: Coords, values: Array) -> Any:
        if len(values) == len(data):
            return type(data)(values, index=data.index, name=data.name)
        labels = [axis.labels[along] if axis.labels is not None else along for axis, along in zip(axes, coords)]
        index = type(data.index).from_arrays(labels, names=data.index.names)
        return type(data)(values, index=index, name=data.name)

    return ListedSource(tuple(coords), data.to_numpy(dtype=np.float64, na_value=np.nan), axes, rebuild, sizes=sizes)
