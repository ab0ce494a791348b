# SPDX-License-Identifier: MIT
"""What is read, and how what cannot be read is refused: exit 3, the place, what was found, what was expected."""
import bz2
import gzip
import io
import math
import pickle
import random
import subprocess
import unittest
import zipfile

from support import LACUNA, CliTest, cells, sample, tns, write_npy


class BadInput(CliTest):
    def refused(self, name, place, *words):
        for verb in (["fit", name, "-o", "out.lac"], ["info", name], ["complete", name, "-o", "out-" + name]):
            with self.subTest(verb[0]):
                message = self.fails(3, *verb)
                self.assertTrue(message.startswith(f"lacuna: {place}: "), message)
                for word in words:
                    self.assertIn(word, message)
                self.assert_only(name)

    def test_missing_file(self):
        self.assertIn("nowhere.tns", self.fails(3, "fit", "nowhere.tns", "-o", "m.lac"))
        self.assertIn("nowhere.lac", self.fails(3, "predict", "nowhere.lac", "x.tns", "-o", "y.tns"))

    def test_tns_index_that_is_none(self):
        self.write("bad.tns", "# comment\n1 1 1 2.0\n1 2 x 3.0\n")
        self.refused("bad.tns", "bad.tns:3:5", "'x'", "expected")

    def test_tns_value_that_is_none(self):
        self.write("bad.tns", "1 1 1 2.0\n1 2 2 3,5\n")
        self.refused("bad.tns", "bad.tns:2:7", "'3,5'", "expected")

    def test_tns_line_too_short(self):
        self.write("bad.tns", "1 1 1 2.0\n1 2 2\n2 2 2 1.0\n")
        self.refused("bad.tns", "bad.tns:2:6", "3", "4")

    def test_one_mode(self):
        self.write("bad.tns", "1 5\n2 6\n")
        self.refused("bad.tns", "bad.tns", "found one column of positions", "expected at least two")

    def test_infinity(self):
        self.write("bad.tns", "1 1 1 2.0\n1 2 2 -inf\n")
        self.refused("bad.tns", "bad.tns:2:7", "-inf", "finite")

    def test_empty_file(self):
        self.write("bad.tns", "# nothing\n")
        self.refused("bad.tns", "bad.tns")

    def test_table_value_that_is_none(self):
        self.write("bad.csv", "user,item,rating\nann,book,3\nbob,film,four\nann,film,2\n")
        self.refused("bad.csv", "bad.csv:3:10", "'four'", "expected")

    def test_table_line_too_short(self):
        self.write("bad.csv", "user,item,rating\nann,book,3\nbob,film\n")
        self.refused("bad.csv", "bad.csv:3:9", "2", "3")

    def test_npy_that_is_none(self):
        self.write("bad.npy", "not an array")
        self.refused("bad.npy", "bad.npy", "found")

    def test_npy_cut_short(self):
        write_npy(self.path("bad.npy"), (4, 4), [1.0] * 15)
        self.refused("bad.npy", "bad.npy", "found")

    def test_npy_with_infinity_names_the_cell(self):
        write_npy(self.path("bad.npy"), (2, 3), [1.0, 2.0, 3.0, 4.0, math.inf, 6.0])
        self.refused("bad.npy", "bad.npy", "(1, 1)", "inf")

    def test_index_beyond_the_stated_shape(self):
        self.write("bad.tns", "1 1 1 2.0\n1 5 1 3.0\n")
        message = self.fails(3, "fit", "bad.tns", "-o", "m.lac", "--shape", "4,4,4")
        self.assertIn("bad.tns:2:3", message)

    def test_damaged_model(self):
        self.write("train.tns", tns(sample()[0]))
        self.ok("fit", "train.tns", "-o", "m.lac")
        whole = self.path("m.lac").read_bytes()
        for name, damaged in (("cut", whole[: len(whole) // 2]), ("flipped", whole[:-100] + b"!" + whole[-99:]), ("empty", b"")):
            with self.subTest(name):
                self.path("m.lac").write_bytes(damaged)
                self.assertIn("m.lac", self.fails(3, "predict", "m.lac", "train.tns", "-o", "p.tns"))
                self.assert_only("train.tns", "m.lac")


class Foreign(CliTest):
    """Files that other programs write are told by their first bytes, whatever they are called."""

    def workbook(self):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr("xl/workbook.xml", "<workbook/>")
        return file.getvalue()

    def test_are_named(self):
        for name, data, what in (
            ("a.parquet", b"PAR1\x15\x04\x15\x1a" + bytes(80) + b"PAR1", "a Parquet file"),
            ("a.xlsx", self.workbook(), "an Excel workbook"),
            ("a.csv.bz2", bz2.compress(b"a,b,x\n1,2,3\n"), "a file packed by bzip2"),
            ("a.pkl", pickle.dumps([1, 2]), "a pickle"),
        ):
            with self.subTest(name):
                self.path(name).write_bytes(data)
                self.assertIn(f"{name}: found {what}", self.fails(3, "info", name))
                with self.path(name).open("rb") as given:
                    done = subprocess.run([LACUNA, "info", "-"], stdin=given, capture_output=True, text=True)
                self.assertEqual(done.returncode, 3)
                self.assertIn(f"standard input: found {what}", done.stderr)

    def test_a_packed_array_is_one_where_its_name_does_not_say(self):
        write_npy(self.path("a.npy"), (2, 2), [1.0, 2.0, 3.0, 4.0])
        packed = gzip.compress(self.path("a.npy").read_bytes())
        done = subprocess.run([LACUNA, "info", "-"], input=packed, capture_output=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"standard input: found a packed array or picture", done.stderr)


class Duplicates(CliTest):
    def setUp(self):
        super().setUp()
        self.write("twice.tns", "1 1 1 2.0\n2 2 2 3.0\n# here it comes\n1 1 1 4.0\n")

    def test_are_refused_naming_both_lines(self):
        message = self.fails(3, "fit", "twice.tns", "-o", "m.lac")
        for words in ("twice.tns:4", "twice.tns:1", "(1, 1, 1)", "--duplicates"):
            self.assertIn(words, message)
        self.assert_only("twice.tns")

    def test_are_merged_on_request(self):
        for policy, largest in (("mean", 3.0), ("sum", 6.0), ("last", 4.0)):
            with self.subTest(policy):
                info = self.ok_json("info", "twice.tns", "--duplicates", policy)
                self.assertEqual((info["observed"], info["duplicates"], info["max"]), (2, 1, largest))

    def test_in_a_table_are_named_by_their_labels(self):
        self.write("twice.csv", "user,item,rating\nann,book,3\nbob,film,4\nann,book,5\n")
        message = self.fails(3, "fit", "twice.csv", "-o", "m.lac")
        for words in ("twice.csv:4", "twice.csv:2", "ann", "book"):
            self.assertIn(words, message)


class Missing(CliTest):
    def test_nan_is_missing_and_counted_and_zero_is_a_value(self):
        self.write("holes.tns", "1 1 1 2.0\n2 2 2 nan\n1 2 1 0\n")
        info = self.ok_json("info", "holes.tns")
        self.assertEqual((info["observed"], info["missing"], info["min"]), (2, 1, 0.0))

    def test_nan_in_an_array(self):
        write_npy(self.path("holes.npy"), (2, 3), [1.0, math.nan, 3.0, 0.0, math.nan, 6.0])
        info = self.ok_json("info", "holes.npy")
        self.assertEqual((info["shape"], info["observed"], info["missing"]), ([2, 3], 4, 2))
        zero = self.ok_json("info", "holes.npy", "--missing-value", "0")
        self.assertEqual((zero["observed"], zero["missing"]), (3, 3))

    def test_fit_says_how_many(self):
        listed, _ = sample()
        self.write("holes.tns", tns(listed) + "1 1 1 nan\n")
        done = self.run_lacuna("fit", "holes.tns", "-o", "m.lac", "--duplicates", "mean")
        self.assertIn("1 missing", done.stderr)


class IndexBase(CliTest):
    def test_one_unless_a_zero_is_seen(self):
        self.write("one.tns", tns(cells()[60:], base=1))
        self.write("zero.tns", tns(cells()[60:], base=0))
        self.assertEqual(self.ok_json("info", "one.tns")["index_base"], 1)
        self.assertEqual(self.ok_json("info", "zero.tns")["index_base"], 0)

    def test_is_said(self):
        self.write("zero.tns", tns(sample()[0], base=0))
        self.assertIn("indices from 0", self.run_lacuna("fit", "zero.tns", "-o", "m.lac").stderr)

    def test_stated_base_wins_and_is_checked(self):
        self.write("train.tns", tns(sample()[0], base=1))
        stated = self.ok_json("info", "train.tns", "--index-base", "0")
        self.assertEqual((stated["index_base"], stated["shape"]), (0, [13, 11, 7]))
        self.write("zero.tns", "0 1 1 2.0\n1 1 1 3.0\n")
        self.assertIn("zero.tns:1:1", self.fails(3, "info", "zero.tns", "--index-base", "1"))

    def test_one_base_for_training_and_test(self):
        """A 0 in the test file alone shows that the training file, too, counts from 0."""
        train, test = sample(0.6)
        train = [cell for cell in train if min(cell) > 0]
        test = [cell for cell in test if 0 in cell]
        self.write("train.tns", tns(train, base=0))
        self.write("test.tns", tns(test, base=0))
        alone = self.ok_json("fit", "train.tns", "-o", "alone.lac")
        both = self.ok_json("fit", "train.tns", "-o", "both.lac", "--test", "test.tns")
        self.assertEqual((alone["index_base"], alone["shape"]), (1, [11, 9, 5]))
        self.assertEqual((both["index_base"], both["shape"]), (0, [12, 10, 6]))

    def test_base_goes_with_the_model(self):
        train, test = sample(0.6)
        self.write("train.tns", tns(train, base=0))
        self.write("test.tns", tns([cell for cell in test if min(cell) > 0], base=0))
        self.ok("fit", "train.tns", "-o", "m.lac", "--rank", "4", "--lambda", "1000")
        self.assertLess(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], 0.1)


class Packed(CliTest):
    def test_gzipped_text_reads_like_plain_text(self):
        text = tns(sample()[0])
        self.write("plain.tns", text)
        self.path("packed.tns.gz").write_bytes(gzip.compress(text.encode()))
        plain = self.ok_json("info", "plain.tns")
        packed = self.ok_json("info", "packed.tns.gz")
        for info in (plain, packed):
            del info["file"]
        self.assertEqual(plain, packed)

    def test_bad_line_in_a_gzipped_file_has_its_place(self):
        self.path("bad.tns.gz").write_bytes(gzip.compress(b"1 1 1 2.0\n1 2 2 abc\n"))
        self.assertIn("bad.tns.gz:2:7", self.fails(3, "info", "bad.tns.gz"))

    def test_gzip_cut_short(self):
        packed = gzip.compress(tns(sample()[0]).encode())
        self.path("cut.tns.gz").write_bytes(packed[: len(packed) // 2])
        self.assertIn("cut.tns.gz", self.fails(3, "info", "cut.tns.gz"))


class LineOrder(CliTest):
    def test_of_a_labelled_table_changes_no_bit(self):
        listed, others = sample(0.6)
        header = "person,thing,week,value\n"
        lines = [f"p{i},t{j},week {k},{1 + i * j / 7 + k / 3}\n" for i, j, k in listed]
        lines += [f"p{i},t{j},week {k},{v}\n" for i, j, k in listed[:20] for v in (0.1, 1e3 / 7)]  # some three times
        self.write("wanted.csv", header + "".join(f"p{i},t{j},week {k},0\n" for i, j, k in others))
        answers = set()
        for seed in range(3):
            self.write("train.csv", header + "".join(lines))
            self.ok("fit", "train.csv", "-o", "m.lac", "--rank", "2", "--lambda", "10", "--duplicates", "mean")
            self.ok("predict", "m.lac", "wanted.csv", "-o", "out.csv")
            answers.add(self.path("out.csv").read_text())
            random.Random(seed).shuffle(lines)
        self.assertEqual(len(answers), 1)


class DecimalCommas(CliTest):
    def test_are_understood_or_asked_for(self):
        self.write("a.csv", "shop;item;price\na;x;20,99\nb;x;5,50\nb;y;7\n")
        info = self.ok_json("info", "a.csv")
        self.assertEqual((info["shape"], info["min"], info["max"]), ([2, 2], 5.5, 20.99))
        self.write("b.csv", "shop;item;price\na;x;1,020\nb;x;2,500\nb;y;7\n")
        self.assertIn("decimal mark", self.fails(3, "info", "b.csv"))
        self.assertEqual(self.ok_json("info", "b.csv", "--decimal", ",")["min"], 1.02)
        self.assertIn("expected a number", self.fails(3, "info", "b.csv", "--decimal", "."))
        self.fails(2, "info", "b.csv", "--decimal", ";")


if __name__ == "__main__":
    unittest.main()
