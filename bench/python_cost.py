#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a fit costs from Python beside the command line's: processor seconds and memory, the same data and settings.

    LACUNA=build/test/lacuna build/venv/bin/python bench/python_cost.py build/splits/movielens-1m.train.tns

The command line reads a file and Python has arrays, so the seconds of `lacuna info`, which reads the file and little
else, are taken off. Each is run three times in turn and the least counts. Memory is the most that a process held;
Python's is given beyond what it held before the fit, that is without the caller's own arrays.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

FLAGS = {"method": "tr-mm", "rank": 10, "lambda": 100, "max-iterations": 4, "preset": "paper", "threads": 1}
RUNS = 3

CHILD = """
import json, os, resource, sys
import lacuna
data = lacuna.read(sys.argv[1])
triple = (data.coords, data.values, data.shape)
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
def held(which):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(which)) / 1024
open("/proc/self/clear_refs", "w").write("5")  # the peak from here on
seconds, before = used(), held("VmRSS")
completer = lacuna.TensorCompleter(method="tr-mm", rank=10, lam=100, max_iterations=4, preset="paper", n_jobs=1).fit(triple)
print(json.dumps({"seconds": used() - seconds, "mb": held("VmHWM") - before, "entries": len(data.values),
                  "rmse": completer.train_rmse_}))
"""


def program(*words):
    """Processor seconds and megabytes of the program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([os.environ["LACUNA"], *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024


def main():
    path = sys.argv[1]
    flags = [word for name, value in FLAGS.items() for word in (f"--{name}", str(value))]
    theirs, reading, ours = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS):
            reading.append(program("info", path))
            theirs.append(program("fit", path, "-o", os.path.join(folder, "model.lac"), *flags))
            ours.append(json.loads(subprocess.run([sys.executable, "-c", CHILD, path], check=True, capture_output=True).stdout))
    fit = min(one[0] for one in theirs)
    fit_alone = fit - min(one[0] for one in reading)
    python = min(one["seconds"] for one in ours)
    entries = ours[0]["entries"]
    print(f"{entries} entries; command line {fit:.2f} s, {fit_alone:.2f} s without reading, {max(o[1] for o in theirs):.0f} MB")
    print(f"Python {python:.2f} s ({python / fit_alone - 1:+.1%}), {max(one['mb'] for one in ours):.0f} MB beyond the caller's arrays")


if __name__ == "__main__":
    main()
