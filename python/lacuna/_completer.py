# SPDX-License-Identifier: MIT
"""The estimator."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings
from ._kinds import source_of
from ._progress import Progress, log
from ._results import Fitted
from ._sources import Array, Coords, Reading, Source

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._keywords import Keywords

BLOCK = 1 << 20  # cells that are predicted at a time


class StoppedWarning(UserWarning):
    """A fit was stopped by Ctrl-C; what it returned is the best until then."""


def predict_cells(model: _core.Model, coords: Coords) -> tuple[Array, int]:
    """In blocks, so that the work on a large list needs little memory beside it."""
    count = len(coords[0])
    if count <= BLOCK:
        values, cold = model.predict(list(coords), [])
        return np.asarray(values), cold
    out, cold = np.empty(count), 0
    for begin in range(0, count, BLOCK):
        values, more = model.predict([along[begin : begin + BLOCK] for along in coords], [])
        out[begin : begin + BLOCK] = values
        cold += more
    return out, cold


class TensorCompleter(Fitted):
    """Fills in the missing entries of data with two or more axes.

    What is not given is chosen on held-out entries. Every setting may be given as a number, a word or a list; the
    words are those of the command line.

    {settings}

    After a fit:

    method_, settings_, rank_, parts_, shape_, modes_, labels_
        what was fitted, and to what
    factors_, core_, mixture_, spectra_
        what the model is made of
    history_, n_iter_, stop_reason_, converged_, seconds_, objective_, train_rmse_, held_out_rmse_, gap_
        how the fit went
    """

    _params: dict[str, Any]

    def __init__(self, **settings: Unpack[Keywords]) -> None:
        self._params = _settings.defaults()
        self.set_params(**settings)

    # What estimators have.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every keyword with its value; None: not given."""
        return dict(self._params)

    def set_params(self, **settings: Unpack[Keywords]) -> Self:
        """Gives keywords other values."""
        _settings.check_names(settings, self._params, type(self).__name__)
        self._params.update(settings)
        return self

    def clone(self) -> TensorCompleter:
        """Another one with the same keywords, not fitted."""
        return type(self)(**self._given())

    def _given(self) -> dict[str, Any]:
        default = _settings.defaults()
        return {name: value for name, value in self._params.items() if value is not default[name]}

    def __repr__(self) -> str:
        return f"TensorCompleter({', '.join(f'{name}={value!r}' for name, value in self._given().items())})"

    # Fitting.

    def fit(self, X: Any, y: None = None, *, test: Any = None, **reading: Any) -> Self:
        """Fits a model to the observed entries of the data.

        X : an array with NaN, a masked array, (coords, values, shape), a sparse matrix (what is not stored is
            missing), a table with a row for each cell, an xarray.DataArray, a torch tensor, a lacuna.Tensor, or the
            name of a file
        test : data of the same kind, whose error is measured at every step
        modes, value, weight, bins : of a table, the columns of the modes, of the values and of the weights, and
            widths such as {"time": "7d"}; modes also names the axes of an array
        missing_value : this number, too, means missing
        """
        how = _reading(reading)
        source = source_of(X, how)
        modes = [axis.mode() for axis in source.axes]
        start = self._start()
        self._use_threads()
        settings = _core.make_settings(
            _settings.texts(self._table_settings(start)), modes, start, bool(self._params["intervals"]),
            self._params["preset"] or "", self._params["callback"] is not None,
        )  # fmt: skip
        entries = source.entries()
        tensor = _core.observe(modes, entries, _settings.text_of(self._params["duplicates"]), False)
        unseen = None if test is None else source_of(test, how, source.axes).entries()
        return self._fit(tensor, settings, source, how, unseen)

    def _fit(self, tensor: _core.Tensor, settings: _core.Settings, source: Source, how: Reading,
             test: _core.Entries | None = None) -> Self:
        bar = Progress(self._params) if self._params["progress"] else None
        callback = self._params["callback"]

        def show(step: dict[str, Any]) -> Any:
            if bar is not None:
                bar(step)
            return callback(step) if callback is not None else None

        watched = bar is not None or callback is not None
        try:
            outcome = _core.fit(
                tensor, settings, test, show if watched else None, log.info if bar is None else bar.notice, repr(self)
            )
        finally:
            if bar is not None:
                bar.close()
        self._model = outcome.model
        self._axes = source.axes
        self._reading = replace(how, value=getattr(source, "value_name", how.value))
        self._outcome = {
            name: getattr(outcome, name)
            for name in ("converged", "stop_reason", "iterations", "objective", "train_rmse", "test_rmse", "test_auc",
                         "held_out_rmse", "held_out_auc", "gap", "seconds", "choosing_seconds")
        }  # fmt: skip
        self._history = outcome.history
        if outcome.interrupted:
            warnings.warn("stopped by Ctrl-C; the model is the best until then", StoppedWarning, stacklevel=3)
        return self

    def _start(self) -> _core.Model | None:
        """The model that `init` says to start from, if it is one."""
        init = self._params["init"] if "init" in self._params else None
        if isinstance(init, TensorCompleter):
            return init._fitted()
        if isinstance(init, os.PathLike) or (isinstance(init, str) and os.path.exists(init)):
            return _core.load(os.fspath(init))
        return None

    def _table_settings(self, start: _core.Model | None) -> dict[str, Any]:
        return {name: value for name, value in self._params.items() if name != "init" or start is None}

    def _use_threads(self) -> None:
        jobs = self._params["n_jobs"]
        if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, (int, np.integer)) or jobs == 0 or jobs < -1):
            raise ValueError(f"n_jobs: found {jobs!r}, expected None, -1 or a whole number > 0")
        threads = max(0, int(jobs or 0))
        global _threads
        if threads != _threads:
            _core.set_thread_count(threads)
            _threads = threads

    # Answers.

    def predict(self, X: Any = None, *, interval: float | None = None, **reading: Any) -> Any:
        """Values of cells.

        X : an array of indices with a row for each cell, K arrays of indices, a table with a column for each mode, or
            any other data, whose cells are predicted; None: all cells
        interval : also the ends of intervals that hold with this probability, as (values, low, high); needs a fit
            with intervals=True

        An array of values, or a column of them for a table, or the like of what X is.
        """
        model = self._fitted()
        coords, rebuild = self._cells(X, reading)
        self._use_threads()
        values, _ = predict_cells(model, coords)
        if interval is None:
            return rebuild(values)
        if not 0.0 < float(interval) < 1.0:
            raise ValueError(f"interval: found {interval}, expected a number between 0 and 1")
        if not model.has_intervals:
            raise ValueError("interval: the model was fitted without intervals=True")
        half = np.asarray(model.half_widths(list(coords), float(interval)))
        if not np.isfinite(half).all():
            raise ValueError(f"interval: {interval} asks for more than the entries held out for it can tell")
        low, high = values - half, values + half
        if model.clip is not None:
            low, high = np.clip(low, *model.clip), np.clip(high, *model.clip)
        return rebuild(values), rebuild(low), rebuild(high)

    def _cells(self, X: Any, reading: dict[str, Any]) -> tuple[Coords, Any]:
        """Cells that X names, and what their values come back as."""
        order = len(self._axes)
        if X is None:
            total = float(np.prod([float(size) for size in self.shape_]))
            _core.require_memory(total * (8 + 4 * order), f"predicting all {total:.4g} cells")
            grids = np.indices(self.shape_, np.uint32)
            return tuple(grid.ravel() for grid in grids), lambda values: values.reshape(self.shape_)
        if isinstance(X, (tuple, list)) and len(X) == order and all(np.ndim(along) == 1 for along in X):
            along = [np.asarray(one) for one in X]
            if all(one.dtype.kind in "iu" for one in along) and len({len(one) for one in along}) == 1:
                return tuple(along), _same
        if isinstance(X, np.ndarray) or isinstance(X, list):
            array = np.asarray(X)
            if array.ndim != 2 or array.shape[1] != order or (array.dtype.kind not in "iu" and array.size):
                raise ValueError(
                    f"X: found an array of {array.dtype} of shape {array.shape}, expected whole numbers of shape "
                    f"(cells, {order}), a row for each cell"
                )
            return tuple(array.astype(np.int64, copy=False).T), _same
        source = source_of(X, self._how(reading), self._axes)
        return source.cells(), source.answered

    def _how(self, reading: dict[str, Any]) -> Reading:
        """As it was said at the fit, unless it is said otherwise."""
        how = _reading(reading)
        before = getattr(self, "_reading", Reading())
        how.value = how.value if how.value is not None else before.value
        how.missing_value = how.missing_value if how.missing_value is not None else before.missing_value
        return how

    def transform(self, X: Any, **reading: Any) -> Any:
        """The data with its holes filled in; what is observed stays as it is."""
        model = self._fitted()
        source = source_of(X, self._how(reading), self._axes)
        self._use_threads()
        values, _ = predict_cells(model, source.holes())
        return source.filled(values)

    def fit_transform(self, X: Any, y: None = None, **reading: Any) -> Any:
        """Fits, and fills in the holes."""
        return self.fit(X, **reading).transform(X, **{k: v for k, v in reading.items() if k != "test"})

    def score(self, X: Any, y: Any = None, **reading: Any) -> float:
        """R2 of the predictions: of the values of X, or of y at the cells X."""
        from ._verbs import evaluate

        if y is not None:
            truth = np.asarray(y, np.float64)
            predicted = np.asarray(self.predict(X, **reading), np.float64)
            spread = float(((truth - truth.mean()) ** 2).sum())
            return 1.0 - float(((truth - predicted) ** 2).sum()) / spread if spread > 0 else float("nan")
        found = evaluate(self, X, **reading)["r2"]
        return float("nan") if found is None else float(found)

    def top(self, where: dict[str, Any] | None = None, n: int = 10, *, seen: bool = False, **named: Any) -> list[tuple[Any, float]]:
        """The positions along one mode with the highest predictions, the others being given: top(user=42).

        where, or keywords : what is given, by the modes' names; all modes but one
        n : how many
        seen : also those that the model was fitted on, as far as it keeps them

        A list of (label, prediction), best first.
        """
        model = self._fitted()
        given = {**(where or {}), **named}
        _settings.check_names(given, [axis.name for axis in self._axes], "top()")
        left = [k for k, axis in enumerate(self._axes) if axis.name not in given]
        if len(left) != 1:
            names = ", ".join(self._axes[k].name for k in left) or "none"
            raise ValueError(f"where: found these modes left to rank: {names}; expected one")
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ValueError(f"n: found {n!r}, expected a whole number > 0")
        ranked = left[0]
        fixed = [0 if k == ranked else int(axis.find(np.array([given[axis.name]]))[0][0]) for k, axis in enumerate(self._axes)]
        size = self._axes[ranked].size
        coords = tuple(
            np.arange(size, dtype=np.uint32) if k == ranked else np.full(size, place, np.uint32)
            for k, place in enumerate(fixed)
        )
        values, _ = predict_cells(model, coords)
        if not seen:
            values[np.asarray(model.observed_along(fixed, ranked))] = -np.inf
        best = np.lexsort((np.arange(size), -values))[: int(n)]
        return [(self._axes[ranked].label_at(int(p)), float(values[p])) for p in best if values[p] > -np.inf]


_threads = 0  # as last told to the library


def _same(values: Array) -> Array:
    return values


def _reading(given: dict[str, Any]) -> Reading:
    _settings.check_names(given, Reading.__dataclass_fields__, "fit()")
    return Reading(**given)


TensorCompleter.__doc__ = (TensorCompleter.__doc__ or "").replace(
    "{settings}", _settings.documentation().replace("\n", "\n    ")
)
TensorCompleter.__signature__ = _settings.signature()  # type: ignore[attr-defined]
