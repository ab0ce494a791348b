# SPDX-License-Identifier: MIT
"""The commands of the pages in docs/, run in their order; what they print is as the page says, numbers aside."""
import math
import os
import random
import re
import subprocess
import unittest
from pathlib import Path

from support import LACUNA, TIMEOUT, CliTest

DOCS = Path(__file__).resolve().parents[2] / "docs"
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
FILMS = ("Alien", "Brazil", "Charade", "Diva", "Eraserhead", "Fargo", "Gilda", "Heat", "Ikiru", "Jaws", "Kes", "Laura")


def stars(user, film, week):
    """How user number u likes film number f: a level for each, and two tastes that take turns."""
    taste = (1 if user % 2 else -1) * (1 if film % 3 else -1)
    return min(5, max(1, round(3 + 0.5 * math.sin(user) + 0.6 * math.cos(film) + 0.9 * taste + 0.05 * week)))


def ratings(users, noise):
    lines = []
    for user in users:
        for film in noise.sample(range(len(FILMS)), 7):
            week = noise.randrange(4)
            lines.append(f"u{user},{FILMS[film]},{week + 1},{stars(user, film, week)}\n")
    return lines


class Pages(CliTest):
    def setUp(self):
        super().setUp()
        noise = random.Random(3)
        head = "user,film,week,stars\n"
        self.write("ratings.csv", head + "".join(ratings(range(1, 61), noise)))
        self.write("new.csv", head + "".join(ratings(range(61, 71), noise)))

    def run_page(self, name):
        text = (DOCS / name).read_text()
        blocks = re.findall(r"```console\n(.*?)```", text, re.S)
        self.assertTrue(blocks, f"{name} shows no command")
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        (self.folder / "lacuna").symlink_to(LACUNA)
        for block in blocks:
            for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, shown = step.partition("\n")
                done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, timeout=TIMEOUT,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                refused = shown.startswith("lacuna: ")
                printed = done.stderr if refused else done.stdout
                self.assertEqual(done.returncode in (2, 3), refused, f"{command}\n{done.stderr}")
                if shown:
                    self.assertEqual(NUMBER.sub("#", printed), NUMBER.sub("#", shown), command)

    def test_update(self):
        self.run_page("update.md")

    def test_explain(self):
        self.run_page("explain.md")

    def test_top(self):
        self.run_page("top.md")


if __name__ == "__main__":
    unittest.main()
