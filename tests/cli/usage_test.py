# SPDX-License-Identifier: MIT
"""Help, wrong usage, --config."""
import re
import unittest

from support import CliTest, sample, tns

VERBS = ("fit", "complete", "predict", "evaluate", "split", "convert", "info", "top", "update")


class Help(CliTest):
    def test_names_every_verb(self):
        text = self.ok("--help")
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", text)

    def test_of_every_verb_explains_its_flags(self):
        for verb in VERBS:
            with self.subTest(verb):
                text = self.ok(verb, "--help")
                for flag in ("--json", "--quiet", "--threads", "--index-base", "--duplicates"):
                    self.assertIn(flag, text)
        self.assertIn("--lambda", self.ok("fit", "--help"))

    def test_version_is_three_numbers(self):
        self.assertRegex(self.ok("--version"), r"^\d+\.\d+\.\d+\n$")


class WrongUsage(CliTest):
    def setUp(self):
        super().setUp()
        self.write("train.tns", tns(sample()[0]))

    def refused(self, *arguments):
        message = self.fails(2, *arguments)
        self.assert_only("train.tns")
        last = message.splitlines()[-1]
        self.assertTrue(last.startswith("lacuna: "), message)
        self.assertLess(len(last), 200, "a message that nobody reads")
        return last

    def test_no_verb_or_an_unknown_one(self):
        self.assertIn("fit", self.refused())
        self.assertIn("'frobnicate'", self.refused("frobnicate"))

    def test_unknown_flag(self):
        self.assertIn("--ranks", self.refused("fit", "train.tns", "-o", "m.lac", "--ranks", "3"))

    def test_missing_arguments(self):
        self.assertIn("train", self.refused("fit"))
        self.assertIn("--output", self.refused("fit", "train.tns"))
        self.assertIn("--test", self.refused("split", "train.tns", "--train", "a.tns"))

    def test_one_argument_too_many(self):
        self.assertIn("extra", self.refused("fit", "train.tns", "extra", "-o", "m.lac"))

    def test_the_name_of_a_wide_mode_is_part_of_the_flag(self):
        self.assertIn("--wide=hour", self.refused("fit", "train.tns", "--wide", "hour", "-o", "m.lac"))

    def test_points_to_the_help_of_the_verb(self):
        self.assertIn("lacuna fit --help", self.refused("fit", "train.tns"))

    def test_bad_numbers(self):
        for flag, value in (
            ("--rank", "three"), ("--rank", "0"), ("--rank", "2,x"), ("--rank", "2.5"),
            ("--lambda", "-1"), ("--lambda", "0"), ("--lambda", "nan"), ("--lambda", "inf"),
            ("--max-time", "-3"), ("--max-iterations", "many"), ("--tolerance", "-1"),
            ("--threads", "-1"), ("--threads", "2x"), ("--seed", "-"), ("--index-base", "2"),
            ("--method", "magic"), ("--duplicates", "first"), ("--shape", "4,-1,2"),
        ):  # fmt: skip
            with self.subTest(f"{flag} {value}"):
                message = self.refused("fit", "train.tns", "-o", "m.lac", f"{flag}={value}")
                self.assertIn(flag, message)

    def test_numbers_that_do_not_fit_the_tensor(self):
        self.assertIn("2 ranks for 3", self.refused("fit", "train.tns", "-o", "m.lac", "--rank", "2,2"))
        self.assertIn("lambda", self.refused("fit", "train.tns", "-o", "m.lac", "--lambdas", "1,2"))

    def test_metric_without_test_file(self):
        self.assertIn("--metric", self.refused("fit", "train.tns", "-o", "m.lac", "--metric", "rmse"))
        self.assertIn("auc", self.refused("fit", "train.tns", "-o", "m.lac", "--test", "train.tns", "--metric", "auc"))


