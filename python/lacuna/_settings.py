# SPDX-License-Identifier: MIT
"""Keywords from the library's table of settings.

Nothing here knows a setting by name but those whose name means something else in Python; a new row of the table is a
new keyword.
"""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _core

# `lambda` is a word of the language, and the seed has a name of its own among estimators.
_PYTHON_NAMES = {"lambda": "lam", "seed": "random_state"}
_LISTS_WITH_COMMAS = {"parts": " ; "}


class Field(NamedTuple):
    """One setting: its keyword here, its name in the table, and what the table says of it."""

    keyword: str
    name: str
    values: str
    default: str
    what: str
    methods: list[str]


def keyword_of(name: str) -> str:
    return _PYTHON_NAMES.get(name, name.replace("-", "_"))


FIELDS: dict[str, Field] = {
    keyword_of(row["name"]): Field(
        keyword_of(row["name"]), row["name"], row["values"], row["default"], row["what"], list(row["methods"])
    )
    for row in _core.setting_fields()
}

# What is not about the model: how the work is done. The last column is the default.
EXTRAS: dict[str, tuple[str, str, Any]] = {
    "preset": ("None or 'paper'", "the paper's own model: its parts and no offsets, unless given", None),
    "intervals": (
        "True or False",
        "up to five more fits, each with a twentieth of the entries held out, so that predict(interval=...) knows how sure it is",
        False,
    ),
    "duplicates": ("'error', 'mean', 'sum' or 'last'", "what to do with a cell that is listed twice", "error"),
    "negatives": (
        "None or a whole number",
        "of data that are nothing but facts, cells of value 0 to draw for each; None: as many as are usual, 0: none",
        None,
    ),
    "corrupt": ("None or modes", "the modes along which they are drawn; None: those that are ranked", None),
    "n_jobs": ("None or a whole number", "threads, for the whole process; None or -1: all of the machine's", None),
    "progress": ("True or False", "show a bar", False),
    "callback": ("None or a function", "called with a dict after every step; a fit stops when it returns True", None),
}


def defaults() -> dict[str, Any]:
    """Every keyword with its default; None leaves a setting to the table."""
    return {**dict.fromkeys(FIELDS), **{name: row[2] for name, row in EXTRAS.items()}}


def check_names(given: Iterable[str], known: Iterable[str], who: str) -> None:
    """TypeError for a keyword that there is none of, with the one that may have been meant."""
    names = list(known)
    for word in given:
        if word in names:
            continue
        # The command line's name of a setting is the first guess.
        meant = _PYTHON_NAMES.get(word) or _core.nearest(word, names)
        raise TypeError(f"{who} has no setting '{word}'" + (f"; did you mean {meant}?" if meant else ""))


def whole(name: str, value: Any, low: int, high: int = 2**31 - 1) -> int:
    """The value, when it is a whole number of this range; else ValueError, which names it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name}: found {value!r}, expected a whole number {f'from {low} to {high}' if high < 2**31 - 1 else f'>= {low}'}")
    return int(value)


def number(name: str, value: Any, low: float, high: float) -> float:
    """Likewise a number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)) or not low <= value <= high:
        raise ValueError(f"{name}: found {value!r}, expected a number {f'from {low:g} to {high:g}' if high < np.inf else f'>= {low:g}'}")
    return float(value)


def text_of(value: Any, separator: str = ",") -> str:
    """A value as the table reads it: 4, 0.5, 'auto', [4, 4, 3], (0, 5)."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value) if not isinstance(value, str) else value
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        return separator.join(text_of(one) for one in value)
    return str(value)


def texts(given: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(keyword, name in the table, text) of every setting that is given."""
    return [
        (keyword, FIELDS[keyword].name, text_of(value, _LISTS_WITH_COMMAS.get(keyword, ",")))
        for keyword, value in given.items()
        if keyword in FIELDS and value is not None
    ]


def signature(reading: Iterable[str] = ()) -> inspect.Signature:
    """Of what takes all keywords, and these about how to read data."""
    kind = inspect.Parameter.KEYWORD_ONLY
    every = {**defaults(), **dict.fromkeys(reading)}
    return inspect.Signature([inspect.Parameter(name, kind, default=value) for name, value in every.items()])


def show_keywords(function: Callable[..., Any], reading: Iterable[str] = (), explained: bool = True) -> None:
    """Has a function that takes all keywords as **settings say so: in its signature, and in its docstring unless that
    names another one that does."""
    named = inspect.signature(function)
    own = [one for one in named.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {one.name for one in own}
    more = [one for one in signature(reading).parameters.values() if one.name not in taken]
    function.__signature__ = named.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    if explained:
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{documentation()}\n"


def documentation() -> str:
    """Every keyword with its values, its default and what it means."""
    lines = []
    for field in FIELDS.values():
        lines.append(f"{field.keyword} : {field.values}; default: {field.default}")
        lines.append(textwrap.indent(textwrap.fill(field.what, 110), "    "))
    for name, (values, what, default) in EXTRAS.items():
        lines.append(f"{name} : {values}; default: {default}")
        lines.append(textwrap.indent(textwrap.fill(what, 110), "    "))
    return "\n".join(lines)


def settings() -> list[dict[str, Any]]:
    """The table of settings: keyword, values, default, what each means and which methods take it."""
    return [dict(field._asdict(), methods=list(field.methods)) for field in FIELDS.values()]


def methods() -> list[dict[str, Any]]:
    """The table of methods: what each does and assumes, the settings it takes, what it can take on."""
    return [dict(row, settings=[keyword_of(name) for name in row["settings"]]) for row in _core.methods()]
