# SPDX-License-Identifier: MIT
"""Every method on every kind of strange data: a right answer, or an error that has a name."""
import math
import random
import subprocess
from pathlib import Path

from world import LACUNA, TIMEOUT, Finding, methods

NAN = math.nan
QUICK = ("--max-iterations", "4", "--effort", "low", "--max-time", "2")


def box(*shape):
    cells = [()]
    for size in shape:
        cells = [(*cell, i) for cell in cells for i in range(size)]
    return cells


def smooth(cell):
    return sum(math.sin(0.7 * i + k) for k, i in enumerate(cell)) + 2.5


def most(cells, share=0.7, seed=3):
    """A share of the cells, the last one among them."""
    return sorted({cells[-1], *random.Random(seed).sample(cells, max(1, round(share * len(cells))))})


def entries(shape, value=smooth, share=0.7):
    return {cell: value(cell) for cell in most(box(*shape), share)}


def scaled(factor):
    return lambda cell: factor * smooth(cell)


def mixed(cell):
    return smooth(cell) * 10.0 ** ((cell[0] * 7 + cell[1]) % 13 * 20 - 120)


def outlier(cell):
    return 1e12 if sum(cell) % 17 == 3 else smooth(cell)


# Name -> entries, flags, and whether it may be refused: data that no method should be able to choke on may not.
CASES = {
    "plain": (entries((6, 5, 4)), ()),
    "constant": (entries((6, 5, 4), lambda _: 3.25), ()),
    "zeros": (entries((6, 5, 4), lambda _: 0.0), ()),
    "negative": (entries((6, 5, 4), scaled(-1.0)), ()),
    "one entry": ({(0, 0, 0): 2.0}, ()),
    "two entries": ({(0, 0, 0): 2.0, (4, 3, 2): -1.0}, ()),
    "one fiber": ({(i, 0, 0): smooth((i, 0, 0)) for i in range(8)}, ()),
    "one slice": ({(i, j, 2): smooth((i, j)) for i in range(5) for j in range(4)}, ()),
    "sizes of one": (entries((1, 1, 6), share=0.8), ()),
    "order 2": (entries((9, 8)), ()),
    "order 4": (entries((4, 3, 3, 2)), ()),
    "order 5": (entries((3, 3, 2, 2, 2)), ()),
    "order 6": (entries((3, 2, 2, 2, 2, 2), share=0.6), ()),
    "order 7": (entries((2,) * 7, share=0.6), ()),
    "order 8": (entries((2,) * 8, share=0.5), ()),
    "long and thin": (entries((200, 2, 2), share=0.5), ()),
    "everything observed": (entries((5, 4, 3), share=1.0), ()),
    "hardly anything observed": (entries((20, 20, 10), share=0.003), ()),
    "a hole in the middle": ({c: smooth(c) for c in box(6, 6, 3) if not 2 <= c[0] <= 3}, ()),
    "huge": (entries((6, 5, 4), scaled(1e140)), ()),
    "too huge": (entries((6, 5, 4), scaled(1e300)), ()),
    "largest": (entries((6, 5, 4), lambda _: 1.7976931348623157e308), ()),
    "tiny": (entries((6, 5, 4), scaled(1e-140)), ()),
    "denormal": (entries((6, 5, 4), scaled(1e-315)), ()),
    "mixed magnitudes": (entries((6, 5, 4), mixed), ()),
    "outliers": (entries((8, 7, 4), outlier), ()),
    "large offset": (entries((6, 5, 4), lambda c: 1e15 + smooth(c)), ()),
    "zeros and ones": (entries((7, 6, 4), lambda c: float(sum(c) % 2)), ()),
    "missing rows": (entries((6, 5, 4), lambda c: NAN if c[0] == 2 else smooth(c)), ()),
    "all missing": (entries((4, 3, 2), lambda _: NAN), ()),
    "rank above every size": (entries((5, 4, 3)), ("rank", "9")),
    "rank one": (entries((5, 4, 3)), ("rank", "1")),
    "no steps": (entries((5, 4, 3)), ("max-iterations", "0")),
    "duplicates mean": (entries((5, 4, 3)), ("duplicates", "mean")),
    "duplicates sum": (entries((5, 4, 3)), ("duplicates", "sum")),
    "duplicates last": (entries((5, 4, 3)), ("duplicates", "last")),
    "duplicates refused": (entries((5, 4, 3)), ("duplicates", "error")),
}  # fmt: skip
REFUSED = {"too huge", "largest", "all missing", "duplicates refused"}  # for every method
MAY_BE_REFUSED = {"denormal"}  # their squares have no sum; some methods take none


