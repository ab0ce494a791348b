#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a compiler does not: who includes whom, and a few habits.

  check_layers.py [ROOT]

- A room includes only the rooms listed for it below; public headers include no private ones.
- Only the outer rooms (command line, tests, examples, benchmarks) open files through io.
- Every `omp parallel` names num_threads, so that --threads is obeyed.
- Every source file says its licence. (How long it is, check_sizes.py asks.)

Prints file:line: what is wrong, and ends with 1 if there was anything.
"""
import re
import sys
from pathlib import Path

# Room -> rooms it may include, itself left out. problem and solver are strangers: they meet in method.
ALLOWED = {
    "base": "",
    "tensor": "base",
    "dist": "base",
    "linalg": "base dist",
    "evaluate": "base tensor model",
    "kernels": "base tensor dist linalg",
    "manifold": "base dist linalg",
    "solver": "base dist linalg manifold",
    "problem": "base tensor dist linalg kernels manifold",
    "model": "base tensor dist linalg kernels",
    "method": "base tensor dist linalg kernels manifold solver problem model evaluate",
    "search": "base tensor dist linalg kernels problem model evaluate method solver",
    "io": "base tensor dist model",
    "report": "base tensor linalg model evaluate io",
}
OUTER = ("cli", "formats", "tests", "examples", "bench", "python", "fuzz")  # may include every room
SOURCE = (".cpp", ".hpp")
LICENSED = (*SOURCE, ".py")
LICENCE = "SPDX-License-Identifier: MIT"

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
PARALLEL = re.compile(r"\s*#\s*pragma\s+omp\b.*\bparallel\b")


def room_of(path):
    """The room of include/lacuna/ROOM/... and src/ROOM/...; None for the outer ones."""
    parts = path.parts
    if parts[:2] == ("include", "lacuna") and len(parts) > 3:
        return parts[2]
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def room_included(target):
    """The room that an #include names, or None when it is not one of ours."""
    parts = target.split("/")
    if parts[0] == "lacuna":
        parts = parts[1:]
    return parts[0] if len(parts) > 1 and parts[0] in ALLOWED else None


def include_problem(path, room, quote, target):
    included = room_included(target)
    if path.parts[0] == "include" and quote == '"':
        return f'found "{target}", expected public headers to include only <...>'
    if room is None or included is None or included == room:
        return None
    if included not in ALLOWED[room].split():
        return f"found {target} in room {room}, which may include {ALLOWED[room] or 'no other room'}"
    return None


def source_problems(path, lines):
    room = room_of(path)
    if room is not None and room not in ALLOWED:
        yield 1, f"found a new room {room}, expected it to be listed in tools/check_layers.py"
        return
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include:
            problem = include_problem(path, room, *include.groups())
            if problem:
                yield number, problem
        elif PARALLEL.match(line):
            pragma, following = line, number
            while pragma.endswith("\\") and following < len(lines):
                pragma = pragma[:-1] + lines[following]
                following += 1
            if "num_threads" not in pragma:
                yield number, "found omp parallel without num_threads"


def problems(path, text):
    lines = text.split("\n")
    if text.endswith("\n"):
        lines.pop()
    if not any(LICENCE in line for line in lines[:2]):
        yield 1, f"found no '{LICENCE}' in the first two lines"
    if path.suffix in SOURCE:
        yield from source_problems(path, lines)


def files(root):
    for top in ("include", "src", *OUTER, "tools"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in LICENSED and path.is_file():
                yield path.relative_to(root)
    for top in ("scripts", ".ci"):
        for path in sorted((root / top).glob("*")):
            if path.is_file():
                yield path.relative_to(root)


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    checked = found = 0
    for path in files(root):
        checked += 1
        for number, problem in problems(path, (root / path).read_text(encoding="utf-8")):
            found += 1
            print(f"{path}:{number}: {problem}")
    print(f"check_layers: {checked} files, {found} problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
