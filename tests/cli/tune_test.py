# SPDX-License-Identifier: MIT
"""tune: cross-validation from the command line, its state file, and what it refuses."""
import csv
import time
import unittest

from support import SampleTest, cells

GRID = ("--lambda-grid", "0.01,1,100", "--refine", "1", "--rank", "3", "--max-iterations", "15", "--folds", "3")


class Tune(SampleTest):
    def tune(self, *arguments):
        return self.ok_json("tune", "train.tns", "-o", "m.lac", *GRID, *arguments)

    def test_the_best_row_is_the_lowest_complete_one(self):
        found = self.tune("--test", "test.tns", "--table", "t.csv")
        complete = [row for row in found["rows"] if row["complete"]]
        self.assertEqual(found["best"]["mean"], min(row["mean"] for row in complete))
        self.assertIn(found["best"]["lambda"], [row["lambda"] for row in found["rows"]])
        self.assertGreater(len(found["rows"]), 3)  # lambdas beside the best were tried
        worst = next(row for row in found["rows"] if row["lambda"] == 0.01)
        self.assertFalse(worst["complete"])  # abandoned after one fold
        self.assertEqual(sum(error is not None for error in worst["folds"]), 1)
        self.assertLess(found["test_rmse"], 0.2)
        self.assertEqual(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], found["test_rmse"])
        table = self.path("t.csv").read_text().splitlines()
        self.assertEqual(table[0], "candidate,lambda,rmse,standard_error,folds")
        self.assertEqual(len(table), len(found["rows"]) + 1)

    def test_the_table_says_a_quote_by_two(self):
        self.write("q.csv", '"us""er",item,value\n' + "".join(f"u{i},i{j},{i * j % 7}\n" for i, j, k in cells((9, 8, 1))))
        self.ok("tune", "q.csv", "-o", "m.lac", "--method-grid", "als", "--rank", "1", "--offsets-grid", 'us"er', "mean", "--folds", "2",
                "--refine", "0", "--lambda-grid", "1", "--table", "t.csv")  # fmt: skip
        rows = list(csv.reader(self.path("t.csv").read_text().splitlines(), strict=True))
        self.assertEqual([row[0] for row in rows[1:]], ['als rank 1 offsets us"er', "als rank 1 offsets mean"])

    def test_by_another_metric(self):
        found = self.tune("--metric", "mae", "--table", "t.csv")
        self.assertEqual(found["metric"], "MAE")
        self.assertEqual(self.path("t.csv").read_text().splitlines()[0], "candidate,lambda,mae,standard_error,folds")
        by_rmse = self.tune()
        self.assertLess(found["best"]["mean"], by_rmse["best"]["mean"])  # no mean of sizes exceeds its root of squares

    def test_methods_ranks_and_offsets_compete(self):
        found = self.tune("--rank-grid", "1", "3", "--offsets-grid", "none", "modes", "--method-grid", "tr-mm,mean")
        names = {row["candidate"] for row in found["rows"]}
        self.assertIn("tr-mm rank 1 offsets modes", names)
        self.assertTrue(found["best"]["candidate"].startswith("tr-mm"))

    def test_fits_held_back_by_few_steps_do_not_begin_with_those_of_another_lambda(self):
        for method in ("tr-ls", "tr-mm"):
            few = ("--method", method, "--rank", "3", "--max-iterations", "4", "--folds", "3", "--refine", "0")
            alone, among = (
                self.ok_json("tune", "train.tns", "-o", "m.lac", *few, "--abandon", "1000", "--lambda-grid", grid)
                for grid in ("1", "0.01,1"))
            with self.subTest(method):
                self.assertEqual(alone["rows"][0]["folds"], next(r["folds"] for r in among["rows"] if r["lambda"] == 1))

    def test_fits_begin_with_a_model_that_was_given(self):
        self.ok("fit", "train.tns", "-o", "start.lac", "--method", "tr-mm", "--rank", "2", "--max-iterations", "30")
        few = ("--max-iterations", "1", "--folds", "2", "--lambda-grid", "1", "--refine", "0", "--rank", "2")
        cold = self.ok_json("tune", "train.tns", "-o", "m.lac", *few)
        warm = self.ok_json("tune", "train.tns", "-o", "m.lac", *few, "--init", "start.lac")
        self.assertLess(warm["best"]["mean"], cold["best"]["mean"])

    def test_a_killed_run_goes_on(self):
        whole = self.tune("--state", "s.jsonl")
        lines = self.path("s.jsonl").read_text().splitlines(keepends=True)
        self.path("s.jsonl").write_text("".join(lines[:5]) + lines[5][:9])  # killed while writing
        again = self.tune("--state", "s.jsonl")
        self.assertEqual(whole["best"]["lambda"], again["best"]["lambda"])
        self.assertAlmostEqual(whole["best"]["mean"], again["best"]["mean"], places=3)

    def test_a_state_of_other_data_is_refused(self):
        self.tune("--state", "s.jsonl")
        error = self.fails(3, "tune", "train.tns", "-o", "m.lac", *GRID, "--state", "s.jsonl", "--seed", "7")
        self.assertIn("another tuning run", error)

    def test_threads_do_not_change_the_result(self):
        one = self.tune("--threads", "1")
        two = self.tune("--threads", "2")
        self.assertEqual(one["rows"], two["rows"])

    def test_bad_settings(self):
        for arguments, wanted in (
            (("--folds", "1"), "folds"),
            (("--folds", "100000"), "folds"),
            (("--metric", "auc"), "auc"),
            (("--lambda-grid", "-1"), "--lambda-grid"),
            (("--method-grid", "nonsense"), "nonsense"),
        ):
            with self.subTest(arguments):
                self.assertIn(wanted, self.fails(2, "tune", "train.tns", "-o", "m.lac", *arguments))
                self.assert_only("train.tns", "test.tns")

    def test_constant_data(self):
        self.write("flat.tns", "".join(f"{i} {j} {k} 2.5\n" for i in (1, 2, 3) for j in (1, 2, 3) for k in (1, 2)))
        found = self.ok_json("tune", "flat.tns", "-o", "m.lac", *GRID, "--offsets", "mean")
        self.assertLess(found["best"]["mean"], 1e-6)


