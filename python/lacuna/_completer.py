# SPDX-License-Identifier: MIT
"""The estimator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings
from ._axes import grown, growing, new_labels
from ._checkpoint import Path, opened, told
from ._kinds import source_of
from ._progress import Progress, log
from ._results import Fitted
from ._side import attach
from ._sources import Array, Coords, DenseSource, Reading, Source
from ._top import Listed, top_lists

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

    def fit(self, X: Any, y: None = None, *, test: Any = None, checkpoint: Path = None, every: Any = "5m",
            resume: Path = None, **reading: Any) -> Self:  # fmt: skip
        """Fits a model to the observed entries of the data.

        X : an array with NaN, a masked array, (coords, values, shape), a sparse matrix (what is not stored is
            missing), a table with a row for each cell, an xarray.DataArray, a torch tensor, a lacuna.Tensor, or the
            name of a file
        test : data of the same kind, whose error is measured at every step
        checkpoint : file to leave everything in that the fit needs to go on, every so often and when it is stopped
        every : how often, in seconds or as '30s', '5m', '1h'; 0: after every step
        resume : checkpoint to go on from, with the same data and keywords: the fit ends with the same bits as one that was
            never stopped. May be the file of `checkpoint`, which need not be there yet
        modes, value, weight, bins : of a table, the columns of the modes, of the values and of the weights, and
            widths such as {"time": "7d"}; modes also names the axes of an array
        missing_value : this number, too, means missing
        side : what is known of positions beside the entries, {"user": table}: a column of labels and others of
            features, or an array with a row for each position, or a file; positions without entries are predicted from it
        graph : who is near whom, {"user": table of two columns and maybe weights}, or a sparse matrix, or a file
        same : two modes that are one set of things, such as ["head", "tail"]; "none": no two. Of a table without
            values, whose rows are facts, two modes with the same labels are found

        Facts (every value 1, most cells not listed) are chosen for by how held-out ones rank; methods that learn from
        values draw cells of value 0 (negatives).
        """
        how = _reading(reading)
        source = source_of(X, how)
        attach(source, how)
        modes = [axis.mode() for axis in source.axes]
        start = self._start()
        self._use_threads()
        settings = _core.make_settings(
            _settings.texts(self._table_settings(start)), modes, start, bool(self._params["intervals"]),
            self._params["preset"] or "", self._params["callback"] is not None,
        )  # fmt: skip
        entries = source.entries()
        facts = _facts(source, entries)
        tensor = _core.observe(modes, entries, _settings.text_of(self._params["duplicates"]), False)
        self._take_facts(settings, modes, len(tensor) if facts else None)
        unseen = None if test is None else source_of(test, _valued(how), source.axes).entries()
        return self._fit(tensor, settings, source, how, unseen, opened(checkpoint, every, resume))

    def _take_facts(self, settings: _core.Settings, modes: list[_core.Mode], facts: int | None) -> None:
        negatives = self._params["negatives"]
        if negatives is not None and (isinstance(negatives, bool) or not isinstance(negatives, (int, np.integer))
                                      or not 0 <= negatives < 2**31):  # fmt: skip
            raise ValueError(f"negatives: found {negatives!r}, expected None or a whole number >= 0")
        corrupt = self._params["corrupt"]
        _core.take_facts(None if negatives is None else int(negatives), "" if corrupt is None else _settings.text_of(corrupt),
                         facts, modes, settings)

    def _fit(self, tensor: _core.Tensor, settings: _core.Settings, source: Source, how: Reading,
             test: _core.Entries | None = None, checkpoint: _core.Checkpoint | None = None) -> Self:
        bar = Progress(self._params) if self._params["progress"] else None
        callback = self._params["callback"]

        def show(step: dict[str, Any]) -> Any:
            if bar is not None:
                bar(step)
            return callback(step) if callback is not None else None

        watched = bar is not None or callback is not None
        try:
            outcome = _core.fit(
                tensor, settings, test, show if watched else None, log.info if bar is None else bar.notice, repr(self),
                checkpoint,
            )  # fmt: skip
        finally:
            if bar is not None:
                bar.close()
        self._model = outcome.model
        self._axes = source.axes
        self._reading = replace(how, value=getattr(source, "value_name", how.value))
        self._outcome = {
            name: getattr(outcome, name)
            for name in ("converged", "stop_reason", "iterations", "objective", "train_rmse", "test_rmse", "test_auc",
                         "held_out_rmse", "held_out_auc", "held_out_mrr", "gap", "seconds", "choosing_seconds")
        }  # fmt: skip
        self._history = outcome.history
        self.__dict__.pop("_update", None)
        told(checkpoint)
        if outcome.interrupted:
            warnings.warn("stopped by Ctrl-C; the model is the best until then", StoppedWarning, stacklevel=3)
        return self

    def partial_fit(self, X: Any, y: None = None, *, held_out: float = 0.2, duplicates: str | None = None,
                    **reading: Any) -> Self:
        """Takes new entries up into the model without fitting again, also at positions that it has never seen.

        X : new entries, of any kind that fit takes; labels that the model does not know become new positions, and so
            do indices beyond its size
        held_out : share of the new entries that is held out first, to choose how much rows of few entries are held
            back, and to measure (update_["held_out_rmse"]); then they are taken up as well
        duplicates : what to do with a cell that is listed twice or that the model was fitted on; None: as at the fit

        What is new is solved for, what got many new entries moves, everything else stays. For models of als and
        tr-mm without near parts; without a model it fits. update_ says what it did.
        """
        if "_model" not in self.__dict__:
            return self.fit(X, **reading)
        model = self._fitted()
        if why := _core.why_not_updated(model):
            raise ValueError(f"X: {why}")
        if isinstance(held_out, bool) or not isinstance(held_out, (int, float, np.number)) or not 0.0 <= held_out <= 0.9:
            raise ValueError(f"held_out: found {held_out!r}, expected a number from 0 to 0.9")
        self._use_threads()
        axes = growing(self._axes)
        source = source_of(X, _valued(self._how(reading)), axes)
        entries = source.entries()
        sizes = [max(axis.size + len(axis._new or ()), size) for axis, size in zip(axes, source.sizes)]
        for k, axis in enumerate(axes):  # two modes that are one set grow together
            if axis.same_as >= 0:
                sizes[k] = sizes[axis.same_as] = max(sizes[k], sizes[axis.same_as])
        if max(sizes) >= 2**32 - 1:
            raise ValueError(f"X: found {max(sizes)} positions along a mode, expected fewer than {2**32 - 1}")
        _core.require_memory(8.0 * sum(sizes) * (sum(self.rank_) + 4), f"a model of {sum(sizes)} positions")
        after = [grown(axis, size) for axis, size in zip(axes, sizes)]
        policy = _settings.text_of(self._params["duplicates"] if duplicates is None else duplicates)
        seed = self._params["random_state"]
        found = dict(_core.update(model, sizes, [new_labels(axis) for axis in axes],
                                  [[] if axis.positions is None else axis.positions.tolist() for axis in after], entries,
                                  policy, float(held_out), 1 if seed is None else int(seed)))  # fmt: skip
        self._model = found.pop("model")
        found["added"] = {axis.name: count for axis, count in zip(after, found["added"])}
        self._axes, self._update = after, found
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


_threads = 0  # as last told to the library


def _same(values: Array) -> Array:
    return values


def _valued(how: Reading) -> Reading:
    """The same, of data whose values matter: the last column of numbers is theirs, if no other is called so."""
    told = replace(how)
    told.expects_values = True
    return told


def _facts(source: Source, entries: _core.Entries) -> bool:
    """Whether the data are nothing but facts: every value 1, in a table without values, or in so few cells of the tensor
    that it cannot be an array of ones with holes."""
    total = float(np.prod([float(axis.size) for axis in source.axes]))
    sparse = not isinstance(source, DenseSource) and len(entries) < 0.05 * total
    return (source.facts or sparse) and len(entries) > 0 and bool((np.asarray(entries.values) == 1.0).all())


def _reading(given: dict[str, Any]) -> Reading:
    _settings.check_names(given, Reading.__dataclass_fields__, "fit()")
    return Reading(**given)


TensorCompleter.__doc__ = (TensorCompleter.__doc__ or "").replace(
    "{settings}", _settings.documentation().replace("\n", "\n    ")
)
TensorCompleter.__signature__ = _settings.signature()  # type: ignore[attr-defined]
