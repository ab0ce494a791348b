# SPDX-License-Identifier: MIT
"""Commands that are killed, or told to stop, at random moments."""
import random
import signal
import subprocess
import time

from world import COMMANDS, LACUNA, TIMEOUT, Finding

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heed_all():
    """Whoever started us in the background may have had signals ignored, which the program would respect."""
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL)


class Stops:
    def __init__(self, world, seed, tell):
        self.world, self.tell = world, tell
        self.random = random.Random(seed)
        self.duration = {}

    def usual_duration(self, name):
        if name not in self.duration:
            self.world.whole_outputs(name)
            self.world.prepare(name)
            began = time.monotonic()
            self.world.run(*COMMANDS[name][0])
            self.duration[name] = time.monotonic() - began
        return self.duration[name]

    def attempt(self, name, number):
        """Sends the signal somewhere in the time the command takes, and sees what is left."""
        # The machine may be busier or idler than when the duration was taken: it follows what is seen.
        moment = self.random.uniform(0.0, 1.1) * self.usual_duration(name)
        old = self.random.random() < 0.5
        self.world.prepare(name, old)
        began = time.monotonic()
        running = subprocess.Popen([LACUNA, *COMMANDS[name][0]], cwd=self.world.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=heed_all)  # fmt: skip
        try:
            _, error = running.communicate(timeout=moment)
            stopped = False
            self.duration[name] += 0.1 * (time.monotonic() - began - self.duration[name])
        except subprocess.TimeoutExpired:
            running.send_signal(number)
            _, error = running.communicate(timeout=TIMEOUT)
            stopped = running.returncode != 0
            if not stopped:
                self.duration[name] += 0.1 * (time.monotonic() - began - self.duration[name])
        if stopped:
            self.duration[name] = max(self.duration[name], moment)
        killed = running.returncode < 0  # by SIGKILL, or before the program had begun
        if number != signal.SIGKILL and stopped and running.returncode not in (-number, 128 + number):
            raise Finding(f"{name}: signal {number} after {moment:.3f} s: exit {running.returncode}: {error[-300:]}")
        self.world.check(name, running.returncode, error, old, best_so_far=number != signal.SIGKILL, killed=killed)
        return stopped

    def many(self, count, numbers, word):
        hit = {name: 0 for name in COMMANDS}
        for turn in range(count):
            name = list(COMMANDS)[turn % len(COMMANDS)]
            hit[name] += self.attempt(name, self.random.choice(numbers))
        self.tell(f"{word}: {count} runs, {sum(hit.values())} of them hit before their end "
                  f"({', '.join(f'{name} {times}' for name, times in hit.items())})")  # fmt: skip
        if count >= 5 * len(COMMANDS) and min(hit.values()) == 0:
            raise Finding(f"{word}: some command was never hit: {hit}")
        return count

    def kills(self, count):
        return self.many(count, (signal.SIGKILL,), "kill -9")

    def signals(self, count):
        return self.many(count, STOPS, "INT, TERM, HUP")
