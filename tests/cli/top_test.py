# SPDX-License-Identifier: MIT
"""Top lists: against predictions of every cell, and how questions are asked and refused."""
import csv
import io
import json
import subprocess
import unittest

from support import LACUNA, CliTest, cells, read_tns, sample, tns

SHAPE = (12, 10, 6)


class Lists(CliTest):
    def setUp(self):
        super().setUp()
        self.train, _ = sample(0.4, shape=SHAPE)
        self.write("train.tns", tns(self.train))
        self.ok("fit", "train.tns", "-o", "m.lac", "--rank", "2", "--lambda", "1", "--quiet")
        self.write("all.tns", tns(cells(SHAPE)))
        self.ok("predict", "m.lac", "all.tns", "-o", "predicted.tns")
        self.value = {tuple(i + 1 for i in c): v for c, v in read_tns(self.path("predicted.tns")).items()}
        self.seen = {tuple(i + 1 for i in cell) for cell in self.train}

    def best(self, wanted, count, lowest=False, observed=False):
        """Every cell that is wanted, sorted; of equal ones the first in the order of the modes."""
        found = [c for c in self.value if wanted(c) and (observed or c not in self.seen)]
        return sorted(found, key=lambda c: ((1 if lowest else -1) * self.value[c], c))[:count]

    def listed(self, *arguments):
        rows = list(csv.DictReader(io.StringIO(self.ok("top", "m.lac", *arguments))))
        for row in rows:
            cell = tuple(int(row[f"mode{k}"]) for k in (1, 2, 3))
            self.assertEqual(float(row["value"]), self.value[cell])
        return [tuple(int(row[f"mode{k}"]) for k in (1, 2, 3)) for row in rows]

    def test_are_the_best_of_all_cells(self):
        self.assertEqual(self.listed("mode1=3", "mode3=2", "-k", 4), self.best(lambda c: c[0] == 3 and c[2] == 2, 4))
        self.assertEqual(self.listed("mode1=3", "-k", 7), self.best(lambda c: c[0] == 3, 7))
        self.assertEqual(self.listed("mode2=?", "-k", 9, "--observed", "--lowest"),
                         self.best(lambda c: True, 9, lowest=True, observed=True))

    def test_the_same_from_a_row_a_file_and_a_stream(self):
        expected = self.best(lambda c: c[0] == 3 and c[2] == 2, 3) + self.best(lambda c: c[0] == 5 and c[2] == 1, 3)
        self.assertEqual(self.listed("3,?,2", "-k", 3), expected[:3])
        for row in ("3,4", "3 4", "3;4"):  # what a row lacks is open
            self.assertEqual(self.listed(row, "-k", 3), self.best(lambda c: c[:2] == (3, 4), 3))
        self.write("q.txt", "3 ? 2\n\n5 ? 1\n")
        self.assertEqual(self.listed("q.txt", "-k", 3), expected)
        self.write("q.csv", "mode3,mode1\n2,3\n1,5\n")
        self.assertEqual(self.listed("q.csv", "-k", 3), expected)

    def test_each_position(self):
        expected = [c for i in range(1, 13) for c in self.best(lambda c, i=i: c[0] == i and c[1] == 4, 2)]
        self.assertEqual(self.listed("mode2=4", "--each", "mode1", "-k", 2), expected)

    def test_each_position_and_one_of_them_contradict_each_other(self):
        message = self.fails(2, "top", "m.lac", "mode1=3", "--each", "mode1")
        self.assertIn("--each: asks for each position of mode mode1, and the question for 3 alone", message)

    def test_candidates_from_standard_input(self):
        asked = ("top", "m.lac", "mode1=3", "mode3=2", "--observed", "--candidates")
        self.write("few.txt", "2\n7\n9\n")
        expected = self.ok(*asked, "few.txt")
        for given in ("-", "mode2=-"):
            done = subprocess.run([LACUNA, *asked, given], cwd=self.folder, input="2\n7\n9\n", capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)
        self.assertIn("standard input is also", self.fails(2, "top", "m.lac", "-", "--candidates", "-"))

    def test_an_unknown_label_ends_a_stream_after_the_answers_before_it(self):
        done = subprocess.run([LACUNA, "top", "m.lac", "-", "-k", "1"], cwd=self.folder, input="3,?,2\n99,?,2\n5,?,1\n",
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn(":2:1: found '99'", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2)  # the header and the first answer

    def test_candidates_and_exclusions(self):
        self.write("few.txt", "2\n7\n9\n")
        few = self.listed("mode1=3", "mode3=2", "--candidates", "few.txt", "--observed")
        self.assertEqual(few, self.best(lambda c: c[0] == 3 and c[2] == 2 and c[1] in (2, 7, 9), 9, observed=True))
        self.assertEqual(self.listed("mode1=3", "mode3=2", "--candidates", "mode2=few.txt", "--observed"), few)
        self.write("known.tns", f"{few[0][0]} {few[0][1]} {few[0][2]} 1\n")
        self.assertEqual(
            self.listed("mode1=3", "mode3=2", "--candidates", "few.txt", "--observed", "--exclude", "known.tns"),
            few[1:])

    def test_a_stream_is_answered_line_by_line(self):
        with subprocess.Popen([LACUNA, "top", "m.lac", "-", "-k", "1", "--json"], cwd=self.folder, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1) as process:
            for i in (3, 4, 5):
                process.stdin.write(f"{i},?,2\n")
                process.stdin.flush()
                answer = json.loads(process.stdout.readline())  # before the next question is asked
                self.assertEqual(answer["query"], {"mode1": str(i), "mode3": "2"})
                best = self.best(lambda c, i=i: c[0] == i and c[2] == 2, 1)[0]
                self.assertEqual(answer["top"], [{"mode2": str(best[1]), "value": self.value[best]}])
            process.stdin.close()
            self.assertEqual(process.wait(), 0)

    def test_a_file_is_written_whole(self):
        self.ok("top", "m.lac", "--each", "mode1", "--open", "mode2", "-o", "lists.tsv")
        lines = self.path("lists.tsv").read_text().splitlines()
        self.assertEqual(lines[0].split("\t"), ["query", "rank", "mode1", "mode2", "mode3", "value"])
        self.assertEqual({line.split("\t")[4] for line in lines[1:]}, {"*"})

    def test_nonsense_is_refused(self):
        for words, message in ((("mode9=1",), "expected a mode"), (("mode1=77",), "1 to 12"),
                               (("mode1=1", "mode1=2"), "twice"), (("mode1=1", "-k", "0"), "--count: found '0', expected a whole number from 1"),
                               (("mode1=1", "--open", "mode1"), "--open: found mode1, which the question gives"),
                               (("mode1=1", "mode2=1", "mode3=1"), "leaves no mode open"), ((), "QUERIES"),
                               (("1,2,3,?",), "at most 3"), (("mode1=1", "--open", "mode4"), "--open"),
                               (("--each", "moed1"), "did you mean mode1"),
                               (("mode1=1", "--interval", "0.9"), "--intervals"),
                               (("mode1=1", "--candidates", "train.tns"), "2 modes are open")):
            self.assertIn(message, self.fails(2, "top", "m.lac", *words, *(["-o", "x.csv"])))
        self.write("bad.txt", "3 ? 2\n3 ? 99\n")
        self.assertIn("bad.txt:2:5", self.fails(3, "top", "m.lac", "bad.txt", "-o", "x.csv"))
        self.write("few.txt", "nobody\n")
        self.assertIn("few.txt:1", self.fails(3, "top", "m.lac", "3,?,2", "--candidates", "few.txt", "-o", "x.csv"))
        self.assertIn("none.txt", self.fails(3, "top", "m.lac", "none.txt", "-o", "x.csv"))
        self.assertIn("train.tns", self.fails(3, "top", "train.tns", "mode1=1"))
        self.assertFalse(self.path("x.csv").exists())


class Labelled(CliTest):
    """A model whose labels hold blanks, asked about in every way."""

    def setUp(self):
        super().setUp()
        films = ("Fight Club", "Heat", "Jaws", "The Birds")
        rows = [f"u{i},{film},{(i * j) % 5 + 1}" for i in range(6) for j, film in enumerate(films) if (i + j) % 4]
        self.write("r.csv", "\n".join(["User,film,rating", *rows]) + "\n")
        self.ok("fit", "r.csv", "-o", "m.lac", "--rank", "1", "--lambda", "1", "--quiet")

    def asked(self, text, *more):
        done = subprocess.run([LACUNA, "top", "m.lac", *more, "-k", "2"], cwd=self.folder, input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_header_of_one_word_leaves_blanks_to_labels(self):
        expected = self.asked("", "film=Fight Club")
        self.assertEqual(self.asked("film\nFight Club\n", "-"), expected)

    def test_a_row_may_have_fewer_fields_than_there_are_modes(self):
        message = self.fails(2, "top", "m.lac", "u1,Heat")
        self.assertIn("leaves no mode open", message)
        self.assertIn("No such file", self.fails(3, "top", "m.lac", "u1"))
        self.assertIn("it is a position of mode User: expected User=u1", self.fails(3, "top", "m.lac", "u1"))
        self.assertNotIn("expected user=", self.fails(3, "top", "m.lac", "no-such-file.csv"))

    def test_names_of_modes_are_found_in_small_and_capital_letters(self):
        expected = self.asked("", "User=u1")
        self.assertEqual(self.asked("", "user=u1"), expected)
        self.assertEqual(self.asked("USER\nu1\n", "-"), expected)
        self.assertEqual(self.asked("", "User=u1", "--open", "FILM"), expected)

    def test_the_standard_input_has_a_name(self):
        for flags in (("-",), ("User=u1", "--candidates", "-")):
            done = subprocess.run([LACUNA, "top", "m.lac", *flags], cwd=self.folder, input="x9\n", capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn("standard input:1", done.stderr)

    def test_tables_are_delimited_as_their_ending_says(self):
        for packing in ("", ".gz", ".zst", ".xz"):
            with self.subTest(packing):
                self.ok("top", "m.lac", "User=u1", "-o", "a.tsv" + packing)
                self.ok("info", "a.tsv" + packing, "--delimiter", "tab", "--columns", "User,film", "--value-column", "value")

    def test_a_model_is_no_list_of_cells(self):
        self.assertIn("m.lac: found a model", self.fails(3, "top", "m.lac", "User=u1", "--exclude", "m.lac"))
        self.assertIn("m.lac: found a model", self.fails(3, "predict", "m.lac", "m.lac", "-o", "p.csv"))


if __name__ == "__main__":
    unittest.main()
