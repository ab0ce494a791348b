# SPDX-License-Identifier: MIT
"""The verbs of the command line, for data in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _settings
from ._answers import check_interval, predict_cells, reading_of, valued
from ._checkpoint import Path
from ._completer import TensorCompleter
from ._explain import explain_cells
from ._kinds import source_of
from ._report import Report
from ._side import attach
from ._sources import DenseSource, ListedSource, Reading, Readings, Source, parted
from ._tensor import Tensor

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Everything

def complete(data: Any, *, denoise: bool = False, round: bool = False, test: Any = None, checkpoint: Path = None,
             every: Any = "5m", resume: Path = None, **settings: Unpack[Everything]) -> Any:  # fmt: skip
    """Fills in what is missing: data with holes in, the same kind of data without them out.

    data : an array with NaN, a masked array, (coords, values, shape), a sparse matrix, a table, an xarray.DataArray, a
        torch tensor, a lacuna.Tensor, or the name of a file
    denoise : replace observed cells, too, by what the model says
    round : what is filled in becomes whole numbers, or halves, where the values are such
    test, checkpoint, every, resume : as fit has them

    All keywords of TensorCompleter and, for data that does not say everything about itself, those of its fit. Numbers
    keep their type: whole ones are rounded.

    >>> import lacuna, numpy as np
    >>> holes = np.add.outer(np.arange(6.0), np.arange(5.0))
    >>> holes[2, 3] = np.nan
    >>> float(lacuna.complete(holes, method="offsets", offsets="modes")[2, 3].round(3))
    5.0
    """
    how, rest = parted(settings)
    _settings.check_names(rest, _settings.defaults(), "complete()")
    completer = TensorCompleter(**rest)
    source = source_of(data, how)
    holes = source.holes()
    if len(holes[0]) == 0 and not denoise:  # nothing is missing; what a fit refuses is refused all the same
        entries = source.entries()
        if len(entries):
            duplicates = _settings.text_of(completer.get_params()["duplicates"])
            _core.observe([axis.mode() for axis in source.axes], entries, duplicates, False)
        return source.filled(np.empty(0))
    completer._fit_to(data, how, completer.get_params()["duplicates"], test, (checkpoint, every, resume))
    model = completer._fitted()
    values, _ = predict_cells(model, source.cells() if denoise else holes)
    if round:
        values = np.asarray(model.rounded(values))
    return source.answered(values) if denoise else source.filled(values)


def load(path: str | os.PathLike[str]) -> TensorCompleter:
    """A model that was saved, by Python or by the command line."""
    return TensorCompleter.load(path)


def evaluate(completer: TensorCompleter, data: Any, *, interval: float | None = None, reliability: int | None = None,
             clip: Any = None, ranking: str | Sequence[str] | None = None, filter: Iterable[Any] = (),
             **reading: Unpack[Readings]) -> dict[str, Any]:  # fmt: skip
    """A model's error on known entries: cells, cold (those it says nothing but the offset about), rmse, mae, r2, auc.

    interval : also how often intervals of this probability hold (coverage), and how wide they are
    reliability : of values 0 and 1, also whether probabilities keep what they promise: in so many bins the mean of those
        said and the share that is 1 (reliability), and the mean difference (calibration_error)
    clip : where predictions are kept, (LOW, HIGH), 'auto' or 'none', instead of where the fit was told
    ranking : modes, such as "subject,object": instead, each cell of value other than 0 is ranked among all positions
        of these modes: mrr, hits1, hits3, hits10
    filter : data of facts known beforehand, left out of the rankings
    """
    model = _checked(completer)._clipped(clip)
    how = valued(completer._how(reading))
    if interval is not None:
        check_interval(interval, model)
    bins = 0 if reliability is None else _settings.whole("reliability", reliability, 1, 1000)
    source = source_of(data, how, completer._axes)
    if ranking is None:
        return dict(_core.evaluate(model, source.entries(), float(interval or 0.0), bins))
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
    return explain_cells(_checked(completer)._fitted(), completer._axes, {**(where or {}), **named}, by, count, interval)


def _facts(source: Source) -> list[Any]:
    """The cells of value other than 0; one that is listed without a value is a fact, too."""
    if isinstance(source, ListedSource):
        return [along[source.values != 0.0] for along in source.coords]
    entries = source.entries()
    kept = np.asarray(entries.values) != 0.0
    return [np.asarray(along)[kept] for along in entries.coords]


def _checked(completer: Any) -> TensorCompleter:
    if not isinstance(completer, TensorCompleter):
        raise TypeError(f"completer: found {type(completer).__name__}, expected a TensorCompleter")
    return completer


def certify(completer: TensorCompleter, data: Any, *, tolerance: float = 1e-3, **reading: Unpack[Readings]) -> dict[str, Any]:
    """How far a model of tr-mm is at most from the best over all ranks; data is what it was fitted on.

    gap, upper, lower, parts (what each brings to the gap), and whether the gap is within the tolerance: certified.
    """
    bound = _settings.number("tolerance", tolerance, 0.0, float("inf"))
    model = _checked(completer)._fitted()
    source = source_of(data, valued(completer._how(reading)), completer._axes)
    modes = [axis.mode() for axis in completer._axes]
    duplicates = _settings.text_of(completer.get_params()["duplicates"])
    found = dict(_core.certify(model, _core.observe(modes, source.entries(), duplicates, False)))
    found["certified"] = found["gap"] <= bound
    return found


def split(data: Any, fraction: float = 0.8, *, test_fraction: float | None = None, random_state: int = 1,
          **reading: Unpack[Readings]) -> tuple[Any, Any]:  # fmt: skip
    """Deals the entries of the data at random into a training and a test part, of the same kind as the data.

    The same entries as the command line's split of the same seed.
    """
    for name, share in (("fraction", fraction), ("test_fraction", test_fraction)):
        if share is not None or name == "fraction":
            _settings.number(name, share, 0.0, 1.0)
    _settings.whole("random_state", random_state, 0, 2**64 - 1)
    source = source_of(data, reading_of(reading))
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


def info(data: Any, **settings: Unpack[Everything]) -> dict[str, Any]:
    """What is in data or in a fitted completer, as the command line's info tells it.

    Of data: shape, observed, missing, density, min, max, mean, of each mode how its entries lie on fibers, and fit_bytes,
    what memory a fit with these keywords, which are those of complete, needs; without any, one of the paper's model at
    rank 10. Of a completer, or the file of one: what it is, what it was told, and what its modes and parts are.
    """
    if isinstance(data, (str, os.PathLike)) and _core.is_model_file(os.fspath(data)):
        data = load(data)
    if isinstance(data, TensorCompleter):
        return dict(json.loads(data._fitted().info()))
    how, rest = parted(settings)
    _settings.check_names(rest, _settings.defaults(), "info()")
    source = source_of(data, how)
    attach(source, how)
    modes = [axis.mode() for axis in source.axes]
    completer = TensorCompleter(**(rest or {"preset": "paper", "rank": 10}))
    params = completer.get_params()
    tensor = _core.observe(modes, source.entries(), _settings.text_of(params["duplicates"]), False)
    found = dict(json.loads(_core.data_info(tensor)))
    needed = _core.fit_bytes(tensor, completer._settings_for(params, modes))
    return {**found, "missing": source.without_value(), "fit_bytes": needed}


def write(path: str | os.PathLike[str], data: Any, *, format: str | None = None, across: str | None = None,
          **reading: Unpack[Readings]) -> None:  # fmt: skip
    """Writes data of any kind to a file.

    format : as the command line's --to has it; None: as the name's ending says
    across : of a table, the mode that lies across its columns; 'none': a line for each cell

    What was read from a file is laid out as that was, where the format is the same: columns, numbers, attributes and the
    other variables of a NetCDF or HDF5 file.
    """
    source = source_of(data, reading_of(reading))
    modes = [axis.mode() for axis in source.axes]
    layout = data._layout if isinstance(data, Tensor) else None
    told = (layout, format or "auto", across or "")
    if isinstance(source, DenseSource):
        values = np.where(source.missing(), np.nan, source.array.astype(np.float64)) if source.missing().any() else source.array
        entries = _core.listed_entries(list(source.cells()), np.ascontiguousarray(values).ravel(), None)
        kind = source.array.dtype if not source.missing().any() else np.dtype(np.float64)
        fortran = source.array.flags.f_contiguous and not source.array.flags.c_contiguous
        _core.write(os.fspath(path), modes, entries, True, kind.str, fortran, *told)
        return
    assert isinstance(source, ListedSource)
    entries = _core.listed_entries(list(source.coords), source.values, source.weights)
    _core.write(os.fspath(path), modes, entries, False, "<f8", False, *told)


def report(completer: TensorCompleter, *, train: Any = None, test: Any = None, picture: bool | None = None,
           **reading: Unpack[Readings]) -> Report:  # fmt: skip
    """A page about a model: how the fit went, what it is made of, how good it is and where. Shows itself in a notebook.

    train : what it was fitted on
    test : known entries that it has not seen
    picture : show slices as pictures; None: where the data look like one, as the fit noted
    """
    model = _checked(completer)._fitted()
    how = valued(completer._how(reading))
    known, unseen = (
        None if data is None else source_of(data, how, completer._axes).entries() for data in (train, test)
    )
    if picture and len(completer.shape_) > 3:
        raise ValueError(f"picture: found a model of {len(completer.shape_)} modes, expected 2 or 3")
    picture = model.picture if picture is None else bool(picture)
    return Report(_core.report_page(model, known, unseen, picture))


_settings.show_keywords(complete, Reading.__dataclass_fields__)
_settings.show_keywords(info, Reading.__dataclass_fields__, explained=False)
