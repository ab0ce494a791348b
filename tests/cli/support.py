# SPDX-License-Identifier: MIT
"""What the tests of the command line share: running the binary, small data, and the files it comes in.

The binary's path is in the environment variable LACUNA. Only the standard library is used.
"""
import array
import ast
import json
import math
import os
import random
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

LACUNA = os.environ.get("LACUNA", "lacuna")
TIMEOUT = 300  # seconds: far more than any run needs, on any machine


def sanitized(binary):
    """Whether it was built with a sanitizer of addresses or threads: its shadow takes all address space, more memory is
    resident than the program asked for, and everything takes several times as long."""
    path = shutil.which(binary)
    code = Path(path).read_bytes() if path else b""
    return b"__asan_init" in code or b"__tsan_init" in code


SANITIZED = sanitized(LACUNA)


class CliTest(unittest.TestCase):
    """Each test has an empty folder of its own, in which the binary runs."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lacuna-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return self.folder / name

    def write(self, name, text):
        self.path(name).write_text(text)
        return name

    # Most tests are about a model of the paper's; those of automatic choices say preset = ().
    preset = ("--preset", "paper")

    def run_lacuna(self, *arguments):
        if arguments and arguments[0] in ("fit", "tune"):
            arguments = (arguments[0], *self.preset, *arguments[1:])
        return subprocess.run(
            [LACUNA, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT
        )

    def ok(self, *arguments):
        """Runs, expects success, returns what was printed on stdout."""
        done = self.run_lacuna(*arguments)
        self.assertEqual(done.returncode, 0, f"lacuna {arguments}\n{done.stdout}{done.stderr}")
        return done.stdout

    def ok_json(self, *arguments):
        """The same for --json: stdout must be one object, strictly JSON (no NaN)."""

        def refuse(constant):
            self.fail(f"found {constant} in the JSON output")

        return json.loads(self.ok(*arguments, "--json"), parse_constant=refuse)

    def fails(self, code, *arguments):
        """Runs, expects this exit code and nothing on stdout, returns stderr."""
        done = self.run_lacuna(*arguments)
        self.assertEqual(done.returncode, code, f"lacuna {arguments}\n{done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "")
        return done.stderr

    def assert_only(self, *names):
        """The folder holds these files and no other: nothing half-written was left."""
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), sorted(names))


def truth(i, j, k):
    """A smooth tensor of multilinear rank at most (3, 3, 2)."""
    return 3.0 + math.sin(0.5 * i) * math.cos(0.4 * j) + 0.5 * math.cos(0.3 * i) * (1.0 + k)


def cells(shape=(12, 10, 6)):
    return [(i, j, k) for i in range(shape[0]) for j in range(shape[1]) for k in range(shape[2])]


def sample(share=0.5, seed=1, shape=(12, 10, 6)):
    """Two lists of cells, dealt at random."""
    shuffled = cells(shape)
    random.Random(seed).shuffle(shuffled)
    count = round(share * len(shuffled))
    # The last index of every mode is among the first cells, so that the largest index seen is the mode's size.
    corner = tuple(n - 1 for n in shape)
    shuffled.remove(corner)
    return [corner, *shuffled[: count - 1]], shuffled[count - 1 :]


def tns(listed, base=1, value=truth):
    return "".join(f"{i + base} {j + base} {k + base} {value(i, j, k)!r}\n" for i, j, k in listed)


def read_tns(path, base=1):
    entries = {}
    for line in Path(path).read_text().splitlines():
        *index, value = line.split()
        entries[tuple(int(i) - base for i in index)] = float(value)
    return entries


def rmse(pairs):
    squares = [(a - b) ** 2 for a, b in pairs]
    return math.sqrt(sum(squares) / len(squares))


def write_npy(path, shape, values):
    """float64, C order."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    Path(path).write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.array("d", values).tobytes()
    )


def read_npy(path):
    """Header and the flat list of numbers."""
    data = Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    assert not header["fortran_order"]
    values = array.array({"<f8": "d", "<f4": "f", "|u1": "B"}[header["descr"]])
    values.frombytes(data[10 + length :])
    return header, list(values)


def write_png(path, rows, columns, pixel):
    """8-bit RGBA; pixel(row, column) gives four numbers."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + bytes(c for j in range(columns) for c in pixel(i, j)) for i in range(rows))
    Path(path).write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


class SampleTest(CliTest):
    """Each test begins with train.tns and test.tns, a smooth tensor's cells dealt at random."""

    def setUp(self):
        super().setUp()
        self.train, self.test = sample(0.6)
        self.write("train.tns", tns(self.train))
        self.write("test.tns", tns(self.test))
