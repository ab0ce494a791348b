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
        for one in self.ok_json("settings")["settings"]:
            if one["name"] in ("gap", "lambdas", "tubes", "method"):
                continue  # their default is no value of theirs, or no method takes them all
            method = one["methods"][0]
            with self.subTest(one["name"]):
                self.ok("fit", "train.tns", "-o", "m.lac", "--method", method,
                        f"--{one['name']}", one["default"])

    def test_people_can_read_it(self):
        text = self.ok("settings")
        self.assertIn("--rank", text)
        self.assertIn("unless given: auto", text)


if __name__ == "__main__":
    unittest.main()
