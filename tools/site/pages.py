#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the pages of the site together.

    pages.py FOLDER         LACUNA names the program; lacuna for Python must be there to import

The pages of docs/ as they are, README.md and the others of the project's root under the names that the site gives them, and
pages that the program and the package make of themselves: every verb and flag, every setting, every function.
"""

import inspect
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Files outside docs/, by the names they get. All others are where they are in docs/.
MOVED = {
    "README.md": "index.md", "python/README.md": "python.md", "bench/RESULTS.md": "results.md", "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security-policy.md", "bench/paper.png": "paper.png", "bench/growth.svg": "growth.svg",
}  # fmt: skip
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#\s]+)((?:#[^)]*)?\))")
FENCED = re.compile(r"(^ *```.*?^ *```|`[^`\n]+`)", re.M | re.S)


def place_of(path):
    """Where a file of the project is on the site; None: it is not."""
    name = path.relative_to(ROOT).as_posix()
    if name in MOVED:
        return MOVED[name]
    return name.removeprefix("docs/") if name.startswith("docs/") else None


def with_links(text, source, target):
    """The page's links, from where it is in the project to where it is on the site. One to what is not there becomes its text."""
    def link(found):
        address = found.group(2)
        if re.match(r"[a-z]+:", address):
            return found.group(0)
        place = place_of((source.parent / address).resolve())
        if place is None:
            return f"`{address}`" if not found.group(1).startswith("!") else ""
        return found.group(1) + os.path.relpath(place, Path(target).parent) + found.group(3)

    parts = FENCED.split(text)
    return "".join(part if k % 2 else LINK.sub(link, part) for k, part in enumerate(parts))


def program(*words):
    return subprocess.run([os.environ["LACUNA"], *words], check=True, capture_output=True, text=True).stdout


def cli_reference():
    """What `lacuna help VERB` says of every verb."""
    verbs = re.findall(r"^  (\w+)  ", program("help").split("Subcommands:")[1], re.M)
    lines = ["# Every verb and flag", "", "As `lacuna help VERB` says it, made of the flags themselves.", "",
             "```text", program("help").rstrip(), "```"]  # fmt: skip
    for verb in verbs:
        lines += ["", f"## {verb}", "", "```text", wrapped(program("help", verb)), "```"]
    return "\n".join(lines) + "\n"


def wrapped(text, width=118):
    """Lines of flags, not longer than a page is wide."""
    out = []
    for line in text.rstrip().splitlines():
        flag = re.match(r"^(  -?\S.*?\s{2,}|\s{20,})(\S.*)$", line)
        if len(line) <= width or not flag:
            out += [line]
            continue
        indent = " " * max(len(flag.group(1)), 30)
        pieces = textwrap.wrap(flag.group(2), width - len(indent))
        out += [flag.group(1) + pieces[0], *(indent + piece for piece in pieces[1:])]
    return "\n".join(out)


def settings_page():
    """The table of settings, as flags and as keywords, and the table of methods."""
    import lacuna

    lines = ["# Every setting", "", "One table feeds flags, configuration files and Python's keywords. This is what `lacuna settings` prints.",
             "", program("settings", "--markdown").rstrip(), "", "## In Python", "",
             "The same, as keywords of `lacuna.complete`, `lacuna.TensorCompleter` and `lacuna.tune`: `-` is `_`, `--lambda` is `lam`, "
             "`--seed` is `random_state`.", "", "| keyword | flag |", "|---|---|"]  # fmt: skip
    lines += [f"| `{row['keyword']}` | `--{row['name']}` |" for row in lacuna.settings()]
    lines += ["", "## Methods", "", "As `lacuna methods` lists them; [Methods](methods.md) says when to take which.", "",
              "| method | what it is | assumes | kind of model |", "|---|---|---|---|"]  # fmt: skip
    lines += [f"| `{row['name']}` | {row['what']} | {row['assumes']} | {row['model']} |" for row in lacuna.methods()]
    return "\n".join(lines) + "\n"


def documented(name, thing, level):
    """The heading, the signature and the docstring of a function, a class or a property."""
    lines = ["", f"{'#' * level} {name.split('.')[-1]}", ""]
    if callable(thing):
        lines += ["```text", signature(name, thing), "```", ""]
    return lines + described(inspect.getdoc(thing) or "")


def signature(name, thing):
    """As it is written, a line for each parameter where they are many."""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return name
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    short = f"{name}{inspect.Signature(plain)}"
    return short if len(short) <= 100 else f"{name}(\n" + "".join(f"    {p},\n" for p in plain) + ")"


def described(text):
    """A docstring as Markdown: `name : what it is` becomes a list of definitions, examples stay as they are."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text):
        rows = paragraph.splitlines()
        if rows and rows[0].startswith(">>>"):
            lines += ["```pycon", *rows, "```", ""]
        elif rows and re.match(r"^[\w, ]+ : ", rows[0]):
            for row in rows:
                head = re.match(r"^([\w, ]+) : (.*)$", row)
                lines += [f"`{head.group(1)}`", f":   {head.group(2)}"] if head else ["    " + row.strip()]
                if not head:
                    continue
            lines = separated(lines) + [""]
        elif rows and all(row.startswith("    ") for row in rows):
            lines += [*rows, ""]
        else:
            lines += [*rows, ""]
    return lines


def separated(lines):
    """A blank line before each term of a list of definitions."""
    out = []
    for k, line in enumerate(lines):
        if k + 1 < len(lines) and lines[k + 1].startswith(":   ") and out and out[-1] != "":
            out.append("")
        out.append(line)
    return out


def python_reference():
    import lacuna

    lines = ["# Every function", "", "Made of the package's own words. [The package](python.md) is the way in."]
    public = [name for name in lacuna.__all__ if name != "__version__"]
    functions = [name for name in public if not inspect.isclass(getattr(lacuna, name))]
    for name in functions:
        lines += documented(f"lacuna.{name}", getattr(lacuna, name), 2)
    for name in sorted(set(public) - set(functions), key=lambda name: (name != "TensorCompleter", name)):
        kind = getattr(lacuna, name)
        lines += documented(f"lacuna.{name}", kind, 2)
        for member, thing in inspect.getmembers(kind):
            if member.startswith("_") or issubclass(kind, BaseException):
                continue
            if inspect.isfunction(thing) or inspect.ismethod(thing):
                lines += documented(f"{name}.{member}", thing, 3)
            elif isinstance(thing, property) and inspect.getdoc(thing):
                lines += documented(f"{name}.{member}", thing, 3)
    return "\n".join(lines) + "\n"


CPP = """# The library

`#include <lacuna/lacuna.hpp>`, `find_package(lacuna)`, `lacuna::lacuna`. [Every class and function](cpp/index.html) is made of the
public headers; [Architecture](architecture.md) says what is behind them.

```cpp
{quickstart}```
"""


def main():
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    sources = [ROOT / name for name in MOVED] + [path for path in sorted((ROOT / "docs").rglob("*")) if path.is_file()]
    for source in sources:
        place = place_of(source)
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(with_links(source.read_text(encoding="utf-8"), source, place), encoding="utf-8")
        else:
            shutil.copyfile(source, target)
    (folder / "cli-reference.md").write_text(cli_reference(), encoding="utf-8")
    (folder / "settings.md").write_text(settings_page(), encoding="utf-8")
    (folder / "python-reference.md").write_text(python_reference(), encoding="utf-8")
    (folder / "cpp.md").write_text(CPP.format(quickstart=(ROOT / "examples" / "quickstart.cpp").read_text()), encoding="utf-8")


if __name__ == "__main__":
    main()
