# SPDX-License-Identifier: MIT
"""Data that come through a pipe, as <(zcat data.gz) does: nothing of them is lost to the look at their format."""
import gzip
import os
import subprocess
import threading
import unittest

from support import LACUNA, TIMEOUT, CliTest, sample, tns


class Streams(CliTest):
    def piped(self, content, *arguments):
        """Runs with /dev/fd/N, a pipe that gives `content`, for the argument None."""
        read_end, write_end = os.pipe()

        def feed():
            try:
                with open(write_end, "wb") as out:
                    out.write(content)
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        words = [f"/dev/fd/{read_end}" if a is None else a for a in arguments]
        done = subprocess.run(
            [LACUNA, *words], cwd=self.folder, pass_fds=(read_end,), capture_output=True, text=True, timeout=TIMEOUT
        )
        os.close(read_end)
        feeder.join()
        return done, f"/dev/fd/{read_end}"

    def test_every_line_is_read(self):
        """More than is looked at to tell the format."""
        lines = "".join(f"{i} {i % 7 + 1} {i % 5 + 1} {i * 0.5}\n" for i in range(1, 5001))
        for content in (lines.encode(), gzip.compress(lines.encode())):
            done, _ = self.piped(content, "convert", None, "out.tns")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.path("out.tns").read_text(), lines.replace(".0\n", "\n"))

    def test_a_table_is_read_from_its_first_line(self):
        table = "user,item,value\n" + "".join(f"u{i},i{i % 50},{i}\n" for i in range(4000))
        done, _ = self.piped(table.encode(), "convert", None, "out.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.path("out.csv").read_text(), table)

    def test_errors_name_the_pipe_and_the_line(self):
        done, name = self.piped(b"1 1 1 2\n1 2 x 3\n", "info", None)
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"lacuna: {name}:2:5: ", done.stderr)
        done, name = self.piped(b"1 1 1 2\n1 1 1 3\n", "info", None)
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"lacuna: {name}: ", done.stderr)

    def test_a_named_pipe_fits_as_its_file_does(self):
        self.write("train.tns", tns(sample(0.6)[0]))
        self.ok("fit", "train.tns", "-o", "a.lac", "--rank", "2", "--no-record")
        os.mkfifo(self.path("pipe.tns"))
        feeder = threading.Thread(target=lambda: self.path("pipe.tns").write_bytes(self.path("train.tns").read_bytes()))
        feeder.start()
        self.ok("fit", "pipe.tns", "-o", "b.lac", "--rank", "2", "--no-record")
        feeder.join()
        self.assertEqual(self.path("a.lac").read_bytes(), self.path("b.lac").read_bytes())

    def fed(self, path, *arguments):
        """With the file as standard input; what the verb wrote there comes back as bytes."""
        with open(self.path(path), "rb") as given:
            return subprocess.run([LACUNA, *arguments], cwd=self.folder, stdin=given, capture_output=True, timeout=TIMEOUT)

    def test_what_is_known_of_positions_comes_from_the_standard_input(self):
        self.preset = ()
        rows = [(u, i, (u * i) % 5 + 1) for u in range(12) for i in range(9) if (u + 2 * i) % 3]
        self.write("ratings.csv", "user,item,stars\n" + "".join(f"u{u},i{i},{v}\n" for u, i, v in rows))
        self.write("users.csv", "user,age,job\n" + "".join(f"u{u},{20 + u},{'ab'[u % 2]}\n" for u in range(14)))
        self.write("friends.csv", "".join(f"u{u},u{(u + 1) % 12}\n" for u in range(12)))
        self.write("places.csv", "".join(f"i{i} {i * 1.5}\n" for i in range(9)))
        for flag, mode, name in (("--side", "user", "users.csv"), ("--graph", "user", "friends.csv"),
                                 ("--coordinates", "item", "places.csv")):
            asked = ("fit", "ratings.csv", "--method", "tr-mm", "--parts", "user|item", "--rank", "2", "--lambda", "1",
                     "--offsets", "modes", "--no-record")
            self.ok(*asked, "-o", "a.lac", flag, f"{mode}={name}")
            done = self.fed(name, *asked, "-o", "b.lac", flag, f"{mode}=-")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.path("a.lac").read_bytes(), self.path("b.lac").read_bytes(), flag)
            done = self.fed("ratings.csv", "fit", "-", *asked[2:], "-o", "b.lac", flag, f"{mode}=-")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"expected - for one of them", done.stderr)
        self.write("wrong.csv", "user,age\nu1,20\nu1,30\n")
        done = self.fed("wrong.csv", *asked, "-o", "b.lac", "--side", "user=-")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"lacuna: standard input:3: ", done.stderr)

    def test_flags_come_from_the_standard_input(self):
        self.write("train.tns", tns(sample(0.6)[0]))
        self.write("flags.ini", "method = tr-mm\nrank = 2\nlambda = 3\n")
        done = self.fed("flags.ini", "--config", "-", "fit", "train.tns", "-o", "m.lac", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ok_json("info", "m.lac")["settings"]["lambda"], 3.0)
        self.write("wrong.ini", "rnak = 2\n")
        done = self.fed("wrong.ini", "--config", "-", "fit", "train.tns", "-o", "m.lac")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"did you mean --rank?", done.stderr)

    def test_a_picture_goes_through_pipes(self):
        self.write("field.tns", tns(sample(0.6, shape=(20, 18, 3))[0]))
        self.ok("convert", "field.tns", "field.npy")
        self.ok("complete", "field.npy", "-o", "whole.npy", "--method", "als", "--rank", "1", "--quiet", "--clip", "0,1")
        self.ok("convert", "whole.npy", "whole.png")
        done = self.fed("whole.npy", "convert", "-", "-", "--to", "picture")
        self.assertEqual(done.stdout, self.path("whole.png").read_bytes(), done.stderr)
        done = self.fed("whole.png", "convert", "-", "-")
        self.assertEqual(done.stdout, self.path("whole.png").read_bytes(), done.stderr)

    def test_formats_that_need_a_name_say_so(self):
        self.write("field.tns", tns(sample(0.6, shape=(20, 18, 3))[0]))
        self.ok("convert", "field.tns", "field.npy")
        for kind in ("hdf5", "netcdf", "tiff", "envi", "video"):
            done = self.fed("field.npy", "convert", "-", "-", "--to", kind)
            self.assertEqual((done.returncode, done.stdout), (6, b""), kind)
            self.assertRegex(done.stderr, rb"lacuna: -: found .*, expected|two files, expected a name", kind)

    def test_an_hdf5_file_needs_a_name(self):
        self.write("field.tns", tns(sample(0.6, shape=(20, 18, 3))[0]))
        self.ok("convert", "field.tns", "field.h5")
        self.ok("info", "field.h5")
        done = self.fed("field.h5", "info", "-")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"lacuna: standard input: found an HDF5 file in a pipe, expected it under a name", done.stderr)


if __name__ == "__main__":
    unittest.main()
