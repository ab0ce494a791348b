# SPDX-License-Identifier: MIT
"""Model files of earlier days (tests/model_files) load for ever and say what they said then."""
import csv
import json
import math
import unittest
from pathlib import Path

from support import CliTest

FOLDERS = sorted(p for p in (Path(__file__).resolve().parent.parent / "model_files").iterdir() if p.is_dir() and p.name[0] != "_")


def rows(text):
    return list(csv.reader(text.splitlines()))


class OldModels(CliTest):
    def assert_same_answers(self, now, then):
        """The same cells; values up to the rounding of another machine's instructions."""
        now, then = rows(now), rows(then)
        self.assertEqual([row[:-1] for row in now], [row[:-1] for row in then])
        self.assertEqual(now[0], then[0])
        for (*_, new), (*_, old) in zip(now[1:], then[1:]):
            self.assertTrue(math.isclose(float(new), float(old), rel_tol=1e-12), f"{new} was {old}")

    def test_they_say_what_they_said(self):
        models = [path for folder in FOLDERS for path in sorted(folder.glob("*.lac"))]
        self.assertGreaterEqual(len(models), 13)
        for path in models:
            with self.subTest(f"{path.parent.name}/{path.name}"):
                then = json.loads(path.with_suffix(".json").read_text())
                told = self.ok_json("info", path)
                self.assertEqual({key: told[key] for key in then["told"]}, then["told"])
                self.write(then["cells"]["name"], then["cells"]["text"])
                self.ok("predict", path, then["cells"]["name"], "-o", "answers.csv", "--quiet")
                self.assert_same_answers(self.path("answers.csv").read_text(), then["answers"])
                self.ok("report", path, "-o", "page.html", "--quiet")

    def test_each_kind_of_body_is_kept(self):
        kept = {self.ok_json("info", path)["kind"] for folder in FOLDERS for path in folder.glob("*.lac")}
        self.assertEqual(kept, {"blend", *(method["model"] for method in self.ok_json("methods")["methods"])})

    def test_each_answer_has_its_model(self):
        for folder in FOLDERS:
            self.assertEqual({p.stem for p in folder.glob("*.lac")}, {p.stem for p in folder.glob("*.json")}, folder.name)

    def test_a_newer_layout_is_refused_by_name(self):
        model = bytearray((FOLDERS[0] / "latent.lac").read_bytes())
        model[7] += 1
        self.path("newer.lac").write_bytes(model)
        self.assertIn(f"layout {model[7]}", self.fails(3, "info", "newer.lac"))


if __name__ == "__main__":
    unittest.main()
