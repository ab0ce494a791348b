# SPDX-License-Identifier: MIT
"""What a fitted completer answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from . import _core, _settings
from ._kinds import source_of
from ._results import Fitted
from ._sources import Array, Coords, Reading
from ._top import Listed, top_lists

BLOCK = 1 << 20  # cells that are predicted at a time


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


def valued(how: Reading) -> Reading:
    """The same, of data whose values matter: the last column of numbers is theirs, if no other is called so."""
    told = replace(how)
    told.expects_values = True
    return told


def reading_of(given: Mapping[str, Any]) -> Reading:
    _settings.check_names(given, Reading.__dataclass_fields__, "fit()")
    return Reading(**given)


def _same(values: Array) -> Array:
    return values


def check_interval(interval: Any, model: _core.Model) -> None:
    if isinstance(interval, bool) or not isinstance(interval, (int, float, np.number)) or not 0.0 < interval < 1.0:
        raise ValueError(f"interval: found {interval!r}, expected a number between 0 and 1")
    if not model.has_intervals:
        raise ValueError("interval: the model was fitted without intervals=True")


class Answers(Fitted):
    """Predictions, and the questions that are made of them."""

    def predict(self, X: Any = None, *, interval: float | None = None, clip: Any = None, round: bool = False,
                **reading: Any) -> Any:  # fmt: skip
        """Values of cells.

        X : an array of indices with a row for each cell, K arrays of indices, a table with a column for each mode, or
            any other data, whose cells are predicted; None: all cells
        interval : also the ends of intervals that hold with this probability, as (values, low, high); needs a fit
            with intervals=True
        clip : where predictions are kept, (LOW, HIGH), 'auto' or 'none', instead of where the fit was told
        round : to whole numbers, or halves, where the values that the model was fitted on are such

        An array of values, or a column of them for a table, or the like of what X is.
        """
        model = self._clipped(clip)
        if interval is not None:
            check_interval(interval, model)
        coords, rebuild = self._cells(X, reading)
        self._use_threads()
        values, _ = predict_cells(model, coords)
        said = np.asarray(model.rounded(values)) if round else values
        if interval is None:
            return rebuild(said)
        half = np.asarray(model.half_widths(list(coords), float(interval)))
        if not np.isfinite(half).all():
            raise ValueError(f"interval: {interval} asks for more than the entries held out for it can tell")
        low, high = said - half, said + half
        if model.clip is not None:
            low, high = np.clip(low, *model.clip), np.clip(high, *model.clip)
        return rebuild(said), rebuild(low), rebuild(high)

    def predict_parts(self, X: Any = None, **reading: Any) -> list[Any]:
        """What each latent part says of cells, without the offset and not kept within anything; X as predict has it. None
        for models without parts."""
        model = self._fitted()
        coords, rebuild = self._cells(X, reading)
        return [rebuild(np.asarray(values)) for values in model.predict_parts(list(coords))]

    def support(self, X: Any = None, **reading: Any) -> Any:
        """How many observed entries lie on the fibers of cells; 0 for models without parts. X as predict has it."""
        model = self._fitted()
        coords, rebuild = self._cells(X, reading)
        return rebuild(np.asarray(model.support(list(coords))))

    def variance(self, X: Any = None, **reading: Any) -> Any:
        """The variance that a Bayesian model (bayescp) itself gives the values of cells; None of others. X as predict has
        it."""
        model = self._fitted()
        coords, rebuild = self._cells(X, reading)
        found = np.asarray(model.variance(list(coords)))
        return rebuild(found) if len(found) == len(coords[0]) and len(found) else None

    def _clipped(self, clip: Any) -> _core.Model:
        """The model, with predictions kept elsewhere where that is said."""
        model = self._fitted()
        return model if clip is None else model.clipped(_settings.text_of(clip))

    def _cells(self, X: Any, reading: Mapping[str, Any]) -> tuple[Coords, Any]:
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

    def _how(self, reading: Mapping[str, Any]) -> Reading:
        """As it was said at the fit, unless it is said otherwise."""
        how = reading_of(reading)
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

    def top(self, where: dict[str, Any] | None = None, n: int = 10, *, open: str | Sequence[str] | None = None,
            seen: bool = False, lowest: bool = False, candidates: Any = None, exclude: Any = None,
            **named: Any) -> Listed | list[Listed]:  # fmt: skip
        """The cells with the highest predictions among those that a question leaves open: top(user=42).

        where, or keywords : what is given, a label for each mode; None: this mode does not matter, cells are scored as
            at a position that was never seen. A list of labels asks for one list for each
        n : how many
        open : the modes to choose along; all others that are not given then do not matter. Else all that are not given
        seen : also those that the model was fitted on, as far as it keeps them
        lowest : those with the lowest predictions instead
        candidates : labels of the open mode to choose among, or a dict of them by mode
        exclude : data of cells to leave out

        A list of (label, prediction), best first; where several modes are open, of ((label, label), prediction).
        """
        model = self._fitted()
        self._use_threads()
        left_out = None
        if exclude is not None:
            source = source_of(exclude, self._how({}), self._axes)
            cells = [np.asarray(along) for along in source.cells()]
            inside = np.logical_and.reduce([along < axis.size for along, axis in zip(cells, self._axes)])
            left_out = tuple(np.ascontiguousarray(along[inside]) for along in cells)
        return top_lists(model, self._axes, {**(where or {}), **named}, n, open, lowest, candidates, left_out, seen)

    def _use_threads(self) -> None:
        jobs = self._params["n_jobs"]
        if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, (int, np.integer)) or jobs == 0 or jobs < -1):
            raise ValueError(f"n_jobs: found {jobs!r}, expected None, -1 or a whole number > 0")
        threads = max(0, int(jobs or 0))
        global _threads
        if threads != _threads:
            _core.set_thread_count(threads)
            _threads = threads


_threads = 0  # as last told to the library
