# SPDX-License-Identifier: MIT
"""The file of --state: what a kill, a full disk or another hand may have done to it."""
import fcntl
import json
import resource
import subprocess
import unittest

from support import LACUNA, TIMEOUT, SampleTest

GRID = ("--lambda-grid", "0.1,1", "--refine", "0", "--rank", "2", "--max-iterations", "5", "--folds", "2", "--abandon", "1000")
COMMAND = ("tune", "train.tns", "-o", "m.lac", *GRID, "--state", "s.jsonl")


class TuneState(SampleTest):
    def setUp(self):
        super().setUp()
        self.whole = self.ok_json(*COMMAND)
        self.path("m.lac").unlink()
        self.lines = self.path("s.jsonl").read_text().splitlines(keepends=True)
        self.assertEqual(len(self.lines), 5)  # what it is about, two lambdas on two folds

    def refused(self, text, where):
        self.path("s.jsonl").write_text(text)
        message = self.fails(3, *COMMAND)
        self.assertIn(f"s.jsonl:{where}: found ", message)
        self.assertEqual(self.path("s.jsonl").read_text(), text, "a file that was refused has changed")
        self.assert_only("train.tns", "test.tns", "s.jsonl")

    def test_a_first_line_that_is_not_ours_is_refused(self):
        results = "".join(self.lines[1:])
        for first in ("garbage\n", "\n", "null\n", "[]\n", "{}\n", "[" * 100000 + "\n", '{"data":3}\n', "\0\1\xff\n"):
            with self.subTest(first[:20]):
                self.refused(first + results, 1)
        for text in (
            "garbage without an end", "notes\nimportant last line", '{"my":"precious data"}', '{"my":\n"precious data"}',
            self.lines[0][:20] + "x", "{}\n" + results + "the end", self.lines[0].replace('"seed":', '"seed":9')[:-1],
        ):  # fmt: skip
            with self.subTest(text):
                self.refused(text, 1)

    def test_a_torn_last_line_is_cut_off_and_every_later_run_goes_on(self):
        for kept in (1, 9, len(self.lines[4]) - 1):
            with self.subTest(kept):
                self.path("s.jsonl").write_text("".join(self.lines[:4]) + self.lines[4][:kept])
                for _ in range(2):
                    again = self.ok_json(*COMMAND)
                    self.assertEqual(again["rows"], self.whole["rows"])
                    self.assertEqual(self.path("s.jsonl").read_text().splitlines(keepends=True), self.lines)

    def test_a_torn_first_line_begins_anew(self):
        self.path("s.jsonl").write_text(self.lines[0][:20])
        self.assertEqual(self.ok_json(*COMMAND)["rows"], self.whole["rows"])
        self.assertEqual(self.path("s.jsonl").read_text().splitlines(keepends=True), self.lines)

    def test_wrong_types_are_bad_input(self):
        good = json.loads(self.lines[1])
        for key, value in (
            ("candidate", 3), ("candidate", None), ("settings", 3), ("settings", None), ("lambda", "1"), ("lambda", None), ("error", "small"),
            ("error", None), ("error", [1]), ("fold", 0.5), ("fold", "0"), ("fold", -1), ("fold", 2), ("fold", 1e300),
        ):  # fmt: skip
            with self.subTest(f"{key} {value}"):
                self.refused("".join(self.lines[:2]) + json.dumps({**good, key: value}) + "\n" + self.lines[2], 3)
        for line in ("3", "[]", "null", "", self.lines[1][:20] + self.lines[2].strip()):
            with self.subTest(line):
                self.refused("".join(self.lines[:2]) + line + "\n" + self.lines[2], 3)
        del good["error"]
        self.refused(self.lines[0] + json.dumps(good) + "\n", 2)

    def test_errors_of_other_settings_are_not_used(self):
        for more in (("--init", "random"), ("--loss", "huber"), ("--tolerance", "0.3"), ("--offsets", "modes")):
            with self.subTest(more):
                fresh = self.ok_json(*COMMAND[:-2], *more)
                again = self.ok_json(*COMMAND, *more)
                self.assertEqual(again["rows"], fresh["rows"])
        self.assertEqual(self.ok_json(*COMMAND)["rows"], self.whole["rows"])  # and its own are still there
        self.assertEqual(len(self.path("s.jsonl").read_text().splitlines()), 1 + 5 * 4)

    def test_a_full_disk_is_told(self):
        """The file size limit stands for the disk: it lets the first line through, not the second."""
        limit = len(self.lines[0]) + 10
        for kept in (0, 1):
            with self.subTest(kept):
                self.path("s.jsonl").write_text("".join(self.lines[:kept]))
                done = subprocess.run(
                    [LACUNA, *COMMAND], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
                )  # fmt: skip
                self.assertEqual((done.returncode, done.stdout), (6, ""), done.stderr)
                self.assertIn("s.jsonl: ", done.stderr)
                self.assert_only("train.tns", "test.tns", "s.jsonl")
                self.assertEqual(self.ok_json(*COMMAND)["rows"], self.whole["rows"])  # nothing is lost
                self.path("m.lac").unlink()

    def test_a_folder_or_a_pipe_cannot_be_one(self):
        for path in (".", "/dev/null", "no/such/folder.jsonl"):
            with self.subTest(path):
                self.assertIn(f"{path}: ", self.fails(6, *COMMAND[:-1], path))

    def test_two_runs_do_not_share_one(self):
        with open(self.path("s.jsonl"), "a") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            self.assertIn("another run", self.fails(6, *COMMAND))

    def test_a_name_that_is_no_text_is_kept_all_the_same(self):
        done = subprocess.run(
            [LACUNA, *COMMAND[:-1], b"t.jsonl", "--parts-grid", b"\xff"], cwd=self.folder, capture_output=True,
            timeout=TIMEOUT,
        )  # fmt: skip
        self.assertEqual(done.returncode, 2, done.stderr)  # no mode of that name, and no internal error


if __name__ == "__main__":
    unittest.main()
