# SPDX-License-Identifier: MIT
"""ffw and bayescp as a user meets them: fit, evaluate, predict, info, complete, and what they refuse."""
import json
import unittest

from support import SampleTest


class FfwTest(SampleTest):
    def test_fit_evaluate_predict_info(self):
        report = self.ok_json(
            "fit", "train.tns", "-o", "m.lac", "--method", "ffw", "--lambda", "3", "--test", "test.tns"
        )
        self.assertEqual(len(report["rank"]), 3)
        self.assertEqual(report["lambda"], 3)
        self.assertGreaterEqual(report["gap"], 0)
        self.assertLessEqual(report["gap"], 1)
        self.assertAlmostEqual(sum(report["mixture"]), 1)
        self.assertAlmostEqual(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], report["test_rmse"])
        self.ok("predict", "m.lac", "test.tns", "-o", "out.tns")
        info = self.ok_json("info", "m.lac")
        self.assertEqual((info["kind"], info["rank"]), ("latent", report["rank"]))
        self.assertGreater(info["settings"]["tau"], 0)

    def test_complete_takes_the_default_lambda(self):
        report = self.ok_json("complete", "train.tns", "-o", "out.tns", "--method", "ffw", "--max-iterations", "5")
        self.assertGreater(report["filled"], 0)

    def test_an_open_lambda_is_looked_for(self):
        done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--method", "ffw", "--lambda", "auto", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for lambdas in ("lambda 3.33", "lambda 30"):
            self.assertIn(lambdas, done.stderr)
        self.assertGreater(json.loads(done.stdout)["lambda"], 0.0)

    def test_tune_finds_a_lambda(self):
        report = self.ok_json(
            "tune", "train.tns", "-o", "m.lac", "--method", "ffw", "--lambda-grid", "1", "4", "--refine", "0",
            "--folds", "2", "--max-iterations", "10"
        )
        self.assertIn(report["best"]["lambda"], (1, 4))

    def test_refuses_what_it_does_not_have(self):
        for flags in (("--rank", "3"), ("--lambdas", "1,1,1"), ("--path", "2")):
            with self.subTest(flags):
                self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "ffw", *flags)
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", "ffw", "--max-iterations", "3")
        self.assertIn("tr-mm", self.fails(2, "certify", "m.lac", "train.tns"))
        self.ok("fit", "train.tns", "-o", "n.lac", "--init", "m.lac", "--rank", "2", "--max-iterations", "2")


class BayesCpTest(SampleTest):
    def test_fit_evaluate_predict_info(self):
        report = self.ok_json(
            "fit", "train.tns", "-o", "m.lac", "--method", "bayescp", "--rank", "12", "--test", "test.tns"
        )
        self.assertLessEqual(report["rank"][0], 12)
        self.assertAlmostEqual(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], report["test_rmse"])
        self.ok("predict", "m.lac", "test.tns", "-o", "out.tns")
        info = self.ok_json("info", "m.lac")
        self.assertEqual((info["kind"], info["rank"]), ("cp", report["rank"]))
        self.assertIn("with the covariance of its rows", self.ok("info", "m.lac"))
        again = self.ok_json(
            "fit", "train.tns", "-o", "n.lac", "--method", "bayescp", "--init", "m.lac", "--max-iterations", "2"
        )
        self.assertLess(again["objective"], report["objective"])

    def test_refuses_what_it_does_not_have(self):
        for flags in (("--lambda", "3"), ("--rank", "1,2"), ("--init", "grow"), ("--parts", "pairs")):
            with self.subTest(flags):
                self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "bayescp", *flags)


if __name__ == "__main__":
    unittest.main()
