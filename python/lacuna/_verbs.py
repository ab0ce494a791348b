# SPDX-License-Identifier: MIT
"""The verbs of the command line, for data in memory."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _core, _settings
from ._checkpoint import Path, opened, told
from ._completer import StoppedWarning, TensorCompleter, _valued, predict_cells
from ._explain import explain_cells
from ._kinds import source_of
from ._report import Report
from ._side import attach
from ._sources import DenseSource, ListedSource, Reading, Source

_READING = tuple(Reading.__dataclass_fields__)


def _parted(keywords: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keywords about how to read data, and all others."""
    reading = {name: value for name, value in keywords.items() if name in _READING}
    return reading, {name: value for name, value in keywords.items() if name not in _READING}


def complete(data: Any, *, denoise: bool = False, checkpoint: Path = None, every: Any = "5m", resume: Path = None,
             **settings: Any) -> Any:  # fmt: skip
    """Fills in what is missing: data with holes in, the same kind of data without them out.

    data : an array with NaN, a masked array, (coords, values, shape), a sparse matrix, a table, an xarray.DataArray, a
        torch tensor, a lacuna.Tensor, or the name of a file
    denoise : replace observed cells, too, by what the model says
    checkpoint, every, resume : as fit has them, for a fit that is stopped and goes on later

    All keywords of TensorCompleter and, for data that does not say everything about itself, those of its fit. Numbers
    keep their type: whole ones are rounded.

    >>> import lacuna, numpy as np
    >>> holes = np.add.outer(np.arange(6.0), np.arange(5.0))
    >>> holes[2, 3] = np.nan
    >>> float(lacuna.complete(holes, method="offsets", offsets="modes")[2, 3].round(3))
    5.0
    """
    reading, rest = _parted(settings)
    _settings.check_names(rest, _settings.defaults(), "complete()")
    completer = TensorCompleter(**rest)
    source = source_of(data, Reading(**reading))
    holes = source.holes()
    if len(holes[0]) == 0 and not denoise:  # nothing is missing; what a fit refuses is refused all the same
        entries = source.entries()
        if len(entries):
            duplicates = _settings.text_of(completer.get_params()["duplicates"])
            _core.observe([axis.mode() for axis in source.axes], entries, duplicates, False)
        return source.filled(np.empty(0))
    completer.fit(data, checkpoint=checkpoint, every=every, resume=resume, **reading)
    values, _ = predict_cells(completer._fitted(), source.cells() if denoise else holes)
    return source.answered(values) if denoise else source.filled(values)


def load(path: str | os.PathLike[str]) -> TensorCompleter:
    """A model that was saved, by Python or by the command line."""
    return TensorCompleter.load(path)


def evaluate(completer: TensorCompleter, data: Any, *, interval: float | None = None,
             ranking: str | Sequence[str] | None = None, filter: Iterable[Any] = (), **reading: Any) -> dict[str, Any]:
    """A model's error on known entries: cells, cold (those it says nothing but the offset about), rmse, mae, r2, auc.

    interval : also how often intervals of this probability hold (coverage), and how wide they are
    ranking : modes, such as "subject,object": instead, each cell of value other than 0 is ranked among all positions
        of these modes: mrr, hits1, hits3, hits10
    filter : data of facts known beforehand, left out of the rankings
    """
    model = completer._fitted()
    how = _valued(completer._how(reading))
    source = source_of(data, how, completer._axes)
    if interval is not None and not 0.0 < float(interval) < 1.0:
        raise ValueError(f"interval: found {interval}, expected a number between 0 and 1")
    if ranking is None:
        return dict(_core.evaluate(model, source.entries(), float(interval or 0.0)))
    sizes, known = list(source.sizes), [np.empty(0, np.uint32) for _ in completer._axes]
    facts = _facts(source)
    for more in filter:
        other = source_of(more, how, completer._axes)
        sizes = [max(a, b) for a, b in zip(sizes, other.sizes)]
        known = [np.concatenate([a, b]) for a, b in zip(known, _facts(other))]
    return dict(_core.rank(model, sizes, facts, known, _settings.text_of(ranking)))


def explain(completer: TensorCompleter, where: dict[str, Any] | None = None, *, by: str = "fibers", count: int = 5,
            interval: float | None = None, **named: Any) -> dict[str, Any] | list[dict[str, Any]]:  # fmt: skip
    """What the prediction of a cell rests on: explain(completer, user=42, film="Gilda").

    where, or keywords : the cell, a label for each mode; None: a position that was never seen. A list of labels asks for
        one account for each
    by : what the parts of a latent model are told by: "fibers", the entries on the cell's fibers; "rows", those in its
        rows (als, ffw); "components"
    count : how many entries or components of a part are listed, the strongest first
    interval : also the ends of the interval that holds with this probability, low and high

    A dict as the command line's explain --json has it: cell, value, terms (each with its kind and what it adds), sum and
    what the clip takes off; sum + clip is the value.
    """
    return explain_cells(completer._fitted(), completer._axes, {**(where or {}), **named}, by, count, interval)


