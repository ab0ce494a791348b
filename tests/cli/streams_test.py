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


if __name__ == "__main__":
    unittest.main()
