# SPDX-License-Identifier: MIT
"""Outputs that would destroy: an input, or another output, under any name. And names whose ending cannot be."""
import json
import os
import socket
import subprocess
import sys
import unittest
from pathlib import Path

from support import LACUNA, CliTest, SampleTest, cells, tns, write_npy

sys.path.append(str(Path(__file__).resolve().parent.parent / "torture"))
from failures import compile_shim  # noqa: E402

FIT = ("--rank", "2", "--max-iterations", "2", "--quiet")


class Identity(SampleTest):
    def setUp(self):
        super().setUp()
        self.ok("fit", "train.tns", "-o", "m.lac", "--intervals", *FIT)
        self.path("folder").mkdir()
        self.path("link").symlink_to("folder")
        os.link(self.path("train.tns"), self.path("hard.tns"))
        self.path("soft.tns").symlink_to("train.tns")
        self.path("dangling").symlink_to("folder/new")
        self.write("fit.ini", "rank = 2\n")
        self.write("s.tns", tns(self.train))
        self.before = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}

    def refused(self, *arguments):
        message = self.fails(2, *arguments)
        self.assertIn("is also what is ", message)
        now = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        self.assertEqual(now, self.before)

    def test_an_output_is_no_input(self):
        for arguments in (
            ("fit", "train.tns", "-o", "train.tns"),
            ("fit", "train.tns", "-o", "./folder/../train.tns"),
            ("fit", "train.tns", "-o", "hard.tns"),
            ("fit", "train.tns", "-o", "soft.tns"),
            ("fit", "soft.tns", "-o", "train.tns"),
            ("fit", "train.tns", "-o", self.path("train.tns")),
            ("fit", "train.tns", "--test", "test.tns", "-o", "test.tns"),
            ("fit", "train.tns", "-o", "n.lac", "--history", "train.tns"),
            ("fit", "train.tns", "-o", "n.lac", "--report", "train.tns"),
            ("fit", "train.tns", "-o", "m.lac", "--init", "m.lac"),
            ("fit", "train.tns", "-o", "fit.ini", "--config", "fit.ini"),
            ("complete", "train.tns", "-o", "train.tns"),
            ("complete", "train.tns", "-o", "o.tns", "--model", "train.tns"),
            ("complete", "train.tns", "-o", "o.tns", "--report", "train.tns"),
            ("predict", "m.lac", "test.tns", "-o", "test.tns"),
            ("predict", "m.lac", "test.tns", "-o", "m.lac"),
            ("split", "train.tns", "--train", "train.tns", "--test", "b.tns"),
            ("split", "train.tns", "--train", "a.tns", "--test", "hard.tns"),
            ("convert", "train.tns", "train.tns"),
            ("convert", "train.tns", "soft.tns"),
            ("tune", "train.tns", "-o", "train.tns"),
            ("tune", "train.tns", "-o", "n.lac", "--state", "train.tns"),
            ("tune", "train.tns", "-o", "n.lac", "--table", "train.tns"),
            ("tune", "train.tns", "-o", "n.lac", "--test", "test.tns", "--report", "test.tns"),
            ("report", "m.lac", "-o", "m.lac"),
            ("fit", "train.tns", "-o", "n.lac", "--checkpoint", "train.tns"),
            ("fit", "train.tns", "-o", "n.lac", "--checkpoint", "hard.tns"),
            ("fit", "train.tns", "-o", "n.lac", "--test", "test.tns", "--checkpoint", "test.tns"),
            ("fit", "train.tns", "-o", "n.lac", "--resume", "m.lac", "--history", "m.lac"),
            ("tune", "train.tns", "-o", "n.lac", "--checkpoint", "soft.tns"),
            ("complete", "train.tns", "-o", "o.tns", "--checkpoint", "train.tns"),
            ("update", "m.lac", "test.tns", "-o", "test.tns"),
            ("update", "m.lac", "test.tns", "-o", "m.lac"),
            ("top", "m.lac", "s.tns", "-o", "s.tns"),
            ("top", "m.lac", "1,?,1", "-o", "m.lac"),
            ("top", "m.lac", "1,?,1", "--exclude", "soft.tns", "-o", "train.tns"),
            ("top", "m.lac", "1,?,1", "--candidates", "s.tns", "-o", "s.tns"),
            ("top", "m.lac", "1,?,1", "--candidates", "mode2=soft.tns", "-o", "train.tns"),
            ("explain", "m.lac", "s.tns", "-o", "s.tns"),
            ("explain", "m.lac", "1,1,1", "-o", "m.lac"),
            ("report", "m.lac", "--train", "train.tns", "-o", "train.tns"),
            ("report", "m.lac", "--test", "test.tns", "-o", "test.tns"),
        ):
            with self.subTest(arguments):
                self.refused(*arguments)

    def test_an_output_is_no_input_that_comes_through_the_standard_input(self):
        for name, arguments in (
            ("train.tns", ("fit", "-", "-o", "train.tns", "--format", "tns", *FIT)),
            ("train.tns", ("fit", "-", "-o", "hard.tns", "--format", "tns", *FIT)),
            ("train.tns", ("complete", "-", "-o", "train.tns", "--format", "tns")),
            ("train.tns", ("split", "-", "--train", "a.tns", "--test", "train.tns", "--format", "tns")),
            ("train.tns", ("convert", "-", "train.tns", "--format", "tns")),
            ("test.tns", ("predict", "m.lac", "-", "-o", "test.tns", "--format", "tns")),
            ("m.lac", ("report", "-", "-o", "m.lac")),
            ("m.lac", ("top", "-", "1,?,1", "-o", "m.lac")),
        ):
            with self.subTest(arguments), open(self.path(name), "rb") as given:
                done = subprocess.run([LACUNA, *arguments], cwd=self.folder, capture_output=True, text=True, stdin=given)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("is also what is ", done.stderr)
                now = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
                self.assertEqual(now, self.before)

    def test_the_standard_output_is_no_input(self):
        with open(self.path("train.tns"), "ab") as out:
            done = subprocess.run([LACUNA, "convert", "train.tns", "-"], cwd=self.folder, stderr=subprocess.PIPE, text=True, stdout=out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is also what is read as", done.stderr)
        self.assertEqual(self.path("train.tns").read_bytes(), self.before["train.tns"])

    def test_a_name_is_not_empty(self):
        for arguments in (
            ("fit", "train.tns", "-o", ""), ("fit", "train.tns", "-o", "n.lac", "--history", ""),
            ("fit", "train.tns", "-o", "n.lac", "--report", ""), ("fit", "", "-o", "n.lac"),
            ("tune", "train.tns", "-o", "n.lac", "--state", ""), ("convert", "train.tns", ""),
            ("complete", "train.tns", "-o", "o.tns", "--model", ""),
        ):  # fmt: skip
            with self.subTest(arguments):
                self.assertIn("found an empty file name", self.fails(2, *arguments))
                now = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
                self.assertEqual(now, self.before)

    def test_an_output_is_no_other_output(self):
        for arguments in (
            ("fit", "train.tns", "-o", "q", "--history", "q"),
            ("fit", "train.tns", "-o", "q", "--history", "folder/../q"),
            ("fit", "train.tns", "-o", "folder/q", "--report", "link/q"),
            ("fit", "train.tns", "-o", "folder/new", "--report", "dangling"),
            ("split", "train.tns", "--train", "s", "--test", "s"),
            ("split", "train.tns", "--train", "s.tns", "--test", "./s.tns"),
            ("complete", "train.tns", "-o", "q", "--model", "q"),
            ("tune", "train.tns", "-o", "q", "--table", "q"),
            ("tune", "train.tns", "-o", "q", "--state", "q"),
            ("fit", "train.tns", "-o", "q", "--checkpoint", "q"),
            ("tune", "train.tns", "-o", "n.lac", "--table", "q", "--checkpoint", "folder/../q"),
            ("complete", "train.tns", "-o", "o.tns", "--model", "folder/q", "--checkpoint", "link/q"),
            ("split", "train.tns", "--train", "a.hdr", "--test", "a.img"),
        ):
            with self.subTest(arguments):
                self.refused(*arguments)

    def test_a_cube_is_two_files(self):
        self.write("c.hdr", "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = 1\n")
        self.write("c.img", "abcdefghijkl")
        self.write("d.hdr", "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = 1\n")
        self.write("d", "abcdefghijkl")
        self.path("soft.img").symlink_to("c.img")
        self.before = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        for arguments in (
            ("fit", "c.hdr", "-o", "c.img"), ("fit", "c.img", "-o", "c.hdr"), ("fit", "d.hdr", "-o", "d"),
            ("convert", "c.hdr", "soft.img", "--to", "tns"), ("complete", "c.hdr", "-o", "c.img"),
            ("convert", "d", "d.hdr", "--to", "tns", "--format", "envi"), ("convert", "c.img", "c.hdr"),
            ("fit", "train.tns", "--mask", "c.hdr", "-o", "c.img"), ("convert", "d.hdr", "d", "--to", "envi"),
        ):  # fmt: skip
            with self.subTest(arguments):
                self.refused(*arguments)

    def test_an_output_lies_in_no_folder_that_is_read(self):
        self.path("folder/0.tns").write_bytes(self.before["train.tns"])
        self.path("out.lac").symlink_to("folder/out.lac")
        for arguments in (
            ("fit", "folder", "-o", "folder/0.tns"), ("fit", "folder", "-o", "link/m.lac"), ("convert", "link", "folder/0.tns"),
            ("fit", "folder", "-o", "n.lac", "--checkpoint", "folder/ck"), ("fit", "folder", "-o", "out.lac"),
            ("fit", "train.tns", "--test", "folder/.", "-o", "folder/m.lac"),
        ):  # fmt: skip
            with self.subTest(arguments):
                self.assertIn("the folder that is read as ", self.fails(2, *arguments))
                self.assertEqual([p.name for p in self.path("folder").iterdir()], ["0.tns"])
                self.assertEqual(self.path("folder/0.tns").read_bytes(), self.before["train.tns"])
        self.ok("convert", "folder", "n.tns")

    def test_the_ends_of_intervals_are_outputs(self):
        self.write("a.low.csv", self.before["test.tns"].decode())
        self.before = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        arguments = ("predict", "m.lac", "a.low.csv", "--format", "tns", "-o", "a.csv")
        self.refused(*arguments, "--interval", "0.5")
        self.ok(*arguments)

    def test_devices_and_words_are_no_files(self):
        self.ok("fit", "train.tns", "-o", "/dev/null", "--history", "/dev/null", *FIT)
        self.ok("fit", "train.tns", "-o", "n.lac", "--init", "random", *FIT)
        self.ok("convert", "train.tns", "/dev/stdout")
        self.ok("convert", "train.tns", "n.tns")
        self.ok("convert", "test.tns", "n.tns")  # one that is there is replaced all the same


class Ending(CliTest):
    """Judged before the fit: these fits would take an hour."""

    FOREVER = ("--tolerance", "0", "--max-iterations", "1000000000", "--rank", "2", "--lambda", "1e6")

    def setUp(self):
        super().setUp()
        values = [float("nan") if (i + j + k) % 3 == 0 else i + j * k + 0.5 for i, j, k in cells((6, 5, 4))]
        write_npy(self.path("in.npy"), (6, 5, 4), values)

    def test_of_a_completed_array(self):
        for name in ("out", "out.xyz", "out.npy.gz", "out.png", "out.jpg"):
            with self.subTest(name):
                self.assertIn(f"{name}: ", self.fails(6, "complete", "in.npy", "-o", name, *self.FOREVER))
                self.assert_only("in.npy")

    def test_of_two_parts(self):
        for names in (("a.tns", "b.npy.gz"), ("a.png", "b.tns"), ("a.tns", "b.xyz")):
            with self.subTest(names):
                self.fails(6, "split", "in.npy", "--train", names[0], "--test", names[1])
                self.assert_only("in.npy")


class Unwritable(SampleTest):
    """Found before the fit: these fits would take an hour."""

    def test_is_told_at_once(self):
        self.path("folder").mkdir()
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(self.path("socket")))
        before = sorted(p.name for p in self.folder.iterdir())
        fit = ("fit", "train.tns", *Ending.FOREVER)
        complete = ("complete", "train.tns", *Ending.FOREVER)
        tune = ("tune", "train.tns", "--max-iterations", "1000000000", "--tolerance", "0")
        for name in ("folder", "socket", "n" * 256):
            for arguments in (
                (*fit, "-o", name), (*fit, "-o", "m.lac", "--history", name), (*fit, "-o", "m.lac", "--report", name),
                (*fit, "-o", "m.lac", "--checkpoint", name), (*complete, "-o", "o.tns", "--model", name),
                (*complete, "-o", "o.tns", "--report", name), (*tune, "-o", name), (*tune, "-o", "m.lac", "--table", name + ".csv"),
            ):  # fmt: skip
                if arguments[-1] in ("folder.csv", "socket.csv"):
                    continue
                with self.subTest(arguments):
                    self.assertIn(f"{arguments[-1]}: ", self.fails(6, *arguments))
                    self.assert_only(*before)
        self.path("o.tns").mkdir()
        self.assertIn("o.tns: ", self.fails(6, *complete, "-o", "o.tns"))


