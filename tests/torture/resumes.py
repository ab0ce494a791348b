# SPDX-License-Identifier: MIT
"""Fits with a checkpoint that are killed at random moments, again and again: each must go on and end with the bytes of a
fit that was never stopped, and leave nothing half written."""
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from world import LACUNA, TIMEOUT, Finding

# With given settings, and with everything to be chosen.
FITS = (
    ("--method", "tr-mm", "--rank", "4", "--lambda", "30"),
    ("--method", "als"),
    ("--method", "rprecon", "--rank", "3"),
    ("--method", "bayescp"),
    (),
)
# On several processes: few steps, since processes that take turns on a core wait for each other most of the time.
SHARED_FITS = (
    ("--preset", "paper", "--method", "tr-mm", "--rank", "2", "--lambda", "1", "--max-iterations", "4"),
    ("--method", "rprecon", "--rank", "2", "--max-iterations", "8"),
    ("--preset", "paper", "--method", "tr-ls", "--rank", "2", "--lambda", "1", "--max-iterations", "2", "--early-stop", "0"),
)
LONGEST = 900  # seconds
STUCK = 20  # seconds without any process of the fit, after which mpirun is taken to hang
MOST_KILLS = 25  # of one fit, until it is left to end
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}  # fmt: skip


class Resumes:
    FITS = FITS
    WHAT = "fits with a checkpoint"

    def __init__(self, folder, seed, tell):
        self.folder, self.tell = folder / "resumes", tell
        self.folder.mkdir()
        self.random = random.Random(seed)

    def command(self, fit, output, *more):
        return [LACUNA, "fit", "data.tns", "-o", output, "--no-record", "--quiet", *fit, *more]

    def write_data(self):
        draw = random.Random(3)
        a, b, c = ([[draw.gauss(0, 1) for _ in range(2)] for _ in range(n)] for n in (40, 30, 20))
        lines = []
        for i in range(40):
            for j in range(30):
                for k in range(20):
                    if draw.random() < 0.15:
                        value = sum(a[i][r] * b[j][r] * c[k][r] for r in range(2)) + 0.1 * draw.gauss(0, 1)
                        lines.append(f"{i + 1} {j + 1} {k + 1} {value:.6f}\n")
        (self.folder / "data.tns").write_text("".join(lines))

    def run(self, command, seconds=None):
        """Its exit code, or None when it was killed after so many seconds."""
        running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, error = running.communicate(timeout=seconds if seconds is not None else TIMEOUT)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            if seconds is None:
                raise Finding(f"{command}: did not end in {TIMEOUT} s") from None
            return None
        if running.returncode != 0:
            raise Finding(f"{command}: exit {running.returncode}: {error[-300:]}")
        return running.returncode

    def one(self, fit, most):
        began = time.monotonic()
        self.run(self.command(fit, "whole.lac"))
        duration = time.monotonic() - began
        whole = (self.folder / "whole.lac").read_bytes()
        for name in ("m.lac", "state"):
            (self.folder / name).unlink(missing_ok=True)
        again = self.command(fit, "m.lac", "--checkpoint", "state", "--resume", "state", "--every", "0")
        kills = 0
        while kills < most and self.run(again, self.random.uniform(0.0, 0.5) * duration) is None:
            kills += 1
        self.run(again)
        if (self.folder / "m.lac").read_bytes() != whole:
            raise Finding(f"fit {fit}: other bytes after {kills} kills")
        left = sorted(path.name for path in self.folder.iterdir())
        if left not in (["data.tns", "m.lac", "state", "whole.lac"], ["data.tns", "m.lac", "whole.lac"]):
            raise Finding(f"fit {fit}: left {left}")
        return kills

    def all(self, count):
        self.write_data()
        kills, turn = 0, 0
        while kills < count and turn < count:
            kills += self.one(self.FITS[turn % len(self.FITS)], min(MOST_KILLS, count - kills))
            turn += 1
        self.tell(f"kill -9 of {self.WHAT}: {kills} kills of {turn} fits, each went on to the same bytes")
        return kills


class Ranks(Resumes):
    """The same on three processes, one of which is killed."""

    FITS = SHARED_FITS
    WHAT = "one of three processes of fits with a checkpoint"

    @staticmethod
    def possible():
        return (Path(LACUNA).parent / "lacuna-mpi.so").exists()

    def command(self, fit, output, *more):
        return ["mpirun", "-q", "--oversubscribe", "-n", "3", *super().command(fit, output, *more), "--threads", "1"]

    def run(self, command, seconds=None):
        running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **MPI})  # fmt: skip
        killed = False
        try:
            _, error = running.communicate(timeout=seconds if seconds is not None else LONGEST)
        except subprocess.TimeoutExpired:
            if seconds is None:
                running.kill()
                running.communicate()
                raise Finding(f"{command}: did not end in {LONGEST} s") from None
            killed = self.kill_one(running.pid)
            error = self.wait(running, command, killed)
        if running.returncode != 0 and not killed:
            raise Finding(f"{command}: exit {running.returncode}: {error[-300:]}")
        return None if running.returncode != 0 else 0

    def wait(self, running, command, killed):
        """Until the job has ended. mpirun now and then waits for ever for a process that it has not reaped: where none of
        them runs any more it is killed, and the next one goes on."""
        began = time.monotonic()
        while time.monotonic() - began < LONGEST:
            idle = killed and not self.any_runs(running.pid)
            try:
                return running.communicate(timeout=STUCK)[1]
            except subprocess.TimeoutExpired:
                if idle and not self.any_runs(running.pid):
                    running.kill()
                    return running.communicate()[1]
        running.kill()
        running.communicate()
        raise Finding(f"{command}: did not end in {LONGEST} s after {'a kill' if killed else 'no kill'}")

    @staticmethod
    def any_runs(mpirun):
        try:
            children = Path(f"/proc/{mpirun}/task/{mpirun}/children").read_text().split()
            return any(Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z" for child in children)
        except OSError:
            return True

    def kill_one(self, mpirun):
        """As soon as all three are there; False when it is over before. A child that mpirun has forked and that is not the
        program yet is no process of the fit."""
        program = os.path.realpath(LACUNA)
        try:
            while True:
                children = Path(f"/proc/{mpirun}/task/{mpirun}/children").read_text().split()
                ours = [child for child in children if os.path.realpath(f"/proc/{child}/exe") == program]
                if len(ours) == 3:
                    break
                if Path(f"/proc/{mpirun}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    return False
                time.sleep(0.01)
            os.kill(int(self.random.choice(ours)), signal.SIGKILL)
        except (OSError, IndexError):
            return False
        return True
