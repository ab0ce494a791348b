# SPDX-License-Identifier: MIT
"""Fits with a checkpoint that are killed at random moments, again and again: each must go on and end with the bytes of a
fit that was never stopped, and leave nothing half written."""
import random
import subprocess
import time

from world import LACUNA, TIMEOUT, Finding

# With given settings, and with everything to be chosen.
FITS = (
    ("--method", "tr-mm", "--rank", "4", "--lambda", "30"),
    ("--method", "als"),
    ("--method", "rprecon", "--rank", "3"),
    ("--method", "bayescp"),
    (),
)
MOST_KILLS = 25  # of one fit, until it is left to end


class Resumes:
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
            kills += self.one(FITS[turn % len(FITS)], min(MOST_KILLS, count - kills))
            turn += 1
        self.tell(f"kill -9 of fits with a checkpoint: {kills} kills of {turn} fits, each went on to the same bytes")
        return kills