class AutomaticTune(SampleTest):
    preset = ()

    def test_without_a_grid_or_a_method_every_fold_chooses_as_fit_does(self):
        found = self.ok_json("tune", "train.tns", "-o", "m.lac", "--folds", "2", "--effort", "low")
        self.assertEqual([row["candidate"] for row in found["rows"]], ["auto"])
        fitted = self.ok_json("fit", "train.tns", "-o", "f.lac", "--effort", "low")
        self.assertEqual(found["best"]["rank"], fitted["rank"])
        self.assertTrue(found["rows"][0]["complete"])
        self.assertIsNone(found["rows"][0]["lambda"])
        self.assertIsNone(found["best"]["lambda"])
        said = self.ok("tune", "train.tns", "-o", "m.lac", "--folds", "2", "--effort", "low", "--table", "t.csv", "--state", "s.jsonl")
        self.assertRegex(said, r"(?m)^auto +- ")
        self.assertRegex(said, r"auto: on unseen cells expect an RMSE of [0-9.e-]+ \+- [0-9.e-]+; give --method-grid")
        self.assertTrue(self.path("t.csv").read_text().splitlines()[1].startswith('"auto",,'))
        again = self.run_lacuna("tune", "train.tns", "-o", "m.lac", "--folds", "2", "--effort", "low", "--state", "s.jsonl")
        self.assertNotIn("fold 1", again.stderr)  # known from the state file

    def test_a_lambda_that_is_given_is_the_only_one(self):
        for method in (("--method", "tr-mm", "--parts", "full", "--offsets", "mean"), ("--effort", "low")):
            with self.subTest(method):
                found = self.ok_json("tune", "train.tns", "-o", "m.lac", "--folds", "2", "--lambda", "3", "--rank", "2", *method)
                self.assertEqual([row["lambda"] for row in found["rows"]], [3.0])

    def test_the_time_limit_is_of_all_fits_together(self):
        for arguments in ((), ("--method", "tr-mm", "--rank", "3"), ("--max-iterations", "100000", "--tolerance", "0", "--rank-grid", "9")):
            with self.subTest(arguments):
                start = time.monotonic()
                done = self.run_lacuna("tune", "train.tns", "-o", "m.lac", "--max-time", "1", "--folds", "5", "--json", *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLess(time.monotonic() - start, 2.5, "a limit of a second")
                self.assertIn("time limit reached", done.stderr)
                self.assertLess(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], 1.0)


if __name__ == "__main__":
    unittest.main()
