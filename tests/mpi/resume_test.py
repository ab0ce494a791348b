# SPDX-License-Identifier: MIT
"""mpirun -n P lacuna fit --checkpoint: a process that is killed ends the job, and it goes on with any number of them."""
import json
import os
import signal
import subprocess
import time
import unittest

from mpi_test import ENVIRONMENT, MpiTest
from support import LACUNA, TIMEOUT


def processes_of(mpirun):
    """The ids of what mpirun has started on this machine."""
    with open(f"/proc/{mpirun}/task/{mpirun}/children") as children:
        return [int(child) for child in children.read().split()]


class Resumes(MpiTest):
    preset = ()
    FIT = ("fit", "train.tns", "--no-record", "--preset", "paper", "--method", "tr-mm", "--rank", "2", "--lambda", "3",
           "--tolerance", "1e-4", "--json", "--quiet")  # fmt: skip

    def killed(self, which, *arguments):
        """Runs on three processes and kills one of them when there is a checkpoint."""
        command = ["mpirun", "-q", "--oversubscribe", "-n", "3", LACUNA, *arguments, "--threads", "1"]
        running = subprocess.Popen(command, cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)  # fmt: skip
        deadline = time.monotonic() + TIMEOUT
        while running.poll() is None and not self.path("state").exists() and time.monotonic() < deadline:
            pass
        try:
            os.kill(processes_of(running.pid)[which], signal.SIGKILL)
        except (OSError, IndexError):  # it was at its end
            pass
        return running.wait(timeout=TIMEOUT)

    def resumed(self, processes):
        done = self.on(processes, *self.FIT, "-o", "m.lac", "--resume", "state")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_killed_process_ends_the_job_and_any_number_goes_on(self):
        self.assertEqual(self.on(3, *self.FIT, "-o", "whole.lac").returncode, 0)
        for which in (0, 2):
            with self.subTest(process=which):
                self.path("state").unlink(missing_ok=True)
                self.killed(which, *self.FIT, "-o", "m.lac", "--checkpoint", "state", "--every", "0")
                three = self.resumed(3)
                self.assertEqual(self.path("m.lac").read_bytes(), self.path("whole.lac").read_bytes())
        # Solved roughly, so that it is quick: tests/search has the same to 1e-10.
        self.assert_same(self.resumed(2), three, objective=1e-4)
        alone = json.loads(self.ok(*self.FIT, "-o", "m.lac", "--resume", "state"))
        self.assert_same(alone, three, objective=1e-4)
        left = {path.name for path in self.folder.iterdir()}
        self.assertEqual(left, {"train.tns", "test.tns", "m.lac", "whole.lac", "state"})

    def test_a_search_in_which_no_process_has_all_entries_goes_on(self):
        search = ("fit", "train.tns", "--no-record", "--method", "tr-mm", "--parts", "full", "--offsets", "mean",
                  "--effort", "low", "--json", "--quiet")  # fmt: skip
        self.assertEqual(self.on(3, *search, "-o", "whole.lac").returncode, 0)
        self.killed(1, *search, "-o", "m.lac", "--checkpoint", "state", "--every", "0")
        done = self.on(3, *search, "-o", "m.lac", "--resume", "state")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.path("m.lac").read_bytes(), self.path("whole.lac").read_bytes())
        self.ok(*search, "-o", "m.lac", "--resume", "state")

    def test_what_does_not_fit_is_told_once(self):
        self.assertEqual(self.on(2, *self.FIT, "-o", "m.lac", "--checkpoint", "state", "--every", "0").returncode, 0)
        done = self.on(2, *self.FIT, "-o", "n.lac", "--resume", "state", "--seed", "7")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.count("another seed: found '7', expected '1'"), 1, done.stderr)
        done = self.on(2, *self.FIT, "-o", "n.lac", "--resume", "nothing")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.count("No such file"), 1, done.stderr)
        self.assertFalse(self.path("n.lac").exists())


if __name__ == "__main__":
    unittest.main()
