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

    def test_without_calibration_they_are_refused(self):
        self.ok(*self.fit)
        for verb in (("predict", "m.lac", "test.tns", "-o", "out.tns"), ("evaluate", "m.lac", "test.tns")):
            self.assertIn("--intervals", self.fails(2, *verb, "--interval", "0.9"))
        self.assert_only("train.tns", "test.tns", "m.lac")


if __name__ == "__main__":
    unittest.main()
