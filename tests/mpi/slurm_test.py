# SPDX-License-Identifier: MIT
"""examples/slurm.sh with a stub in the place of srun: a job that is stopped goes on when it is submitted again."""
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from mpi_test import ENVIRONMENT, MpiTest
from support import LACUNA, TIMEOUT

JOB = Path(__file__).resolve().parents[2] / "examples" / "slurm.sh"
STUB = """#!/usr/bin/env bash
echo "$$ $*" >> srun.log
[[ $1 == --mpi=pmix ]] || exit 9
shift
exec "$@"
"""


class Job(MpiTest):
    preset = ()
    FLAGS = ("--preset", "paper", "--method", "tr-mm", "--rank", "2", "--lambda", "3", "--tolerance", "1e-7", "--no-record")  # fmt: skip

    def setUp(self):
        super().setUp()
        self.path("bin").mkdir()
        self.write("bin/srun", STUB)
        self.path("bin/srun").chmod(0o755)
        self.environment = {**ENVIRONMENT, "PATH": f"{self.path('bin')}:{os.environ['PATH']}", "LACUNA": LACUNA, "SLURM_CPUS_PER_TASK": "1"}

    def job(self, *arguments):
        return subprocess.Popen(["bash", JOB, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=self.environment)  # fmt: skip

    def ended(self, job):
        out, said = job.communicate(timeout=TIMEOUT)
        return job.returncode, out, said

    def test_a_job_that_is_stopped_goes_on_when_it_is_submitted_again(self):
        code, _, said = self.ended(self.job("train.tns", "whole.lac", *self.FLAGS))
        self.assertEqual(code, 0, said)
        self.assertIn("there is no whole.lac.ckpt yet; the fit begins", said)
        self.assertFalse(self.path("whole.lac.ckpt").exists())

        self.path("srun.log").unlink()
        job = self.job("train.tns", "m.lac", *self.FLAGS, "--every", "0")
        deadline = time.monotonic() + TIMEOUT
        while not self.path("m.lac.ckpt").exists() and job.poll() is None and time.monotonic() < deadline:
            pass  # the first step has not been taken
        os.kill(int(self.path("srun.log").read_text().split()[0]), signal.SIGTERM)  # as Slurm does: the step, not the script
        code, _, said = self.ended(job)
        self.assertEqual(code, 128 + signal.SIGTERM, said)
        self.assertTrue(self.path("m.lac.ckpt").exists(), said)

        code, _, said = self.ended(self.job("train.tns", "m.lac", *self.FLAGS))
        self.assertEqual(code, 0, said)
        self.assertIn("the fit goes on from m.lac.ckpt", said)
        self.assertEqual(self.path("m.lac").read_bytes(), self.path("whole.lac").read_bytes())
        self.assertFalse(self.path("m.lac.ckpt").exists())

    def test_it_is_requeued_and_says_what_it_needs(self):
        self.assertIn("#SBATCH --requeue\n", JOB.read_text())
        code, _, said = self.ended(self.job("train.tns"))
        self.assertEqual(code, 2)
        self.assertIn("expected TRAIN MODEL", said)


if __name__ == "__main__":
    unittest.main()
