#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs clang-tidy with .clang-tidy's checks on the library and the command line, several files at a time.

  lint.py BUILD_DIR [JOBS]

BUILD_DIR has been configured (compile_commands.json); nothing has to be built. Ends with 1 if anything is found.
"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def units(build):
    """The library's files, and the units that the command line's files are compiled in: those, the longest, first."""
    files = [Path(entry["file"]) for entry in json.loads((build / "compile_commands.json").read_text())]
    verbs = [f for f in files if "lacuna_verbs.dir" in f.parts]
    library = [f for f in files if {ROOT / "src", ROOT / "formats"} & set(f.parents)]
    return verbs + library + [f for f in files if f.parent == ROOT / "cli"]


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    build = Path(arguments[0]).resolve()
    jobs = int(arguments[1]) if len(arguments) > 1 else os.cpu_count()

    command = ["clang-tidy", "-p", str(build), "--quiet", f"--config-file={ROOT / '.clang-tidy'}"]

    def check(unit):
        done = subprocess.run([*command, str(unit)], capture_output=True, text=True)
        if done.returncode != 0:  # stderr has only counts of suppressed warnings, unless the tool itself failed
            print(f"{unit}:\n{done.stdout or done.stderr}", flush=True)
        return done.returncode == 0

    with ThreadPoolExecutor(jobs) as pool:
        clean = list(pool.map(check, units(build)))
    print(f"lint: {len(clean)} units, {clean.count(False)} with findings")
    return 0 if all(clean) and clean else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
