# SPDX-License-Identifier: MIT
"""What a process is said to need before a fit that several share is what it then takes, however uneven the shares."""
import os
import random
import re
import subprocess
import unittest
from pathlib import Path

from mpi_test import ENVIRONMENT, LACUNA, TIMEOUT, MpiTest

MOST_BESIDE = 0.15  # of what was taken
SPLITS = Path(os.environ.get("LACUNA_SPLITS", ""))


def bytes_in(text):
    number, unit = text.split()
    return float(number) * {"B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9}[unit]


class Memory(MpiTest):
    preset = ()

    def entries(self, count, shape, first=None, elsewhere=0):
        """So many cells with values; with `first`, all but some are at that position of the first mode."""
        dice = random.Random(6)
        rest = shape[1] * shape[2]
        picked = set()
        if first is not None:
            picked = {(first, cell) for cell in dice.sample(range(rest), count - elsewhere)}
        while len(picked) < count:
            picked.add((dice.randrange(shape[0]), dice.randrange(rest)))
        self.write("big.tns", "".join(f"{i + 1} {cell // shape[2] + 1} {cell % shape[2] + 1} {dice.gauss(0.0, 1.0):.3f}\n"
                                      for i, cell in sorted(picked)))  # fmt: skip
        return "big.tns"

    def check(self, processes, train, *flags, method=("--method", "tr-mm", "--lambda", "1", "--max-iterations", "2")):
        done = self.on(processes, "fit", train, "-o", "m.lac", *method, "-v", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        size = r"([\d.]+ \w?B)"
        said = re.search(f"the first process needs about {size}, each other at most {size}(?:, and {size} while it chooses)?\n", done.stderr)
        *needed, choosing = (bytes_in(text) if text else 0.0 for text in said.groups())
        took = re.search(f"the first process took {size}, each other at most {size}\n", done.stderr)
        for who, needs, has in zip(("first", "others"), needed, took.groups()):
            needs += choosing
            self.assertLess(abs(needs / bytes_in(has) - 1.0), MOST_BESIDE, f"{who}: {needs:.4g} B said, {has} taken")

    def test_even_shares(self):
        self.check(3, self.entries(200000, (400, 300, 50)), "--parts", "full", "--rank", "5", "--offsets", "none")

    def test_nearly_all_entries_at_one_position(self):
        self.check(4, self.entries(961000, (20, 1200, 1200), 0, 96), "--parts", "2|1 ; 3|1", "--rank", "5", "--offsets", "none")
        self.check(2, self.entries(258000, (20, 600, 600), 0, 8000), "--parts", "2|1 ; 3|1", "--rank", "5", "--offsets", "none")

    def test_a_near_part_without_an_agreeing_mode(self):
        train = self.entries(170000, (10, 200, 300))
        self.check(4, train, "--parts", "1|2~3,3~5 ; 2|1", "--rank", "3", "--offsets", "none")

    def test_near_parts_with_one(self):
        train = self.entries(170000, (10, 200, 300))
        self.check(2, train, "--parts", "1|2,3~2 ; 2|1", "--rank", "3", "--offsets", "none")

    def test_other_methods(self):
        train = self.entries(400000, (4000, 3000, 100))
        for method in ("rprecon", "geomcg", "topt"):
            for rank in ("3", "20,10,1"):
                with self.subTest(method=method, rank=rank):
                    self.check(3, train, "--rank", rank, "--offsets", "none", method=("--method", method, "--max-iterations", "2"))
        primal = ("--method", "tr-ls", "--lambda", "1", "--parts", "full", "--early-stop", "0")
        train = self.entries(60000, (400, 300, 50))
        self.check(3, train, "--rank", "3", "--offsets", "none", "--max-iterations", "6", method=primal)

    def test_intervals(self):
        train = self.entries(400000, (400, 300, 50))
        self.check(3, train, "--parts", "full", "--rank", "5", "--offsets", "none", "--intervals")

    def test_an_open_method_is_predicted(self):
        done = self.on(2, "fit", "train.tns", "-o", "m.lac", "-v", "--effort", "low")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"for tr-mm, if that is tried, the first process needs about [\d.]+ MB, each other at most .* while it chooses")

    def test_factors_that_do_not_fit_are_refused(self):
        """Every process has all factors: they are not divided, and more processes on one machine are no help."""
        limit = 600 * 1000 * 1000
        wide = ("--method", "tr-mm", "--parts", "full", "--lambda", "1", "--rank", "400", "--offsets", "none")
        train = self.entries(60000, (6000, 5000, 50))
        for processes in (2, 4):
            done = subprocess.run(
                ["mpirun", "-q", "--oversubscribe", "-n", str(processes), "prlimit", f"--data={limit}", LACUNA, "fit", train, "-o", "m.lac", *wide],
                cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT, env=ENVIRONMENT,
            )  # fmt: skip
            self.assertEqual(done.returncode, 5, done.stdout + done.stderr)
            self.assertRegex(done.stderr, rf"this fit, with {processes} processes on one machine, each with all factors \(\d+\.\d MB\), needs about")
            self.assertFalse(self.path("m.lac").exists())

    def test_a_checkpoint(self):
        train = self.entries(800000, (4000, 3000, 100))
        for precision in ("double", "float"):
            self.check(3, train, "--parts", "full", "--rank", "20,10,1", "--offsets", "none", "--precision", precision,
                       "--checkpoint", f"{precision}.ckpt", "--every", "0")  # fmt: skip

    @unittest.skipUnless((SPLITS / "movielens-1m.train.tns").exists(), "no splits of real data")
    def test_ratings_with_a_checkpoint(self):
        flags = (SPLITS / "movielens-1m.train.tns", "--parts", "full", "--rank", "20,10,1", "--offsets", "none")
        self.check(3, *flags, "--checkpoint", "state", "--every", "0")


if __name__ == "__main__":
    unittest.main()
