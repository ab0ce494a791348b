# SPDX-License-Identifier: MIT
"""--side and --graph: users without ratings are predicted from what is known of them; bad files are refused."""
import math
import os
import random
import re
import subprocess
import unittest
from pathlib import Path

from support import LACUNA, TIMEOUT, CliTest, rmse

FIT = ("--threads", "1")
MOVIELENS = Path(os.environ.get("LACUNA_DATA", "no-data")) / "movielens-100k"
DOCS = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


class Ratings(CliTest):
    """Users of two ages and three towns, whose taste follows both. Those from u80 on have no ratings."""

    preset = ()
    users = 100
    cold = 80
    items = 40

    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        self.age = [draw.choice((20, 60)) + draw.randrange(5) for _ in range(self.users)]
        self.town = [draw.choice(("north", "south", "west")) for _ in range(self.users)]
        taste = {"north": 1.5, "south": -1.5, "west": 0.0}
        one = [draw.gauss(0, 1) for _ in range(self.items)]
        two = [draw.gauss(0, 1) for _ in range(self.items)]

        def rating(u, i):
            known = (1.5 if self.age[u] < 40 else -1.5) * one[i] + taste[self.town[u]] * two[i]
            return 3 + known + draw.gauss(0, 0.2)

        train, self.test = [], []
        for u in range(self.users):
            for i in range(self.items):
                if u >= self.cold:
                    self.test.append((u, i, rating(u, i)))
                elif draw.random() < 0.4:
                    train.append((u, i, rating(u, i)))
        self.write("ratings.csv", self.table(train))
        self.write("cold.csv", self.table(self.test))
        rows = [f"u{u},{self.age[u]},{self.town[u]}" for u in range(self.users)]
        self.write("users.csv", "user,age,town\n" + "\n".join(rows) + "\n")

    @staticmethod
    def table(rows):
        return "user,item,rating\n" + "".join(f"u{u},i{i},{value:.4f}\n" for u, i, value in rows)

    def test_users_without_ratings_are_predicted_from_their_features(self):
        for method in ("als", "tr-mm"):
            more = ("--rank", "3", "--effort", "low") if method == "tr-mm" else ()
            plain = self.ok_json("fit", "ratings.csv", "-o", "plain.lac", "--test", "cold.csv", "--method", method, *more, *FIT)
            known = self.ok_json(
                "fit", "ratings.csv", "-o", "known.lac", "--test", "cold.csv", "--method", method,
                "--side", "user=users.csv", *more, *FIT,
            )
            self.assertEqual(known["shape"], [self.users, self.items])
            self.assertLess(known["test_rmse"], 0.5 * plain["test_rmse"], method)
            self.assertIn("side=", known["parts"][0])
            measured = self.ok_json("evaluate", "known.lac", "cold.csv")
            self.assertAlmostEqual(measured["rmse"], known["test_rmse"], places=9)

    def test_a_graph_stands_for_features(self):
        """Users of one town and age know each other."""
        edges = []
        alike = [(age < 40, town) for age, town in zip(self.age, self.town)]
        draw = random.Random(6)
        for u in range(self.users):
            others = [v for v in range(self.users) if v != u and alike[v] == alike[u]]
            edges += [f"u{u},u{v},{draw.choice((1, 2))}" for v in draw.sample(others, min(4, len(others)))]
        self.write("friends.csv", "\n".join(edges) + "\n")
        # Labels without ratings have to be known from elsewhere.
        told = self.fails(3, "fit", "ratings.csv", "-o", "m.lac", "--graph", "user=friends.csv")
        self.assertRegex(told, r"friends.csv:\d+:\d+: found 'u\d+', expected a label of mode user")
        self.write("names.csv", "user,age\n" + "".join(f"u{u},{u % 2}\n" for u in range(self.users)))
        plain = self.ok_json("fit", "ratings.csv", "-o", "m.lac", "--test", "cold.csv", "--method", "als", *FIT)
        known = self.ok_json(
            "fit", "ratings.csv", "-o", "m.lac", "--test", "cold.csv", "--method", "als",
            "--side", "user=names.csv", "--graph", "user=friends.csv", *FIT,
        )
        self.assertLess(known["test_rmse"], 0.6 * plain["test_rmse"])
        # Their names will do.
        self.write("labels.csv", "user\n" + "".join(f"u{u}\n" for u in range(self.users)))
        told = self.fails(3, "fit", "ratings.csv", "-o", "x.lac", "--side", "user=labels.csv")
        self.assertIn("labels.csv: found 1 column", told)
        named = self.ok_json(
            "fit", "ratings.csv", "-o", "m.lac", "--test", "cold.csv", "--method", "als",
            "--side", "user=labels.csv", "--graph", "user=friends.csv", *FIT,
        )
        self.assertEqual(named["shape"], [self.users, self.items])
        self.assertLess(named["test_rmse"], 0.6 * plain["test_rmse"])
        # So will lines without a value.
        lines = self.path("ratings.csv").read_text()
        self.write("empty.csv", lines + "".join(f"u{u},i0,\n" for u in range(self.cold, self.users)))
        empty = self.ok_json(
            "fit", "empty.csv", "-o", "m.lac", "--test", "cold.csv", "--method", "als",
            "--graph", "user=friends.csv", *FIT,
        )
        self.assertLess(empty["test_rmse"], 0.6 * plain["test_rmse"])

    def test_certificate_info_and_report_know_it(self):
        parts = "user|item side=0.5 ; item|user"
        self.ok("fit", "ratings.csv", "-o", "m.lac", "--method", "tr-mm", "--parts", parts, "--rank", "3",
                "--lambda", "1", "--offsets", "mean", "--side", "user=users.csv", *FIT)
        told = self.ok("certify", "m.lac", "ratings.csv")
        self.assertIn("user|item side=0.5", told)
        known = self.ok_json("info", "m.lac")
        self.assertEqual(known["side"], {"user": 15})
        self.ok("report", "m.lac", "-o", "page.html")
        self.assertIn("town=north", self.path("page.html").read_text())

    def test_complete_fills_the_cells_of_new_users(self):
        self.ok("complete", "ratings.csv", "-o", "whole.csv", "--method", "als", "--side", "user=users.csv", *FIT)
        rows = [line.split(",") for line in self.path("whole.csv").read_text().splitlines()[1:]]
        self.assertEqual(len(rows), self.users * self.items)
        filled = {(u, i): float(value) for u, i, value in rows}
        self.assertLess(rmse([(filled[f"u{u}", f"i{i}"], value) for u, i, value in self.test]), 1.0)

    def test_what_is_known_may_not_help(self):
        draw = random.Random(7)
        self.write("dice.csv", "user,dice\n" + "".join(f"u{u},{draw.random()}\n" for u in range(self.cold)))
        done = self.run_lacuna("fit", "ratings.csv", "-o", "m.lac", "--method", "als", "--side", "user=dice.csv", *FIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"what is known of user (does not help|helps)")

    def test_tune_takes_it(self):
        self.ok("tune", "ratings.csv", "-o", "m.lac", "--method", "tr-mm", "--side", "user=users.csv", "--parts-grid",
                "user|item side=0.5", "--lambda-grid", "1", "--rank-grid", "2", "--offsets", "mean", "--folds", "2",
                "--refine", "0", "--max-iterations", "5", *FIT)
        self.assertEqual(self.ok_json("info", "m.lac")["side"], {"user": 15})

    def refused(self, code, words, *arguments):
        told = self.fails(code, "fit", "ratings.csv", "-o", "m.lac", *arguments)
        self.assertIn(words, told)
        self.assertFalse(self.path("m.lac").exists())

    def test_bad_flags_and_files_are_refused(self):
        self.refused(2, "found 'seat', expected a mode: user, item", "--side", "seat=users.csv")
        self.refused(2, "expected MODE=FILE such as user=features.csv", "--side", "users.csv")
        self.refused(2, "mode user has two files", "--side", "user=users.csv", "--side", "user=users.csv")
        self.refused(3, "nothing.csv", "--side", "user=nothing.csv")
        self.write("bad.csv", "user,age\nu0,1\nu1,inf\n")
        self.refused(3, "bad.csv:3:4: found 'inf', expected a finite number", "--side", "user=bad.csv")
        self.write("twice.csv", "user,age\nu0,1\nu1,2\nu0,3\n")
        self.refused(3, "twice.csv:4: found 'u0' a second time (first at twice.csv:2)", "--side", "user=twice.csv")
        self.write("strangers.csv", "user,age\nx0,1\nx1,2\n")
        self.refused(3, "strangers.csv:2: found no line about any of the", "--side",
                     "user=strangers.csv")
        self.write("edges.csv", "u0,u1,1\nu1,u2,-1\n")
        self.refused(3, "edges.csv:2:7: found '-1', expected the weight of an edge: a number >= 0", "--graph",
                     "user=edges.csv")
        self.refused(2, "nothing is known of mode user", "--parts", "user|item side=0.5")
        self.refused(2, "is also what is read as --side", "--side", "user=users.csv", "--report", "users.csv")

    def test_the_documentation_is_true(self):
        """The commands of the section on cold start run as they stand there."""
        section = DOCS.read_text().split("### Cold start")[1].split("\n### ")[0]
        script = re.search(r"```sh\n(.*?)```", section, re.S).group(1)
        self.write("items.csv", "item,length\n" + "".join(f"i{i},{i % 7}\n" for i in range(self.items)))
        self.write("friends.csv", "u0,u1,1\nu1,u2,2\n")
        self.write("cells.csv", "user,item\nu90,i3\n")
        shell = f'lacuna() {{ "{LACUNA}" "$@"; }}\nset -e\n' + script
        done = subprocess.run(["bash", "-c", shell], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(self.path("answers.csv").read_text().startswith("user,item"))


class OpenLengths(CliTest):
    """~auto leaves a length to the search."""

    preset = ()

    def setUp(self):
        super().setUp()
        draw = random.Random(8)
        lines = []
        for i in range(40):
            for j in range(40):
                if draw.random() < 0.3:
                    lines.append(f"{i + 1} {j + 1} {math.sin(i / 6) * math.cos(j / 5) + 0.05 * draw.gauss(0, 1):.4f}")
        lines.append("40 40 0.5")
        self.write("field.tns", "\n".join(dict.fromkeys(lines)) + "\n")

    def test_the_search_finds_a_length_and_a_fit_once_takes_the_default(self):
        fit = ("fit", "field.tns", "-o", "m.lac", "--method", "tr-mm", "--offsets", "mean", "--rank", "1")
        found = self.ok_json(*fit, "--parts", "|1~auto,2~auto smooth=auto", *FIT, "--duplicates", "mean")
        self.assertNotIn("auto", found["parts"][0])
        lengths = [float(x) for x in re.findall(r"~([0-9.e+-]+)", found["parts"][0])]
        self.assertEqual(len(lengths), 2)
        given = self.ok_json(*fit, "--parts", "|1~0.5,2~0.5", "--lambda", "10", *FIT, "--duplicates", "mean")
        self.assertLess(found["held_out_rmse"], 0.2)
        self.assertIsNone(given["held_out_rmse"])


@unittest.skipUnless((MOVIELENS / "u.data").exists(), "no $LACUNA_DATA/movielens-100k")
class MovieLens(CliTest):
    """A tenth of the users lose all ratings, in three draws: one draw's users decide more than any model."""

    preset = ()

    def draw(self, seed, rows):
        users = sorted({row[0] for row in rows}, key=int)
        cold = set(random.Random(seed).sample(users, len(users) // 10))
        parts = {"train.csv": [row for row in rows if row[0] not in cold], "cold.csv": [row for row in rows if row[0] in cold]}
        for name, listed in parts.items():
            self.write(name, "user,item,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r, _ in listed))
        of_item, mean = {}, sum(float(row[2]) for row in parts["train.csv"]) / len(parts["train.csv"])
        for row in parts["train.csv"]:
            of_item.setdefault(row[1], []).append(float(row[2]))
        return rmse(
            [(sum(of_item[i]) / len(of_item[i]) if i in of_item else mean, float(r)) for _, i, r, _ in parts["cold.csv"]]
        )

    def test_cold_users_are_no_worse_than_the_mean_of_the_item(self):
        rows = [line.split() for line in (MOVIELENS / "u.data").read_text().splitlines()]
        item_mean, known, plain = [], [], []
        for seed in (1, 2, 3):
            item_mean.append(self.draw(seed, rows))
            fit = ("fit", "train.csv", "-o", "m.lac", "--test", "cold.csv", "--method", "als")
            sides = ("--side", f"user={MOVIELENS / 'u.user'}", "--side", f"item={MOVIELENS / 'u.item'}")
            known.append(self.ok_json(*fit, *sides)["test_rmse"])
            plain.append(self.ok_json(*fit)["test_rmse"])
        # Means: 1.0245 with features, 1.0313 by the item's mean, 1.0426 without features.
        self.assertLess(sum(known), 1.005 * sum(item_mean))
        self.assertLess(sum(known), sum(plain))


if __name__ == "__main__":
    unittest.main()