class Config(CliTest):
    def setUp(self):
        super().setUp()
        self.write("train.tns", tns(sample()[0]))

    def fit(self, *arguments):
        return self.ok_json("fit", "train.tns", "-o", "m.lac", *arguments)

    def test_flags_from_a_file_and_flags_win(self):
        self.write("fit.ini", "# how to fit\nrank = 2\nlambda = 3.5\nmax-iterations = 4\n")
        read = self.fit("--config", "fit.ini")
        self.assertEqual((read["rank"], read["lambda"]), ([2, 2, 2], 3.5))
        self.assertLessEqual(read["iterations"], 4)
        won = self.fit("--config", "fit.ini", "--rank", "3")
        self.assertEqual((won["rank"], won["lambda"]), ([3, 3, 3], 3.5))

    def test_lists_and_switches(self):
        self.write("fit.ini", 'rank = [3, 2, 1]\ncenter = "mean"\nquiet = true\n')
        done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--config", "fit.ini", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"rank":[3,2,1]', done.stdout)
        self.assertNotIn('"offset":0.0', done.stdout)

    def test_sections_name_a_verb(self):
        self.write("all.ini", "[fit]\nrank = 2\n[complete]\nrank = 3\n")
        self.assertEqual(self.fit("--config", "all.ini")["rank"], [2, 2, 2])
        before = self.ok_json("--config", "all.ini", "fit", *self.preset, "train.tns", "-o", "m.lac", "--seed", "4")
        self.assertEqual((before["rank"], before["seed"]), ([2, 2, 2], 4))

    def test_misspelt_key_and_missing_file(self):
        self.write("fit.ini", "rnak = 2\n")
        self.assertIn("rnak", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--config", "fit.ini"))
        self.assertIn("none.ini", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--config", "none.ini"))
        self.assert_only("train.tns", "fit.ini")

    def test_a_refused_value_has_its_line(self):
        for text, told in (
            ("seed = 4\nparts = '1|2~0'\n", "c.ini:2: --parts: found '2~0', expected a length > 0"),
            ("# ranks\n\n[fit]\nrank = [2,\n  0]\nseed = 1\n", "c.ini:4: --rank: found '2,0'"),
            ("fit.lambda = -3\n", "c.ini:1: --lambda: found '-3'"),
            ("[tune]\nlambda = 2\n[fit]\n'lambda' = x\n", "c.ini:4: --lambda: found 'x'"),
            ("seed = 4\ncenter = sideways\n", "c.ini:2: --offsets: found 'sideways'"),
            ("quiet = true\nindex-base = 7\n", "c.ini:2: --index-base: found '7'"),
        ):
            with self.subTest(told):
                self.write("c.ini", text)
                self.assertIn(told, self.fails(2, "fit", "train.tns", "-o", "m.lac", "--config", "c.ini"))
        self.write("c.ini", "rank = 2\n")
        message = self.fails(2, "fit", "train.tns", "-o", "m.lac", "--config", "c.ini", "--rank", "0")
        self.assertIn("--rank: found '0'", message)
        self.assertNotIn("c.ini", message)

    def test_files_from_anyone(self):
        """More brackets, levels or bytes than its parser can take, and files that cannot be read to their end."""
        hundred_thousand = 100_000
        for name, text, told in (
            ("deep.ini", "rank = " + "[" * hundred_thousand + "\n", "brackets"),
            ("lines.ini", "rank = " + "[\n" * hundred_thousand, "brackets"),
            ("sections.ini", "[" + "a." * hundred_thousand + "a]\nrank = 2\n", "levels"),
            ("key.ini", "rank = 2\n" + "a." * hundred_thousand + "a = 2\n", "key.ini:2: found a name of more"),
            ("large.ini", "# nothing\n" * hundred_thousand, "bytes of flags"),
        ):
            with self.subTest(name):
                self.write(name, text)
                message = self.fails(3, "fit", "train.tns", "-o", "m.lac", "--config", name)
                self.assertIn(told, message)
                self.assertIn(name, message)
        self.write("fits.ini", "rank = [" + "[" * 60 + "2]\n")
        self.fails(2, "fit", "train.tns", "-o", "m.lac", "--config", "fits.ini")
        for name, told in (("/dev/zero", "bytes of flags"), ("/proc/self/mem", "could not be read")):
            self.assertIn(told, self.fails(3, "fit", "train.tns", "-o", "m.lac", "--config", name))


class Streams(CliTest):
    def setUp(self):
        super().setUp()
        self.write("train.tns", tns(sample()[0]))

    def test_results_on_stdout_progress_on_stderr(self):
        done = self.run_lacuna("fit", "train.tns", "-o", "m.lac")
        self.assertIn("model written to m.lac", done.stdout)
        self.assertNotIn("step", done.stderr.splitlines()[0])
        self.assertTrue(re.search(r"^ *step +seconds", done.stderr, re.M), done.stderr)
        self.assertNotIn("\r", done.stderr, "a live line where there is no terminal")

    def test_quiet_says_nothing_on_stderr(self):
        done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
