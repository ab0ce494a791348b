# SPDX-License-Identifier: MIT
"""bench/paper on data made here: readers, splits, tables, the page, and that nothing is run twice.

Needs numpy, scipy and PIL, and skips without them. The binary's path is in the environment variable LACUNA.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LACUNA = os.environ.get("LACUNA", "lacuna")
sys.path.insert(0, str(ROOT / "bench"))

try:
    import numpy as np
    import scipy.io
    from PIL import Image

    from paper_lib import data, page, published, runs, settings, splits
    from paper_lib.experiments import Figure, Table, column
except ImportError as error:
    print(f"skipped: {error}; scripts/install-deps installs it")
    sys.exit(77)  # ctest knows it as skipped


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lacuna-paper-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def picture(rows, columns, bands):
    i, j, k = np.meshgrid(np.arange(rows), np.arange(columns), np.arange(bands), indexing="ij")
    return 0.5 + 0.3 * np.sin(i / 5) * np.cos(j / 4) + 0.1 * np.cos(k)


class Readers(FolderTest):
    def find(self, name):
        return data.find(name, self.folder)

    def test_ribeira_is_made_smaller_and_keeps_its_range(self):
        scipy.io.savemat(self.path("ribeira/scene.mat"), {"reflectances": picture(406, 536, 4)})
        found = self.find("ribeira")
        self.assertEqual((found.title, found.known.shape), ("Ribeira", (203, 268, 4)))
        self.assertLess(np.abs(found.known.array - picture(406, 536, 4)[::2, ::2]).max(), 0.2)

    def test_ribeira_of_the_right_size_is_left_alone(self):
        scipy.io.savemat(self.path("ribeira/small.mat"), {"a": 2 * picture(203, 268, 3)})
        np.testing.assert_array_equal(self.find("ribeira").known.array, 2 * picture(203, 268, 3))

    def test_stand_ins_say_so_and_give_way(self):
        scipy.io.savemat(self.path("msi-cave/testMSI_2.mat"), {"Omsi": (1000 * picture(9, 8, 4)).astype(np.uint16)})
        self.assertEqual(self.find("ribeira").title, "msi-cave for Ribeira")
        self.assertEqual(self.find("ribeira").known.array.max(), 1.0)
        scipy.io.savemat(self.path("ribeira/a.mat"), {"a": picture(203, 268, 3)})
        self.assertEqual(self.find("ribeira").title, "Ribeira")

    def test_videos_grey_or_in_colour(self):
        grey = (255 * picture(6, 5, 7)).astype(np.uint8)
        np.save(self.path("tomato/tomato.npy"), grey)
        np.testing.assert_allclose(self.find("tomato").known.array, grey / 255)
        self.path("tomato/tomato.npy").unlink()
        scipy.io.savemat(self.path("tomato/tomato.mat"), {"video": np.repeat(grey[:, :, None], 3, axis=2)})
        np.testing.assert_allclose(self.find("tomato").known.array, grey / 255)

    def test_movielens_lines_in_weeks(self):
        week = 7 * 86400
        self.path("movielens-10m/ratings.dat").write_text(
            f"1::122::5::{838985046}\n1::185::3.5::{838985046 + week}\n9::122::0.5::{838985046 + 3 * week - 1}\n")
        known = self.find("movielens").known
        self.assertEqual(known.subs.tolist(), [[0, 0, 0], [0, 1, 1], [1, 0, 2]])
        self.assertEqual((known.vals.tolist(), known.shape), ([5.0, 3.5, 0.5], (2, 2, 3)))

    def test_movielens_lines_that_are_none(self):
        self.path("movielens-10m/ratings.dat").write_text("1::122::5\n")
        with self.assertRaisesRegex(data.DataError, "ratings.dat.*expected"):
            self.find("movielens").known

    def test_youtube_layers_are_symmetric_and_the_rest_is_0(self):
        for layer in range(1, 6):
            self.path(f"youtube-full/{layer}-edges.csv").write_text(f"1,2,3\n{layer},30,1\n{layer},40,1\n")
        full, subset = self.find("youtube-full").known, self.find("youtube-subset").known
        self.assertEqual(full.shape, (40, 40, 5))
        self.assertEqual(subset.shape, (40, 40, 5))  # all users: there are fewer than 1509
        self.assertEqual(len(full.links), 5 * 2 * 3)
        subs, vals, test_subs, _ = subset.deal(0)
        self.assertEqual((len(subs), len(test_subs)), (400, 400))
        self.assertEqual(len({tuple(s) for s in np.r_[subs, test_subs]}), 800)
        links = {tuple(np.unravel_index(link, full.shape)) for link in full.links}
        self.assertEqual([tuple(s) in links for s in subs], [v == 1 for v in vals])

    def test_youtube_as_one_list(self):
        scipy.io.savemat(self.path("youtube-full/links.mat"), {"subs": np.array([[1, 2, 1], [2, 3, 2]])})
        self.assertEqual(self.find("youtube-full").known.shape, (3, 3, 2))

    def test_facts_and_their_negatives(self):
        write_facts(self.folder)
        known = self.find("kinship").known
        facts = int(known.vals.sum())
        self.assertEqual(len(known.vals) - facts, round(facts * 516606 / 310116))
        self.assertEqual(len({tuple(s) for s in known.subs}), len(known.vals))


class Splits(unittest.TestCase):
    class Found:
        def __init__(self, known, metric):
            self.known, self.data = known, data.DataSet("x", "X", metric, ())

    def test_share_changes_the_training_part_only(self):
        subs = np.array(np.unravel_index(np.arange(100), (10, 10))).T
        entries = self.Found(data.Entries(subs, np.arange(100.0)), "auc")
        whole, half = splits.Split(entries, 3).deal(), splits.Split(entries, 3, share=0.4).deal()
        self.assertEqual([len(p) for p in whole], [80, 80, 20, 20])
        self.assertEqual(half[1].tolist(), whole[1][:40].tolist())
        self.assertEqual(half[3].tolist(), whole[3].tolist())

    def test_outliers_are_as_many_as_asked(self):
        links = self.Found(data.Entries(np.arange(200)[:, None], np.ones(200)), "auc")
        self.assertEqual(splits.Split(links, outliers=0.05).deal()[1].sum(), 160 - 8)
        cells = self.Found(data.Cells(np.zeros((20, 20, 5))), "rmse")
        values = splits.Split(cells, outliers=0.1).deal()[1]
        self.assertEqual(np.count_nonzero(values), 20)
        self.assertAlmostEqual(np.std(values[values != 0]), 1, delta=0.5)


class Formatting(unittest.TestCase):
    def test_figures(self):
        done = [{"value": 0.12}, {"value": 0.14}]
        self.assertEqual(Figure(done).text, "0.1300 ± 0.0141")
        self.assertEqual(Figure(done[:1]).text, "0.1200")
        self.assertEqual(Figure([{"value": 0.12, "stop_reason": "time limit reached"}]).text, "0.1200*")
        self.assertEqual(Figure([{"refused": "too large"}]).text, "-")
        self.assertEqual(Figure([{"failed": "why"}]).text, "failed")
        self.assertEqual(Figure([None, None]).text, "...")

    def test_the_best_is_bold(self):
        figures = [Figure([{"value": v}]) for v in (0.3, 0.2)] + [Figure([None])]
        self.assertEqual(column(figures, "rmse"), ["0.3000", "**0.2000**", "..."])
        self.assertEqual(column(figures, "auc"), ["**0.3000**", "0.2000", "..."])

    def test_the_papers_numbers(self):
        self.assertEqual(published.mean_text("baboon", "tr-mm"), "0.121 ± 0.001")
        self.assertEqual(published.mean_text("ribeira", "bayescp"), "0.154 ± 0.001")
        self.assertEqual(published.mean_text("movielens", "hard"), "-")
        self.assertEqual(published.mean_text("kinship", "tr-mm"), "")
        self.assertEqual(published.robust_text("ribeira", 0.1, "geomcg"), "0.373")

    def test_tables(self):
        table = Table("T", ["method", "a|b"], [["TR-MM", "**0.1***"], ["<i>", "-"]])
        self.assertEqual(page.markdown_table(table).splitlines()[0], "| method | a\\|b |")
        self.assertIn("<td><b>0.1*</b></td>", page.table_html(table))
        self.assertIn("&lt;i&gt;", page.table_html(table))

    def test_methods_in_the_papers_order_and_variants(self):
        listed = [{"name": n, "settings": "--rank", "model": "latent"} for n in ("mean", "bayescp", "tr-mm")]
        self.assertEqual(list(settings.contenders(listed, "")), ["tr-mm", "bayescp", "mean"])
        robust = settings.contenders(listed, "--loss TEXT")["tr-mm-huber"]
        flags = settings.fit_flags("baboon", robust, settings.Budget(5), outliers=0.1)
        self.assertEqual((flags["--method"], flags["--loss"], flags["--rank"]), ("tr-mm", "huber", "4,4,3"))

    def test_what_a_variant_chooses_itself_is_neither_set_nor_tuned(self):
        listed = [{"name": "tr-mm", "settings": "--rank --lambda", "model": "latent"}]
        chooses = settings.contenders(listed, "--rank TEXT --lambda TEXT")["tr-mm-auto"]
        budget = settings.Budget(5, tune=True, tune_rank=True)
        flags = settings.fit_flags("youtube-subset", chooses, budget)
        self.assertEqual(flags, {"--method": "tr-mm", "--rank": "auto", "--lambda": "auto", "--max-time": "5"})
        self.assertEqual(settings.tune_flags("youtube-subset", chooses, budget), {})
        plain = settings.contenders(listed, "")["tr-mm"]
        self.assertEqual(settings.tune_flags("youtube-subset", plain, budget)["--folds"], "5")

    def test_histories_are_thinned_but_keep_their_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "h.csv")
            path.write_text("seconds,test_rmse\n" + "".join(f"{i},{i}\n" for i in range(1000)) + "1000,\n")
            history = runs.read_history(path, "test_rmse")
        self.assertEqual(len(history["test"]), runs.HISTORY_POINTS)
        self.assertEqual((history["seconds"][0], history["seconds"][-1]), (0, 999))


def write_facts(folder, people=20, relations=4, groups=8):
    (folder / "kinship").mkdir(exist_ok=True)
    rng = np.random.default_rng(5)
    group = rng.integers(groups, size=people)
    facts = [f"p{i}\tr{r}\tp{j}\n" for i in range(people) for j in range(people) for r in range(relations)
             if (group[i] + r) % groups == group[j]]
    for part, name in enumerate(("train", "valid", "test")):
        (folder / "kinship" / f"{name}.txt").write_text("".join(facts[part::3]))


class WholeRun(FolderTest):
    """The script as a user runs it, on a tiny picture and a tiny graph."""

    def setUp(self):
        super().setUp()
        if shutil.which(LACUNA) is None:
            self.skipTest(f"no binary at {LACUNA}")
        pixels = (255 * picture(24, 24, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(self.path("data/baboon/baboon.bmp"))
        write_facts(self.folder / "data")

    def run_paper(self, *arguments, code=0):
        command = [ROOT / "bench" / "paper", *arguments, "--data", self.folder / "data", "-o", self.folder / "out",
                   "--lacuna", LACUNA, "--threads", "1"]
        done = subprocess.run([sys.executable, "-B", *map(str, command)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def finished(self):
        return {p.name: p.stat().st_mtime_ns for p in (self.folder / "out" / "runs").glob("*.json")}

    def test_quick_run_page_and_resume(self):
        quick = ("--quick", "--methods", "rprecon,mean")
        first = self.run_paper(*quick)
        for number in ("Rprecon", "0.128 ± 0.001", "Kinship"):
            self.assertIn(number, first.stdout)
        html = (self.folder / "out" / "paper.html").read_text()
        self.assertIn("Rprecon", html)
        self.assertIn("plot-4-0", html)
        self.assertIsNone(re.search(r"""(src|href)\s*=\s*["']?\w+:""", html))
        with open(self.folder / "out" / "table-rmse.csv", newline="") as file:
            errors = {row["method"]: float(row["mean"]) for row in csv.DictReader(file)}
        self.assertEqual(list(errors), ["rprecon", "mean"])
        self.assertTrue(all(0 < error < 1 for error in errors.values()), errors)

        runs_before = self.finished()
        again = self.run_paper(*quick)
        self.assertEqual(again.stdout, first.stdout)
        self.assertEqual(self.finished(), runs_before)
        self.assertNotIn("seed0", again.stderr)

        lost = sorted(runs_before)[0]
        (self.folder / "out" / "runs" / lost).unlink()
        self.assertIn("...", self.run_paper(*quick, "--no-runs").stdout)
        self.assertEqual(self.run_paper(*quick).stderr.count("seed0"), 1)
        self.assertFalse((self.folder / "out" / "split").exists())

    def test_lambda_and_rank_by_cross_validation(self):
        self.run_paper("table-rmse", "--quick", "--methods", "tr-mm", "--tune", "--tune-rank", "--seeds", "2")
        folder = self.folder / "out" / "runs"
        answers = [json.loads(path.read_text()) for path in folder.glob("*.json")]
        self.assertEqual(sorted(answer["split"]["seed"] for answer in answers), [0, 1])
        for answer in answers:
            self.assertIn(f"{answer['lambda']:g}", settings.LAMBDA_GRID)
            self.assertIn(f"--rank {','.join(map(str, answer['rank']))}", answer["command"])
        self.assertEqual(len({answer["lambda"] for answer in answers}), 1)
        self.assertEqual(len(list(folder.glob("*.tuned"))), 1)
        self.assertEqual(len(list(folder.glob("*.tuning.jsonl"))), 1)

    def test_one_run_at_a_time(self):
        (self.folder / "out").mkdir()
        with runs.sole_owner(self.folder / "out"):
            done = self.run_paper("table-rmse", "--quick", "--methods", "mean", code=2)
        self.assertIn("another run is at work", done.stderr)

    def test_missing_sets_are_skipped_and_named(self):
        done = self.run_paper("table-rmse", "--sets", "baboon,tomato", "--seeds", "1", "--methods", "mean")
        self.assertIn("skipped Tomato: no tomato/*.npy", done.stderr)
        self.assertIn("no tomato/*.npy", (self.folder / "out" / "paper.html").read_text())

    def test_mistakes(self):
        self.assertIn("expected some of: table-rmse", self.run_paper("table-rnse", code=2).stderr)
        self.assertIn("expected some of: tr-mm", self.run_paper("--methods", "magic", code=2).stderr)
        self.assertIn("expected some of: baboon", self.run_paper("--sets", "magic", code=2).stderr)
        self.assertIn("found no data set", self.run_paper("--sets", "tomato", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
