# SPDX-License-Identifier: MIT
"""--parts, --offsets, --clip and --weight-column: what they do, and how they are refused."""
import csv
import math
import random
import unittest

from support import CliTest, rmse, sample, truth

FIT = ("--rank", "3", "--lambda", "100", "--threads", "1")


class StructureTest(CliTest):
    """A table of users, items and weeks."""

    def setUp(self):
        super().setUp()
        self.train, self.test = sample(0.6)
        self.write("train.csv", self.table(self.train))
        self.write("test.csv", self.table(self.test))

    @staticmethod
    def table(listed, value=truth, weight=None):
        rows = ["user,item,week,rating" + ("" if weight is None else ",times")]
        for i, j, k in listed:
            rows.append(f"u{i},i{j},w{k},{value(i, j, k)!r}" + ("" if weight is None else f",{weight(i, j, k)!r}"))
        return "\n".join(rows) + "\n"

    def fit(self, *arguments, train="train.csv"):
        return self.ok_json("fit", train, "-o", "m.lac", *FIT, *arguments)

    def predicted(self, *arguments, cells="test.csv"):
        self.ok("predict", "m.lac", cells, "-o", "out.csv", *arguments)
        with open(self.path("out.csv"), newline="") as file:
            return [float(row[3]) for row in list(csv.reader(file))[1:]]

    def refused(self, verb, *words, code=2):
        """Exit 2, and the last line on stderr, which is not long, has these words."""
        last = self.fails(code, *verb).splitlines()[-1]
        self.assertTrue(last.startswith("lacuna: "), last)
        self.assertLess(len(last), 250, "a message that nobody reads")
        for word in words:
            self.assertIn(word, last)


class Parts(StructureTest):
    def test_are_the_full_ones_unless_said(self):
        full = ["user|item,week", "item|user,week", "week|user,item"]
        self.assertEqual(self.fit()["parts"], full)
        self.assertEqual(self.fit("--parts", "full")["parts"], full)
        self.assertEqual(len(self.fit("--parts", "pairs")["parts"]), 6)

    def test_each_has_its_own_settings(self):
        report = self.fit("--parts", "user|item rank=2 ; week|user,item lambda=0.5 rows=0.5 fibers=0.25")
        self.assertEqual(report["parts"], ["user|item", "week|user,item rows=0.5 fibers=0.25"])
        self.assertEqual(report["rank"], [2, 3])
        # lambda_p = lambda n_k times the part's factor, for a part that all other modes agree in
        self.assertAlmostEqual(report["lambdas"][1], 100 * 6 * 0.5)
        self.assertEqual(len(report["mixture"]), 2)

    def test_pairs_see_where_fibers_have_one_entry(self):
        # user + item effects, and every user-item pair in one week only
        rng = random.Random(2)
        listed = [(i, j, rng.randrange(6)) for i in range(12) for j in range(10)]
        rng.shuffle(listed)
        value = lambda i, j, k: math.sin(i) * math.cos(j)  # noqa: E731
        self.write("train.csv", self.table(listed[:90], value))
        self.write("test.csv", self.table(listed[90:], value))
        errors = [self.fit("--test", "test.csv", "--parts", parts)["test_rmse"] for parts in ("full", "user|item ; item|user")]
        self.assertLess(errors[1], 0.5 * errors[0])

    def test_that_are_none_are_refused(self):
        for parts, *found in (
            ("user|itm", "'itm'", "user, item, week"), ("user", "'user'", "full, pairs"), ("fulll", "'fulll'"),
            ("user|user", "'user'", "twice"), ("user|item;user|item", "'user|item'", "twice"),
            ("user|item rank=0", "'rank=0'"), ("user|item colour=red", "'colour=red'"), ("4|user", "'4'"),
            (" ", "no part"),
        ):  # fmt: skip
            with self.subTest(parts):
                self.refused(("fit", "train.csv", "-o", "m.lac", "--parts", parts), "--parts", *found)
                self.assert_only("train.csv", "test.csv")
        self.refused(("complete", "train.csv", "-o", "c.csv", "--parts", "x"), "--parts", "'x'")


class Offsets(StructureTest):
    def test_find_what_is_common_to_a_position(self):
        value = lambda i, j, k: 10 + i + 0.5 * j * k  # noqa: E731
        self.write("train.csv", self.table(self.train, value))
        self.write("test.csv", self.table(self.test, value))
        report = self.fit("--offsets", "user,item*week", "--test", "test.csv")
        self.assertEqual(report["offsets"], "user,item*week")
        self.assertLess(report["test_rmse"], 0.3)
        # An item-week pair that was seen says what a new user will think.
        self.write("new.csv", "user,item,week\nnobody,i9,w5\nnobody,i0,w0\n")
        high, low = self.predicted(cells="new.csv")
        self.assertAlmostEqual(high - low, 0.5 * 9 * 5, delta=2)

    def test_keywords(self):
        self.assertEqual(self.fit()["offsets"], "none")
        self.assertEqual(self.fit()["offset"], 0)
        self.assertEqual(self.fit("--offsets", "mean")["offsets"], "mean")
        self.assertEqual(self.fit("--center", "mean")["offsets"], "mean")
        self.assertEqual(self.fit("--offsets", "modes")["offsets"], "user,item,week")

    def test_that_are_none_are_refused(self):
        for offsets, *found in (
            ("users", "'users'", "user, item, week"), ("user*item*week", "'user*item*week'"),
            ("user,user", "'user'", "twice"), ("user*user", "'user'", "twice"), ("user*", "'user*'"),
        ):  # fmt: skip
            with self.subTest(offsets):
                self.refused(("fit", "train.csv", "-o", "m.lac", "--offsets", offsets), "--offsets", *found)
                self.assert_only("train.csv", "test.csv")


