# SPDX-License-Identifier: MIT
"""The estimator."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings
from ._answers import Answers, reading_of, valued
from ._axes import grown, growing, new_labels
from ._checkpoint import Path, opened, told
from ._kinds import source_of
from ._progress import Progress, log
from ._side import attach
from ._sources import DenseSource, Reading, Source

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._keywords import Keywords, Readings

class StoppedWarning(UserWarning):
    """A fit was stopped by Ctrl-C; what it returned is the best until then."""


class TensorCompleter(Answers):
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
            resume: Path = None, **reading: Unpack[Readings]) -> Self:  # fmt: skip
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
            widths such as {"time": "7d"}; modes also names the axes of an array, and weight may be an array with a number
            for each listed cell
        missing_value : this number, too, means missing
        side : what is known of positions beside the entries, {"user": table}: a column of labels and others of
            features, or an array with a row for each position, or a file; positions without entries are predicted from it
        graph : who is near whom, {"user": table of two columns and maybe weights}, or a sparse matrix, or a file
        same : two modes that are one set of things, such as ["head", "tail"]; "none": no two. Of a table without
            values, whose rows are facts, two modes with the same labels are found

        Facts (every value 1, most cells not listed) are chosen for by how held-out ones rank; methods that learn from
        values draw cells of value 0 (negatives).
        """
        return self._fit_to(X, reading_of(reading), self._params["duplicates"], test, (checkpoint, every, resume))

    def _fit_to(self, X: Any, how: Reading, duplicates: Any, test: Any, state: tuple[Path, Any, Path]) -> Self:
        source = source_of(X, how)
        attach(source, how)
        modes = [axis.mode() for axis in source.axes]
        self._use_threads()
        settings = self._settings_for(self._params, modes, self._params["callback"] is not None)
        entries = source.entries()
        facts = _facts(source, entries)
        tensor = _core.observe(modes, entries, _settings.text_of(duplicates), False)
        self._take_facts(settings, modes, len(tensor) if facts else None)
        return self._fit(tensor, settings, source, how, self._unseen(test, how, source), opened(*state))

    def _settings_for(self, params: dict[str, Any], modes: list[_core.Mode], watch_gap: bool = False) -> _core.Settings:
        start = self._start()
        said = {name: value for name, value in params.items() if name != "init" or start is None}
        return _core.make_settings(_settings.texts(said), modes, start, bool(params.get("intervals")),
                                   params.get("preset") or "", watch_gap)  # fmt: skip

    def _unseen(self, test: Any, how: Reading, source: Source) -> _core.Entries | None:
        """Entries whose error is measured at every step. Weights that are an array are those of the others."""
        told = valued(replace(how, weight=how.weight if isinstance(how.weight, str) else None))
        return None if test is None else source_of(test, told, source.axes).entries()

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
        picture = isinstance(source, DenseSource) and source.shows_a_picture()

        def show(step: dict[str, Any]) -> Any:
            if bar is not None:
                bar(step)
            return callback(step) if callback is not None else None

        watched = bar is not None or callback is not None
        try:
            outcome = _core.fit(
                tensor, settings, test, show if watched else None, log.info if bar is None else bar.notice, repr(self),
                checkpoint, picture, None if bar is None else bar.meanwhile,
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
            warnings.warn("stopped by Ctrl-C; the model is the best until then", StoppedWarning, stacklevel=4)
        return self

    def fit_transform(self, X: Any, y: None = None, *, test: Any = None, checkpoint: Path = None, every: Any = "5m",
                      resume: Path = None, **reading: Unpack[Readings]) -> Any:  # fmt: skip
        """Fits, and fills in the holes. All keywords of fit."""
        self.fit(X, test=test, checkpoint=checkpoint, every=every, resume=resume, **reading)
        return self.transform(X, **reading)

    def score(self, X: Any, y: Any = None, **reading: Unpack[Readings]) -> float:
        """R2 of the predictions: of the values of X, or of y at the cells X."""
        from ._verbs import evaluate

        if y is not None:
            truth = np.asarray(y, np.float64)
            predicted = np.asarray(self.predict(X, **reading), np.float64)
            spread = float(((truth - truth.mean()) ** 2).sum())
            return 1.0 - float(((truth - predicted) ** 2).sum()) / spread if spread > 0 else float("nan")
        found = evaluate(self, X, **reading)["r2"]
        return float("nan") if found is None else float(found)

    def partial_fit(self, X: Any, y: None = None, *, held_out: float = 0.2, duplicates: str | None = None,
                    refit: bool = False, **reading: Unpack[Readings]) -> Self:  # fmt: skip
        """Takes new entries up into the model without fitting again, also at positions that it has never seen.

        X : new entries, of any kind that fit takes; labels that the model does not know become new positions, and so
            do indices beyond its size
        held_out : share of the new entries that is held out first, to choose how much rows of few entries are held
            back, and to measure (update_["held_out_rmse"]); then they are taken up as well
        duplicates : what to do with a cell that is listed twice or that the model was fitted on; None: as at the fit

        refit : fit again from all entries, with the settings of the model, from the updated factors where it can be
            updated; for models that keep their entries

        What is new is solved for, what got many new entries moves, everything else stays. For models of als, of
        tr-mm without near parts and of bayescp, and blends of these; without a model it fits, and nothing is held out for
        it. update_ says what it did.
        """
        policy = self._params["duplicates"] if duplicates is None else duplicates
        held_out = _settings.number("held_out", held_out, 0.0, 0.9)
        if "_model" not in self.__dict__:
            return self._fit_to(X, reading_of(reading), policy, None, (None, 0, None))
        model = self._fitted()
        why = _core.why_not_refitted(model) if refit else _core.why_not_updated(model)
        if why:
            other = "" if refit or _core.why_not_refitted(model) else "; refit=True does that, from the entries the model keeps"
            raise ValueError(f"X: {why}{other}")
        self._use_threads()
        axes = growing(self._axes)
        source = source_of(X, valued(self._how(reading)), axes)
        entries = source.entries()
        sizes = [max(axis.size + len(axis._new or ()), size) for axis, size in zip(axes, source.sizes)]
        for k, axis in enumerate(axes):  # two modes that are one set grow together
            if axis.same_as >= 0:
                sizes[k] = sizes[axis.same_as] = max(sizes[k], sizes[axis.same_as])
        if max(sizes) >= 2**32 - 1:
            raise ValueError(f"X: found {max(sizes)} positions along a mode, expected fewer than {2**32 - 1}")
        ranks = sum(int(np.sum(one)) for one in self.rank_)  # of a blend a list of lists
        _core.require_memory(8.0 * sum(sizes) * (ranks + 4), f"a model of {sum(sizes)} positions")
        after = [grown(axis, size) for axis, size in zip(axes, sizes)]
        seed = self._params["random_state"]
        found = dict(_core.update(model, sizes, [new_labels(axis) for axis in axes],
                                  [[] if axis.positions is None else axis.positions.tolist() for axis in after], entries,
                                  _settings.text_of(policy), held_out, 1 if seed is None else int(seed), bool(refit)))  # fmt: skip
        self._model = found.pop("model")
        if found.pop("interrupted"):
            warnings.warn("Ctrl-C came while entries were taken up; all of them are", StoppedWarning, stacklevel=2)
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


def _facts(source: Source, entries: _core.Entries) -> bool:
    """Whether the data are nothing but facts: every value 1, in a table without values, or in so few cells of the tensor
    that it cannot be an array of ones with holes."""
    total = float(np.prod([float(axis.size) for axis in source.axes]))
    sparse = not isinstance(source, DenseSource) and len(entries) < 0.05 * total
    return (source.facts or sparse) and len(entries) > 0 and bool((np.asarray(entries.values) == 1.0).all())


TensorCompleter.__doc__ = (TensorCompleter.__doc__ or "").replace(
    "{settings}", _settings.documentation().replace("\n", "\n    ")
)
TensorCompleter.__signature__ = _settings.signature()  # type: ignore[attr-defined]
