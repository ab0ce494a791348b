# SPDX-License-Identifier: MIT
"""tools/check_sizes.py finds what it is there to find."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_sizes.py"


def function(opening, lines, closing="}"):
    """A function of this many lines in all."""
    return opening + "\n" + "  f();\n" * (lines - 2) + closing + "\n"


class CheckSizes(unittest.TestCase):
    def check(self, name, text):
        with tempfile.TemporaryDirectory() as root:
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            done = subprocess.run([sys.executable, str(TOOL), root], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout

    def test_the_project_itself_is_short(self):
        done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_files(self):
        for name in ("src/a.cpp", "include/a.hpp", "tools/a.py"):
            self.assertEqual(self.check(name, "#\n" * 400), "")
            self.assertIn(f"{name}:401: found 401 lines", self.check(name, "#\n" * 401))

    def test_functions_of_all_forms(self):
        for opening in (
            "void f() {",
            "template <class T>\nstd::vector<T> Thing<T>::f(int a,\n      int b) const {",
            "Thing::Thing(int a) : a_(a), b_{a} {",
            "bool operator==(const A& a, const A& b) {",
            "TEST(Room, Property) {",
            "void f(int a = 3) {",
        ):
            extra = opening.count("\n")
            with self.subTest(opening):
                self.assertEqual(self.check("src/a.cpp", function(opening, 60 - extra)), "")
                self.assertIn("found 61 lines", self.check("src/a.cpp", function(opening, 61 - extra)))

    def test_methods_inside_a_class(self):
        inside = "\n".join("  " + line for line in function("void f() {", 61).splitlines())
        found = self.check("src/a.hpp", "class A {\n public:\n" + inside + "\n};\n")
        self.assertIn("a.hpp:3: found 61 lines of f()", found)

    def test_what_is_no_function(self):
        for opening, closing in (
            ("namespace lacuna {", "}"),
            ("class A {", "};"),
            ("struct A : B {", "};"),
            ("const Row kRows[] = {", "};"),
            ("const auto kTable = make(3) = {", "};"),
            ("enum class A {", "};"),
        ):
            with self.subTest(opening):
                body = "  int x;\n" * 100
                self.assertEqual(self.check("src/a.cpp", opening + "\n" + body + closing + "\n"), "")

    def test_python_functions(self):
        def text(lines):
            return "class A:\n    def f(self):\n" + "        pass\n" * (lines - 1)

        self.assertEqual(self.check("tools/a.py", text(60)), "")
        self.assertIn("a.py:2: found 61 lines of f()", self.check("tools/a.py", text(61)))


if __name__ == "__main__":
    unittest.main()
