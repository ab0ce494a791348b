# SPDX-License-Identifier: MIT
"""tools/check_layers.py finds what it is there to find."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"
LICENCE = "// SPDX-License-Identifier: MIT\n"


class CheckLayers(unittest.TestCase):
    def check(self, **files):
        """Runs the tool on a tree of these files; __ in a name stands for / and a last _ for the dot."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                stem, _, ending = name.replace("__", "/").rpartition("_")
                path = Path(root, f"{stem}.{ending}")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, str(TOOL), root], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout

    def test_the_project_itself_is_clean(self):
        done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_lower_rooms_may_be_included(self):
        self.assertEqual(self.check(include__lacuna__tensor__a_hpp=LICENCE + "#include <lacuna/base/result.hpp>\n"), "")
        self.assertEqual(self.check(cli__a_cpp=LICENCE + "#include <lacuna/io/tensor_file.hpp>\n"), "")

    def test_upward_and_sideways_includes_are_named(self):
        for file, include in (
            ("src__base__a_cpp", "<lacuna/tensor/entries.hpp>"),
            ("src__method__a_cpp", "<lacuna/io/tensor_file.hpp>"),
            ("src__solver__a_cpp", "<lacuna/problem/dual_problem.hpp>"),
            ("include__lacuna__problem__a_hpp", "<lacuna/solver/solver.hpp>"),
            ("src__evaluate__a_cpp", "<lacuna/solver/solver.hpp>"),
            ("src__model__a_cpp", '"method/fit_run.hpp"'),
        ):
            with self.subTest(f"{file} {include}"):
                found = self.check(**{file: LICENCE + "#include <vector>\n#include " + include + "\n"})
                self.assertIn(":3: ", found)

    def test_public_headers_include_no_private_ones(self):
        self.assertIn("a.hpp:2: ", self.check(include__lacuna__io__a_hpp=LICENCE + '#include "io/file/ending.hpp"\n'))

    def test_a_room_that_is_not_listed(self):
        self.assertIn("attic", self.check(src__attic__a_cpp=LICENCE))

    def test_parallel_regions_name_their_threads(self):
        loop = LICENCE + "#pragma omp parallel for schedule(static)"
        self.assertIn("a.cpp:2: ", self.check(src__base__a_cpp=loop + "\n"))
        self.assertEqual(self.check(src__base__a_cpp=loop + " \\\n    num_threads(2)\n"), "")

    def test_licence(self):
        self.assertIn("a.cpp:1: ", self.check(src__base__a_cpp="int x;\n"))
        self.assertEqual(self.check(src__base__a_cpp=LICENCE), "")


if __name__ == "__main__":
    unittest.main()
