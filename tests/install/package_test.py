# SPDX-License-Identifier: MIT
"""The packages that CPack makes: what is in them, what they ask for, and that the program inside works.

The .deb is installed by dpkg into a root of its own, which needs the rights of root and leaves the machine alone; without them it is
unpacked as dpkg does it.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

BUILD = Path(sys.argv.pop(1)).resolve()
FILES = ("bin/lacuna", "libexec/lacuna/lacuna-formats", "share/man/man1/lacuna.1", "share/doc/lacuna/LICENSE", "share/doc/lacuna/copyright",
         "share/doc/lacuna/docs/cli.md", "share/bash-completion/completions/lacuna", "share/zsh/site-functions/_lacuna",
         "share/fish/vendor_completions.d/lacuna.fish", "include/lacuna/lacuna.hpp")  # fmt: skip


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, **more)
    if done.returncode:
        raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="lacuna-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for kind in ("DEB", "TGZ"):
            run("cpack", "-G", kind, "-B", cls.folder, "--config", BUILD / "CPackConfig.cmake", cwd=BUILD)

    def works(self, root):
        for name in FILES:
            self.assertTrue((root / name).is_file(), name)
        program = root / "bin" / "lacuna"
        self.assertRegex(run(program, "-V"), r"^\d+\.\d+\.\d+\n$")
        data = self.folder / "data.tns"
        data.write_text("".join(f"{i} {j} {i + j}\n" for i in range(1, 9) for j in range(1, 7) if (i + 2 * j) % 5))
        model = self.folder / "model.lac"
        run(program, "fit", data, "-o", model, "--method", "offsets", "--offsets", "modes")
        cells = self.folder / "cells.tns"
        cells.write_text("1 2\n")
        answer = self.folder / "answer.tns"
        run(program, "predict", model, cells, "-o", answer)
        self.assertAlmostEqual(float(answer.read_text().split()[-1]), 3.0, places=4)
        # lacuna-formats is found where the package has it.
        numpy.save(self.folder / "cube.npy", numpy.arange(24.0).reshape(2, 3, 4))
        plain = {name: value for name, value in os.environ.items() if name != "LACUNA_LIBEXEC"}
        run(program, "convert", self.folder / "cube.npy", self.folder / "cube.h5", env=plain)
        run(program, "convert", self.folder / "cube.h5", self.folder / "back.npy", env=plain)
        self.assertTrue((numpy.load(self.folder / "back.npy") == numpy.load(self.folder / "cube.npy")).all())

    def test_deb(self):
        (deb,) = self.folder.glob("*.deb")
        fields = run("dpkg-deb", "--field", deb)
        self.assertRegex(fields, r"(?m)^Package: lacuna$")
        self.assertRegex(fields, r"(?m)^Depends: .*libc6 .*libstdc\+\+6")
        # What the program was built with is installed here: a dependency that is not is a wrong name or version.
        for one in re.search(r"(?m)^Depends: (.*)$", fields).group(1).split(", "):
            name, _, version = re.fullmatch(r"([\w.+-]+)(?: \((\S+) (\S+)\))?", one.split(" | ")[0]).groups()
            installed = run("dpkg-query", "-W", "-f", "${Version}", name)
            if version:
                run("dpkg", "--compare-versions", installed, "ge", version)
        root = self.folder / "deb"
        run("dpkg-deb", "-x", deb, root)
        self.works(root / "usr")
        self.assertEqual(run("dpkg-deb", "-c", deb).count("/python/"), 0)

    def test_deb_is_installed_and_removed(self):
        if os.geteuid() != 0:
            self.skipTest("dpkg installs packages for root alone, also into a folder")
        (deb,) = self.folder.glob("*.deb")
        root = self.folder / "root"
        for name in ("info", "updates", "triggers"):
            (root / "var/lib/dpkg" / name).mkdir(parents=True)
        for name in ("status", "available"):
            (root / "var/lib/dpkg" / name).touch()
        # What it depends on is on the machine and not in that root; it has no scripts, so none run outside.
        self.assertNotRegex(run("dpkg-deb", "--ctrl-tarfile", deb, errors="replace"), r"p(re|ost)(inst|rm)")
        dpkg = ("dpkg", f"--root={root}", "--force-depends", f"--log={self.folder / 'dpkg.log'}")
        run(*dpkg, "--install", deb)
        status = run(*dpkg, "--status", "lacuna")
        self.assertRegex(status, r"(?m)^Status: install ok installed$")
        self.assertIn("/usr/bin/lacuna\n", run(*dpkg, "--listfiles", "lacuna"))
        self.works(root / "usr")
        run(*dpkg, "--remove", "lacuna")
        self.assertEqual([path for path in (root / "usr").rglob("*") if path.is_file()], [])
        gone = subprocess.run([*dpkg, "--status", "lacuna"], capture_output=True, text=True)
        self.assertTrue(gone.returncode != 0 or "deinstall" in gone.stdout, gone.stdout)

    def test_tarball(self):
        (tarball,) = self.folder.glob("*.tar.gz")
        run("tar", "-xzf", tarball, "-C", self.folder)
        self.works(self.folder / re.sub(r"\.tar\.gz$", "", tarball.name))


if __name__ == "__main__":
    unittest.main()