class Grid:
    def __init__(self, folder, tell):
        self.folder, self.tell = Path(folder), tell
        self.methods = methods()

    def lines(self, case):
        known, flags = CASES[case]
        lines = [" ".join(str(i + 1) for i in cell) + f" {value!r}\n" for cell, value in known.items()]
        return lines + (lines[:3] if "duplicates" in flags else [])

    def run(self, *words):
        return subprocess.run([LACUNA, *words], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT)

    def flags(self, method, case):
        flag = CASES[case][1]
        takes = method["settings"].split()
        given = ["--method", method["name"]]
        if "--max-iterations" in takes:
            given += ["--max-iterations", flag[1] if flag[:1] == ("max-iterations",) else "4"]
        given += ["--effort", "low", "--max-time", "2"]
        if flag[:1] == ("rank",) and "--rank" in takes:
            given += ["--rank", flag[1]]
        if flag[:1] == ("duplicates",):
            given += ["--duplicates", flag[1]]
        return given

    def attempt(self, method, case):
        where = f"{method['name']} on {case}"
        (self.folder / "data.tns").write_text("".join(self.lines(case)))
        for left in ("m.lac", "p.tns"):
            (self.folder / left).unlink(missing_ok=True)
        done = self.run("fit", "data.tns", "-o", "m.lac", "--quiet", *self.flags(method, case))
        if done.returncode in (2, 3, 5):
            if "lacuna: " not in done.stderr or (self.folder / "m.lac").exists():
                raise Finding(f"{where}: exit {done.returncode} without a sentence, or with a model: {done.stderr[-300:]}")
            allowed = case in REFUSED or case in MAY_BE_REFUSED or self.takes_other_data(done.stderr)
            if not allowed:
                raise Finding(f"{where}: refused: {done.stderr[-300:]}")
            return "refused"
        if done.returncode != 0 or case in REFUSED:
            raise Finding(f"{where}: exit {done.returncode}: {done.stderr[-300:]}")
        self.check_answers(where, case)
        return "fitted"

    @staticmethod
    def takes_other_data(message):
        other_order = "modes" in message and ("three" in message or "3" in message)
        no_links = "links are cells of value 1 or 0" in message or "there is no link" in message
        return other_order or no_links

    def check_answers(self, where, case):
        """Finite everywhere, and on what was fitted not worse than saying nothing, by the root of the mean square."""
        known = {cell: value for cell, value in CASES[case][0].items() if not math.isnan(value)}
        (self.folder / "cells.tns").write_text("".join(" ".join(str(i + 1) for i in cell) + "\n" for cell in known))
        done = self.run("predict", "m.lac", "cells.tns", "-o", "p.tns", "--quiet")
        if done.returncode != 0:
            raise Finding(f"{where}: predict: exit {done.returncode}: {done.stderr[-300:]}")
        said = [float(line.split()[-1]) for line in (self.folder / "p.tns").read_text().splitlines()]
        if len(said) != len(known) or not all(map(math.isfinite, said)):
            raise Finding(f"{where}: predictions that are not finite")
        if case == "no steps":  # the start is what was asked for, and may be random
            return
        scale = max(map(abs, known.values())) or 1.0
        twice = 2.0 if case == "duplicates sum" else 1.0  # three cells are listed twice
        nothing = math.hypot(*(twice * value / scale for value in known.values()))
        wrong = math.hypot(*(value / scale - guess / scale for value, guess in zip(known.values(), said)))
        if wrong > 1.01 * nothing + 1e-9 * math.sqrt(len(known)):
            raise Finding(f"{where}: errs by {wrong * scale:.3g} in all where saying nothing errs by {nothing * scale:.3g}")

    def all(self, share):
        """All pairs, or a share of them: each case with some methods, other ones each time the share is taken up."""
        ended, wrong = {}, []
        turn = 0
        for case in CASES:
            for method in self.methods:
                turn += 1
                if turn % share != 0:
                    continue
                try:
                    end = self.attempt(method, case)
                except Finding as finding:
                    wrong.append(str(finding))
                    continue
                ended[end] = ended.get(end, 0) + 1
        self.tell(f"{len(CASES)} cases x {len(self.methods)} methods: {sum(ended.values())} runs, {ended}")
        if wrong:
            raise Finding("\n".join(wrong))
        return sum(ended.values())
