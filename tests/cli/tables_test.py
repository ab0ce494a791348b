# SPDX-License-Identifier: MIT
"""Tables as people have them: wide ones, bins of the calendar, time zones, packed files, standard input and output."""
import gzip
import lzma
import math
import random
import subprocess
import unittest

from support import LACUNA, TIMEOUT, CliTest, read_npy, write_npy

HEAD = "station,day," + ",".join(f"{hour:02}:00" for hour in range(0, 24, 3)) + ",remark\r\n"
WIDE = ("--wide=hour", "--columns", "station,day")
FIT = ("--method", "als", "--rank", "2", "--quiet")


def wide_rows(seed=3):
    noise = random.Random(seed)
    rows = []
    for number, station in enumerate(("north", "south", "east", "west")):
        for day in range(1, 16):
            values = [10 + number * math.sin(hour / 4) + day / 10 for hour in range(0, 24, 3)]
            fields = ["" if noise.random() < 0.2 else f"{value:.3f}0" for value in values]
            rows.append([station, f"2024-03-{day:02}", *fields, '"fine, dry"'])
    return rows


def as_csv(rows):
    return HEAD + "".join(",".join(row) + "\r\n" for row in rows)


class Tables(CliTest):
    preset = ()

    def setUp(self):
        super().setUp()
        self.rows = wide_rows()
        self.write("wide.csv", as_csv(self.rows))

    def piped(self, content, *arguments, code=0):
        done = subprocess.run([LACUNA, *arguments], cwd=self.folder, input=content, capture_output=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def test_convert_merges_cells_when_asked(self):
        self.write("days.csv", "u,t,v\na,2023-01-02,1\na,2023-01-09,3\nb,2023-02-09,\nb,2023-01-09,4\nb,2023-01-10,\n")
        self.ok("convert", "days.csv", "months.csv", "--bin", "1M", "--duplicates", "mean", "--across", "none")
        self.assertEqual(self.path("months.csv").read_text(), "u,t,value\na,2023-01-01,2\nb,2023-01-01,4\nb,2023-02-01,\n")
        self.ok("convert", "days.csv", "wide.csv", "--bin", "1M", "--duplicates", "sum", "--across", "t")
        self.assertEqual(self.path("wide.csv").read_text(), "u,2023-01-01,2023-02-01\na,4,\nb,4,\n")
        self.assertIn("listed more than once", self.fails(3, "convert", "days.csv", "x.csv", "--bin", "1M", "--duplicates", "error"))

    def test_completing_a_wide_table_changes_its_holes_only(self):
        self.ok("complete", "wide.csv", *WIDE, "-o", "whole.csv", *FIT)
        whole = self.path("whole.csv").read_bytes().decode()
        lines = whole.split("\r\n")
        self.assertEqual(lines[0] + "\r\n", HEAD)
        holes = 0
        for row, line in zip(self.rows, lines[1:], strict=False):
            filled = line.removesuffix(',"fine, dry"').split(",")
            for had, has in zip(row[:-1], filled, strict=True):
                if had:
                    self.assertEqual(had, has)
                else:
                    holes += 1
                    self.assertTrue(5 < float(has) < 15, has)
        self.assertGreater(holes, 20)
        self.assertEqual(len(lines), len(self.rows) + 2)
        # through a pipe the same bytes come
        done = self.piped(as_csv(self.rows).encode(), "complete", "-", *WIDE, "-o", "-", *FIT)
        self.assertEqual(done.stdout.decode(), whole)
        self.assertIn(b"cells filled", done.stderr)

    def test_a_wide_table_is_its_long_one(self):
        """The same model comes of both, whatever the layout and the packing."""
        self.ok("convert", "wide.csv", "long.csv.xz", *WIDE, "--across", "none")
        self.ok("convert", "long.csv.xz", "again.csv.zst", "--across", "hour")
        self.ok("fit", "wide.csv", *WIDE, "-o", "a.lac", *FIT, "--no-record")
        self.ok("fit", "long.csv.xz", "-o", "b.lac", *FIT, "--no-record")
        self.ok("fit", "again.csv.zst", "--wide=hour", "-o", "c.lac", *FIT, "--no-record")
        self.assertEqual(self.path("a.lac").read_bytes(), self.path("b.lac").read_bytes())
        self.assertEqual(self.path("a.lac").read_bytes(), self.path("c.lac").read_bytes())

    def test_splitting_a_wide_table_makes_wide_tables(self):
        self.ok("split", "wide.csv", *WIDE, "--train", "train.csv", "--test", "test.csv", "--fraction", "0.7")
        counts = [self.ok_json("info", name, "--wide=hour")["observed"] for name in ("train.csv", "test.csv")]
        self.assertEqual(sum(counts), sum(1 for row in self.rows for field in row[2:-1] if field))
        self.ok("fit", "train.csv", "--wide=hour", "--test", "test.csv", "-o", "m.lac", *FIT)

    def test_a_model_is_asked_by_wide_tables_and_by_long_ones(self):
        self.ok("fit", "wide.csv", *WIDE, "-o", "m.lac", *FIT)
        wide = self.piped(b"day,station,03:00,06:00\n2024-03-02,east,,\n", "predict", "m.lac", "-", "-o", "-").stdout
        long = self.piped(b"day,hour,station\n2024-03-02,03:00,east\n2024-03-02,06:00,east\n", "predict", "m.lac", "-", "-o", "-")
        values = [line.split(",")[3] for line in long.stdout.decode().splitlines()[1:]]
        self.assertEqual(wide.decode().splitlines()[1], "2024-03-02,east," + ",".join(values))
        self.piped(as_csv(self.rows).encode(), "evaluate", "m.lac", "-")
        self.piped(as_csv(self.rows).encode(), "update", "m.lac", "-", "-o", "n.lac", "--duplicates", "last")

    def test_bins_of_the_calendar_are_kept_in_the_model(self):
        rows = "".join(f"{w},2023-{m:02}-{d:02},{m + w}\n" for w in range(1, 6) for m in range(1, 13) for d in (1, 28))
        self.write("t.csv", "who,time,value\n" + rows)
        self.ok("fit", "t.csv", "--bin", "1M", "--duplicates", "mean", "-o", "m.lac", *FIT)
        asked = b"who,time\n3,2023-07-31 23:59:59\n3,2023-07-01\n"
        lines = self.piped(asked, "predict", "m.lac", "-", "-o", "-").stdout.decode().splitlines()
        self.assertEqual(lines[1], lines[2])
        self.assertTrue(lines[1].startswith("3,2023-07-01,"), lines)
        told = self.ok("top", "m.lac", "time=2023-09-17", "--observed", "-k", "1")
        self.assertIn("5,2023-09-01", told)
        # A new month is taken up, and asked for by any of its days.
        new = "who,time,value\n" + "".join(f"{w},2024-01-{w + 9},{w + 13}\n" for w in range(1, 6))
        self.piped(new.encode(), "update", "m.lac", "-", "-o", "n.lac")
        lines = self.piped(b"who,time\n3,2024-01-30\n", "predict", "n.lac", "-", "-o", "-").stdout.decode().splitlines()
        self.assertTrue(lines[1].startswith("3,2024-01-01,"), lines)
        self.assertAlmostEqual(float(lines[1].split(",")[2]), 16, delta=3)

    def test_packed_files(self):
        plain = "".join(f"{i} {i % 7 + 1} {i * 0.5}\n" for i in range(1, 3001))
        self.write("a.tns", plain)
        for ending, pack, unpack in ((".gz", gzip.compress, gzip.decompress), (".xz", lzma.compress, lzma.decompress)):
            self.ok("convert", "a.tns", "b.tns" + ending)
            self.assertEqual(unpack(self.path("b.tns" + ending).read_bytes()).decode().replace(".0\n", "\n"), plain.replace(".0\n", "\n"))
            self.path("c").write_bytes(pack(plain.encode()))
            self.assertEqual(self.piped(b"", "convert", "c", "-").stdout, self.piped(b"", "convert", "a.tns", "-").stdout)

    def test_a_bomb_of_text(self):
        """A few kilobytes that unpack to a line of a gigabyte."""
        self.path("a.tns.xz").write_bytes(lzma.compress(b"1" * (1 << 27)))
        self.assertIn(b"found a line of more than 16 MB", self.piped(b"", "info", "a.tns.xz", code=3).stderr)

    def test_arrays_through_pipes(self):
        values = [float((i + 1) * (j + 1)) for i in range(12) for j in range(10)]
        values[23] = math.nan
        write_npy(self.path("a.npy"), (12, 10), values)
        done = self.piped(self.path("a.npy").read_bytes(), "complete", "-", "-o", "-", "--method", "als", "--rank", "1", "--quiet")
        self.path("b.npy").write_bytes(done.stdout)
        header, whole = read_npy(self.path("b.npy"))
        self.assertEqual(header["shape"], (12, 10))
        self.assertFalse(any(math.isnan(value) for value in whole))

    def test_standard_streams_are_told_from_each_other(self):
        done = self.piped(b"", "split", "wide.csv", *WIDE, "--train", "-", "--test", "-", code=2)
        self.assertIn(b"--test: standard output is also --train", done.stderr)
        done = self.piped(b"", "predict", "-", "-", "-o", "-", code=2)
        self.assertIn(b"cells: standard input is also model", done.stderr)
        done = self.piped(b"1 1 2\n1 2 x\n", "info", "-", "--format", "tns", code=3)
        self.assertIn(b"lacuna: standard input:2:5: found 'x'", done.stderr)
        done = self.piped(b"a,b,value\n1,2,3\n1,2,4\n", "info", "-", code=3)
        self.assertIn(b"lacuna: standard input:3: cell (1, 2) is listed more than once", done.stderr)

    def test_models_through_pipes(self):
        self.ok("fit", "wide.csv", *WIDE, "-o", "m.lac", *FIT, "--no-record")
        done = self.piped(self.path("wide.csv").read_bytes(), "fit", "-", *WIDE, "-o", "-", *FIT, "--no-record")
        self.assertEqual(done.stdout, self.path("m.lac").read_bytes())
        self.assertIn(b"standard input: als model", self.piped(done.stdout, "info", "-").stdout)


if __name__ == "__main__":
    unittest.main()
