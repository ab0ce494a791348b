# SPDX-License-Identifier: MIT
"""The Tucker methods as a user meets them: fit, evaluate, info, complete, and what they refuse."""
import unittest

from support import SampleTest

METHODS = ("rprecon", "geomcg", "topt")


class TuckerTest(SampleTest):
    def test_fit_evaluate_info(self):
        for method in METHODS:
            with self.subTest(method):
                report = self.ok_json(
                    "fit", "train.tns", "-o", "m.lac", "--method", method, "--rank", "3,3,2", "--test", "test.tns"
                )
                self.assertEqual(report["rank"], [3, 3, 2])
                self.assertLess(report["test_rmse"], 0.01)
                self.assertIsNone(report["lambda"])
                self.assertEqual(report["mixture"], [])
                self.assertAlmostEqual(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], report["test_rmse"])
                info = self.ok_json("info", "m.lac")
                self.assertEqual((info["kind"], info["rank"]), ("tucker", [3, 3, 2]))
                self.assertIn("core of 3 x 3 x 2", self.ok("info", "m.lac"))

    def test_complete(self):
        report = self.ok_json("complete", "train.tns", "-o", "out.tns", "--method", "geomcg", "--rank", "2")
        self.assertGreater(report["filled"], 0)
        self.assertEqual(report["cold"], 0)

    def test_a_core_beyond_memory_is_refused_beforehand(self):
        self.write("many.tns", "".join(f"{i} " * 9 + "1\n" for i in range(1, 31)))
        message = self.fails(5, "fit", "many.tns", "-o", "m.lac", "--method", "geomcg", "--rank", "30")
        self.assertIn("this fit needs about", message)

    def test_starts(self):
        for start in ("random", "spectral", "grow"):
            self.ok("fit", "train.tns", "-o", "m.lac", "--method", "rprecon", "--rank", "2", "--init", start)
        self.ok("fit", "train.tns", "-o", "n.lac", "--method", "geomcg", "--rank", "3", "--init", "m.lac")
        self.assertIn("grow", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--init", "grow"))

    def test_refuse_what_they_do_not_have(self):
        for flags in (("--parts", "pairs"), ("--lambda", "3"), ("--precision", "float"), ("--rank", "1,2")):
            with self.subTest(flags):
                self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "topt", *flags)


if __name__ == "__main__":
    unittest.main()
