# SPDX-License-Identifier: MIT
"""Writes what type checkers know of the keywords: a TypedDict of the table of settings.

keywords_stub.py FOLDER_OF_CORE OUTPUT
"""

import importlib.util
import sys
from pathlib import Path

HEAD = """# Made from the table of settings.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsFloat, SupportsIndex, TypedDict

from ._sources import Readings as Readings
"""
# Of keywords that are not in the table.
EXTRAS = {
    "preset": "str", "intervals": "bool", "duplicates": "str", "negatives": "SupportsIndex", "corrupt": "str | Sequence[str]",
    "n_jobs": "SupportsIndex", "progress": "bool", "callback": "Callable[[dict[str, Any]], Any]",
}  # fmt: skip

TUNED = ("parts", "offsets", "lambdas")  # of which tune takes lists, as parameters of its own


def type_of(values: str) -> str:
    """Of what the table says a setting takes; every one takes the command line's words as well."""
    if "LOW,HIGH" in values:
        return "str | tuple[SupportsFloat, SupportsFloat] | Sequence[SupportsFloat]"
    if "a model file" in values:
        return "Any"  # also a TensorCompleter
    if "list such as" in values:
        return "str | Sequence[str]"
    if "numbers" in values:
        return "str | SupportsFloat | Sequence[SupportsFloat]"
    if "whole number" in values or " to 12" in values:
        return "str | SupportsIndex"
    return "str | SupportsFloat" if "number" in values or "share" in values else "str"


def main() -> None:
    folder, output = sys.argv[1:]
    sys.path.insert(0, folder)
    import _core

    # The module of keywords alone: the package around it is not made yet.
    package = type(sys)("lacuna")
    package.__path__ = []
    sys.modules["lacuna"] = package
    sys.modules["lacuna._core"] = package._core = _core
    path = Path(__file__).parent / "lacuna" / "_settings.py"
    spec = importlib.util.spec_from_file_location("lacuna._settings", path)
    settings = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(settings)

    said = {name: type_of(field.values) for name, field in settings.FIELDS.items()} | EXTRAS
    if missing := set(settings.defaults()) - set(said):
        sys.exit(f"keywords_stub: found {missing}, expected a type for each in EXTRAS")
    lines = [HEAD, "class Keywords(TypedDict, total=False):"]
    lines += [f"    {name}: {said[name]} | None" for name in settings.defaults()]
    lines += ["", "class Everything(Keywords, Readings, total=False): ...", "", "class Tuning(Readings, total=False):"]
    lines += [f"    {name}: {said[name]} | None" for name in settings.defaults() if name not in TUNED]
    Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
