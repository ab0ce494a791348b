# SPDX-License-Identifier: MIT
"""Values near the ends of what a double can hold: a right answer or a named error, never a crash and no NaN."""
import math
import unittest
from pathlib import Path

from support import CliTest, read_tns

DATA = Path(__file__).parents[1] / "data"


class TinyValues(CliTest):
    def test_dense_methods_answer(self):
        """An eigenvalue meets the threshold in each of these; LAPACK then found more vectors than there was room for."""
        for method, name in (("tsvd", "tsvd_tiny"), ("halrtc", "tiny_halrtc"), ("latent", "tiny_latent")):
            with self.subTest(method):
                report = self.ok_json("fit", DATA / f"{name}.tns", "-o", "m.lac", "--method", method)
                self.assertTrue(report["converged"])
                self.assertGreater(report["objective"], 0.0)

    def test_an_exact_fit_of_tiny_values_has_a_model(self):
        """The noise's precision was infinite: the variance, squared units of a fit without error, is below all doubles."""
        cells = [(i, j, k) for i in range(6) for j in range(5) for k in range(4) if (3 * i + 5 * j + 7 * k) % 10 < 7]
        lines = ("{} {} {} {!r}".format(i + 1, j + 1, k + 1, 1e-152 * (i + 1) * (j + 2) * (k + 3)) for i, j, k in cells)
        self.write("tiny.tns", "\n".join(lines) + "\n")
        self.ok_json("fit", "tiny.tns", "-o", "m.lac", "--method", "bayescp")
        self.ok("predict", "m.lac", "tiny.tns", "-o", "p.tns")
        self.assertTrue(all(math.isfinite(value) for value in read_tns(self.path("p.tns")).values()))


    def test_errors_are_told_in_a_few_digits(self):
        cells = [(i, j, k) for i in range(6) for j in range(5) for k in range(4) if (3 * i + 5 * j + 7 * k) % 10 < 7]
        for unit in (1e-140, 1e-6, 1.0, 1e140):
            lines = ("{} {} {} {!r}".format(i + 1, j + 1, k + 1, unit * (1 + i * j % 3 + k)) for i, j, k in cells)
            self.write("t.tns", "\n".join(lines) + "\n")
            said = self.ok("fit", "t.tns", "--test", "t.tns", "-o", "m.lac", "--method", "mean", "--offsets", "mean")
            for word in ("train RMSE", "test RMSE"):
                with self.subTest(f"{word} of {unit}"):
                    shown = said.split(word)[1].split()[0]
                    self.assertLess(len(shown), 12)
                    self.assertGreater(float(shown), 0.1 * unit)


class HugeValues(CliTest):
    METHODS = ("tr-mm", "tr-ls", "ffw", "rprecon", "geomcg", "topt", "bayescp", "halrtc", "hard", "latent", "tsvd",
               "mean", "offsets")  # fmt: skip

    def test_1e150_is_fitted_and_predicted(self):
        data = DATA / "huge_1e150.tns"
        truth = read_tns(data)
        for method in self.METHODS:
            with self.subTest(method):
                report = self.ok_json("fit", data, "-o", "m.lac", "--method", method, "--strict")
                self.assertTrue(math.isfinite(report["objective"]))
                self.assertTrue(math.isfinite(report["train_rmse"]))
                self.ok("predict", "m.lac", data, "-o", "p.tns")
                said = read_tns(self.path("p.tns"))
                self.assertTrue(all(math.isfinite(value) for value in said.values()))
                error = max(abs(said[cell] - value) for cell, value in truth.items())
                self.assertLess(error, max(map(abs, truth.values())))

    def test_1e150_is_certified_as_a_smaller_unit_is(self):
        data = DATA / "huge_1e150.tns"
        small = "".join(" ".join([*map(str, (i + 1 for i in cell)), repr(value * 2.0**-498)]) + "\n"
                        for cell, value in read_tns(data).items())
        self.write("small.tns", small)
        gaps = []
        for file in (data, "small.tns"):
            self.ok("fit", file, "-o", "m.lac", "--method", "tr-mm", "--rank", "1", "--max-iterations", "3")
            found = self.ok_json("certify", "m.lac", file)
            self.assertTrue(math.isfinite(found["upper"]) and math.isfinite(found["lower"]))
            gaps.append(found["gap"])
        self.assertEqual(gaps[0], gaps[1])
        self.assertGreater(gaps[0], 0.0)

    def test_1e300_is_refused_by_name_and_leaves_no_file(self):
        data = DATA / "huge_1e300.tns"
        for method in self.METHODS:
            with self.subTest(method):
                self.assertIn("4.85e+300", self.fails(3, "fit", data, "-o", "m.lac", "--method", method, "--strict"))
                self.assert_only()
        self.assertIn("4.85e+300", self.fails(3, "complete", data, "-o", "out.tns", "--method", "halrtc"))
        self.assert_only()

    def test_certify_refuses_1e300(self):
        self.ok("fit", DATA / "huge_1e150.tns", "-o", "m.lac", "--method", "tr-mm", "--rank", "1")
        self.assertIn("4.85e+300", self.fails(3, "certify", "m.lac", DATA / "huge_1e300.tns"))

    def test_evaluate_tells_an_error_of_1e300(self):
        self.ok("fit", DATA / "huge_1e150.tns", "-o", "m.lac", "--method", "mean")
        report = self.ok_json("evaluate", "m.lac", DATA / "huge_1e300.tns")
        self.assertGreater(report["rmse"], 1e300)


if __name__ == "__main__":
    unittest.main()
