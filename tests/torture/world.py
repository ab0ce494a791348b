# SPDX-License-Identifier: MIT
"""What all attacks share: a folder with inputs, the commands that write, and what must hold however a command ends."""
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "cli"))
from support import write_npy, write_png

LACUNA = os.environ.get("LACUNA", "lacuna")
TIMEOUT = 120  # seconds: far more than any command here needs
OLD = b"what was there before\n"
FIT = ("--preset", "paper", "--rank", "2", "--lambda", "1", "--max-iterations", "3", "--path", "0", "--no-record")

# Verb and flags, inputs and outputs. Equal runs write equal bytes, so that an output can be compared with a whole one.
COMMANDS = {
    "fit": (("fit", "train.tns", "-o", "m.lac", *FIT), ("m.lac",)),
    "fit-all": (("fit", "labels.csv", "-o", "m.lac", "--history", "h.csv", "--report", "r.html", *FIT), ("m.lac", "h.csv", "r.html")),
    "fit-checkpoint": (("fit", "train.tns", "-o", "m.lac", "--checkpoint", "c.ckpt", "--every", "0", *FIT), ("m.lac", "c.ckpt")),
    "complete": (("complete", "holes.npy", "-o", "full.npy", *FIT), ("full.npy",)),
    "complete-png": (("complete", "holes.png", "-o", "full.png", *FIT), ("full.png",)),
    "predict": (("predict", "model.lac", "cells.csv", "-o", "p.csv"), ("p.csv",)),
    "tune": (("tune", "train.tns", "-o", "m.lac", "--table", "t.csv", "--state", "s.jsonl", "--folds", "2", "--lambda-grid", "1",
              "--refine", "0", *FIT), ("m.lac", "t.csv", "s.jsonl")),
    "split": (("split", "train.tns", "--train", "a.tns", "--test", "b.tns"), ("a.tns", "b.tns")),
    "convert": (("convert", "train.tns", "out.csv"), ("out.csv",)),
    "convert-gz": (("convert", "train.tns", "out.tns.gz"), ("out.tns.gz",)),
    "convert-xz": (("convert", "train.tns", "out.tns.xz"), ("out.tns.xz",)),
    "convert-zst": (("convert", "train.tns", "out.tns.zst"), ("out.tns.zst",)),
    "complete-y4m": (("complete", "holes.npy", "-o", "out.y4m", "--clip", "0,255", *FIT), ("out.y4m",)),
    "convert-npz": (("convert", "train.tns", "out.npz"), ("out.npz",)),
    "convert-mat": (("convert", "holes.npy", "out.mat"), ("out.mat",)),
    "convert-npy": (("convert", "train.tns", "out.npy"), ("out.npy",)),
    "convert-envi": (("convert", "holes.npy", "out.hdr"), ("out.hdr", "out.img")),
    "convert-nc": (("convert", "holes.npy", "out.nc"), ("out.nc",)),
    "convert-h5": (("convert", "holes.npy", "out.h5"), ("out.h5",)),
    "convert-tif": (("convert", "holes.npy", "out.tif"), ("out.tif",)),
    "predict-interval": (("predict", "intervals.lac", "cells.csv", "-o", "p.csv", "--interval", "0.5"), ("p.csv", "p.low.csv", "p.high.csv")),
    "report": (("report", "model.lac", "-o", "r.html"), ("r.html",)),
    "update": (("update", "model.lac", "more.csv", "-o", "u.lac"), ("u.lac",)),
    "top": (("top", "model.lac", "u1,?,w1", "-o", "best.csv"), ("best.csv",)),
    "explain": (("explain", "model.lac", "u1,i1,w1", "-o", "why.csv"), ("why.csv",)),
}  # fmt: skip
TOGETHER = ("split", "convert-envi", "predict-interval")  # their outputs are all new or all as they were
MOST_BETWEEN = 2
TIMED = ("h.csv", "r.html", "c.ckpt")  # outputs that hold times: compared by their beginning and end, or gone on from


class Finding(Exception):
    """Something that must never be."""


def truth(i, j, k):
    return round(3.0 + math.sin(0.5 * i) * math.cos(0.4 * j) + 0.5 * math.cos(0.3 * i) * (1.0 + k), 9)


