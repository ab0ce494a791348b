# SPDX-License-Identifier: MIT
"""Intervals: fitted with --intervals, asked for in predict and evaluate."""
import random
import unittest

from support import CliTest, read_tns, sample, tns, truth

SHAPE = (25, 20, 12)


class Intervals(CliTest):
    def setUp(self):
        super().setUp()
        noise = random.Random(5)
        train, test = sample(0.5, shape=SHAPE)
        self.train, self.test = train, test
        self.write("train.tns", tns(train, value=lambda *cell: truth(*cell) + noise.gauss(0, 0.2)))
        self.write("test.tns", tns(test, value=lambda *cell: truth(*cell) + noise.gauss(0, 0.2)))
        self.fit = ("fit", "train.tns", "-o", "m.lac", "--rank", "2", "--lambda", "0.3")

    def test_they_hold(self):
        self.ok(*self.fit, "--intervals")
        for level in (0.5, 0.9):
            found = self.ok_json("evaluate", "m.lac", "test.tns", "--interval", str(level))
            self.assertAlmostEqual(found["coverage"], level, delta=0.06)  # 300 entries were held out
            self.assertGreater(found["width"], 0.0)

    def test_predict_writes_both_ends(self):
        self.ok(*self.fit, "--intervals")
        self.ok("predict", "m.lac", "test.tns", "-o", "out.tns", "--interval", "0.9")
        middle, low, high = (read_tns(self.path(name)) for name in ("out.tns", "out.low.tns", "out.high.tns"))
        self.assertEqual(middle.keys(), low.keys())
        for cell, value in middle.items():
            self.assertLess(low[cell], value)
            self.assertAlmostEqual(high[cell] - value, value - low[cell])

    def test_a_stream_has_the_ends_as_columns(self):
        self.ok(*self.fit, "--intervals")
        arguments = ("predict", "m.lac", "test.tns", "--interval", "0.9", "-o")
        self.ok(*arguments, "out.tns")
        low, high = (read_tns(self.path(name)) for name in ("out.low.tns", "out.high.tns"))
        lines = self.ok(*arguments, "-").splitlines()
        self.assertEqual(lines[0], "mode1,mode2,mode3,value,low,high")
        self.assertEqual(len(lines), 1 + len(low))
        for line in lines[1:]:
            *cell, value, least, most = line.split(",")
            cell = tuple(int(i) - 1 for i in cell)
            self.assertEqual((float(least), float(most)), (low[cell], high[cell]))
            self.assertLess(float(least), float(value))
        # A wide table comes back with a line for each cell, one with other columns keeps its delimiter.
        self.write("wide.csv", "mode1,mode2,1,2\n3,4,,\n5,6,,\n")
        wide = self.ok("predict", "m.lac", "wide.csv", "--wide=mode3", "--interval", "0.5", "-o", "-")
        self.assertEqual([line.split(",")[:3] for line in wide.splitlines()],
                         [["mode1", "mode2", "mode3"], ["3", "4", "1"], ["3", "4", "2"], ["5", "6", "1"], ["5", "6", "2"]])
        self.write("list.tsv", "mode2\tmode1\tmode3\n4\t3\t1\n4\t3\t1\n")
        lines = self.ok("predict", "m.lac", "list.tsv", "--interval", "0.5", "-o", "-").splitlines()
        self.assertEqual(lines[0], "mode2\tmode1\tmode3\tvalue\tlow\thigh")
        self.assertEqual(lines[1], lines[2])

    def test_levels_that_cannot_be_told_are_refused_by_all(self):
        self.ok(*self.fit, "--intervals")
        asked = (("predict", "m.lac", "test.tns", "-o", "out.tns"), ("evaluate", "m.lac", "test.tns"),
                 ("top", "m.lac", "mode1=1"), ("explain", "m.lac", "1,1,1"))  # fmt: skip
        for verb in asked:
            with self.subTest(verb[0]):
                self.assertIn("--interval: found '1', expected a probability", self.fails(2, *verb, "--interval", "1"))
                message = self.fails(2, *verb, "--interval", "0.99999")
                self.assertIn("--interval: 0.99999 asks for more than the ", message)
                self.ok(*verb, "--interval", "0.5")

    def test_without_calibration_they_are_refused(self):
        self.ok(*self.fit)
        for verb in (("predict", "m.lac", "test.tns", "-o", "out.tns"), ("evaluate", "m.lac", "test.tns")):
            self.assertIn("--intervals", self.fails(2, *verb, "--interval", "0.9"))
        self.assert_only("train.tns", "test.tns", "m.lac")


if __name__ == "__main__":
    unittest.main()
