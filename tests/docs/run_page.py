#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the blocks of a page of the documentation, in their order, in a folder of their own.

    run_page.py PAGE...                 runs them; LACUNA names the program
    run_page.py --figures PAGE...       and puts the figures that the pages show, as their blocks drew them, beside the pages

    sh        a script; every command of it has to succeed
    console   commands after "$ ", each with what it prints, numbers aside; one that is shown to be refused has to be
    python    all blocks of a page share their names; a block of `text` right after one is what it prints, numbers aside

Other languages are not run. Two comments, on a line of their own before a block, are heard:

    <!-- files: NAME... -->             makes files that a page of reference speaks of (tests/docs/files.py); pages that teach
                                        make their own
    <!-- not run: REASON -->            leaves the next block out; NOT_RUN in pages_test.py says how many there may be
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from files import make  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
RUN = ("sh", "console", "python")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
FENCE = re.compile(r"^( *)```([A-Za-z]*)")
HEARD = re.compile(r"^<!-- (files|not run): *(.*?) *-->$")
FIGURE = re.compile(r"!\[[^\]]*\]\(([^):]+\.png)\)")
LONGEST = 900  # seconds that a command may take


@dataclass
class Block:
    language: str
    line: int  # of the fence, from 1
    text: str = ""
    files: list[str] = field(default_factory=list)  # made before it
    reason: str = ""  # why it is not run
    shown: "str | None" = None  # what a block of Python prints


class Wrong(Exception):
    """A page does not do what it says."""


def blocks_of(page):
    """The fenced blocks of a page, with what the comments before them say."""
    blocks, open_block, indent = [], None, ""
    files, reason, between = [], "", ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if open_block is not None:
            if fence and line.strip() == "```":
                if open_block.language == "text" and blocks and blocks[-1].language == "python" and not between.strip():
                    blocks[-1].shown = open_block.text
                blocks.append(open_block)
                open_block, between = None, ""
            else:
                open_block.text += line[len(indent):] + "\n"
        elif fence:
            open_block, indent = Block(fence.group(2), number, files=files, reason=reason), fence.group(1)
            files, reason = [], ""
        else:
            between += line
            if heard := HEARD.match(line.strip()):
                if heard.group(1) == "files":
                    files = files + heard.group(2).split()
                elif not heard.group(2):
                    raise Wrong(f"{page}:{number}: a block that is not run needs a reason")
                else:
                    reason = heard.group(2)
    if open_block is not None:
        raise Wrong(f"{page}:{open_block.line}: a block that does not end")
    if reason or files:
        raise Wrong(f"{page}: the last comment about files or blocks that are not run has no block after it")
    return blocks


def alike(printed, shown):
    """Equal but for the numbers in them and blanks at the ends of lines."""
    def plain(text):
        return [re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip() for line in text.strip().splitlines()]
    return plain(printed) == plain(shown)


def last(text, lines=15):
    return "\n".join(text.splitlines()[-lines:])


class Page:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.names = {"__name__": "page"}
        commands = folder / "bin"
        commands.mkdir()
        if "LACUNA" in os.environ:
            (commands / "lacuna").symlink_to(Path(os.environ["LACUNA"]).resolve())
        for name in ("python", "python3"):
            (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
            (commands / name).chmod(0o755)
        self.work = folder / "work"
        self.work.mkdir()
        self.environment = dict(os.environ, PATH=f"{commands}:{os.environ['PATH']}", MPLBACKEND="agg")

    def shell(self, script):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.work, env=self.environment, timeout=LONGEST,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, block):
        for name in block.files:
            make(name, self.work)
        if block.reason:
            return
        if block.language == "sh":
            done = self.shell(block.text)
            if done.returncode != 0:
                raise Wrong(f"{self.path}:{block.line}: exit code {done.returncode}\n{block.text}\n{last(done.stderr)}")
        elif block.language == "console":
            self.console(block)
        elif block.language == "python":
            self.python(block)

    def console(self, block):
        for step in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
            command, _, shown = step.partition("\n")
            done = self.shell(command)
            refused = shown.startswith("lacuna: ")
            if (done.returncode in (2, 3)) != refused or (done.returncode != 0 and not refused):
                raise Wrong(f"{self.path}:{block.line}: exit code {done.returncode}\n$ {command}\n{last(done.stderr)}")
            printed = done.stderr if refused else done.stdout
            if shown.strip() and not alike(printed, shown):
                raise Wrong(f"{self.path}:{block.line}: $ {command}\nthe page shows\n{shown}\nand it prints\n{printed}")

    def python(self, block):
        """In this process, as if the page were one script; errors then name the page's own lines."""
        before, printed = os.getcwd(), io.StringIO()
        path, os.environ["PATH"] = os.environ["PATH"], self.environment["PATH"]
        os.environ["MPLBACKEND"] = "agg"
        os.chdir(self.work)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * block.line + block.text, str(self.path), "exec"), self.names)
        except Exception as problem:
            raise Wrong(f"{self.path}: the block of Python at line {block.line}: {type(problem).__name__}: {problem}") from problem
        finally:
            os.chdir(before)
            os.environ["PATH"] = path
        if block.shown is not None and not alike(printed.getvalue(), block.shown):
            raise Wrong(f"{self.path}:{block.line}: the page shows\n{block.shown}\nand it prints\n{printed.getvalue()}")

    def figures(self, keep):
        """The figures that the page shows and its blocks draw; `keep`: put them beside the page."""
        for name in FIGURE.findall(self.path.read_text(encoding="utf-8")):
            drawn = self.work / Path(name).name
            if not (self.path.parent / name).exists() and not keep:
                raise Wrong(f"{self.path}: the figure {name} is not there; run_page.py --figures {self.path} draws it")
            if keep and drawn.exists():
                shutil.copyfile(drawn, self.path.parent / name)


def run_page(path, keep_figures=False):
    """How many blocks were run, and those that were not."""
    blocks = blocks_of(path)
    ran, left_out = 0, [block for block in blocks if block.reason]
    with tempfile.TemporaryDirectory() as folder:
        page = Page(path, Path(folder))
        for block in blocks:
            page.run(block)
            ran += block.language in RUN and not block.reason
        page.figures(keep_figures)
    return ran, left_out


def main():
    words = sys.argv[1:]
    keep = "--figures" in words
    for word in words:
        if word == "--figures":
            continue
        path = Path(word).resolve()
        try:
            ran, left_out = run_page(path, keep)
        except Wrong as problem:
            print(problem, file=sys.stderr)
            return 1
        print(f"{word}: {ran} blocks run" + "".join(f"; line {b.line} not run: {b.reason}" for b in left_out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
