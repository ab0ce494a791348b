#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a folder of model files, one for each kind of body and each thing that a model can hold beside it.

  LACUNA=build/release/lacuna tests/model_files/make.py layout-1
  LACUNA=build/release/lacuna tests/model_files/make.py layout-1-complex complex     these alone

The folder is made once for each layout or new part of it and kept for ever: tests/cli/model_files_test.py loads every
folder there is and compares what the models say with what they said on the day they were made (NAME.json). A folder
that exists is never written to. The data are made up here. layout-1-blend is the file that tests/io/blend_file_test.cpp
writes: no data as small as these made the search choose a blend.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LACUNA = os.environ.get("LACUNA", "lacuna")

STEPS = ("--max-iterations", "2")
MODELS = {
    "latent": ("numbers.tns", "--method", "tr-mm", "--rank", "2", "--lambda", "1", "--parts", "full", "--offsets", "none", *STEPS),
    "latent-labels": ("labels.csv", "--method", "tr-mm", "--rank", "1", "--lambda", "1", "--offsets", "user,item,user*item",
                      "--clip", "0,9", *STEPS),
    "latent-near": ("numbers.tns", "--method", "tr-mm", "--rank", "1", "--lambda", "1", "--offsets", "mean",
                    "--parts", "1|2~2,3 ; |1~3,2~3 smooth=1.5", *STEPS),
    "latent-powers": ("numbers.tns", "--method", "tr-ls", "--rank", "1", "--lambda", "1", "--offsets", "modes",
                      "--parts", "1|2,3 rows=0.5 fibers=0.5 ; 2|1", *STEPS),
    "latent-weights": ("weights.csv", "--weight-column", "weight", "--method", "tr-mm", "--rank", "1", "--lambda", "1",
                       "--parts", "full", "--offsets", "mean", *STEPS),
    "latent-bins": ("times.csv", "--bin", "time=7d", "--method", "tr-mm", "--rank", "1", "--lambda", "1", "--parts", "full",
                    "--offsets", "mean", *STEPS),
    "latent-intervals": ("numbers.tns", "--method", "tr-mm", "--rank", "1", "--lambda", "1", "--parts", "full",
                         "--offsets", "mean", "--intervals", *STEPS),
    "right-als": ("numbers.tns", "--method", "als", "--rank", "1", "--parts", "full", "--offsets", "mean", *STEPS),
    "right-ffw": ("numbers.tns", "--method", "ffw", "--lambda", "10", "--offsets", "mean", *STEPS),
    "tucker": ("numbers.tns", "--method", "rprecon", "--rank", "2,2,1", "--offsets", "mean", *STEPS),
    "cp": ("numbers.tns", "--method", "bayescp", "--rank", "2", "--offsets", "none", *STEPS),
    "dense": ("small.tns", "--method", "halrtc", "--offsets", "mean", *STEPS),
    "offsets": ("labels.csv", "--method", "mean"),
    "complex": ("links.tsv", "--method", "complex", "--rank", "2", "--penalty", "0.02", *STEPS),
}  # fmt: skip
CELLS = {"labels.csv": "user,item,week\nann,tea,w1\nbob,milk,w2\nzoe,tea,w1\n",
         "times.csv": "user,item,time\nann,tea,2020-01-03\nbob,milk,2020-02-01\nann,tea,2031-01-01\n",
         "links.tsv": "ann\tknows\tbob\ncid\tpays\tann\nann\tknows\tzoe\n",
         "weights.csv": "user,item,week\nann,tea,w1\nbob,milk,w2\n"}  # fmt: skip


def value(i, j, k):
    return round(3.0 + math.sin(0.9 * i) * math.cos(0.7 * j) + 0.4 * k, 6)


def cells(shape, left_out):
    every = [(i, j, k) for i in range(shape[0]) for j in range(shape[1]) for k in range(shape[2])]
    return [(i, j, k) for i, j, k in every if (i + 2 * j + 3 * k) % left_out]


def write_data(folder):
    def lines(name, head, rows):
        (folder / name).write_text(head + "".join(row + "\n" for row in rows))

    lines("numbers.tns", "", (f"{i + 1} {j + 1} {k + 1} {value(i, j, k)}" for i, j, k in cells((5, 4, 3), 4)))
    lines("small.tns", "", (f"{i + 1} {j + 1} {k + 1} {value(i, j, k)}" for i, j, k in cells((3, 3, 2), 4)))
    users, items = ("ann", "bob", "über", "d,d"), ("tea", "milk", "a \"b\"")
    quote = lambda word: '"' + word.replace('"', '""') + '"'  # noqa: E731
    few = cells((4, 3, 2), 4)
    lines("labels.csv", "user,item,week,value\n",
          (f"{quote(users[i])},{quote(items[j])},w{k + 1},{value(i, j, k)}" for i, j, k in few))  # fmt: skip
    people = ("ann", "bob", "cid", "dan")
    lines("links.tsv", "", (f"{a}\t{r}\t{b}" for a in people for b in people for r in ("knows", "pays")
                            if (ord(a[0]) + 2 * ord(b[0]) + len(r)) % 3))  # fmt: skip
    lines("weights.csv", "user,item,week,value,weight\n",
          (f"{quote(users[i])},{quote(items[j])},w{k + 1},{value(i, j, k)},{1 + (i + j) % 3}" for i, j, k in few))  # fmt: skip
    lines("times.csv", "user,item,time,value\n",
          (f"{quote(users[i])},{quote(items[j])},2020-0{k + 1}-0{i + 1},{value(i, j, k)}" for i, j, k in few))  # fmt: skip


def run(folder, *words):
    done = subprocess.run([LACUNA, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"lacuna {' '.join(words)}: {done.stderr}")
    return done.stdout


def answers(folder, model, cells_file):
    """What a model says of a few cells and of itself."""
    told = json.loads(run(folder, "info", model, "--json"))
    run(folder, "predict", model, cells_file, "-o", "answers.csv", "--quiet")
    return {"told": {key: told[key] for key in ("kind", "method", "version", "shape", "observed", "offset", "index_base")},
            "answers": (folder / "answers.csv").read_text()}  # fmt: skip


def main(name, *models):
    target = HERE / name
    if target.exists():
        sys.exit(f"{target} is there; what was made once is kept")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_data(folder)
        target.mkdir()
        for model in models or MODELS:
            data, *flags = MODELS[model]
            run(folder, "fit", data, "-o", "model.lac", "--no-record", "--quiet", *flags)
            cells_file, asked = ("cells" + Path(data).suffix, CELLS[data]) if data in CELLS else ("cells.tns", "1 1 1\n2 3 1\n3 2 2\n")
            (folder / cells_file).write_text(asked)
            story = {"cells": {"name": cells_file, "text": asked}, **answers(folder, "model.lac", cells_file)}
            (target / f"{model}.lac").write_bytes((folder / "model.lac").read_bytes())
            (target / f"{model}.json").write_text(json.dumps(story, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(models or MODELS)} models in {target}")


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)
