# SPDX-License-Identifier: MIT
"""fit: what it reports, that it repeats itself, and how it stops."""
import csv
import json
import signal
import subprocess
import time
import unittest

from support import CliTest, LACUNA, SampleTest, TIMEOUT, cells, sample, tns

HISTORY = ["iteration", "seconds", "objective", "gradient_norm", "train_rmse", "test_rmse", "test_auc", "test_mrr", "gap",
           "operator_applications"]
KEYS = {
    "method", "shape", "observed", "rank", "lambda", "iterations", "seconds", "objective", "gradient_norm",
    "stop_reason", "converged", "train_rmse", "test_rmse", "test_auc", "mixture",
}  # fmt: skip


class FitTest(SampleTest):
    def fit(self, *arguments, model="m.lac"):
        return self.ok_json("fit", "train.tns", "-o", model, *arguments)


class Report(FitTest):
    def test_json_has_the_promised_keys(self):
        report = self.fit("--test", "test.tns", "--rank", "4", "--lambda", "1000", "--method", "tr-mm")
        self.assertLessEqual(KEYS, report.keys())
        self.assertEqual(report["method"], "tr-mm")
        self.assertEqual(report["shape"], [12, 10, 6])
        self.assertEqual(report["observed"], len(self.train))
        self.assertEqual(report["rank"], [4, 4, 4])
        self.assertEqual(report["lambda"], 1000)
        self.assertIs(report["converged"], True)
        self.assertAlmostEqual(sum(report["mixture"]), 1.0)
        self.assertEqual(len(report["mixture"]), 3)
        self.assertLess(report["test_rmse"], 0.1)
        self.assertIsNone(report["test_auc"])

    def test_without_test_file_its_errors_are_null(self):
        report = self.fit()
        self.assertLessEqual(KEYS, report.keys())
        self.assertIsNone(report["test_rmse"])
        self.assertIsNone(report["test_auc"])

    def test_both_methods(self):
        for method in ("tr-mm", "tr-ls"):
            with self.subTest(method):
                report = self.fit("--method", method, "--test", "test.tns", "--rank", "1", "--lambda", "10")
                self.assertEqual(report["method"], method)
                self.assertLess(report["test_rmse"], 0.3)

    def test_auc_of_binary_values(self):
        def likes(i, j, k):
            return float((i < 6) == (j < 5))

        self.write("train.tns", tns(self.train, value=likes))
        self.write("test.tns", tns(self.test, value=likes))
        report = self.fit("--test", "test.tns", "--metric", "auc", "--rank", "3")
        self.assertGreater(report["test_auc"], 0.95)
        self.assertEqual(self.ok_json("evaluate", "m.lac", "test.tns")["auc"], report["test_auc"])

    def test_history_has_a_line_for_each_step(self):
        report = self.fit("--test", "test.tns", "--history", "history.csv")
        with open(self.path("history.csv"), newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], HISTORY)
        self.assertEqual([int(row[0]) for row in rows[1:]], list(range(report["iterations"] + 1)))
        self.assertEqual(float(rows[-1][2]), report["objective"])
        self.assertEqual(float(rows[-1][5]), report["test_rmse"])
        self.assertEqual(rows[-1][6], "")
        seconds = [float(row[1]) for row in rows[1:]]
        self.assertEqual(seconds, sorted(seconds))
        applied = [int(row[HISTORY.index("operator_applications")]) for row in rows[1:]]
        self.assertEqual(applied, sorted(applied))
        self.assertEqual(applied[-1], report["operator_applications"])


class SameBytes(FitTest):
    def model(self, *arguments):
        self.fit(*arguments, "--no-record", model="x.lac")
        return self.path("x.lac").read_bytes()

    def test_for_every_number_of_threads(self):
        # Large enough that loops are cut into several blocks.
        shape = (40, 35, 30)
        self.write("train.tns", tns(sample(0.5, shape=shape)[0]))
        arguments = ("--max-iterations", "6", "--rank", "3")
        self.assertEqual(self.model("--threads", "1", *arguments), self.model("--threads", "2", *arguments))

    def test_for_the_same_seed_and_others_for_another(self):
        one = self.model("--seed", "5", "--init", "random")
        self.assertEqual(one, self.model("--seed", "5", "--init", "random"))
        self.assertNotEqual(one, self.model("--seed", "6", "--init", "random"))

    def test_for_any_order_of_the_lines(self):
        one = self.model()
        self.write("train.tns", tns(sorted(self.train)))
        self.assertEqual(one, self.model())


