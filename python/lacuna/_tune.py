# SPDX-License-Identifier: MIT
"""Settings by cross-validation."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _settings
from ._checkpoint import Path, opened, told
from ._completer import StoppedWarning, TensorCompleter
from ._kinds import source_of
from ._progress import FoldProgress
from ._side import attach
from ._sources import Reading, parted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Tuning


class Tuned:
    """What cross-validation found.

    rows : a dict for each setting: candidate, lam (None where it takes none or each fit finds its own), mean,
        standard_error, complete, folds
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
                lam = "-" if row["lam"] is None else f"{row['lam']:.4g}"
                lines.append(f"{row['candidate']:<40} {lam:>10} {row['mean']:>12.5g} "
                             f"{row['standard_error']:>10.2g}{mark}")  # fmt: skip
        return "\n".join(lines)


def tune(data: Any, *, methods: Sequence[str] | None = None, ranks: Sequence[Any] | None = None,
         parts: Sequence[str] | None = None, offsets: Sequence[str] | None = None,
         lambdas: Sequence[float] | None = None, folds: int = 5, refine: int = 2,
         metric: str = "auto", abandon: float = 1.1, found: Callable[[dict[str, Any]], Any] | None = None, test: Any = None,
         checkpoint: Path = None, every: Any = "5m", resume: Path = None, **settings: Unpack[Tuning]) -> Tuned:  # fmt: skip
    """Chooses settings by cross-validation and fits the best of them on everything.

    methods, ranks, parts, offsets : what to try; every combination is a candidate. With none of them, and neither
        lambdas nor a method given, everything is chosen in every fold as fit chooses it
    lambdas : tried for each, 0.001 to 1000 in steps of ten unless given; later also some between the best
    folds, refine, metric, abandon : as the command line's tune has them
    found : called with a dict for every fold of a setting, as soon as its error is known: candidate, lam, fold, error;
        what it returns True for is enough, and the best until then is fitted. callback is of that fit
    test : data of the same kind, whose error the last fit measures at every step
    checkpoint, every, resume : as fit has them; what is known of the folds is not done again

    max_time bounds all of it, of which the last fit gets two fifths or more. All other keywords of TensorCompleter but
    negatives and corrupt, and those of its fit, hold for all candidates.
    """
    how, rest = parted(settings)
    _settings.check_names(rest, _settings.defaults(), "tune()")
    for name in ("negatives", "corrupt"):
        if rest.get(name) is not None:
            raise ValueError(f"{name}: found {rest[name]!r}, expected None: of facts, cross-validation draws no cells of value 0")
    numbers = (_settings.whole("folds", folds, 2), _settings.whole("refine", refine, 0))
    factor = _settings.number("abandon", abandon, 1.0, float("inf"))
    strengths = [_settings.number("lambdas", one, 0.0, float("inf")) for one in lambdas or ()]
    completer = TensorCompleter(**rest)
    completer._use_threads()
    source = source_of(data, how)
    attach(source, how)
    modes = [axis.mode() for axis in source.axes]
    keywords = _candidates(rest, {"method": methods, "rank": ranks, "parts": parts, "offsets": offsets},
                           lambdas is not None)  # fmt: skip
    candidates = [(name, completer._settings_for({**one, "lam": None}, modes)) for name, one in keywords.items()]
    if lambdas is None and isinstance(rest.get("lam"), (int, float)):
        strengths = [float(rest["lam"])]
    params = completer.get_params()
    tensor = _core.observe(modes, source.entries(), _settings.text_of(params["duplicates"]), False)
    unseen = completer._unseen(test, how, source)
    seed = params["random_state"]
    state = opened(checkpoint, every, resume)
    with FoldProgress(bool(params["progress"]), found) as watch:
        result = _core.tune(tensor, candidates, strengths, *numbers, str(metric), factor, 1 if seed is None else int(seed),
                            watch.told, state)  # fmt: skip
    told(state)
    if "best" not in result:
        raise KeyboardInterrupt("tune was stopped by Ctrl-C before anything was found")
    rows = [dict(row) for row in result["rows"]]
    best = rows[result["best"]]
    if result["ctrl_c"]:
        completer.set_params(**{**keywords[best["candidate"]], **({"lam": best["lam"]} if best["lam"] else {})})
        warnings.warn("stopped by Ctrl-C; best is the best until then, and completer has its settings and is not fitted",
                      StoppedWarning, stacklevel=2)  # fmt: skip
        return Tuned(result["metric"], rows, best, completer)
    completer._fit(tensor, result["settings"], source, how, unseen, state)
    return Tuned(result["metric"], rows, best, completer)


def _candidates(common: dict[str, Any], tried: dict[str, Any], lambdas: bool) -> dict[str, dict[str, Any]]:
    """The keywords of every combination of what is tried, by its name; what a method does not take is left out of it."""
    usual = "tr-mm" if lambdas or any(values is not None for values in tried.values()) else None
    taken = {row["name"]: row["settings"] for row in _settings.methods()}
    every = {keyword for row in taken.values() for keyword in row}
    lists = [[common.get(name)] if values is None else [values] if isinstance(values, str) else list(values)
             for name, values in tried.items()]  # fmt: skip
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


_settings.show_keywords(tune, Reading.__dataclass_fields__)