class World:
    """A folder with the inputs of all commands, and what each command writes when nothing is in its way."""

    def __init__(self, where=None):
        self.folder = Path(tempfile.mkdtemp(prefix="lacuna-torture-", dir=where))
        self.cells = [(i, j, k) for i in range(9) for j in range(8) for k in range(5)]
        random.Random(1).shuffle(self.cells)
        self.make_inputs()
        self.inputs = self.contents()
        self.whole = {}
        self.between = 0  # how many kills came between two names of outputs that belong together

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_inputs(self):
        known = [(8, 7, 4), *(c for c in self.cells[:200] if c != (8, 7, 4))]
        self.write("train.tns", "".join(f"{i + 1} {j + 1} {k + 1} {truth(i, j, k)}\n" for i, j, k in known))
        self.write("labels.csv", "user,item,week,value\n" + "".join(f"u{i},i{j},w{k},{truth(i, j, k)}\n" for i, j, k in known[:120]))
        self.write("cells.csv", "user,item,week\n" + "".join(f"u{i},i{j},w{k}\n" for i, j, k in self.cells[100:300]))
        self.write("more.csv", "user,item,week,value\nu1,i2,w9,3.5\nu20,i1,w1,2.5\nu20,i2,w2,3.5\n")
        seen = {c: truth(*c) for c in known}
        box = [(i, j, k) for i in range(9) for j in range(8) for k in range(5)]
        write_npy(self.folder / "holes.npy", (9, 8, 5), [seen.get(c, math.nan) for c in box])
        write_png(self.folder / "holes.png", 9, 8, lambda i, j: (20 * i, 30 * j, 90, 0 if (i + j) % 5 == 2 else 255))
        for model, words in (("model.lac", ()), ("intervals.lac", ("--intervals",))):
            done = self.run("fit", "labels.csv", "-o", model, *FIT, *words)
            if done.returncode != 0:
                raise Finding(f"the model could not be made: {done.stderr}")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def contents(self):
        return {p.name: p.read_bytes() for p in sorted(self.folder.iterdir()) if p.is_file() and not p.is_symlink()}

    def clean(self):
        """Takes away everything but the inputs."""
        for path in self.folder.iterdir():
            if path.name not in self.inputs and (path.is_symlink() or not path.is_dir()):
                path.unlink()

    def run(self, *words, **settings):
        return subprocess.run([LACUNA, *words], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT, **settings)

    def whole_outputs(self, name):
        """What the command writes when it is left alone."""
        if name not in self.whole:
            self.clean()
            words, outputs = COMMANDS[name]
            done = self.run(*words)
            if done.returncode != 0:
                raise Finding(f"{name} fails when nothing is in its way: {done.stderr}")
            self.whole[name] = {output: (self.folder / output).read_bytes() for output in outputs}
            self.clean()
        return self.whole[name]

    def prepare(self, name, old=True):
        """Before an attack: outputs exist and hold something else, or do not exist. A state file is never another's."""
        self.clean()
        for output in COMMANDS[name][1]:
            if old and output != "s.jsonl":
                (self.folder / output).write_bytes(OLD)

    def check(self, name, code, error, old=True, best_so_far=False, killed=False):
        """After it: inputs as they were, each output old or whole, nothing else there, and an end that has a name."""
        words = " ".join(COMMANDS[name][0])
        whole = self.whole[name]
        now = self.contents()
        for given, content in self.inputs.items():
            if now.get(given) != content:
                raise Finding(f"{words}: the input {given} was changed")
        for left in sorted(set(now) - set(self.inputs) - set(whole)):
            known = now[left] in whole.values() or name in TOGETHER and now[left] == OLD
            if killed and (known or "c.ckpt" in whole and self.goes_on(left)):
                continue  # killed in the moment between a whole file's temporary name and its own
            raise Finding(f"{words}: {left} ({len(now[left])} bytes) was left behind; exit {code}, {error}")
        for output, content in whole.items():
            if output == "c.ckpt":
                self.check_checkpoint(words, now.get(output), old, code, error)
            else:
                self.check_output(words, output, now.get(output), content, old, code, best_so_far)
        if name in TOGETHER:
            self.check_together(words, now, whole, killed)
        if not killed:
            self.check_end(words, code, error)

    def check_together(self, words, now, whole, killed):
        new = {now.get(output) == content for output, content in whole.items()}
        if len(new) == 1:
            return
        self.between += killed  # a few system calls apart: hardly ever
        if not killed or self.between > MOST_BETWEEN:
            raise Finding(f"{words}: of {', '.join(whole)} some are new and some are not")

    def check_output(self, words, output, found, content, old, code, best_so_far):
        if output == "s.jsonl":  # grows line by line; a torn last line is its reader's business
            if found is not None and not content.startswith(found):
                raise Finding(f"{words}: {output} is no beginning of a whole one")
            return
        if found is None and not old or found == OLD and old:
            if code == 0:
                raise Finding(f"{words}: ended well without {output}")
            return
        if found == content:
            return
        if found is not None and output.endswith((".csv", ".html")) and self.is_whole_text(output, found, content, best_so_far):
            return
        if best_so_far and found is not None and self.run("info", output).returncode == 0:
            return
        raise Finding(f"{words}: {output} is neither what was there nor whole ({'missing' if found is None else len(found)}); exit {code}")

    def check_checkpoint(self, words, found, old, code, error):
        """One that could not be written is told, and the fit goes on without."""
        if found is None and not old or found == OLD and old:
            if code == 0 and "c.ckpt" not in error:
                raise Finding(f"{words}: ended well without c.ckpt, and said nothing: {error[-300:]}")
        elif found is None or not self.goes_on("c.ckpt"):
            raise Finding(f"{words}: c.ckpt is neither what was there nor whole ({found and len(found)}); exit {code}")

    def goes_on(self, checkpoint):
        """Whether the fit goes on from this file, and ends with the same bytes."""
        with tempfile.TemporaryDirectory(prefix="lacuna-torture-") as elsewhere:  # this disk may be full
            resumed = Path(elsewhere) / "m.lac"
            done = self.run("fit", "train.tns", "-o", resumed, "--resume", checkpoint, *FIT)
            return done.returncode == 0 and resumed.read_bytes() == self.whole["fit-checkpoint"]["m.lac"]

    @staticmethod
    def is_whole_text(output, found, content, best_so_far):
        """A text that may differ: it holds times, or is about fewer steps because the command was told to stop."""
        if output not in TIMED and not best_so_far or found[-1:] != content[-1:]:
            return False
        same_length = found.count(b"\n") == content.count(b"\n")
        return found.split(b"\n")[0] == content.split(b"\n")[0] and (same_length or best_so_far)

    @staticmethod
    def check_end(words, code, error):
        stops = {128 + int(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        if code not in {0, 3, 5, 6} | stops:
            raise Finding(f"{words}: exit {code}: {error[-300:]}")
        if code in (3, 5, 6) and "lacuna: " not in error:
            raise Finding(f"{words}: exit {code} without a sentence: {error[-300:]}")


def methods():
    return json.loads(subprocess.run([LACUNA, "methods", "--json"], capture_output=True, text=True, check=True).stdout)["methods"]
