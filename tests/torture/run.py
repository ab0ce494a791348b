# SPDX-License-Identifier: MIT
"""Attacks the program as the world does: see --help."""
import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from failures import Failures, compile_shim
from grid import Grid
from places import Places
from resumes import Ranks, Resumes
from stops import Stops
from world import LACUNA, Finding, World

ATTACKS = ("grid", "allocations", "writes", "reads", "kills", "signals", "resumes", "ranks", "places")
# How many of each: all of it, and what fits into a few minutes.
FULL = {"grid": 1, "allocations": 0, "writes": 0, "reads": 0, "kills": 2000, "signals": 500, "resumes": 200, "ranks": 200,
        "places": 24}
SHORT = {"grid": 7, "allocations": 90, "writes": 4, "reads": 4, "kills": 48, "signals": 36, "resumes": 12, "ranks": 4,
         "places": 3}


def tell(line):
    print(f"torture: {line}", flush=True)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="torture", description="Attacks the program: strange data for every method, memory, disks, signals and "
        "files that fail at every moment. Each case must end in a right answer or a named error, with no input changed, "
        "no output half written and no file left over. The program is $LACUNA, else build/release/lacuna.")  # fmt: skip
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"which: {', '.join(ATTACKS)}; all unless given")
    parser.add_argument("--short", action="store_true", help="what fits into a few minutes, as CI runs it")
    parser.add_argument("--grid", type=int, metavar="N", help="every N-th pair of method and case")
    parser.add_argument("--steps", type=int, metavar="N", help="about so many k of the k-th call that fails; 0: all")
    parser.add_argument("--kills", type=int, metavar="N", help="how many runs are killed")
    parser.add_argument("--signals", type=int, metavar="N", help="how many runs are told to stop")
    parser.add_argument("--resumes", type=int, metavar="N", help="how many fits with a checkpoint are killed, alone or one process of three")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    options = parser.parse_args(arguments)
    unknown = set(options.attacks) - set(ATTACKS)
    if unknown:
        parser.error(f"found {', '.join(sorted(unknown))}, expected {', '.join(ATTACKS)}")
    return options


def sizes(options):
    chosen = dict(SHORT if options.short else FULL)
    for attack, given in (("grid", options.grid), ("kills", options.kills), ("signals", options.signals),
                          ("resumes", options.resumes), ("ranks", options.resumes)):
        if given is not None:
            chosen[attack] = given
    if options.steps is not None:
        chosen.update(allocations=options.steps, writes=options.steps, reads=options.steps)
    return chosen


def attack(name, size, folder, world, seed):
    if name == "grid":
        return Grid(folder, tell).all(size)
    if name in ("allocations", "writes", "reads"):
        return getattr(Failures(world, compile_shim(folder), tell), name)(size)
    if name in ("kills", "signals"):
        return getattr(Stops(world, seed, tell), name)(size)
    if name == "resumes":
        return Resumes(folder, seed, tell).all(size)
    if name == "ranks":
        return Ranks(folder, seed, tell).all(size) if Ranks.possible() else 0  # 0: built without MPI
    places = Places(world, tell)
    return (places.file_size_limits(size) + places.full_disks(size) + places.read_only() + places.strange_outputs()
            + places.links() + places.piped_inputs() + places.pipes())  # fmt: skip


def main(arguments):
    options = parse(arguments)
    chosen = sizes(options)
    subprocess.run([LACUNA, "--version"], check=True, stdout=subprocess.DEVNULL)
    total, found = 0, 0
    for name in options.attacks or ATTACKS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="lacuna-torture-") as folder:
            world = World(folder)
            count = 0
            try:
                count = attack(name, chosen[name], Path(folder), world, options.seed)
            except Finding as finding:
                found += 1
                tell(f"FOUND: {finding}")
        total += count
        tell(f"{name}: {count} runs in {time.monotonic() - began:.0f} s")
    tell(f"{total} runs, {'nothing found' if found == 0 else f'{found} attacks with a finding'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
