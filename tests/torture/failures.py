# SPDX-License-Identifier: MIT
"""The k-th allocation, the k-th write and the k-th read fail, for k = 1, 2, 3, ... until none fails."""
import errno
import os
import subprocess
from pathlib import Path

from world import COMMANDS, Finding

ALLOCATING = ("fit", "convert", "predict", "tune")
WRITING = tuple(COMMANDS)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS)


def compile_shim(folder):
    """The library that makes calls fail."""
    shim = Path(folder) / "failing.so"
    source = Path(__file__).resolve().parent / "failing.cpp"
    subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-U_FORTIFY_SOURCE", "-o", str(shim), str(source), "-ldl"], check=True)
    return shim


class Failures:
    def __init__(self, world, shim, tell):
        self.world, self.shim, self.tell = world, shim, tell
        self.count_file = Path(shim).with_name("calls")

    def run(self, name, plan, old):
        self.world.prepare(name, old)
        # One thread: which call is the k-th is then the same each time.
        environment = {**os.environ, "LD_PRELOAD": str(self.shim), "TORTURE_FAIL": plan, "TORTURE_COUNT": str(self.count_file)}
        self.count_file.unlink(missing_ok=True)
        return self.world.run(*COMMANDS[name][0], "--threads", "1", env=environment)

    def setup_calls(self, kind):
        """How many calls of this kind there are before any verb begins: they are the same for all."""
        environment = {**os.environ, "LD_PRELOAD": str(self.shim), "TORTURE_FAIL": f"{kind}:0", "TORTURE_COUNT": str(self.count_file)}
        self.world.run("--version", env=environment)
        return int(self.count_file.read_text())

    def calls(self, name, kind):
        """How many calls of this kind a run has, all of which succeed."""
        done = self.run(name, f"{kind}:0", False)
        if done.returncode != 0 or not self.count_file.exists():
            raise Finding(f"{name} fails under the shim though nothing is made to fail: {done.returncode} {done.stderr}")
        return int(self.count_file.read_text())

    def attempt(self, name, plan, expected, old):
        done = self.run(name, plan, old)
        where = f"{name} with {plan}"
        if done.returncode not in expected:
            raise Finding(f"{where}: exit {done.returncode}, expected one of {expected}: {done.stderr[-300:]}")
        try:
            self.world.check(name, done.returncode, done.stderr, old)
        except Finding as finding:
            raise Finding(f"{where}: {finding}") from None
        return done.returncode

    def every(self, name, kind, tail, expected, steps, from_setup_on=False):
        """All k, or about `steps` of them; or all but those before any verb begins."""
        setup = self.setup_calls(kind)
        total = self.calls(name, kind)
        ended = {}
        chosen = range(setup + 1, total + 1) if from_setup_on and not steps else some(total, steps, setup)
        for number, k in enumerate(chosen):
            code = self.attempt(name, f"{kind}:{k}{tail}", expected, number % 2 == 0)
            ended[code] = ended.get(code, 0) + 1
        if self.attempt(name, f"{kind}:{total + 1}{tail}", (0,), True) != 0:
            raise Finding(f"{name}: not all calls were counted")
        ends = ", ".join(f"{count} ended with {code}" for code, count in sorted(ended.items()))
        self.tell(f"{name}: {kind}{tail} of {total} calls: {sum(ended.values())} runs, {ends}")
        return sum(ended.values())

    def allocations(self, steps):
        count = 0
        for number, name in enumerate(ALLOCATING):
            self.world.whole_outputs(name)
            # 0: the caller did well without it. What comes before the verb is the same for all, and fails once.
            count += self.every(name, "alloc", "", (0, 5), steps, from_setup_on=number > 0)
            count += self.every(name, "alloc", "+", (0, 5), steps and steps // 2 or 500)
        return count

    def writes(self, steps):
        count = 0
        for name in WRITING:
            self.world.whole_outputs(name)
            for code in ERRORS:
                # 0: a file without a name could not be made, one with a name could.
                count += self.every(name, "write", f":{code}", (0, 6), steps)
            count += self.every(name, "write", f":{errno.EINTR}", (0, 6), steps)
            count += self.every(name, "short", "", (0,), steps)
        return count

    def reads(self, steps):
        count = 0
        for name in WRITING:
            self.world.whole_outputs(name)
            # 0: what the system says of its memory and threads may be unknown.
            # 6: what writes these files is another program, whose answer could not be read.
            expected = (0, 3, 6) if name in ("convert-nc", "convert-h5", "convert-tif") else (0, 3)
            count += self.every(name, "read", f":{errno.EIO}", expected, steps)
        return count


def some(total, steps, setup=0):
    """1, 2, 3, ... total; with `steps` about that many: few of the setup, the last ones, where the writing is, and the others
    evenly from where the verb's own work begins."""
    if not steps or total <= steps:
        return range(1, total + 1)
    setup, last = min(setup, total), steps // 3
    chosen = {*range(total - last + 1, total + 1)}
    chosen.update(range(1, setup + 1, max(1, setup // max(1, steps // 6))))
    chosen.update(range(setup + 1, total + 1, max(1, (total - setup) // max(1, steps // 2))))
    return sorted(k for k in chosen if k >= 1)
