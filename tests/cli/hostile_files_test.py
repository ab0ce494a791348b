# SPDX-License-Identifier: MIT
"""Small files that once crashed the program, took its memory or were believed: each is refused by name or read for what it
says."""
import shutil
import unittest
from pathlib import Path

from support import SampleTest

FILES = Path(__file__).resolve().parent.parent / "hostile_files"
REFUSED = 3


class HostileFiles(SampleTest):
    def test_models_are_refused_with_a_sentence(self):
        for name, sentence in (
            ("size_1e300.lac", "a mode's size: expected a whole number from 1"), ("negative_size.lac", "a mode's size: expected a whole number from 1"),
            ("text_for_settings.lac", "settings that are not a table of settings"),
        ):  # fmt: skip
            for words in (("info", FILES / name), ("report", FILES / name, "-o", "r.html")):
                with self.subTest(words):
                    message = self.fails(REFUSED, *words)
                    self.assertIn(name, message)
                    self.assertIn(sentence, message)
        self.assert_only("train.tns", "test.tns")

    def test_states_of_other_runs_are_refused_and_left_alone(self):
        for name in ("state_with_garbage_first.jsonl", "state_torn_and_resumed.jsonl"):
            with self.subTest(name):
                shutil.copy(FILES / name, self.path("s.jsonl"))
                message = self.fails(REFUSED, "tune", "train.tns", "-o", "m.lac", "--folds", "2", "--state", "s.jsonl")
                self.assertIn("s.jsonl:1: found ", message)
                self.assertEqual(self.path("s.jsonl").read_bytes(), (FILES / name).read_bytes())
                self.assert_only("train.tns", "test.tns", "s.jsonl")

    def test_markup_in_labels_is_text_in_a_report(self):
        for name in ("labels_with_markup.csv", "labels_with_a_comment.csv"):
            with self.subTest(name):
                self.ok("fit", FILES / name, "-o", "m.lac", "--rank", "1", "--duplicates", "mean", "--report", "r.html")
                page = self.path("r.html").read_text()
                self.assertIn("\\u003c", page)
                for markup in ("</script><b>", "i4<script>", "<!--<script>"):
                    self.assertNotIn(markup, page)


if __name__ == "__main__":
    unittest.main()
