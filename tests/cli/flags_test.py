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


class Lists(SampleTest):
    def test_take_no_word_beyond_the_next(self):
        self.write("r.csv", "user,film,when,x\n" + "".join(f"u{i},f{j},2024-0{i + 1}-01,{i + j}\n" for i in range(4) for j in range(4)))
        self.write("u.csv", "user,kind\n" + "".join(f"u{i},{i % 2}\n" for i in range(4)))
        self.write("few.txt", "f1\nf2\n")
        few = ("--max-iterations", "2", "--lambda", "1", "--quiet", "-o", "m.lac")
        columns = ("--columns", "user,film", "--value-column", "x")
        self.ok("fit", "--rank", "2", "train.tns", *few)
        self.ok("info", "--columns", "user,film", "r.csv")
        self.ok("info", "--bin", "1M", "r.csv")
        self.ok("fit", *columns, *few, "--rank", "2", "--side", "user=u.csv", "r.csv")
        listed = self.ok("top", "m.lac", "--observed", "--candidates", "few.txt", "user=u1")
        self.assertEqual(len(listed.splitlines()), 3)
        self.ok("top", "m.lac", "--open", "film", "user=u1", "--observed")
        self.ok("complete", "--quiet", "--rank", "1", "--values", "x", "--columns", "user,film", "r.csv", "-o", "whole.csv")

    def test_of_lists_take_several_words(self):
        self.ok("tune", "train.tns", "-o", "m.lac", "--rank-grid", "1", "2", "--lambda-grid", "1", "--folds", "2",
                "--refine", "0", "--method", "als", "--max-iterations", "2", "--quiet")  # fmt: skip


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


    def test_threads_are_told_their_range(self):
        self.assertIn("found '1.5', expected a whole number from 0 to 2147483647", self.complaint("methods", "--threads", "1.5"))


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
