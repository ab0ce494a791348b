# SPDX-License-Identifier: MIT
"""bench/results_page and bench/scoreboard: records to tables, and fits to records.

The scoreboard runs a stand-in for the binary: what is tested is what becomes of its answers.
"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "bench" / "results_page"
SCOREBOARD = ROOT / "bench" / "scoreboard"
RUN = {"commit": "abc1234", "machine": "a machine", "date": "2026-01-02", "seed": 1, "command": "lacuna fit x"}


def run(*command):
    return subprocess.run([sys.executable, "-B", *map(str, command)], capture_output=True, text=True)


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lacuna-results-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


class PageTest(FolderTest):
    def table(self, name="01-a", **changes):
        table = {"title": "A table", "about": "What it shows.", "rows": ["split"], "columns": ["figure"], "common": RUN,
                 "records": [{"split": "x", "figure": "test RMSE", "value": 0.25}]}
        (self.folder / f"{name}.json").write_text(json.dumps({**table, **changes}))

    def page(self, *flags):
        done = run(PAGE, "--results", self.folder, "--output", self.folder / "page.md", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "page.md").read_text()

    def refused(self, *words):
        done = run(PAGE, "--results", self.folder, "--output", self.folder / "page.md")
        self.assertEqual(done.returncode, 1)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "page.md").exists())

    def test_a_record_becomes_a_cell_with_its_origin(self):
        self.table()
        page = self.page()
        self.assertIn("## A table\n\nWhat it shows.\n\n| split | test RMSE |\n| --- | --- |\n| x | 0.25 |\n", page)
        self.assertIn("*`lacuna fit x`; commit abc1234; 2026-01-02; a machine.*", page)

    def test_seeds_are_averaged(self):
        self.table(records=[{"split": "x", "figure": "f", "value": value, "seed": seed}
                            for seed, value in enumerate((1.0, 2.0, 3.0), 1)])
        self.assertIn("| x | 2 ± 1 (3) |", self.page())

    def test_the_best_of_our_own_stands_in_bold(self):
        record = {"figure": "f", "source": "lacuna"}
        self.table(rows=["method"], columns=["source"], best="lowest",
                   records=[{**record, "method": "a", "value": 0.5}, {**record, "method": "b", "value": 0.4},
                            {**record, "method": "a", "value": 0.1, "source": "paper"}])
        page = self.page()
        self.assertIn("| a | 0.5 | 0.1 |", page)
        self.assertIn("| b | **0.4** |  |", page)

    def test_marks_spreads_and_what_was_refused(self):
        self.table(records=[{"split": "x", "figure": "f", "value": 0.5, "spread": 0.01, "mark": "*"},
                            {"split": "y", "figure": "f", "value": None, "outcome": "refused: memory"}])
        page = self.page()
        self.assertIn("| x | 0.5 ± 0.01* |", page)
        self.assertIn("| y | - |", page)

    def test_tables_come_in_the_order_of_their_names_and_empty_ones_not_at_all(self):
        self.table("02-b", title="Second")
        self.table("01-a", title="First")
        self.table("03-c", title="Nothing yet", records=[])
        page = self.page()
        self.assertLess(page.index("## First"), page.index("## Second"))
        self.assertNotIn("Nothing yet", page)

    def test_a_bar_in_a_setting_does_not_end_the_cell(self):
        self.table(rows=["settings"], records=[{"settings": "--parts 1|2", "figure": "f", "value": 1}])
        self.assertIn("| `--parts 1\\|2` | 1 |", self.page())

    def test_records_without_their_origin_are_refused(self):
        self.table(common={key: RUN[key] for key in RUN if key != "commit"})
        self.refused("01-a.json", "record 1", "commit")

    def test_a_missing_figure_needs_a_reason(self):
        self.table(records=[{"split": "x", "figure": "f", "value": None}])
        self.refused("neither a value nor an outcome")

    def test_check_fails_on_a_page_that_is_not_up_to_date(self):
        self.table()
        self.page()
        self.page("--check")
        self.table(title="Changed")
        done = run(PAGE, "--results", self.folder, "--output", self.folder / "page.md", "--check")
        self.assertEqual(done.returncode, 1)

    def test_the_page_in_the_repository_is_what_its_records_say(self):
        done = run(PAGE, "--check")
        self.assertEqual(done.returncode, 0, done.stderr)


# Answers like `lacuna fit --json`: an error that depends on the seed; fails on the split hangzhou.
BINARY = """#!/usr/bin/python3
import json, sys
given = sys.argv
if "hangzhou" in given[2]:
    sys.exit("lacuna: no such luck")