class Clip(StructureTest):
    def test_of_the_fit_stays_with_the_model(self):
        free = self.fit("--test", "test.csv")
        plain = self.predicted()
        self.assertGreater(max(plain), 4)
        clipped = self.fit("--test", "test.csv", "--clip", "2.5,3.5")
        kept = self.predicted()
        self.assertEqual(kept, [min(3.5, max(2.5, value)) for value in plain])
        error = rmse(zip(kept, (truth(*cell) for cell in self.test)))
        self.assertAlmostEqual(clipped["test_rmse"], error, places=12)
        self.assertAlmostEqual(self.ok_json("evaluate", "m.lac", "test.csv")["rmse"], error, places=12)
        self.assertLess(free["test_rmse"], error)

    def test_of_predict_and_evaluate_win(self):
        self.fit("--clip", "2.5,3.5")
        low, high = min(truth(*cell) for cell in self.train), max(truth(*cell) for cell in self.train)
        self.assertEqual((min(self.predicted("--clip", "3,3.1")), max(self.predicted("--clip", "3,3.1"))), (3, 3.1))
        self.assertGreater(max(self.predicted("--clip", "none")), 4)
        self.assertLessEqual(max(self.predicted("--clip", "auto")), high)
        self.assertGreaterEqual(min(self.predicted("--clip", "auto")), low)
        errors = [self.ok_json("evaluate", "m.lac", "test.csv", *clip)["rmse"] for clip in ((), ("--clip", "none"))]
        self.assertLess(errors[1], errors[0])

    def test_auto_is_the_range_of_the_training_values(self):
        self.fit("--clip", "auto")
        values = [truth(*cell) for cell in self.train]
        self.assertEqual(self.ok_json("info", "m.lac")["clip"], [min(values), max(values)])

    def test_may_be_open_at_one_end(self):
        self.fit("--clip", "3,inf")
        self.assertEqual(min(self.predicted()), 3)
        self.assertEqual(self.ok_json("info", "m.lac")["clip"], [3, None])

    def test_that_is_none_is_refused(self):
        self.fit()
        for clip in ("1", "5,1", "2,2", "a,b", "1,", ",1", "1,2,3", "nan,1", "auto,1"):
            for verb in (
                ("fit", "train.csv", "-o", "n.lac"), ("predict", "m.lac", "test.csv", "-o", "o.csv"),
                ("evaluate", "m.lac", "test.csv"), ("complete", "train.csv", "-o", "o.csv"),
            ):  # fmt: skip
                with self.subTest((verb[0], clip)):
                    self.refused((*verb, f"--clip={clip}"), "--clip", f"'{clip}'")
        self.assert_only("train.csv", "test.csv", "m.lac")


class Info(StructureTest):
    def test_of_a_model_tells_its_structure(self):
        self.fit("--parts", "user|item,week ; item|user fibers=0.5", "--offsets", "user,item*week", "--clip", "1,5")
        info = self.ok_json("info", "m.lac")
        self.assertEqual([part["part"] for part in info["parts"]], ["user|item,week", "item|user fibers=0.5"])
        self.assertEqual((info["parts"][1]["mode"], info["parts"][1]["agree"]), (2, [1]))
        self.assertEqual((info["parts"][1]["row_power"], info["parts"][1]["fiber_power"]), (0, 0.5))
        self.assertEqual((info["offsets"], info["clip"]), ("user,item*week", [1, 5]))
        text = self.ok("info", "m.lac")
        for word in ("user|item,week ", "item|user fibers=0.5 ", "offsets user,item*week", "within 1 to 5"):
            self.assertIn(word, text)

    def test_of_a_plain_model(self):
        self.fit()
        info = self.ok_json("info", "m.lac")
        self.assertEqual((info["offsets"], info["clip"]), ("none", None))
        self.assertEqual(info["range"], [min(truth(*c) for c in self.train), max(truth(*c) for c in self.train)])
        self.assertNotIn("within", self.ok("info", "m.lac"))


