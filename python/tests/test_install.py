# SPDX-License-Identifier: MIT
"""`pip install .` on a machine with a compiler and CMake, but without the libraries: one message names all of them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What the machine does not have: all that CMake looks for, hidden from it.
HIDDEN = {"Eigen3": "libeigen3-dev", "Spectra": "libspectra-dev", "ZLIB": "zlib1g-dev", "PNG": "libpng-dev", "JPEG": "libjpeg-dev",
          "fmt": "libfmt-dev", "nlohmann_json": "nlohmann-json3-dev", "Libzip": "libzip-dev",
          "LapackArchive": "liblapack-dev liblapacke-dev", "LibLZMA": "liblzma-dev", "zstd": "libzstd-dev", "OpenMP": "g++"}  # fmt: skip


def test_what_is_missing_is_named_with_its_packages(tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("no compiler")
    pytest.importorskip("scikit_build_core")
    defines = [f"--config-settings=cmake.define.CMAKE_DISABLE_FIND_PACKAGE_{name}=TRUE" for name in HIDDEN]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
         "--wheel-dir", str(tmp_path / "wheel"), f"--config-settings=build-dir={tmp_path / 'build'}",
         "--config-settings=cmake.define.FAST_FLOAT_INCLUDE=FAST_FLOAT_INCLUDE-NOTFOUND",
         "--config-settings=cmake.define.CMAKE_IGNORE_PATH=/usr/include;/usr/local/include", *defines],
        capture_output=True, text=True, timeout=600, env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "lacuna is built with libraries that CMake does not find here" in said
    for name, packages in {**HIDDEN, "fast_float/fast_float.h": "libfast-float-dev"}.items():
        line = next((line for line in said.splitlines() if re.search(rf"^\s*{re.escape(name)}\b", line)), "")
        assert f"Debian and Ubuntu: {packages}" in line, f"{name} is not named:\n{said[-3000:]}"
    assert "scripts/install-deps" in said
    assert not list((tmp_path / "wheel").glob("*.whl"))
