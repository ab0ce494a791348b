# SPDX-License-Identifier: MIT
"""Values near the ends of what a double can hold: a right answer or a named error, never a crash and no NaN."""
import unittest
from pathlib import Path

from support import CliTest

DATA = Path(__file__).parents[1] / "data"


class TinyValues(CliTest):
    def test_dense_methods_answer(self):
        """An eigenvalue meets the threshold in each of these; LAPACK then found more vectors than there was room for."""
        for method, name in (("tsvd", "tsvd_tiny"), ("halrtc", "tiny_halrtc"), ("latent", "tiny_latent")):
            with self.subTest(method):
                report = self.ok_json("fit", DATA / f"{name}.tns", "-o", "m.lac", "--method", method)
                self.assertTrue(report["converged"])
                self.assertGreater(report["objective"], 0.0)


if __name__ == "__main__":
    unittest.main()