class Limits(FitTest):
    def test_time_limit_leaves_a_valid_model_and_says_so(self):
        done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--max-time", "0.001", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertIs(report["converged"], False)
        self.assertIn("time limit", report["stop_reason"])
        self.assertIn("time limit", done.stderr)
        self.ok("evaluate", "m.lac", "test.tns")

    def test_strict_is_4_when_not_converged(self):
        arguments = ("fit", "train.tns", "-o", "m.lac", "--rank", "4", "--max-iterations", "1", "--strict", "--json")
        done = self.run_lacuna(*arguments)
        self.assertEqual(done.returncode, 4)
        self.assertIs(json.loads(done.stdout)["converged"], False)
        self.ok("evaluate", "m.lac", "test.tns")
        self.fit("--strict")  # converges

    def test_rank_above_a_mode_is_capped_and_said(self):
        done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--rank", "8", "--json")
        self.assertEqual(json.loads(done.stdout)["rank"], [8, 8, 6])
        self.assertIn("capped", done.stderr)

    def test_memory_is_refused_before_it_is_used(self):
        message = self.fails(5, "fit", "train.tns", "-o", "m.lac", "--shape", "4000000000,4000000000,6")
        self.assertIn("needs about", message)
        self.assert_only("train.tns", "test.tns")


class Choices(FitTest):
    def test_every_one_runs(self):
        for flags in (
            ("--optimizer", "conjugate-gradients"), ("--precision", "float"), ("--init", "random"), ("--center", "mean"),
            ("--lambdas", "100,90,80"), ("--path", "2", "--lambda", "1000"),
        ):  # fmt: skip
            with self.subTest(flags):
                report = self.fit("--test", "test.tns", "--rank", "4", *flags)
                self.assertLess(report["test_rmse"], 0.6)


class WarmStart(FitTest):
    def test_from_the_solution_takes_fewer_steps(self):
        cold = self.fit("--rank", "4")
        warm = self.fit("--rank", "4", "--init", "m.lac", model="again.lac")
        self.assertLess(warm["iterations"], cold["iterations"])
        self.assertAlmostEqual(warm["objective"], cold["objective"], places=4)

    def test_from_a_file_that_is_no_model(self):
        self.assertIn("train.tns: not a lacuna model", self.fails(3, "fit", "train.tns", "-o", "m.lac", "--init", "train.tns"))
        self.assertIn("--init", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--init", "spectrl"))


class Signals(CliTest):
    """A long fit is stopped by a signal: it exits with 128 + the signal's number and leaves a valid model."""

    def stop(self, number):
        shape = (60, 60, 30)
        self.write("train.tns", tns(sample(0.5, shape=shape)[0]))
        # A tolerance of 0 cannot be reached, so this goes on until the signal comes.
        command = [LACUNA, "fit", *self.preset, "train.tns", "-o", "m.lac", "--tolerance", "0", "--max-iterations", "1000000"]
        command += ["--rank", "4", "--lambda", "1e6", "--json"]
        running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        for line in running.stderr:
            if line.split()[:1] == ["1"]:  # the first step is done
                break
        sent = time.monotonic()
        running.send_signal(number)
        out, err = running.communicate(timeout=TIMEOUT)
        self.assertEqual(running.returncode, 128 + number, err)
        self.assertLess(time.monotonic() - sent, 60)
        report = json.loads(out)
        self.assertIs(report["converged"], False)
        self.assertIn("interrupted", report["stop_reason"])
        self.assert_only("train.tns", "m.lac")
        self.assertEqual(self.ok_json("info", "m.lac")["shape"], list(shape))
        self.write("some.tns", tns(cells((3, 3, 3))))
        self.ok("evaluate", "m.lac", "some.tns")

    def test_interrupt_is_130(self):
        self.stop(signal.SIGINT)

    def test_terminate_is_143(self):
        self.stop(signal.SIGTERM)


class Unwritable(FitTest):
    def test_folder_that_does_not_exist(self):
        for arguments in (
            ("fit", "train.tns", "-o", "no/m.lac"),
            ("fit", "train.tns", "-o", "m.lac", "--history", "no/history.csv"),
            ("complete", "train.tns", "-o", "no/c.tns"),
            ("complete", "train.tns", "-o", "c.tns", "--model", "no/m.lac"),
            ("convert", "train.tns", "no/c.csv"),
            ("split", "train.tns", "--train", "no/a.tns", "--test", "b.tns"),
            ("split", "train.tns", "--train", "a.tns", "--test", "no/b.tns"),
        ):
            with self.subTest(arguments):
                message = self.fails(6, *arguments)
                self.assertIn("no/", message)
                self.assertNotIn("step", message, "it was found out only after fitting")
                self.assert_only("train.tns", "test.tns")

    def test_ending_that_says_no_format(self):
        message = self.fails(6, "convert", "train.tns", "out.npy.gz")
        self.assertIn("out.npy.gz", message)
        self.assert_only("train.tns", "test.tns")

    def test_old_model_survives_a_failed_fit(self):
        self.fit()
        before = self.path("m.lac").read_bytes()
        self.write("train.tns", "1 1 1 x\n")
        self.fails(3, "fit", "train.tns", "-o", "m.lac")
        self.assertEqual(self.path("m.lac").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
