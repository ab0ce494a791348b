# SPDX-License-Identifier: MIT
"""Flags of all verbs: numbers that are none or out of range, names that are misspelt, ways to ask for help."""
import unittest

from support import CliTest, SampleTest

VERBS = ("fit", "complete", "predict", "evaluate", "split", "convert", "info", "certify", "methods", "tune", "report", "settings",
         "top", "update", "completion", "man")


class Numbers(SampleTest):
    # Words that each verb needs before a flag is looked at.
    WORDS = {
        "fit": ("train.tns", "-o", "out"), "complete": ("train.tns", "-o", "out.tns"), "tune": ("train.tns", "-o", "out"),
        "predict": ("m", "test.tns", "-o", "out.tns"), "evaluate": ("m", "test.tns"), "certify": ("m", "train.tns"),
        "split": ("train.tns", "--train", "a.tns", "--test", "b.tns"),
    }  # fmt: skip
    FITS = ("fit", "complete", "tune")
    FLAGS = (
        (FITS, ("--early-stop", "--tolerance", "--max-time", "--lambdas"), ("nan", "inf", "-inf", "1e999", "x", "")),
        (FITS, ("--max-iterations", "--path"), ("nan", "1.5", "1e3", "99999999999", "-99999999999", "010", "0x10", "")),
        ((*FITS, "split"), ("--seed",), ("-1", "nan", "1.5", "99999999999999999999", "-", "")),
        ((*FITS, "predict", "split"), ("--threads",), ("-1", "nan", "2x", "99999999999", "1.5")),
        ((*FITS, "split"), ("--missing-value",), ("nan", "inf", "x")),
        (("fit",), ("--negatives",), ("-1", "nan", "1e9")),
        (("tune",), ("--folds", "--refine"), ("nan", "1.5", "-1", "99999999999")),
        (("tune",), ("--abandon", "--lambda-grid"), ("nan", "inf", "-1")),
        (("predict", "evaluate"), ("--interval",), ("nan", "inf", "-1", "2")),
        (("split",), ("--fraction", "--test-fraction"), ("nan", "inf", "-1", "2")),
        (("certify",), ("--tolerance",), ("nan", "inf", "-1")),
        (FITS, ("--rank",), ("nan", "2147483648", "-1", "0", "1,nan")),
        (FITS, ("--lambda", "--clip"), ("nan", "1e999", "nan,1")),
    )

    def test_that_are_none_or_out_of_range_are_refused(self):
        for verbs, flags, values in self.FLAGS:
            for verb in verbs:
                for flag in flags:
                    for value in values:
                        with self.subTest(f"{verb} {flag}={value}"):
                            if (flag, value) == ("--clip", "1e999"):
                                continue
                            message = self.fails(2, verb, *self.WORDS[verb], f"{flag}={value}")
                            self.assertIn(flag.strip("-"), message)
                            self.assert_only("train.tns", "test.tns")

    def test_the_largest_seed_is_one(self):
        self.ok("split", "train.tns", "--train", "a.tns", "--test", "b.tns", "--seed", 2**64 - 1)

    def test_a_rank_beyond_the_modes_is_capped(self):
        for method in ("tr-mm", "tr-ls", "rprecon"):
            with self.subTest(method):
                arguments = ("--method", method, "--max-iterations", "2")
                done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--rank", 2**31 - 1, "--json", *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("capped", done.stderr)


class Misspelt(SampleTest):
    def complaint(self, *arguments):
        message = self.fails(2, *arguments)
        self.assertEqual(len(message.splitlines()), 1)
        return message

    def test_a_flag(self):
        for word, meant in (
            ("--rnak", "--rank"), ("--ranks=3", "--rank"), ("--lamda", "--lambda"), ("--max-iter", "--max-iterations"),
            ("--tolerence", "--tolerance"), ("--offset", "--offsets"), ("--thread", "--threads"), ("--jsno", "--json"),
        ):  # fmt: skip
            with self.subTest(word):
                message = self.complaint("fit", "train.tns", "-o", "m", word)
                self.assertIn(f"'{word.split('=')[0]}'", message)
                self.assertIn(f"did you mean {meant}?", message)

    def test_of_another_verb_is_not_suggested(self):
        self.assertNotIn("did you mean", self.complaint("info", "train.tns", "--lamda", "3"))
        self.assertNotIn("did you mean", self.complaint("fit", "train.tns", "-o", "m", "--xyzzy"))

    def test_one_that_is_required(self):
        message = self.complaint("fit", "train.tns", "--outptu", "m")
        self.assertIn("--output is required", message)
        self.assertIn("did you mean --output?", message)

    def test_a_verb(self):
        for word, meant in (("ft", "fit"), ("complet", "complete"), ("evalaute", "evaluate"), ("spilt", "split")):
            with self.subTest(word):
                self.assertIn(f"did you mean {meant}?", self.complaint(word))
                self.assertIn(f"did you mean {meant}?", self.complaint("help", word))
        self.assertNotIn("did you mean", self.complaint("frobnicate"))

    def test_a_key_of_a_config_file(self):
        self.write("c.ini", "rnak = 2\n")
        self.assertIn("did you mean --rank?", self.complaint("fit", "train.tns", "-o", "m", "--config", "c.ini"))


class AskingForHelp(CliTest):
    def test_of_a_verb(self):
        for verb in VERBS:
            with self.subTest(verb):
                self.assertEqual(self.ok("help", verb), self.ok(verb, "--help"))
        self.assertEqual(self.ok("help"), self.ok("--help"))

    def test_version_in_short(self):
        self.assertEqual(self.ok("-V"), self.ok("--version"))


if __name__ == "__main__":
    unittest.main()
