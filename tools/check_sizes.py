#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that files and functions stay short enough to be read.

  check_sizes.py [ROOT]

- A C++ or Python file has at most 400 lines, a function at most 60, its signature included.
- A C++ function is what clang-format makes of one: it opens with a line that ends in '{' and closes with the first
  '}' that is indented like the line it began on. What is inside it, such as a lambda, counts for it.

Prints file:line: what is too long, and ends with 1 if there was anything.
"""
import ast
import re
import sys
from pathlib import Path

MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 60
FOLDERS = ("include", "src", "cli", "tests", "examples", "bench", "python", "fuzz", "tools", "scripts", ".ci")

# What opens a brace and is no function; an `=` outside the parameter list is an initialiser.
NO_FUNCTION = re.compile(
    r"^(namespace|class|struct|enum|union|extern|if|else|for|while|switch|do|try|catch|case|default|return|using|"
    r"typedef|public|private|protected)\b"
)
NAME = re.compile(r"([~\w]+|operator\s*\S+?)\s*\(")


def indentation(line):
    return len(line) - len(line.lstrip(" "))


def is_function(statement):
    """Whether what stands before a '{' is the signature of a function: it has a parameter list and no initialiser."""
    text = re.sub(r"operator\s*[^\s\w(]+", "operator", re.sub(r"^template <.*?> ", "", statement))
    if NO_FUNCTION.match(text) or not NAME.search(text):
        return False
    outside, depth = "", 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        outside += c if depth == 0 else ""
    return not re.search(r"(?<![=!<>])=(?!=)", outside)


def cpp_functions(lines):
    """(name, first line, last line), numbered from 1; a function inside a function is left out."""
    statement, first, number = "", 0, 0
    while number < len(lines):
        line = lines[number].split("//")[0].rstrip()
        number += 1
        if not line or line.startswith("#"):
            continue
        if not statement:
            first = number
        statement += " " + line.strip()
        if line.endswith("{") and is_function(statement.strip()):
            depth = indentation(lines[first - 1])
            last = number
            while last < len(lines) and not (lines[last].startswith(" " * depth + "}") or last == len(lines) - 1):
                last += 1
            yield NAME.search(re.sub(r"^template <.*?> ", "", statement.strip())).group(1), first, last + 1
            number = last + 1
            statement = ""
        elif line.endswith(("{", "}", ";", ":")):
            statement = ""


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def problems(path, text):
    lines = text.splitlines()
    if len(lines) > MOST_FILE_LINES:
        yield len(lines), f"found {len(lines)} lines, expected at most {MOST_FILE_LINES}"
    functions = python_functions(text) if is_python(path, text) else cpp_functions(lines)
    for name, first, last in functions:
        if last - first + 1 > MOST_FUNCTION_LINES:
            yield first, (f"found {last - first + 1} lines of {name}(), "
                          f"expected a function to have at most {MOST_FUNCTION_LINES}")


def is_python(path, text):
    return path.suffix == ".py" or (text.startswith("#!") and "python" in text.split("\n", 1)[0])


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if not path.is_file() or path.suffix not in (".cpp", ".hpp", ".py", ""):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            if path.suffix or is_python(path, text):
                yield path.relative_to(root), text


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    checked = found = 0
    for path, text in files(root):
        checked += 1
        for number, problem in problems(path, text):
            found += 1
            print(f"{path}:{number}: {problem}")
    print(f"check_sizes: {checked} files, {found} problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
