# SPDX-License-Identifier: MIT
"""Signals and limits, for verbs that only read and write: what they leave behind, and how they end."""
import os
import resource
import signal
import subprocess
import time
import unittest

from support import LACUNA, TIMEOUT, CliTest, SampleTest, cells, sample, tns

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Process(CliTest):
    def start(self, *arguments, **settings):
        running = subprocess.Popen(
            [LACUNA, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
        )
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        return running


class WritingVerbs(Process):
    """A pipe that stays open stands for a long read, an open file that is not yet there for a long write."""

    def setUp(self):
        super().setUp()
        self.write("big.tns", "".join(f"{i + 1} {j + 1} {(i + j) % 40 + 1} {i}.5\n" for i in range(400) for j in range(400)))

    def writes(self, running):
        """Has it a file open in the folder, under a temporary name or none, with something in it?"""
        try:
            for number in os.listdir(f"/proc/{running.pid}/fd"):
                open_file = f"/proc/{running.pid}/fd/{number}"
                name = os.readlink(open_file)
                if name.startswith(str(self.folder)) and not name.endswith("big.tns") and os.stat(open_file).st_size > 0:
                    return True
        except OSError:  # it has closed it, or ended
            pass
        return False

    def stop_while_writing(self, number):
        running = self.start("convert", "big.tns", "out.csv")
        deadline = time.monotonic() + TIMEOUT
        while running.poll() is None and not self.writes(running) and time.monotonic() < deadline:
            pass
        running.send_signal(number)
        running.communicate(timeout=TIMEOUT)
        return running.returncode

    def test_no_temporary_file_is_left(self):
        self.ok("convert", "big.tns", "out.csv")
        whole = self.path("out.csv").read_bytes()
        self.path("out.csv").unlink()
        stopped = 0
        for number in STOPS:
            for _ in range(5):
                with self.subTest(number=number):
                    code = self.stop_while_writing(number)
                    left = sorted(p.name for p in self.folder.iterdir())
                    self.assertIn(code, (0, 128 + number))
                    if left == ["big.tns", "out.csv"]:  # it was faster
                        self.assertEqual(self.path("out.csv").read_bytes(), whole)
                        self.path("out.csv").unlink()
                    else:
                        self.assertEqual((code, left), (128 + number, ["big.tns"]))
                        stopped += 1
        self.assertGreater(stopped, 3, "no run was stopped while it wrote")

    def test_stopped_while_reading(self):
        os.mkfifo(self.path("pipe.tns"))
        for number in STOPS:
            with self.subTest(number=number):
                running = self.start("convert", "pipe.tns", "out.tns")
                writer = os.open(self.path("pipe.tns"), os.O_WRONLY)  # waits until it is read
                running.send_signal(number)
                running.communicate(timeout=TIMEOUT)
                os.close(writer)
                self.assertEqual(running.returncode, 128 + number)
                self.assert_only("big.tns", "pipe.tns")

    def test_a_signal_that_was_ignored_stays_ignored(self):
        for number in STOPS:
            with self.subTest(number=number):
                running = self.start(
                    "convert", "big.tns", "out.csv", preexec_fn=lambda n=number: signal.signal(n, signal.SIG_IGN)
                )
                while running.poll() is None:
                    running.send_signal(number)
                    time.sleep(0.005)
                out, err = running.communicate(timeout=TIMEOUT)
                self.assertEqual(running.returncode, 0, err)
                self.assertTrue(self.path("out.csv").exists())
                self.path("out.csv").unlink()


class LongFit(Process):
    def test_hang_up_keeps_the_best_so_far(self):
        self.write("train.tns", tns(sample(0.5, shape=(40, 40, 20))[0]))
        running = self.start(
            "fit", "train.tns", "-o", "m.lac", "--tolerance", "0", "--max-iterations", "1000000", "--rank", "4",
            "--lambda", "1e6", "--preset", "paper",
        )  # fmt: skip
        for line in running.stderr:
            if line.split()[:1] == ["1"]:  # the first step is done
                break
        running.send_signal(signal.SIGHUP)
        out, err = running.communicate(timeout=TIMEOUT)
        self.assertEqual(running.returncode, 128 + signal.SIGHUP, err)
        self.assert_only("train.tns", "m.lac")
        self.write("some.tns", tns(cells((3, 3, 3))))
        self.ok("evaluate", "m.lac", "some.tns")


    def test_signals_of_one_request_are_one(self):
        # `timeout` signals what it runs and then its group; a fit whose steps are long sees both before it can stop.
        self.write("train.tns", tns(sample(0.5, shape=(300, 300, 20))[0]))
        running = self.start("fit", "train.tns", "-o", "m.lac", "--preset", "paper", "--rank", "40", "--lambda", "1e6",
                             "--tolerance", "0", "--threads", "1")  # fmt: skip
        for line in running.stderr:
            if line.split()[:1] == ["1"]:  # the first step is done
                break
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
            running.send_signal(number)
            time.sleep(0.02)
        out, err = running.communicate(timeout=TIMEOUT)
        self.assertEqual(running.returncode, 130, err)
        self.assert_only("train.tns", "m.lac")


class StoppedAtOnce(Process):
    """Whenever a fit is stopped its model is no worse than the mean, which a model of zeros is."""

    preset = ()

    def setUp(self):
        super().setUp()
        train, test = sample(0.5, shape=(60, 12, 6))
        self.write("train.tns", tns(train))
        self.write("test.tns", tns(test))
        self.ok("fit", "train.tns", "-o", "mean.lac", "--method", "mean")
        self.mean = self.ok_json("evaluate", "mean.lac", "test.tns")["rmse"]

    def check(self, done, code):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("internal error", done.stderr)
        self.assertLess(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], 1.001 * self.mean)

    def test_by_the_clock(self):
        names = [one["name"] for one in self.ok_json("methods")["methods"]]
        self.assertIn("tr-mm", names)
        for name in names:
            if name == "complex":  # of facts
                continue
            for seconds in ("1e-4", "0.01"):
                with self.subTest(method=name, seconds=seconds):
                    self.check(self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--method", name, "--max-time", seconds), 0)

    def test_by_a_signal(self):
        for wait in (0.02, 0.05, 0.1):
            with self.subTest(wait=wait):
                running = self.start("fit", "train.tns", "-o", "m.lac", "--method", "tr-mm", "--tolerance", "0",
                                     "--max-iterations", "100000")  # fmt: skip
                running.stderr.readline()  # what it read
                time.sleep(wait)
                running.send_signal(signal.SIGINT)
                out, err = running.communicate(timeout=TIMEOUT)
                self.check(subprocess.CompletedProcess([], running.returncode, out, err), 130)


class Limits(SampleTest):
    def limited(self, bytes_allowed, *arguments):
        return subprocess.run(
            [LACUNA, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_allowed, bytes_allowed)),
        )  # fmt: skip

    def test_a_file_size_limit_is_an_error_that_is_told(self):
        before = sorted(p.name for p in self.folder.iterdir())
        for arguments in (
            ("convert", "train.tns", "out.csv"), ("convert", "train.tns", "out.npz"),
            ("split", "train.tns", "--train", "a.tns", "--test", "b.tns"),
            ("fit", "train.tns", "-o", "m.lac", "--rank", "2", "--max-iterations", "2"),
        ):  # fmt: skip
            with self.subTest(arguments):
                done = self.limited(100, *arguments)
                self.assertEqual(done.returncode, 6, done.stderr)
                self.assertIn("File too large", done.stderr)
                self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before)

    def test_results_that_cannot_be_printed_are_told(self):
        for arguments in (("info", "train.tns"), ("methods",), ("convert", "train.tns", "out.tns"), ("--help",)):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                done = subprocess.run(
                    [LACUNA, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT
                )
                self.assertEqual(done.returncode, 6, done.stderr)
                self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    unittest.main()
