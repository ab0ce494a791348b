# SPDX-License-Identifier: MIT
"""A fit on several machines, which network namespaces play: it ends where one process ends, and ends when one is lost."""
import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

from hosts import Hosts
from mpi_test import ENVIRONMENT, LACUNA, TIMEOUT, MpiTest

PATIENCE = 60  # seconds to miss a machine in: far more than the few that OPTIONS say


class OnHosts(MpiTest):
    preset = ()
    FLAGS = ("--method", "tr-mm", "--rank", "2", "--lambda", "1", "--parts", "full", "--offsets", "modes")

    def hosts(self, count):
        try:
            return self.enterContext(Hosts(count))
        except (PermissionError, FileNotFoundError) as problem:
            self.skipTest(f"no network namespaces: {problem}")

    def start(self, hosts, *arguments):
        return subprocess.Popen(hosts.mpirun(LACUNA, *arguments, "--threads", "1"), cwd=self.folder, env=ENVIRONMENT,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip

    def fit_on(self, hosts, model):
        running = self.start(hosts, "fit", "train.tns", "-o", model, "--json", "--quiet", "--tolerance", "1e-7", *self.FLAGS)
        printed, said = running.communicate(timeout=TIMEOUT)
        self.assertEqual(running.returncode, 0, said)
        return json.loads(printed)

    def test_three_machines_end_where_one_process_does(self):
        found = self.fit_on(self.hosts(3), "p.lac")
        self.assert_same(found, self.alone("--tolerance", "1e-7", *self.FLAGS))

    LONG = ("fit", "long.tns", "-o", "m.lac", "--method", "tr-mm", "--parts", "full", "--offsets", "mean", "--rank", "8",
            "--lambda", "1000", "--tolerance", "1e-14", "--max-iterations", "30", "--no-record")  # fmt: skip

    def lose_one_of(self, hosts):
        """Starts the long fit, cuts the last machine off after a few steps and kills what runs there; the exit code."""
        running = self.start(hosts, *self.LONG, "--checkpoint", "state", "--every", "0", "-v")
        lines = []
        while not any(re.match(r"\s+3\s+[\d.]+\s", line) for line in lines):  # the third step
            lines.append(running.stderr.readline())
            self.assertNotEqual(lines[-1], "", "".join(lines))
        hosts.cut_off(hosts.count)
        lost = hosts.processes(hosts.count)
        self.assertTrue(lost)
        for pid in lost:
            os.kill(pid, signal.SIGKILL)
        running.communicate(timeout=PATIENCE)
        return running.returncode

    def test_a_machine_that_is_cut_off_ends_the_job_and_others_go_on(self):
        rng = random.Random(1)
        cells = {(rng.randint(1, 60), rng.randint(1, 50), rng.randint(1, 40)) for _ in range(20000)}
        self.write("long.tns", "".join(f"{i} {j} {k} {rng.gauss(0, 1)}\n" for i, j, k in sorted(cells)))
        before = {path.name for path in self.folder.iterdir()}
        hosts = self.hosts(3)
        self.assertNotEqual(self.lose_one_of(hosts), 0)
        self.assertEqual({path.name for path in self.folder.iterdir()}, before | {"state"})
        deadline = time.monotonic() + PATIENCE
        while any(hosts.processes(host) for host in (1, 2)) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual([hosts.processes(host) for host in (1, 2)], [[], []])
        again = self.start(hosts.without_the_last(), *self.LONG, "--resume", "state", "--json")
        printed, said = again.communicate(timeout=TIMEOUT)
        self.assertEqual(again.returncode, 0, said)
        self.assertIn("the fit goes on from state", said)
        found = json.loads(printed)
        undisturbed = json.loads(self.ok(*self.LONG, "--json", "--quiet"))
        self.assertEqual(found["iterations"], undisturbed["iterations"])
        # Not solved to the end, so that rounding is seen.
        self.assert_same(found, undisturbed, objective=1e-6)


if __name__ == "__main__":
    unittest.main()
