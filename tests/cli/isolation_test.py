# SPDX-License-Identifier: MIT
"""lacuna-formats: what goes wrong in it is an error of lacuna's, and it can do little on its own."""
import os
import re
import shutil
import struct
import subprocess
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from support import LACUNA, CliTest, sanitized

FORMATS = Path(LACUNA).resolve().parent / "lacuna-formats"
HOSTILE = Path(__file__).resolve().parent.parent / "hostile_files"
SANITIZED = sanitized(FORMATS)


class Fakes(CliTest):
    """Another program in its place."""

    def told(self, script, *arguments, code=3, timeout="2"):
        self.path("bin").mkdir(exist_ok=True)
        if script is not None:
            self.path("bin/lacuna-formats").write_text("#!/bin/sh\n" + script)
            os.chmod(self.path("bin/lacuna-formats"), 0o755)
        with h5py.File(self.path("x.h5"), "w") as out:
            out["d"] = np.ones((3, 4))
        environment = {**os.environ, "LACUNA_LIBEXEC": str(self.path("bin")), "LACUNA_FORMATS_TIMEOUT": timeout}
        done = subprocess.run([LACUNA, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_a_program_that_others_put_there_is_not_run(self):
        with h5py.File(self.path("x.h5"), "w") as out:
            out["d"] = np.ones((3, 4))
        self.path("mine").mkdir()
        shutil.copy(LACUNA, self.path("mine/lacuna"))
        folder = self.path("libexec/lacuna")
        folder.mkdir(parents=True)
        fake = folder / "lacuna-formats"
        fake.write_text(f"#!/bin/sh\ntouch '{self.path('was-run')}'\n")
        environment = {name: value for name, value in os.environ.items() if name != "LACUNA_LIBEXEC"}
        owners = ((0o755, 0o755, 0), (0o777, 0o755, 0), (0o755, 0o777, 0))
        if os.geteuid() == 0:
            owners += ((0o755, 0o755, 65534),)
        for number, (of_file, of_folder, owner) in enumerate(owners):
            with self.subTest(number):
                os.chmod(fake, of_file)
                os.chmod(folder, of_folder)
                if os.geteuid() == 0:
                    os.chown(fake, owner, owner)
                done = subprocess.run([self.path("mine/lacuna"), "info", "x.h5"], cwd=self.folder, env=environment,
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(self.path("was-run").exists(), number == 0, done.stderr)  # the first one is the user's own
                self.path("was-run").unlink(missing_ok=True)

    def test_a_crash_is_named(self):
        message = self.told("kill -SEGV $$", "info", "x.h5")
        self.assertIn("x.h5: the library that reads such files crashed on it (Segmentation fault)", message)

    def test_time_is_named(self):
        self.assertIn("more processor time", self.told("kill -XCPU $$", "info", "x.h5"))

    def test_a_kill_is_named(self):
        self.assertIn("killed", self.told("kill -KILL $$", "info", "x.h5"))

    def test_silence_ends(self):
        start = time.monotonic()
        self.assertIn("said nothing for 1 s", self.told("exec sleep 50", "info", "x.h5", timeout="1"))
        self.assertLess(time.monotonic() - start, 20)

    def test_nonsense_is_refused(self):
        for number, script in enumerate((
            "echo hello and good day to you",
            r'printf "lacuna>1\377\377\377\377\377\377\377\377"',
            r'printf "lacuna>1\007\0\0\0\0\0\0\0not json"',
            r'printf "lacuna>1\002\0\0\0\0\0\0\0{}"',
            'printf "lacuna>1\\014\\0\\0\\0\\0\\0\\0\\0{\\"arrays\\":1}"',
            "exit 0",
            "exit 9",
        )):  # fmt: skip
            with self.subTest(number):
                message = self.told(script, "info", "x.h5")
                self.assertRegex(message, "x.h5: (lacuna-formats gave an answer that makes no sense|it could not be read)")

    def test_answers_that_lie_are_refused(self):
        def say(text, numbers=b""):
            self.path("answer").write_bytes(b"lacuna>1" + struct.pack("<Q", len(text)) + text.encode() + numbers)
            return self.told(f"cat '{self.path('answer')}'", "info", "x.h5")

        axis = '{"name":"a","size":%d,"unit":"","placed":%s}'
        array = '{"arrays":[%s],"variable":"d","dtype":"<f8","axes":[%s]}'
        four = struct.pack("<4d", 1, 2, 3, 4)
        two = ",".join([axis % (2, "false")] * 2)
        for text, numbers, words in (
            (array % ("5", two), four, "makes no sense"),
            (array % ("4,4", two), four, "makes no sense"),
            (array % ("4", two), four, "could not be read"),  # no "complete"
            (array % ("4", two), four + b"complexe", "makes no sense"),
            (array % ("4", axis % (4, "false")), four, "1-d array"),
            (array % ("4", two.replace("2", "-2")), four, "makes no sense"),
            (array % ("4", two.replace('"a"', "7")), four, "makes no sense"),
            ((array % ("4", two)).replace("<f8", "junk"), four, "makes no sense"),
            (array % ("2,4", axis % (2, "true") + "," + axis % (2, "false")), struct.pack("<2d", 1, 1) + four, "makes no sense"),
            (array % ("4", two), struct.pack("<4d", 1, 2, 3, float("inf")) + b"complete", "inf"),
            ('{"arrays":[],"error":7}', b"", "makes no sense"),
            ('{"arrays":[],"error":"because"}', b"", "x.h5: because"),
        ):
            with self.subTest(text):
                self.assertIn(words, say(text, numbers))

    def test_a_lie_about_size_takes_no_memory(self):
        axis = '{"name":"a","size":4000000000,"unit":"","placed":false}'
        text = '{"arrays":[16000000000000000000],"variable":"d","dtype":"<f8","axes":[%s,%s]}' % (axis, axis)
        self.path("answer").write_bytes(b"lacuna>1" + struct.pack("<Q", len(text)) + text.encode())
        self.told(f"cat '{self.path('answer')}'", "info", "x.h5", code=5)

    def test_a_program_that_is_not_there_is_named(self):
        message = self.told(None, "info", "x.h5")
        self.assertIn("x.h5: files of this kind need the program lacuna-formats, which is not in", message)
        self.assertIn("bin", message)

    def test_a_failed_writer_leaves_nothing(self):
        np.save(self.path("a.npy"), np.ones((3, 4)))
        message = self.told("kill -SEGV $$", "convert", "a.npy", "b.nc", code=6)
        self.assertIn("b.nc", message)
        self.assert_only("bin", "x.h5", "a.npy")

    def test_own_formats_need_no_other_program(self):
        self.write("a.tns", "1 1 2\n2 2 3\n")
        self.told("exit 9", "info", "a.tns", code=0)


class Limits(CliTest):
    @unittest.skipIf(SANITIZED, "a sanitizer's shadow takes all address space")
    def test_the_program_has_taken_from_itself_what_it_does_not_need(self):
        # It waits for somebody to write to the pipe that it takes for a file, inside its limits.
        os.mkfifo(self.path("pipe.tif"))
        running = subprocess.Popen(
            [FORMATS, "3000000000", "read", "tiff", self.path("pipe.tif"), ""], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        for _ in range(100):
            status = Path(f"/proc/{running.pid}/status").read_text()
            if re.search(r"Seccomp:\s+2", status):
                break
            time.sleep(0.1)
        self.assertRegex(status, r"Seccomp:\s+2")
        self.assertRegex(status, r"NoNewPrivs:\s+1")
        limits = Path(f"/proc/{running.pid}/limits").read_text()
        self.assertRegex(limits, r"Max address space +1000000000 +3000000000")
        self.assertRegex(limits, r"Max cpu time +60 ")
        self.assertRegex(limits, r"Max file size +0 +0")
        self.assertRegex(limits, r"Max core file size +0 +0")

    @unittest.skipIf(SANITIZED, "a sanitizer needs more calls")
    def test_it_makes_no_file_and_no_connection_and_touches_no_other_process(self):
        # A library that is loaded before it and tries what a taken-over reader would try.
        self.write(
            "try.c",
            """
            #include <errno.h>
            #include <fcntl.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/resource.h>
            #include <sys/socket.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            typedef struct tiff TIFF;
            TIFF* TIFFOpen(const char* path, const char* mode) {
              int made = open("made", O_WRONLY | O_CREAT, 0644);
              int online = socket(AF_INET, SOCK_STREAM, 0);
              char* words[] = {"/bin/true", 0};
              int run = execve("/bin/true", words, 0);
              int child = fork();
              int self = getpid();
              struct rlimit limit;
              int told = syscall(SYS_tgkill, OTHER, OTHER, 0);  // 0: whether it could
              int limited = syscall(SYS_prlimit64, OTHER, RLIMIT_CPU, 0, &limit);
              int own = syscall(SYS_tgkill, self, self, 0) | syscall(SYS_prlimit64, 0, RLIMIT_CPU, 0, &limit);
              dprintf(1, "%d %d %d %d %d %d %d|", made, online, run, child, told, limited, own);
              _exit(0);
            }
            """,
        )
        subprocess.run(["cc", "-shared", "-fPIC", f"-DOTHER={os.getpid()}", "-o", "try.so", "try.c"], cwd=self.folder, check=True)
        done = subprocess.run(
            [FORMATS, "3000000000", "read", "tiff", "/nowhere.tif", ""], cwd=self.folder, capture_output=True,
            env={"LD_PRELOAD": str(self.path("try.so"))}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        self.assertEqual(done.stdout, b"-1 -1 -1 -1 -1 -1 0|", done)
        self.assertFalse(self.path("made").exists())

    def test_bombs_end_in_a_sentence(self):
        for name in ("never_written.mat",):
            done = subprocess.run([LACUNA, "info", HOSTILE / name], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("claim to hold", done.stderr)

    def test_started_by_hand_it_says_what_it_is(self):
        done = subprocess.run([FORMATS], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("started by lacuna", done.stderr)


class Libraries(unittest.TestCase):
    def test_lacuna_itself_loads_few(self):
        loaded = subprocess.run(["ldd", LACUNA], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^\s*(\S+)", loaded, re.MULTILINE)
        self.assertIsNone(re.search(r"hdf5|netcdf|matio|tiff|curl|ldap|krb5|gssapi|xml|ssl", loaded), loaded)
        self.assertLessEqual(len(names), 20, loaded)


if __name__ == "__main__":
    unittest.main()
