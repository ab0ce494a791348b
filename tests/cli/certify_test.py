# SPDX-License-Identifier: MIT
"""certify: what a fit's gap says, and that a saved model says the same."""
import unittest

from support import SampleTest


class Certify(SampleTest):
    def fit(self, *arguments):
        return self.ok_json("fit", "train.tns", "-o", "m.lac", *arguments)

    def test_full_rank_is_certified(self):
        report = self.fit("--rank", "12,10,6", "--lambda", "0.1", "--tolerance", "1e-7")
        self.assertGreaterEqual(report["gap"], 0.0)
        self.assertLess(report["gap"], 1e-5)
        found = self.ok_json("certify", "m.lac", "train.tns")
        self.assertIs(found["certified"], True)
        self.assertAlmostEqual(found["upper"] / report["objective"], 1.0, places=6)
        self.assertLessEqual(found["lower"], found["upper"])

    def test_a_rank_that_binds_is_named(self):
        report = self.fit("--rank", "1", "--lambda", "1000", "--center", "mean")
        found = self.ok_json("certify", "m.lac", "train.tns")
        self.assertAlmostEqual(found["gap"], report["gap"], places=6)
        self.assertIs(found["certified"], False)
        self.assertGreater(max(part["share"] for part in found["parts"]), 0.01)
        text = self.ok("certify", "m.lac", "train.tns")
        self.assertIn("rank   1 binds", text)
        self.assertEqual(self.run_lacuna("certify", "m.lac", "train.tns", "--strict").returncode, 4)

    def test_weights_and_offsets_are_known_to_the_model(self):
        self.fit("--rank", "2", "--offsets", "modes")
        found = self.ok_json("certify", "m.lac", "train.tns")
        self.assertGreaterEqual(found["gap"], 0.0)

    def test_other_cells_are_refused(self):
        self.fit("--rank", "2")
        error = self.fails(3, "certify", "m.lac", "test.tns")
        self.assertIn("test.tns", error)
        self.assertIn("not those that the model was fitted on", error)

    def test_tr_ls_has_no_certificate(self):
        report = self.fit("--rank", "2", "--method", "tr-ls")
        self.assertIsNone(report["gap"])
        self.assertIn("tr-mm", self.fails(2, "certify", "m.lac", "train.tns"))


if __name__ == "__main__":
    unittest.main()
