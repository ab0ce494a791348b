# SPDX-License-Identifier: MIT
"""The program as a file and as a process: hardening, what it loads, how it starts, and what it does when memory is
short."""
import os
import re
import resource
import shutil
import subprocess
import unittest
from pathlib import Path

from support import LACUNA, SANITIZED, CliTest, SampleTest

BESIDE = Path(shutil.which(LACUNA) or LACUNA).resolve().parent
# The program, and what it starts and loads; the last two are built unless they were left out.
PROGRAMS = [LACUNA, *filter(Path.exists, [BESIDE / "lacuna-formats"])]
BINARIES = [*PROGRAMS, *filter(Path.exists, [BESIDE / "lacuna-mpi.so"])]


def readelf(binary, *flags):
    return subprocess.run(["readelf", "-W", *flags, binary], capture_output=True, text=True, check=True).stdout


class Hardening(unittest.TestCase):
    def test_runs_at_any_address(self):
        for binary in BINARIES:
            with self.subTest(binary):
                self.assertRegex(readelf(binary, "-h"), r"Type: +DYN")
        for binary in PROGRAMS:
            with self.subTest(binary):
                self.assertIn("PIE", readelf(binary, "-d"))

    def test_tables_of_addresses_are_read_only(self):
        for binary in BINARIES:
            with self.subTest(binary):
                self.assertIn("GNU_RELRO", readelf(binary, "-l"))
                self.assertRegex(readelf(binary, "-d"), r"FLAGS.*\bNOW\b")

    def test_the_stack_is_guarded_and_holds_no_code(self):
        for binary in BINARIES:
            with self.subTest(binary):
                self.assertIn("__stack_chk_fail", readelf(binary, "--dyn-syms"))
                self.assertRegex(readelf(binary, "-l"), r"GNU_STACK.* RW +0x")

    @unittest.skipIf(SANITIZED, "a sanitizer has checks of its own")
    def test_copies_are_checked(self):
        for binary in PROGRAMS:  # lacuna-mpi.so copies nothing
            with self.subTest(binary):
                called = readelf(binary, "--dyn-syms")
                self.assertTrue(re.search(r" __\w+_chk@", called), "no function is called in its checked form")


class Libraries(CliTest):
    def test_none_starts_threads_of_its_own(self):
        loaded = subprocess.run(["ldd", LACUNA], capture_output=True, text=True, check=True).stdout
        self.assertIsNone(re.search(r"lib(open)?blas|liblapack|libgfortran|libmkl", loaded), loaded)

    @unittest.skipIf(SANITIZED, "a sanitizer may have a thread")
    def test_one_thread_is_one_thread(self):
        os.mkfifo(self.path("pipe.tns"))
        running = subprocess.Popen([LACUNA, "convert", "pipe.tns", "out.tns"], cwd=self.folder, stderr=subprocess.DEVNULL)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        pipe = os.open(self.path("pipe.tns"), os.O_WRONLY)  # waits until it is read
        self.addCleanup(os.close, pipe)
        self.assertEqual(len(os.listdir(f"/proc/{running.pid}/task")), 1)


class Start(CliTest):
    def test_the_process_keeps_its_name_and_environment(self):
        for number, environment in enumerate(({}, {"PATH": "/usr/bin"}, {"OMP_WAIT_POLICY": "passive"})):
            with self.subTest(environment):
                os.mkfifo(self.path(f"{number}.tns"))
                running = subprocess.Popen(
                    [LACUNA, "convert", f"{number}.tns", "out.tns"], cwd=self.folder, env=environment,
                    stderr=subprocess.DEVNULL,
                )  # fmt: skip
                self.addCleanup(running.wait)
                self.addCleanup(running.kill)
                pipe = os.open(self.path(f"{number}.tns"), os.O_WRONLY)  # waits until it is read
                self.addCleanup(os.close, pipe)
                with open(f"/proc/{running.pid}/comm") as name:
                    self.assertEqual(name.read().strip(), os.path.basename(LACUNA)[:15])
                with open(f"/proc/{running.pid}/environ", "rb") as given:
                    self.assertEqual(len(given.read().split(b"\0")) - 1, len(environment), "it was started anew")

    @unittest.skipIf(SANITIZED, "built with another OpenMP")
    def test_threads_that_wait_sleep_soon(self):
        def count(**environment):
            shown = subprocess.run(
                [LACUNA, "--version"], env={"OMP_DISPLAY_ENV": "VERBOSE", **environment}, capture_output=True, text=True
            ).stderr
            return re.search(r"GOMP_SPINCOUNT = '([^']+)'", shown).group(1)

        self.assertEqual(count(), "20000")
        self.assertEqual(count(GOMP_SPINCOUNT="7"), "7")  # the user's own
        self.assertEqual(count(OMP_WAIT_POLICY="passive"), "0")


@unittest.skipIf(SANITIZED, "a sanitizer's shadow takes all address space")
class ShortOfMemory(SampleTest):
    def within(self, megabytes, *arguments, what=resource.RLIMIT_AS):
        return subprocess.run(
            [LACUNA, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60,
            preexec_fn=lambda: resource.setrlimit(what, (megabytes << 20, megabytes << 20)),
        )  # fmt: skip

    def test_a_small_fit_needs_little_address_space(self):
        for threads in ("1", "8"):
            with self.subTest(threads):
                done = self.within(200, "fit", "train.tns", "-o", "m.lac", "--rank", "2", "--threads", threads)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_amount_ends_in_an_answer_or_a_named_error(self):
        lines = (f"{i * 13 % 20000 + 1} {i * 7 % 199 + 1} {i * 11 % 30 + 1} {i % 17}\n" for i in range(20000))
        self.write("big.tns", "".join(lines))
        for megabytes in (50, 54, 58, 62, 76, 100, 120, 140, 160):
            with self.subTest(megabytes):
                done = self.within(
                    megabytes, "fit", "big.tns", "-o", "m.lac", "--rank", "30", "--max-iterations", "1", "--path", "0",
                    "--threads", "2", "--duplicates", "mean", "--quiet",
                )  # fmt: skip
                self.assertIn(done.returncode, (0, 5), f"{done.returncode}: {done.stderr}")

    def test_what_does_not_fit_is_said_before(self):
        self.write("wide.tns", "1 1 1 1\n2000 2000 60 2\n")
        done = self.within(1000, "fit", "wide.tns", "-o", "m.lac", "--method", "halrtc")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("the limit on address space leaves", done.stderr)
        done = self.within(1000, "fit", "wide.tns", "-o", "m.lac", "--method", "halrtc", what=resource.RLIMIT_DATA)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("the limit on data leaves", done.stderr)


if __name__ == "__main__":
    unittest.main()
