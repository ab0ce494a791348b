# SPDX-License-Identifier: MIT
"""Writes what type checkers know of the keywords: a TypedDict of the table of settings.

keywords_stub.py FOLDER_OF_CORE OUTPUT
"""

import importlib.util
import sys
from pathlib import Path


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

    lines = ["# Made from the table of settings.", "from typing import Any, TypedDict", "", "class Keywords(TypedDict, total=False):"]
    lines += [f"    {name}: Any" for name in settings.defaults()]
    Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