seed = int(given[given.index("--seed") + 1])
auc = "--metric" in given
print(json.dumps({"test_rmse": None if auc else 0.1 * seed, "test_auc": 0.9 if auc else None,
                  "choosing_applications": 40 * seed, "operator_applications": 2}))
"""


class ScoreboardTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.binary = self.folder / "lacuna"
        self.binary.write_text(BINARY)
        self.binary.chmod(0o755)
        for split in ("baboon", "youtube", "hangzhou"):
            for part in ("train", "test"):
                (self.folder / f"{split}.{part}.tns").write_text("")
        self.table = self.folder / "01-defaults.json"

    def score(self, *flags):
        return run(SCOREBOARD, "--binary", self.binary, "--splits", self.folder, "--table", self.table, *flags)

    def figures(self):
        return {(r["split"], r["settings"], r["seed"], r["figure"]): r["value"]
                for r in json.loads(self.table.read_text())["records"]}

    def test_each_seed_is_a_record_with_its_origin(self):
        done = self.score("--seeds", "1,3", "baboon", "youtube")
        self.assertEqual(done.returncode, 0, done.stderr)
        figures = self.figures()
        self.assertEqual(figures["baboon", "", 1, "test RMSE"], 0.1)
        self.assertAlmostEqual(figures["baboon", "", 3, "test RMSE"], 0.3)
        self.assertEqual(figures["youtube", "", 1, "test AUC"], 0.9)
        self.assertIn(("youtube", "", 3, "processor seconds"), figures)
        self.assertEqual(figures["baboon", "", 3, "operator applications"], 122)  # of the fit and of all trials
        for record in json.loads(self.table.read_text())["records"]:
            for field in ("commit", "machine", "date", "seconds", "command"):
                self.assertIn(field, record)

    def test_the_page_shows_them(self):
        self.score("--seeds", "1,2", "baboon")
        done = run(PAGE, "--results", self.folder, "--output", self.folder / "page.md")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "page.md").read_text()
        self.assertIn("## Default settings", page)
        self.assertIn("| baboon |  | 0.15 ± 0.071 (2) |", page)

    def test_a_later_run_replaces_its_own_record_only(self):
        self.score("--seeds", "1,2", "baboon")
        self.score("--seeds", "2", "baboon")
        self.score("--seeds", "2", "--flags=--effort low", "baboon")
        self.assertEqual(len(self.figures()), 9)
        self.assertEqual(len(json.loads(self.table.read_text())["records"]), 9)

    def test_a_failed_fit_is_said_and_not_recorded(self):
        done = self.score("hangzhou", "baboon")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such luck", done.stdout)
        self.assertEqual({key[0] for key in self.figures()}, {"baboon"})

    def test_splits_that_are_not_there_are_skipped_and_unknown_ones_refused(self):
        self.assertIn("msi                  skipped", self.score("msi").stdout)
        self.assertFalse(self.table.exists())
        self.assertEqual(self.score("mandrill").returncode, 2)

    def test_a_dry_run_writes_nothing(self):
        self.assertIn("test RMSE", self.score("--dry-run", "baboon").stdout)
        self.assertFalse(self.table.exists())


if __name__ == "__main__":
    unittest.main()
