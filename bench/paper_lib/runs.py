# SPDX-License-Identifier: MIT
"""Calls lacuna, once for each split and method, and keeps the answers: one JSON file for each finished run.

A run's file is named by the hash of all its answer depends on, and appears whole or not at all. So a killed run goes on
where it was, and tables that share runs share their files.
"""
import contextlib
import csv
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from .settings import Budget, Contender, fit_flags, tune_flags
from .splits import Split, SplitFiles

HISTORY_POINTS = 200
TOO_LARGE = 5  # exit code: would not fit in memory
STOPPED = (130, 143)


class LacunaError(Exception):
    """lacuna could not be run at all."""


class Lacuna:
    """The binary."""

    def __init__(self, path, threads=0):
        self.path, self.threads = str(path), threads
        try:
            self.version = self.call("--version").stdout.strip()
            self.methods = json.loads(self.call("methods", "--json").stdout)["methods"]
        except (OSError, json.JSONDecodeError, KeyError) as error:
            raise LacunaError(f"{path}: {error}; expected the lacuna program") from error
        self.fit_help = self.call("fit", "--help").stdout

    def call(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)

    def ask(self, *arguments):
        """Its answer as an object, or a Failure."""
        done = self.call(*arguments, "--json", "--quiet", "--threads", self.threads)
        if done.returncode == 0:
            return json.loads(done.stdout)
        raise Failure(done.returncode, (done.stderr.strip().splitlines() or ["no message"])[-1])


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Job:
    split: Split
    who: Contender
    budget: Budget

    @property
    def name(self):
        return self.split.found.data.name

    @property
    def metric(self):
        return self.split.found.data.metric

    def flags(self):
        return {**fit_flags(self.name, self.who, self.budget, self.split.outliers), "--seed": str(self.split.seed + 1)}

    def tuning(self):
        return tune_flags(self.name, self.who, self.budget, self.split.outliers)

    def tuned_on(self):
        """All seeds and training shares have what cross-validation found on the first."""
        return replace(self, split=replace(self.split, seed=0, share=None))

    def key(self, version):
        facts = {"version": version, "split": self.split.recipe, "fit": self.flags(), "tune": self.tuning()}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


class Busy(Exception):
    """Another run writes to the same folder."""


@contextlib.contextmanager
def sole_owner(out: Path):
    """Two runs in one folder would fit each other's splits. The lock goes with the process, however that ends."""
    with open(out / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(f"{out}: another run is at work here; wait for it, or take another folder") from error
        yield


class Runs:
    """The answers that are there, and the making of those that are not."""

    def __init__(self, lacuna: Lacuna, out: Path):
        self.lacuna, self.folder, self.files = lacuna, out / "runs", SplitFiles(out / "split")
        self.failed = {}  # not kept: tried again by the next run
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, job: Job):
        return self.folder / f"{job.key(self.lacuna.version)}.json"

    def answer(self, job: Job):
        """What came of it: None when it has not been run, {"failed": ...} when it went wrong."""
        path = self.path(job)
        return json.loads(path.read_text()) if path.exists() else self.failed.get(job)

    def do(self, job: Job):
        """Runs it, unless it was; says whether it did."""
        if self.path(job).exists():
            return False
        try:
            answer = self.fit(job)
        except Failure as failure:
            if failure.code in STOPPED:
                sys.exit(failure.code)
            answer = {"refused" if failure.code == TOO_LARGE else "failed": str(failure)}
        if "failed" in answer:
            self.failed[job] = answer
        else:
            write_whole(self.path(job), json.dumps(
                {"version": self.lacuna.version, "split": job.split.recipe, "method": job.who.name,
                 "finished": time.strftime("%Y-%m-%d %H:%M:%S"), **answer}, indent=1))
        return True

    def fit(self, job: Job):
        flags = words(job.flags() | (self.tuned(job.tuned_on()) if job.tuning() else {}))
        train, test = self.files.of(job.split)
        with tempfile.TemporaryDirectory() as scratch:
            model, history = Path(scratch, "m.lac"), Path(scratch, "history.csv")
            report = self.lacuna.ask("fit", "--preset", "paper", train, "--test", test, "-o", model, "--history", history,
                                     "--metric", job.metric, *flags)
            mixture = report.get("mixture")
            if mixture and job.split.found.data.dense:
                mixture = self.lacuna.ask("info", model).get("tensor_mixture") or mixture
            return {"command": " ".join(["lacuna fit TRAIN --test TEST", *flags]),
                    "value": report[f"test_{job.metric}"], "mixture": mixture,
                    "history": read_history(history, f"test_{job.metric}"), "threads": report.get("threads"),
                    **{k: report.get(k) for k in ("rank", "lambda", "iterations", "seconds", "stop_reason")}}

    def tuned(self, job: Job):
        """The flags that cross-validation on the training part chose. A state file lets it, too, go on."""
        path = self.path(job).with_suffix(".tuned")
        if not path.exists():
            train, _ = self.files.of(job.split)
            with tempfile.TemporaryDirectory() as scratch:
                answer = self.lacuna.ask("tune", "--preset", "paper", train, "-o", Path(scratch, "m.lac"), "--metric", job.metric, "--state",
                                         path.with_suffix(".tuning.jsonl"), *words(job.flags() | job.tuning()))
            chosen = {}
            if "--lambda-grid" in job.tuning():
                chosen["--lambda"] = f"{answer['best']['lambda']:g}"
            if "--rank-grid" in job.tuning():
                chosen["--rank"] = ",".join(map(str, answer["best"]["rank"]))
            write_whole(path, json.dumps(chosen))
        return json.loads(path.read_text())


def words(flags):
    """As a command line has them."""
    return [word for flag, value in flags.items()
            for word in (flag, *(value if isinstance(value, list) else [value]))]


def read_history(path, column):
    """Seconds and test metric of at most HISTORY_POINTS steps, the first and the last among them."""
    with open(path, newline="") as file:
        points = [(float(r["seconds"]), float(r[column])) for r in csv.DictReader(file) if r.get(column)]
    if len(points) > HISTORY_POINTS:
        last = len(points) - 1
        points = [points[round(i * last / (HISTORY_POINTS - 1))] for i in range(HISTORY_POINTS)]
    return {"seconds": [p[0] for p in points], "test": [p[1] for p in points]}


def write_whole(path: Path, text):
    """The file has the text or is not there."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with open(draft, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
