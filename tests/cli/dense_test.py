# SPDX-License-Identifier: MIT
"""The methods that hold every cell, as a user meets them: fit, evaluate, info, complete, and what they refuse."""
import unittest

from support import SampleTest

METHODS = ("halrtc", "hard", "latent", "tsvd")


class DenseTest(SampleTest):
    def test_fit_evaluate_info(self):
        for method in METHODS:
            with self.subTest(method):
                report = self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", method, "--test", "test.tns")
                self.assertEqual(report["offsets"], "mean")
                mean = self.ok_json("fit", "train.tns", "-o", "n.lac", "--method", "mean", "--test", "test.tns")
                self.assertLess(report["test_rmse"], mean["test_rmse"])
                self.assertAlmostEqual(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], report["test_rmse"])
                self.assertEqual(self.ok_json("info", "m.lac")["kind"], "dense")
                self.ok("info", "m.lac")

    def test_complete(self):
        report = self.ok_json("complete", "train.tns", "-o", "out.tns", "--method", "hard")
        self.assertGreater(report["filled"], 0)

    def test_a_tensor_beyond_memory_is_refused_beforehand(self):
        self.write("large.tns", "1 1 1 1\n9000 9000 9000 2\n")
        for method in METHODS:
            with self.subTest(method):
                message = self.fails(5, "fit", "large.tns", "-o", "m.lac", "--method", method)
                self.assertIn("this fit needs about", message)

    def test_refuse_what_they_do_not_have(self):
        for flags in (("--parts", "pairs"), ("--lambda", "3"), ("--precision", "float"), ("--rank", "2")):
            with self.subTest(flags):
                self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "latent", *flags)

    def test_tsvd_is_for_three_modes(self):
        self.write("matrix.tns", "1 1 1\n2 2 2\n3 1 1\n")
        self.assertIn("3 modes", self.fails(2, "fit", "matrix.tns", "-o", "m.lac", "--method", "tsvd"))

    def test_unshrunk_values_are_a_setting_of_halrtc(self):
        def fitted(*flags):
            return self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", "halrtc", "--test", "test.tns", *flags)

        plain, none, some = fitted(), fitted("--unshrunk", "0"), fitted("--unshrunk", "0.2")
        self.assertEqual(plain["test_rmse"], none["test_rmse"])
        self.assertTrue(some["converged"])
        self.assertLess(some["test_rmse"], plain["test_rmse"])
        self.assertIn("unshrunk", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "hard",
                                               "--unshrunk", "0.2"))
        for share in ("1", "-0.1", "nan", "many"):
            with self.subTest(share):
                self.assertIn("unshrunk", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "halrtc",
                                                     "--unshrunk", share))

    def test_tubes_say_along_which_mode(self):
        def fitted(*flags):
            return self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", "tsvd", "--test", "test.tns",
                                "--max-iterations", "20", *flags)["test_rmse"]

        by_number = {mode: fitted("--tubes", str(mode)) for mode in (1, 2, 3)}
        self.assertEqual(len(set(by_number.values())), 3)
        self.assertIn(fitted(), by_number.values())
        self.assertEqual(fitted("--tubes", "mode2"), by_number[2])
        for method, mode in (("tsvd", "4"), ("tsvd", "1,2"), ("tsvd", "depth"), ("halrtc", "1")):
            with self.subTest(method=method, mode=mode):
                self.assertIn("tubes", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", method,
                                                    "--tubes", mode))


if __name__ == "__main__":
    unittest.main()
