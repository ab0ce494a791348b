# SPDX-License-Identifier: MIT
"""Small files that claim to hold gigabytes are refused by what they claim, before memory is taken for it."""
import os
import resource
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

from support import LACUNA, SANITIZED, TIMEOUT, CliTest

FILES = Path(__file__).resolve().parent.parent / "hostile_files"
REFUSED = (3, 5)  # as damaged, or for want of memory
MOST_KILOBYTES = 900_000 if SANITIZED else 300_000  # the program itself needs a third of that


def png(rows, columns, depth, colour, data):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", columns, rows, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


class Bombs(CliTest):
    def refused(self, path):
        """Runs `info` on the file; returns what it said."""
        with open(self.path("told"), "wb") as told:
            process = subprocess.Popen([LACUNA, "info", str(path)], stdout=told, stderr=told)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        told = self.path("told").read_text()
        self.assertIn(process.returncode, REFUSED, told)
        self.assertLess(usage.ru_maxrss, MOST_KILOBYTES, told)
        return told

    def test_a_png_of_65_bytes(self):
        self.refused(FILES / "huge_sizes.png")

    def test_pngs_that_memory_could_hold(self):
        few = zlib.compress(b"")
        for depth, colour in ((1, 0), (8, 2), (16, 6)):
            self.path("a.png").write_bytes(png(16000, 16000, depth, colour, few))
            self.assertIn("too few for a picture", self.refused(self.path("a.png")))

    def test_a_jpeg_whose_sizes_are_false(self):
        segment = lambda mark, body: b"\xff" + mark + struct.pack(">H", len(body) + 2) + body
        data = (
            b"\xff\xd8"
            + segment(b"\xdb", b"\0" + bytes([1] * 64))
            + segment(b"\xc0", struct.pack(">BHHBBBB", 8, 20000, 20000, 1, 1, 0x11, 0))
            + segment(b"\xc4", b"\0" + bytes([1] + [0] * 15) + b"\0")
            + segment(b"\xda", b"\1\1\0\0\x3f\0")
            + b"\0\xff\xd9"
        )
        self.path("a.jpg").write_bytes(data)
        self.assertIn("too few for a picture", self.refused(self.path("a.jpg")))

    def test_a_video_whose_frames_never_come(self):
        self.path("a.y4m").write_bytes(b"YUV4MPEG2 W65535 H65535 C444\nFRAME\nabc")
        self.assertIn("cut short", self.refused(self.path("a.y4m")))

    def test_an_hdf5_file_whose_numbers_were_never_written(self):
        self.assertIn("bytes that claim to hold", self.refused(FILES / "never_written.mat"))


@unittest.skipIf(SANITIZED, "a sanitizer's shadow takes all address space")
class PositionsFarApart(CliTest):
    """A few lines may name positions that are billions apart: what is between them is not there, but has rows in a model."""

    preset = ()

    def limited(self, *arguments):
        return subprocess.run(
            [LACUNA, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
        )  # fmt: skip

    def test_what_is_left_open_becomes_something_that_memory_can_hold(self):
        self.write("two.tns", "4000000000 1 1 5\n1 2 4000000000 3\n")
        self.write("some.tns", "".join(f"{1 + 3999999999 * (n % 2)} {1 + n % 7} {3 * n + 1} {n % 5}.5\n" for n in range(60)))
        for data in ("two.tns", "some.tns"):
            done = self.limited("fit", data, "-o", "m.lac", "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_update_is_refused_before_memory_is_taken(self):
        self.write("train.tns", "".join(f"{i} {j} {i + j}.5\n" for i in range(1, 7) for j in range(1, 6)))
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", "als", "--rank", "2", "--quiet")
        self.write("new.tns", "4000000000 1 5\n")
        done = self.limited("update", "m.lac", "new.tns", "-o", "n.lac")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("this update needs about", done.stderr)
        self.assertFalse(self.path("n.lac").exists())


if __name__ == "__main__":
    unittest.main()
