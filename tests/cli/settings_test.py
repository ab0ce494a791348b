# SPDX-License-Identifier: MIT
"""settings: the table, and that flags, configuration files and the documentation are made of it."""
import subprocess
import unittest
from pathlib import Path

from support import LACUNA, CliTest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
BEGIN, END = "<!-- lacuna settings --markdown -->\n", "<!-- end of lacuna settings -->\n"


class Settings(CliTest):
    def test_the_documentation_has_the_table(self):
        page = DOCS.read_text()
        self.assertEqual((page.count(BEGIN), page.count(END)), (1, 1))
        found = page.split(BEGIN)[1].split(END)[0]
        self.assertEqual(found, self.ok("settings", "--markdown"),
                         "docs/cli.md differs from lacuna settings --markdown: put its output between the marks")

    def test_every_setting_is_a_flag_of_every_fitting_verb(self):
        settings = self.ok_json("settings")["settings"]
        self.assertGreater(len(settings), 15)
        for verb in ("fit", "complete", "tune"):
            help_text = subprocess.run([LACUNA, verb, "--help"], capture_output=True, text=True).stdout
            for one in settings:
                self.assertIn(f"--{one['name']}", help_text)

    def test_every_setting_says_what_it_takes_and_who_takes_it(self):
        methods = {one["name"]: one["settings"].split() for one in self.ok_json("methods")["methods"]}
        for one in self.ok_json("settings")["settings"]:
            with self.subTest(one["name"]):
                self.assertTrue(all(one[key] for key in ("values", "default", "what", "methods")))
                takers = [name for name, flags in methods.items() if f"--{one['name']}" in flags]
                self.assertEqual(one["methods"], takers or list(methods))

    def test_defaults_that_can_be_written_are_taken(self):
        train = "".join(f"{i} {j} {i * j}\n" for i in range(1, 6) for j in range(1, 6) if (i + j) % 3)
        self.write("train.tns", train)
        self.write("links.tns", "".join(f"{i} {j} {k} {(i + j) % 2}\n" for i in (1, 2, 3, 4) for j in (1, 2, 3) for k in (1, 2)))
        for one in self.ok_json("settings")["settings"]:
            if one["name"] in ("gap", "lambdas", "tubes", "clip", "method"):
                continue  # their default is no value of theirs, or no method takes them all
            method = one["methods"][0]
            with self.subTest(one["name"]):
                data = "links.tns" if method == "complex" else "train.tns"
                self.ok("fit", data, "-o", "m.lac", "--method", method,
                        f"--{one['name']}", one["default"])

    def test_a_misspelt_value_names_the_nearest(self):
        self.write("train.tns", "1 1 1\n2 1 2\n1 2 3\n")
        for flag, value, meant in (("loss", "hubre", "huber"), ("init", "spectrl", None), ("effort", "hihg", "high"),
                                   ("precision", "flot", "float"), ("optimizer", "trust-regoin", "trust-region"),
                                   ("method", "tr-m", "tr-mm"), ("preset", "pape", "paper")):  # fmt: skip
            with self.subTest(flag):
                done = subprocess.run([LACUNA, "fit", "train.tns", "-o", "m.lac", f"--{flag}", value], cwd=self.folder,
                                      capture_output=True, text=True)  # fmt: skip
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"found '{value}', expected", done.stderr)
                if meant:
                    self.assertIn(f"did you mean {meant}?", done.stderr)

    def test_a_gap_is_refused_where_there_is_no_certificate(self):
        self.write("train.tns", "1 1 1\n2 1 2\n1 2 3\n")
        said = self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "tr-ls", "--gap", "1e-6")
        self.assertIn("tr-ls does not take gap", said)

    def test_a_rank_and_a_gap_exclude_each_other(self):
        self.write("train.tns", "1 1 1\n2 1 2\n1 2 3\n")
        for method in ((), ("--method", "tr-mm")):
            said = self.fails(2, "fit", "train.tns", "-o", "m.lac", "--rank", "3", "--gap", "1e-3", *method)
            self.assertIn("rank and gap exclude each other", said)
        self.ok("fit", "train.tns", "-o", "m.lac", "--rank", "certified", "--gap", "1e-2", "--method", "tr-mm")

    def test_negatives_are_for_facts(self):
        self.write("train.tns", "1 1 1.5\n2 1 2\n1 2 3\n")
        for method in ("mean", "tr-mm"):
            said = self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", method, "--negatives", "30")
            self.assertIn("whose values are all 1; found 1.5", said)

    def test_people_can_read_it(self):
        text = self.ok("settings")
        self.assertIn("--rank", text)
        self.assertIn("unless given: auto", text)


if __name__ == "__main__":
    unittest.main()
