# SPDX-License-Identifier: MIT
"""methods: the table; and every verb with the methods that are nothing but offsets."""
import unittest

from support import CliTest, SampleTest


class Table(CliTest):
    def test_lists_what_fit_takes(self):
        table = self.ok_json("methods")["methods"]
        names = [row["name"] for row in table]
        self.assertIn("tr-mm", names)
        self.assertEqual(len(set(names)), len(names))
        text = self.ok("methods")
        for row in table:
            self.assertIn(row["what"], text)
            self.assertIn(row["size"], ("sparse", "dense"))
        self.assertIn(names[0], self.fails(2, "fit", "x.tns", "-o", "m.lac", "--method", "nonsense"))


class Offsets(SampleTest):
    def test_fit_evaluate_predict_info(self):
        errors = {}
        for method in ("mean", "offsets"):
            with self.subTest(method):
                report = self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", method, "--test", "test.tns")
                self.assertEqual(report["method"], method)
                self.assertEqual(report["rank"], [])
                self.assertIs(report["converged"], True)
                errors[method] = self.ok_json("evaluate", "m.lac", "test.tns")["rmse"]
                self.assertAlmostEqual(errors[method], report["test_rmse"])
                self.ok("predict", "m.lac", "test.tns", "-o", "out.tns")
                info = self.ok_json("info", "m.lac")
                self.assertEqual(info["kind"], "offsets")
                self.assertEqual(info["observed"], report["observed"])
                self.assertIn("nothing but the offsets", self.ok("info", "m.lac"))
        self.assertLess(errors["offsets"], errors["mean"])

    def test_offsets_obey_the_flag(self):
        report = self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", "offsets", "--offsets", "1,2*3")
        self.assertEqual(report["offsets"], "mode1,mode2*mode3")

    def test_complete_with_the_mean(self):
        report = self.ok_json("complete", "train.tns", "-o", "out.tns", "--method", "mean")
        self.assertGreater(report["filled"], 0)

    def test_settings_of_other_methods_are_refused(self):
        self.assertIn("--rank", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "mean", "--rank", "3"))
        self.assertIn(
            "--parts", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "mean", "--parts", "pairs")
        )


if __name__ == "__main__":
    unittest.main()