def _facts(source: Source) -> list[Any]:
    """The cells of value other than 0; one that is listed without a value is a fact, too."""
    if isinstance(source, ListedSource):
        return [along[source.values != 0.0] for along in source.coords]
    entries = source.entries()
    kept = np.asarray(entries.values) != 0.0
    return [np.asarray(along)[kept] for along in entries.coords]


def certify(completer: TensorCompleter, data: Any, *, tolerance: float = 1e-3, **reading: Any) -> dict[str, Any]:
    """How far a model of tr-mm is at most from the best over all ranks; data is what it was fitted on.

    gap, upper, lower, parts (what each brings to the gap), and whether the gap is within the tolerance: certified.
    """
    source = source_of(data, _valued(completer._how(reading)), completer._axes)
    modes = [axis.mode() for axis in completer._axes]
    duplicates = _settings.text_of(completer.get_params()["duplicates"])
    found = dict(_core.certify(completer._fitted(), _core.observe(modes, source.entries(), duplicates, False)))
    found["certified"] = found["gap"] <= tolerance
    return found


def split(data: Any, fraction: float = 0.8, *, test_fraction: float | None = None, random_state: int = 1,
          **reading: Any) -> tuple[Any, Any]:
    """Deals the entries of the data at random into a training and a test part, of the same kind as the data.

    The same entries as the command line's split of the same seed.
    """
    for name, share in (("fraction", fraction), ("test_fraction", test_fraction)):
        if share is not None and not 0.0 <= float(share) <= 1.0:
            raise ValueError(f"{name}: found {share}, expected a number from 0 to 1")
    if isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer)) or not 0 <= random_state < 2**64:
        raise ValueError(f"random_state: found {random_state!r}, expected a whole number >= 0")
    source = source_of(data, Reading(**_only(reading)))
    total = len(source.entries())
    if total < 2:
        raise ValueError(f"data: found {total} entries with a value, expected at least 2 to split")
    rest = 1.0 - fraction if test_fraction is None else test_fraction
    train, test = _core.deal(total, float(fraction), float(rest), int(random_state))
    if not len(train) or not len(test):
        raise ValueError(
            f"fraction: {fraction} leaves {len(train)} training and {len(test)} test entries of {total}; both need at "
            "least one"
        )
    return source.taken(np.asarray(train)), source.taken(np.asarray(test))


def _only(reading: dict[str, Any]) -> dict[str, Any]:
    _settings.check_names(reading, _READING, "this function")
    return reading


class Tuned:
    """What cross-validation found.

    rows : a dict for each setting: candidate, lam, mean, standard_error, complete, folds
    best : the row of the best one
    metric : what the numbers are
    completer : the best one, fitted on everything; of tuning that was stopped by Ctrl-C it is not fitted yet
    """

    def __init__(self, metric: str, rows: list[dict[str, Any]], best: dict[str, Any], completer: TensorCompleter) -> None:
        self.metric = metric
        self.rows = rows
        self.best = best
        self.completer = completer

    def __repr__(self) -> str:
        lines = [f"{'setting':<40} {'lam':>10} {self.metric:>12} {'+-':>10}"]
        for row in self.rows:
            if row["mean"] is not None:
                mark = "  <- best" if row is self.best else "" if row["complete"] else "  abandoned"
                lines.append(f"{row['candidate']:<40} {row['lam']:>10.4g} {row['mean']:>12.5g} "
                             f"{row['standard_error']:>10.2g}{mark}")  # fmt: skip
        return "\n".join(lines)


