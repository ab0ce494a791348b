# SPDX-License-Identifier: MIT
"""The commands of the pages in docs/, run in their order; what they print is as the page says, numbers aside."""
import datetime
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


def stations(noise):
    """A line for each station, a column for each hour, some of them empty."""
    lines = ["station," + ",".join(f"{hour:02}h" for hour in range(6, 22, 3)) + "\n"]
    for number, name in enumerate(("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper")):
        values = [14 + number / 4 + (3 + number % 3) * math.sin((hour - 9) / 4) for hour in range(6, 22, 3)]
        lines.append(name + "".join("," if noise.random() < 0.2 else f",{value:.1f}" for value in values) + "\n")
    return "".join(lines)


def readings(noise):
    """Two quantities of four sites, every fifth day of a year."""
    lines = ["site,time,temperature,humidity\n"]
    for number, site in enumerate("ABCD"):
        for day in range(0, 365, 5):
            date = datetime.date(2023, 1, 1) + datetime.timedelta(days=day)
            warm = -math.cos(day / 365 * 2 * math.pi)
            values = (10 + number + 8 * warm, 70 - 2 * number - 15 * warm)
            fields = ("" if noise.random() < 0.15 else f"{value:.1f}" for value in values)
            lines.append(f"{site},{date} 12:00," + ",".join(fields) + "\n")
    return "".join(lines)


class Pages(CliTest):
    def setUp(self):
        super().setUp()
        noise = random.Random(3)
        head = "user,film,week,stars\n"
        self.write("ratings.csv", head + "".join(ratings(range(1, 61), noise)))
        self.write("new.csv", head + "".join(ratings(range(61, 71), noise)))
        self.write("stations.csv", stations(random.Random(5)))
        self.write("readings.csv", readings(random.Random(7)))

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

    def test_tables(self):
        self.run_page("tables.md")

    def test_explain(self):
        self.run_page("explain.md")

    def test_top(self):
        self.run_page("top.md")


if __name__ == "__main__":
    unittest.main()
