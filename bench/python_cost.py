#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a fit costs from Python beside the command line's: processor seconds and memory, the same data and settings.

    LACUNA=build/test/lacuna build/venv/bin/python bench/python_cost.py build/splits/movielens-1m.train.tns [RUNS] [--json FILE]

The command line reads a file and Python has NumPy arrays, so the seconds of `lacuna info`, which reads the file and little
else, are taken off. Each is run RUNS times (5) in turn by one thread and the least counts. Memory is what the process held
at most beyond what it held before, that is without the caller's own arrays: once their entries are the library's, and once the
library has sorted them, as it does whoever calls.
--json writes the run records that bench/results_page makes a table of.
"""

import argparse
import datetime
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = {"method": "als", "rank": 5, "max-iterations": 5, "threads": 1}

CHILD = """
import json, resource, sys
import lacuna
from lacuna import _core
from lacuna._completer import source_of
from lacuna._sources import Reading
data = lacuna.read(sys.argv[1])
triple = (data.coords, data.values, data.shape)
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
def held(which):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(which)) / 1024
def mark():
    open("/proc/self/clear_refs", "w").write("5")  # the peak from here on
    return held("VmRSS")
seconds = used()
completer = lacuna.TensorCompleter(method="als", rank=5, max_iterations=5, n_jobs=1).fit(triple)
found = {"seconds": used() - seconds, "entries": len(data.values), "rmse": completer.train_rmse_,
         "entries_mb": len(data.values) * (8 + 4 * len(data.shape)) / 2**20}
print(json.dumps(found))
"""

TENSOR = CHILD.split("seconds = used()")[0] + """
before = mark()
source = source_of(triple, Reading())
entries = source.entries()
copied = held("VmHWM") - before
tensor = _core.observe([axis.mode() for axis in source.axes], entries, "error", False)
print(json.dumps({"copied": copied, "sorted": held("VmHWM") - before}))
"""


def program(*words):
    """Processor seconds and what the program said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([os.environ["LACUNA"], *words], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def child(script, path):
    return json.loads(subprocess.run([sys.executable, "-c", script, path], check=True, capture_output=True).stdout)


def measure(path, runs):
    flags = [word for name, value in FLAGS.items() for word in (f"--{name}", str(value))]
    theirs, reading, ours = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            reading.append(program("info", path)[0])
            seconds, said = program("fit", path, "-o", os.path.join(folder, "model.lac"), "--json", *flags)
            theirs.append(seconds)
            ours.append(child(CHILD, path))
            assert ours[-1]["rmse"] == json.loads(said)["train_rmse"], "not the same fit"
    tensor = child(TENSOR, path)
    alone = min(theirs) - min(reading)
    python = min(one["seconds"] for one in ours)
    return {
        "observed entries": ours[0]["entries"], "command line, processor seconds": round(min(theirs), 2),
        "of these, reading the file": round(min(reading), 2), "Python, processor seconds": round(python, 2),
        "Python more, percent": round(100 * (python / alone - 1), 1),
        "copies of the entries that Python makes": round(tensor["copied"] / ours[0]["entries_mb"], 2),
        "with what the library sorts them by, as on the command line": round(tensor["sorted"] / ours[0]["entries_mb"], 2),
    }  # fmt: skip


def table(path, runs, figures):
    """As bench/results has them."""
    root = Path(__file__).resolve().parents[1]
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    split = Path(path).name.split(".")[0]
    return {
        "title": "A fit from Python beside the command line's",
        "about": "The same settings (`" + " ".join(f"--{k} {v}" for k, v in FLAGS.items()) + "`) and the same model to the last bit, from NumPy "
                 "arrays of coordinates and values and from the file. The percentage leaves the seconds that `lacuna info` takes to read the file out. "
                 f"The least of {runs} runs each. A copy is what an entry takes in the library, four bytes for each mode and eight for the value.",
        "rows": ["figure"], "columns": ["split"],
        "common": {"machine": "2 cores, AVX2, 24 GB, shared", "seed": 1, "command": f"bench/python_cost.py S/{Path(path).name} {runs}",
                   "commit": commit, "date": datetime.date.today().isoformat()},
        "records": [{"split": split, "figure": name, "value": value} for name, value in figures.items()],
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path")
    parser.add_argument("runs", nargs="?", type=int, default=5)
    parser.add_argument("--json")
    given = parser.parse_args()
    figures = measure(given.path, given.runs)
    for name, value in figures.items():
        print(f"{name:60} {value}")
    if given.json:
        Path(given.json).write_text(json.dumps(table(given.path, given.runs, figures), indent=1) + "\n")


if __name__ == "__main__":
    main()