class Weights(StructureTest):
    WEIGHT = ("--weight-column", "times")

    def model(self, *arguments, train="train.csv"):
        self.fit(*arguments, "--no-record", train=train)
        return self.path("m.lac").read_bytes()

    def test_of_one_change_nothing_and_of_zero_drop_the_line(self):
        self.fit()
        plain = self.predicted()
        self.write("ones.csv", self.table(self.train, weight=lambda i, j, k: 1))
        self.fit(*self.WEIGHT, train="ones.csv")
        self.assertEqual(self.predicted(), plain)
        # A line of weight 0 counts nothing, whatever it says.
        odd = lambda i, j, k: truth(i, j, k) + (1000 if i == 3 else 0)  # noqa: E731
        self.write("zeros.csv", self.table(self.train, odd, weight=lambda i, j, k: float(i != 3)))
        self.write("fewer.csv", self.table([cell for cell in self.train if cell[0] != 3]))
        report = self.fit(*self.WEIGHT, "--duplicates", "error", train="zeros.csv")
        self.assertEqual(report["observed"], sum(cell[0] != 3 for cell in self.train))
        known = self.table([cell for cell in self.test if cell[0] != 3])
        self.write("known.csv", known)
        with_zeros = self.predicted(cells="known.csv")
        self.fit("--parts", "full", train="fewer.csv")
        for a, b in zip(with_zeros, self.predicted(cells="known.csv")):
            self.assertAlmostEqual(a, b, delta=0.05)  # there is one user less, so lambda n is smaller

    def test_of_lines_that_repeat_a_cell_add_up(self):
        header, *rows = self.table(self.train, weight=lambda i, j, k: 1).splitlines()
        twice = [row for n, row in enumerate(rows) if n % 4 == 0]
        doubled = [row[:-1] + "2" if n % 4 == 0 else row for n, row in enumerate(rows)]
        self.write("listed.csv", "\n".join([header, *rows, *twice]) + "\n")
        self.write("doubled.csv", "\n".join([header, *doubled]) + "\n")
        self.assertEqual(
            self.model(*self.WEIGHT, "--duplicates", "mean", train="listed.csv"),
            self.model(*self.WEIGHT, train="doubled.csv"),
        )

    def test_may_be_left_out_of_test_files_and_cells(self):
        self.write("heavy.csv", self.table(self.train, weight=lambda i, j, k: 1 + i % 2))
        self.write("heavy_test.csv", self.table(self.test, weight=lambda i, j, k: 3))
        without = self.fit(*self.WEIGHT, "--test", "test.csv", train="heavy.csv")
        within = self.fit(*self.WEIGHT, "--test", "heavy_test.csv", train="heavy.csv")
        self.assertEqual(without["test_rmse"], within["test_rmse"])
        self.assertEqual(self.predicted(*self.WEIGHT), self.predicted(*self.WEIGHT, cells="heavy_test.csv"))
        self.assertEqual(
            self.ok_json("evaluate", "m.lac", "test.csv", *self.WEIGHT),
            self.ok_json("evaluate", "m.lac", "heavy_test.csv", *self.WEIGHT),
        )

    def test_that_are_none_are_refused(self):
        for weight in ("-1", "x", "", "nan", "inf"):
            with self.subTest(weight):
                self.write("bad.csv", f"user,item,rating,times\nann,tea,3,1\nbob,milk,4,{weight}\n")
                for verb in (("fit", "bad.csv", "-o", "b.lac"), ("info", "bad.csv")):
                    message = self.fails(3, *verb, *self.WEIGHT)
                    self.assertEqual(message, f"lacuna: bad.csv:3:12: found '{weight}', expected a weight: a number >= 0\n")
        self.refused(("fit", "train.csv", "-o", "m.lac", *self.WEIGHT), "train.csv", "'times'", "user, item, week, rating")
        self.write("a.tns", "1 1 2.0\n2 2 1.0\n")
        self.refused(("fit", "a.tns", "-o", "m.lac", *self.WEIGHT), "a.tns", "'times'", "table")

    def test_survive_split_and_convert(self):
        self.write("heavy.csv", self.table(self.train, lambda i, j, k: 10 * i + j + 0.5, weight=lambda i, j, k: 1 + i))
        self.ok("split", "heavy.csv", "--train", "a.csv", "--test", "b.csv", *self.WEIGHT)
        self.ok("convert", "heavy.csv", "c.tsv", *self.WEIGHT)
        parts = [self.path(name).read_text().splitlines() for name in ("a.csv", "b.csv")]
        whole = self.path("heavy.csv").read_text().splitlines()
        self.assertEqual([part[0] for part in parts], whole[:1] * 2)
        self.assertEqual(sorted(parts[0][1:] + parts[1][1:]), sorted(whole[1:]))
        self.assertEqual(self.path("c.tsv").read_text().replace("\t", ",").splitlines(), whole)
        message = self.fails(6, "convert", "heavy.csv", "c.npz", *self.WEIGHT)
        self.assertIn("weights", message)
        self.assertFalse(self.path("c.npz").exists())

    def test_do_not_hinder_completing(self):
        self.write("heavy.csv", self.table(self.train, weight=lambda i, j, k: 1 + i % 2))
        self.ok("complete", "heavy.csv", "-o", "whole.csv", *self.WEIGHT, *FIT)
        with open(self.path("whole.csv"), newline="") as file:
            header, *rows = list(csv.reader(file))
        self.assertEqual(header, ["user", "item", "week", "rating"])
        self.assertEqual(len(rows), 12 * 10 * 6)


if __name__ == "__main__":
    unittest.main()
