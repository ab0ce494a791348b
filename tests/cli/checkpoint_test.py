# SPDX-License-Identifier: MIT
"""--checkpoint, --every and --resume: fits that are stopped or killed go on and end with the same bytes."""
import signal
import subprocess
import time
import unittest

from support import LACUNA, TIMEOUT, CliTest, sample, tns


class Checkpoints(CliTest):
    preset = ()  # so that what is run here and what is run by ok() are one command
    FIT = ("fit", "data.tns", "--no-record", "--preset", "paper", "--method", "tr-mm", "--rank", "3", "--lambda", "20",
           "--quiet")  # fmt: skip

    def setUp(self):
        super().setUp()
        self.write("data.tns", tns(sample()[0]))

    def stopped(self, number, *arguments):
        """Runs until there is a checkpoint, then sends the signal; the exit code."""
        verb, *rest = arguments
        running = subprocess.Popen([LACUNA, verb, *self.preset, *rest], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)  # fmt: skip
        deadline = time.monotonic() + TIMEOUT
        while running.poll() is None and not self.path("state").exists() and time.monotonic() < deadline:
            pass
        running.send_signal(number)
        running.communicate(timeout=TIMEOUT)
        return running.returncode

    def test_a_fit_that_is_stopped_or_killed_goes_on(self):
        self.ok(*self.FIT, "-o", "whole.lac")
        whole = self.path("whole.lac").read_bytes()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(signal=number):
                self.path("state").unlink(missing_ok=True)
                code = self.stopped(number, *self.FIT, "-o", "m.lac", "--checkpoint", "state", "--every", "0")
                self.assertIn(code, (0, -number, 128 + number))
                self.ok(*self.FIT, "-o", "m.lac", "--resume", "state", "--threads", "1")
                self.assertEqual(self.path("m.lac").read_bytes(), whole)

    def test_a_signal_leaves_a_checkpoint_however_rare_they_are(self):
        long = ["fit", "data.tns", "--no-record", "--preset", "paper", "--method", "tr-mm", "--rank", "4", "--lambda",
                "1e3", "--tolerance", "1e-13", "--max-iterations", "12"]  # fmt: skip
        self.write("data.tns", tns(sample(shape=(20, 16, 12))[0]))
        self.ok(*long, "--quiet", "-o", "whole.lac")
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number):
                self.path("state").unlink(missing_ok=True)
                command = [LACUNA, *long, "-o", "m.lac", "--checkpoint", "state", "--every", "1h"]
                running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE, text=True)  # fmt: skip
                for line in running.stderr:
                    if line.split()[:1] == ["0"]:  # the first step is behind it
                        break
                running.send_signal(number)
                told = running.communicate(timeout=TIMEOUT)[1]
                self.assertEqual(running.returncode, 128 + number, told)
                self.assertIn("with --resume state the same command goes on", told)
                self.ok(*long, "--quiet", "-o", "m.lac", "--resume", "state")
                self.assertEqual(self.path("m.lac").read_bytes(), self.path("whole.lac").read_bytes())
        self.assert_only("data.tns", "m.lac", "state", "whole.lac")

    def test_the_same_command_begins_and_goes_on(self):
        again = (*self.FIT, "-o", "m.lac", "--checkpoint", "state", "--resume", "state", "--every", "0")
        self.ok(*again)
        first = self.path("m.lac").read_bytes()
        self.assertTrue(self.path("state").exists())
        self.ok(*again)
        self.assertEqual(self.path("m.lac").read_bytes(), first)

    def test_what_does_not_fit_is_refused_by_name(self):
        self.ok(*self.FIT, "-o", "m.lac", "--checkpoint", "state", "--every", "0")
        self.write("other.tns", tns(sample(seed=9)[0]))
        changed = [word if word != "3" else "2" for word in self.FIT]
        self.refused(3, "state: the checkpoint was made by a run with another rank: found '2', expected '3'",
                     *changed, "-o", "n.lac", "--resume", "state")  # fmt: skip
        other = [word if word != "data.tns" else "other.tns" for word in self.FIT]
        self.refused(3, "other data: other.tns has the checksum", *other, "-o", "n.lac", "--resume", "state")
        self.refused(3, "expected a checkpoint", *self.FIT, "-o", "n.lac", "--resume", "m.lac")
        self.refused(3, "No such file", *self.FIT, "-o", "n.lac", "--resume", "nothing")
        self.refused(3, "a checkpoint, expected a model", "info", "state")
        self.refused(2, "--every", *self.FIT, "-o", "n.lac", "--checkpoint", "state", "--every", "soon")
        self.refused(2, "--checkpoint", *self.FIT, "-o", "n.lac", "--checkpoint", "data.tns")
        self.refused(6, "no/state", *self.FIT, "-o", "n.lac", "--checkpoint", "no/state")
        damaged = bytearray(self.path("state").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        self.path("damaged").write_bytes(damaged)
        self.refused(3, "the checkpoint is damaged: its checksum", *self.FIT, "-o", "n.lac", "--resume", "damaged")
        for size in (0, 10, len(damaged) // 2, len(damaged) - 1):
            self.path("cut").write_bytes(self.path("state").read_bytes()[:size])
            self.refused(3, "cut: ", *self.FIT, "-o", "n.lac", "--resume", "cut")
        self.assertFalse(self.path("n.lac").exists())

    def refused(self, code, words, *arguments):
        self.assertIn(words, self.fails(code, *arguments))

    def test_the_standard_output_cannot_be_one(self):
        self.refused(6, "-: found ", *self.FIT, "-o", "n.lac", "--checkpoint", "-")

    def test_tune_names_other_test_entries(self):
        train, test = sample()
        self.write("test.tns", tns(test))
        self.write("other.tns", tns(test[1:]))
        tune = ("tune", "data.tns", "--method", "als", "--rank", "2", "--lambda", "1", "--folds", "2", "--no-record", "--quiet",
                "-o", "m.lac", "--checkpoint", "state", "--resume", "state", "--every", "0")  # fmt: skip
        self.ok(*tune, "--test", "test.tns")
        self.ok(*tune, "--test", "test.tns")
        self.refused(3, "other test entries: other.tns has the checksum", *tune, "--test", "other.tns")
        self.refused(3, "other test entries", *tune)

    def test_a_signal_before_there_is_anything_to_keep_says_so(self):
        command = [LACUNA, "tune", "data.tns", "-o", "m.lac", "--method", "tr-mm", "--rank", "4", "--lambda", "1e3", "--tolerance", "0",
                   "--max-iterations", "1000000000", "--checkpoint", "state"]  # fmt: skip
        running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        running.stderr.readline()  # the data are read, so signals are waited for soon
        time.sleep(0.5)
        running.send_signal(signal.SIGTERM)
        told = running.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(running.returncode, 128 + signal.SIGTERM, told)
        self.assertFalse(self.path("state").exists())
        self.assertIn("the same command begins anew", told)
        self.assertNotIn("goes on", told)

    def test_complete_and_tune_go_on_too(self):
        complete = ("complete", "data.tns", "--method", "tr-mm", "--rank", "2", "--lambda", "5", "--quiet")
        self.ok(*complete, "-o", "whole.tns")
        self.ok(*complete, "-o", "first.tns", "--checkpoint", "state", "--every", "0")
        self.ok(*complete, "-o", "second.tns", "--resume", "state")
        self.assertEqual(self.path("second.tns").read_bytes(), self.path("whole.tns").read_bytes())
        self.path("state").unlink()
        tune = ("tune", "data.tns", "--method-grid", "als", "tr-mm", "--rank-grid", "1", "--folds", "2", "--refine", "0",
                "--lambda-grid", "1,10", "--no-record", "--quiet")  # fmt: skip
        self.ok(*tune, "-o", "whole.lac")
        code = self.stopped(signal.SIGKILL, *tune, "-o", "m.lac", "--checkpoint", "state", "--every", "0")
        self.assertIn(code, (0, -signal.SIGKILL))
        self.ok(*tune, "-o", "m.lac", "--resume", "state")
        self.assertEqual(self.path("m.lac").read_bytes(), self.path("whole.lac").read_bytes())


if __name__ == "__main__":
    unittest.main()