def tune(data: Any, *, methods: Sequence[str] | None = None, ranks: Sequence[Any] | None = None,
         parts: Sequence[str] | None = None, offsets: Sequence[str] | None = None,
         lambdas: Sequence[float] | None = None, folds: int = 5, refine: int = 2,
         metric: str = "auto", abandon: float = 1.1, checkpoint: Path = None, every: Any = "5m", resume: Path = None,
         **settings: Any) -> Tuned:  # fmt: skip
    """Chooses settings by cross-validation and fits the best of them on everything.

    methods, ranks, parts, offsets : what to try; every combination is a candidate. With none of them, and neither
        lambdas nor a method given, everything is chosen in every fold as fit chooses it
    lambdas : tried for each, 0.001 to 1000 in steps of ten unless given; later also some between the best
    folds, refine, metric, abandon : as the command line's tune has them
    checkpoint, every, resume : as fit has them; what is known of the folds is not done again

    max_time bounds all of it, of which the last fit gets two fifths or more. All other keywords of TensorCompleter, and those of its fit, hold for all candidates.
    """
    reading, rest = _parted(settings)
    _settings.check_names(rest, _settings.defaults(), "tune()")
    completer = TensorCompleter(**rest)
    completer._use_threads()
    how = Reading(**reading)
    source = source_of(data, how)
    attach(source, how)
    modes = [axis.mode() for axis in source.axes]
    keywords = _candidates(rest, {"method": methods, "rank": ranks, "parts": parts, "offsets": offsets},
                           lambdas is not None)  # fmt: skip
    candidates = [
        (name, _core.make_settings(_settings.texts({**one, "lam": None}), modes, None, False, rest.get("preset") or "", False))
        for name, one in keywords.items()
    ]
    if lambdas is None and isinstance(rest.get("lam"), (int, float)):
        lambdas = [rest["lam"]]
    tensor = _core.observe(modes, source.entries(), _settings.text_of(completer.get_params()["duplicates"]), False)
    seed = completer.get_params()["random_state"]
    state = opened(checkpoint, every, resume)
    found = _core.tune(tensor, candidates, [float(one) for one in lambdas or ()], int(folds), int(refine), metric, float(abandon),
                       1 if seed is None else int(seed), completer.get_params()["callback"], state)
    told(state)
    if "best" not in found:
        raise KeyboardInterrupt("tune was stopped by Ctrl-C before anything was found")
    rows = [dict(row) for row in found["rows"]]
    best = rows[found["best"]]
    completer.set_params(callback=None)
    if found["interrupted"]:
        completer.set_params(**{**keywords[best["candidate"]], **({"lam": best["lam"]} if best["lam"] else {})})
        warnings.warn("stopped by Ctrl-C; best is the best until then, and completer has its settings and is not fitted",
                      StoppedWarning, stacklevel=2)  # fmt: skip
        return Tuned(found["metric"], rows, best, completer)
    completer._fit(tensor, found["settings"], source, how, checkpoint=state)
    return Tuned(found["metric"], rows, best, completer)


def _candidates(common: dict[str, Any], tried: dict[str, Any], lambdas: bool) -> dict[str, dict[str, Any]]:
    """The keywords of every combination of what is tried, by its name; what a method does not take is left out of it."""
    usual = "tr-mm" if lambdas or any(values is not None for values in tried.values()) else None
    taken = {row["name"]: row["settings"] for row in _settings.methods()}
    every = {keyword for row in taken.values() for keyword in row}
    lists = [list(values) if values is not None else [common.get(name)] for name, values in tried.items()]
    made: dict[str, dict[str, Any]] = {}
    for values in itertools.product(*lists):
        settings = {**common, **dict(zip(tried, values))}
        method = settings["method"] = settings["method"] or usual
        if method in taken:
            settings = {k: v for k, v in settings.items() if k not in every or k in taken[method]}
        name = " ".join(
            [str(method or "auto")]
            + [f"{key} {_settings.text_of(settings[key])}" for key in ("rank", "parts", "offsets")
               if settings.get(key) is not None and (tried[key] is not None or key == "rank")]
        )  # fmt: skip
        made.setdefault(name, settings)
    return made


def write(path: str | os.PathLike[str], data: Any, **reading: Any) -> None:
    """Writes data of any kind to a file; the format follows the name's ending, as the command line has it."""
    source = source_of(data, Reading(**_only(reading)))
    modes = [axis.mode() for axis in source.axes]
    if isinstance(source, DenseSource):
        values = np.where(source.missing(), np.nan, source.array.astype(np.float64)) if source.missing().any() else source.array
        entries = _core.listed_entries(list(source.cells()), np.ascontiguousarray(values).ravel(), None)
        kind = source.array.dtype if not source.missing().any() else np.dtype(np.float64)
        fortran = source.array.flags.f_contiguous and not source.array.flags.c_contiguous
        _core.write(os.fspath(path), modes, entries, True, kind.str, fortran)
        return
    assert isinstance(source, ListedSource)
    entries = _core.listed_entries(list(source.coords), source.values, source.weights)
    _core.write(os.fspath(path), modes, entries, False, "<f8", False)


def report(completer: TensorCompleter, *, train: Any = None, test: Any = None, picture: bool = False,
           **reading: Any) -> Report:
    """A page about a model: how the fit went, what it is made of, how good it is and where. Shows itself in a notebook.

    train : what it was fitted on
    test : known entries that it has not seen
    picture : show slices as pictures
    """
    how = _valued(completer._how(reading))
    known, unseen = (
        None if data is None else source_of(data, how, completer._axes).entries() for data in (train, test)
    )
    if picture and len(completer.shape_) > 3:
        raise ValueError(f"picture: found a model of {len(completer.shape_)} modes, expected 2 or 3")
    return Report(_core.report_page(completer._fitted(), known, unseen, bool(picture)))