class OddNames(SampleTest):
    """JSON is UTF-8, and names of files need not be."""

    def test_are_shown_in_json_with_a_sign_for_what_is_no_text(self):
        model, data, page = b"\xff.lac", b"\xff.tns", b"\xff.html"
        (self.folder / os.fsdecode(data)).write_bytes(self.path("train.tns").read_bytes())
        for arguments in (
            ("fit", data, "-o", model, *FIT), ("predict", model, data, "-o", b"\xfe.tns"), ("info", data), ("info", model),
            ("report", model, "-o", page), ("complete", data, "-o", b"\xfe.csv", "--method", "mean"), ("convert", data, b"\xfd.csv"),
            ("tune", data, "-o", model, "--method", "als", "--rank", "1", "--lambda", "1", "--folds", "2"),
        ):  # fmt: skip
            with self.subTest(arguments):
                done = subprocess.run([LACUNA, *arguments, "--json"], cwd=self.folder, capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("\ufffd.", done.stdout.decode())
                json.loads(done.stdout)


class Foreign(SampleTest):
    ENDINGS = ("xlsx", "ods", "parquet", "json", "csv.bz2", "zip", "pkl", "json.gz")

    def test_endings_are_refused_before_anything_is_read(self):
        for ending in self.ENDINGS:
            for arguments in (("convert", "none.tns", f"r.{ending}"), ("predict", "none.lac", "none.tns", "-o", f"r.{ending}"),
                              ("complete", "none.tns", "-o", f"r.{ending}"), ("top", "none.lac", "a=1", "-o", f"r.{ending}"),
                              ("split", "none.tns", "--train", f"r.{ending}", "--test", "b.tns"),
                              ("tune", "none.tns", "-o", "m.lac", "--table", f"r.{ending}")):  # fmt: skip
                with self.subTest(arguments):
                    message = self.fails(6, *arguments)
                    self.assertIn(f"r.{ending}: the name's ending says a", message)
        self.assert_only("train.tns", "test.tns")

    def test_a_format_that_is_asked_for_may_have_any_ending(self):
        self.ok("convert", "train.tns", "r.json", "--to", "table")


class Together(SampleTest):
    """Files that belong together are all new or all as they were: here the last one cannot take its place."""

    OLD = b"what was there before"

    def setUp(self):
        super().setUp()
        self.shim = compile_shim(self.folder)

    def failing(self, plan, *arguments):
        environment = {**os.environ, "LD_PRELOAD": str(self.shim), "TORTURE_FAIL": plan, "TORTURE_COUNT": str(self.path("calls"))}
        done = subprocess.run([LACUNA, *arguments, "--threads", "1"], cwd=self.folder, capture_output=True, text=True, env=environment)
        return done, int(self.path("calls").read_text())

    def all_or_none(self, outputs, *arguments):
        done, calls = self.failing("write:0", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = {name: self.path(name).read_bytes() for name in outputs}
        allowed = {p.name for p in self.folder.iterdir()}
        refused = 0
        for k in range(1, calls + 1):
            for old in (True, False):
                for name in outputs:
                    self.path(name).write_bytes(self.OLD) if old else self.path(name).unlink()
                done, _ = self.failing(f"write:{k}:28", *arguments)
                now = {name: self.path(name).read_bytes() if self.path(name).exists() else None for name in outputs}
                expected = whole if done.returncode == 0 else dict.fromkeys(outputs, self.OLD if old else None)
                self.assertEqual(now, expected, f"call {k} fails: {done.stderr}")
                self.assertLessEqual({p.name for p in self.folder.iterdir()}, allowed)
                refused += done.returncode == 6
                for name in outputs:
                    self.path(name).write_bytes(self.OLD)
        self.assertGreaterEqual(refused, 2 * len(outputs))  # at least what is written and what is named

    def test_a_cube_and_its_header(self):
        write_npy(self.path("in.npy"), (4, 3, 2), [float(i) for i in range(24)])
        self.all_or_none(("o.hdr", "o.img"), "convert", "in.npy", "o.hdr")

    def test_the_parts_of_a_split(self):
        self.all_or_none(("a.tns", "b.tns"), "split", "train.tns", "--train", "a.tns", "--test", "b.tns")

    def test_predictions_and_the_ends_of_their_intervals(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--intervals", *FIT)
        self.all_or_none(("p.tns", "p.low.tns", "p.high.tns"), "predict", "m.lac", "test.tns", "-o", "p.tns", "--interval", "0.5")


class NothingMissing(CliTest):
    def test_is_said_at_once(self):
        write_npy(self.path("in.npy"), (6, 5, 4), [i + j * k + 0.5 for i, j, k in cells((6, 5, 4))])
        self.write("in.tns", tns(cells((6, 5, 4))))
        for name in ("in.npy", "in.tns"):
            with self.subTest(name):
                out = "out." + name[-3:]
                done = self.run_lacuna("complete", name, "-o", out, *Ending.FOREVER)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("nothing is missing", done.stderr)
                self.assertIn("0 of 120 cells", done.stdout)
                self.assertEqual(self.path(out).read_bytes()[-900:], self.path(name).read_bytes()[-900:])
        found = self.ok_json("complete", "in.npy", "-o", "out.npy", *Ending.FOREVER)
        self.assertEqual((found["filled"], found["observed"]), (0, 120))

    def test_a_model_or_smoothing_is_fitted_all_the_same(self):
        write_npy(self.path("in.npy"), (6, 5, 4), [i + j * k + 0.5 for i, j, k in cells((6, 5, 4))])
        short = ("--rank", "1", "--max-iterations", "3", "--parts", "full", "--offsets", "none", "--lambda", "1")
        self.ok("complete", "in.npy", "-o", "out.npy", "--model", "m.lac", *short)
        self.assertTrue(self.path("m.lac").exists())
        self.ok("complete", "in.npy", "-o", "out.npy", "--denoise", *short)
        self.assertNotEqual(self.path("out.npy").read_bytes(), self.path("in.npy").read_bytes())


if __name__ == "__main__":
    unittest.main()
