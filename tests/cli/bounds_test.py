# SPDX-License-Identifier: MIT
"""Predictions of ratings, counts and shares stay where such values are, unless told otherwise; --round."""
import json
import math
import random
import re
import unittest

from support import CliTest, read_tns

SHAPE = (14, 12, 8)
FIT = ("--method", "tr-mm", "--parts", "full", "--offsets", "none", "--rank", "3", "--lambda", "10", "--max-iterations", "8", "--early-stop", "0", "--quiet")


class Bounds(CliTest):
    preset = ()

    def data(self, value):
        """Part of the cells in train.tns, the others in rest.tns."""
        noise = random.Random(2)
        train, rest = [], []
        for i in range(SHAPE[0]):
            for j in range(SHAPE[1]):
                for k in range(SHAPE[2]):
                    line = f"{i + 1} {j + 1} {k + 1} {value(i, j, k, noise)}\n"
                    (train if noise.random() < 0.5 else rest).append(line)
        self.write("train.tns", "".join(train))
        self.write("rest.tns", "".join(rest))
        self.observed = [float(line.split()[3]) for line in train]

    def predictions(self, *flags):
        self.ok("predict", "m.lac", "rest.tns", "-o", "out.tns", "--quiet", *flags)
        return list(read_tns(self.path("out.tns")).values())

    def fitted(self, value, *flags):
        self.data(value)
        self.ok("fit", "train.tns", "-o", "m.lac", *FIT, *flags)

    @staticmethod
    def count(i, j, k, noise):
        return max(0, round(40 * math.sin(i) * math.cos(j) + 10 * math.sin(k) + noise.gauss(0, 8)))

    @staticmethod
    def rating(i, j, _, noise):
        return min(5, max(1, round(3 + 2.5 * math.sin(i) * math.cos(j) + noise.gauss(0, 0.7))))

    def test_counts_are_not_negative(self):
        self.fitted(self.count)
        kept, free = self.predictions(), self.predictions("--clip", "none")
        self.assertLess(min(free), -1.0)  # or there is nothing to see
        self.assertEqual(kept, [min(max(v, 0.0), 2 * max(self.observed)) for v in free])
        self.assertLessEqual(self.ok_json("evaluate", "m.lac", "rest.tns")["rmse"],
                             self.ok_json("evaluate", "m.lac", "rest.tns", "--clip", "none")["rmse"])

    def test_ratings_stay_within_those_observed(self):
        self.fitted(self.rating)
        self.assertGreater(max(self.predictions("--clip", "none")), 5.0)
        self.assertEqual((min(self.predictions()), max(self.predictions())), (1.0, 5.0))

    def test_shares_stay_between_0_and_1(self):
        self.fitted(lambda i, j, k, noise: min(1, max(0, 0.5 + 0.6 * math.sin(i) * math.cos(j) + noise.gauss(0, 0.1))))
        free = self.predictions("--clip", "none")
        self.assertTrue(min(free) < 0.0 and max(free) > 1.0)
        self.assertTrue(all(0.0 <= v <= 1.0 for v in self.predictions()))

    def test_facts_and_other_numbers_are_left_alone(self):
        self.fitted(lambda i, j, k, noise: int((i + j) % 3 == 0))
        self.assertEqual(self.predictions(), self.predictions("--clip", "none"))
        self.fitted(lambda i, j, k, noise: 0.3 * self.count(i, j, k, noise))
        self.assertEqual(self.predictions(), self.predictions("--clip", "none"))

    def test_what_the_fit_was_told_goes_on(self):
        self.fitted(self.count, "--clip", "none")
        self.assertLess(min(self.predictions()), -1.0)
        self.fitted(self.count, "--clip", "5,20")
        self.assertEqual((min(self.predictions()), max(self.predictions())), (5.0, 20.0))

    def test_none_told_to_complete_and_tune_goes_on(self):
        self.data(self.count)
        self.ok("complete", "train.tns", "-o", "out.tns", *FIT, "--model", "m.lac", "--clip", "none")
        self.assertEqual(self.ok_json("info", "m.lac")["settings"]["clip"], "none")
        self.assertLess(min(self.predictions()), -1.0)
        self.ok("tune", "train.tns", "-o", "m.lac", *FIT[:8], "--max-iterations", "8", "--quiet", "--lambda-grid", "10", "--refine", "0",
                "--folds", "2", "--clip", "none")
        self.assertLess(min(self.predictions()), -1.0)
        self.assertGreaterEqual(min(self.predictions("--clip", "auto")), min(self.observed))

    def page_scores(self):
        page = self.path("page.html").read_text(encoding="utf-8")
        return json.loads(re.search(r'getElementById\("page"\), (\{.*\})\);\n', page).group(1))["scores"]

    def test_reports_are_about_the_values_that_are_predicted(self):
        self.fitted(self.count, "--report", "page.html")
        errors = [self.ok_json("evaluate", "m.lac", "train.tns", *flags)["rmse"] for flags in ((), ("--clip", "none"))]
        self.assertLess(*errors)  # or there is nothing to see
        self.assertEqual(self.page_scores()["training RMSE"], f"{errors[0]:.6g}")
        self.ok("report", "m.lac", "-o", "page.html", "--train", "train.tns")
        self.assertEqual(self.page_scores()["training RMSE"], f"{errors[0]:.6g}")

    def test_round(self):
        self.fitted(self.count)
        self.assertEqual(self.predictions("--round"), [float(math.floor(v + 0.5)) for v in self.predictions()])
        self.fitted(lambda *at: self.rating(*at) / 2)
        self.assertTrue(all((2 * v).is_integer() and 0.5 <= v <= 2.5 for v in self.predictions("--round")))
        self.fitted(lambda i, j, k, noise: 0.3 * self.count(i, j, k, noise))
        self.assertIn("--round", self.fails(2, "predict", "m.lac", "rest.tns", "-o", "no.tns", "--round"))

    def test_complete(self):
        self.data(self.count)
        self.ok("complete", "train.tns", "-o", "out.tns", *FIT, "--round")
        values = list(read_tns(self.path("out.tns")).values())
        self.assertTrue(min(values) == 0.0 and all(v.is_integer() for v in values))
        self.ok("complete", "train.tns", "-o", "free.tns", *FIT, "--round", "--clip", "none")
        self.assertNotIn(" -0\n", self.path("free.tns").read_text())
        self.ok("complete", "train.tns", "-o", "free.tns", *FIT, "--clip", "none")
        self.assertLess(min(read_tns(self.path("free.tns")).values()), -1.0)
        self.data(lambda i, j, k, noise: 0.3 * self.count(i, j, k, noise))
        self.assertIn("--round", self.fails(2, "complete", "train.tns", "-o", "no.tns", *FIT, "--round"))


if __name__ == "__main__":
    unittest.main()
