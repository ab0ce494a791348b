# SPDX-License-Identifier: MIT
"""Files made to keep a reader busy take time in proportion to their size."""
import os
import random
import subprocess
import unittest

from support import LACUNA, SANITIZED, CliTest

SLOWER = 10 if SANITIZED else 1  # and as much larger
MOST_BYTES = SLOWER * 600e6  # all files here have a few megabytes
MOST_SECONDS = SLOWER * 5  # of the processor's time: a tenth is enough on any machine


class SlowFiles(CliTest):
    def quickly(self, *arguments):
        with open(os.devnull, "wb") as nowhere:
            process = subprocess.Popen([LACUNA, *arguments], cwd=self.folder, stdout=nowhere, stderr=nowhere)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertLess(usage.ru_utime + usage.ru_stime, MOST_SECONDS)
        self.assertLess(usage.ru_maxrss * 1024, MOST_BYTES)
        return process.returncode

    def test_quoted_line_breaks(self):
        self.write("one.csv", 'a,b,value\n"x' + "\n" * 1_000_000 + '",y,1\n')
        self.assertEqual(self.quickly("info", "one.csv"), 0)
        self.write("many.csv", "a,b,value\n" + '"\n",' * 200_000 + "1\n")
        self.assertEqual(self.quickly("info", "many.csv"), 3)
        self.write("doubled.csv", 'a,b,value\n"x' + '""\n' * 300_000 + '",y,1\n')
        self.assertEqual(self.quickly("info", "doubled.csv"), 0)
        self.write("open.csv", 'a,b,value\n"x' + '""\n' * 400_000)
        self.assertEqual(self.quickly("info", "open.csv"), 3)

    def test_carriage_returns_alone(self):
        self.write("old.csv", "a,b,value\r" + "".join(f"u{i},v,1\r" for i in range(300_000)))
        self.assertEqual(self.quickly("info", "old.csv"), 0)

    def test_info_of_positions_far_apart(self):
        self.write("far.tns", "1 4294967294 1 5\n4294967290 1 4294967294 6\n")
        self.assertEqual(self.quickly("info", "far.tns"), 0)
        self.assertEqual(self.ok_json("info", "far.tns")["modes"][1]["empty_slices"], 4294967292)

    def test_info_of_2000_modes(self):
        dice = random.Random(1)
        rows = [",".join(str(dice.randrange(50)) for _ in range(2000)) + f",{row}\n" for row in range(100)]
        self.write("wide.csv", ",".join(f"c{k}" for k in range(2000)) + ",value\n" + "".join(rows))
        self.assertEqual(self.quickly("info", "wide.csv"), 3)
        self.assertIn("found 2000 modes, expected at most 64", self.fails(3, "info", "wide.csv"))

    def test_more_modes_than_there_are(self):
        columns = 60_000
        self.write("wide.csv", ",".join(f"c{k}" for k in range(columns)) + ",value\n" + "1," * columns + "1\n")
        self.write("wide.tns", "1 " * columns + "1.5\n" + "2 " * columns + "2.5\n")
        self.write("semicolons.csv", 2 * (";" * 1_000_000 + "\n"))
        self.write("wide.txt", f"sptensor\n{columns}\n" + "2 " * columns + "\n1\n" + "1 " * columns + "1\n")
        for name, words in (("wide.csv", ()), ("wide.tns", ()), ("semicolons.csv", ()), ("wide.txt", ("--format", "sptensor"))):
            with self.subTest(name):
                self.assertEqual(self.quickly("info", name, *words), 3)

    def test_info_of_64_modes(self):
        dice = random.Random(1)
        rows = [" ".join(str(dice.randrange(1, 50)) for _ in range(64)) + f" {row}\n" for row in range(100)]
        self.write("wide.tns", "".join(rows))
        self.assertEqual(self.quickly("info", "wide.tns"), 0)
        self.write("wider.tns", "1 " * 65 + "1\n")
        self.assertIn("found 65 modes, expected at most 64", self.fails(3, "info", "wider.tns"))

    def test_many_small_frames(self):
        self.path("tiny.y4m").write_bytes(b"YUV4MPEG2 W1 H1 F25:1 Ip Cmono\n" + b"FRAME\nx" * 200_000)
        self.assertEqual(self.quickly("info", "tiny.y4m"), 0)


if __name__ == "__main__":
    unittest.main()
