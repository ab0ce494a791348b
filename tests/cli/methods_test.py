# SPDX-License-Identifier: MIT
"""methods: the table; and every verb with the methods that are nothing but offsets."""
import json
import unittest

from support import CliTest, SampleTest


class Table(CliTest):
    def test_lists_what_fit_takes(self):
        table = self.ok_json("methods")["methods"]
        names = [row["name"] for row in table]
        self.assertIn("tr-mm", names)
        self.assertEqual(len(set(names)), len(names))
        text = self.ok("methods")
        for row in table:
            self.assertIn(row["what"], text)
            self.assertIn(row["size"], ("sparse", "dense"))
            self.assertGreater(row["bytes"], 8)
            self.assertGreater(row["largest"], 1e6)
        self.assertIn(names[0], self.fails(2, "fit", "x.tns", "-o", "m.lac", "--method", "nonsense"))


    def test_says_every_setting_that_a_method_has_unless_told(self):
        rows = {row["name"]: row for row in self.ok_json("methods")["methods"]}
        self.assertEqual((rows["als"]["rank"], rows["als"]["init"], rows["als"]["lambda"]), (30, None, None))
        self.assertEqual((rows["ffw"]["lambda"], rows["topt"]["init"]), (10, "grow"))
        self.assertIn("--rank 30 --max-iterations 50", self.ok("methods"))
        self.assertLess(rows["als"]["bytes"], rows["tr-mm"]["bytes"])  # of the part that it begins with


class Offsets(SampleTest):
    def test_fit_evaluate_predict_info(self):
        errors = {}
        for method in ("mean", "offsets"):
            with self.subTest(method):
                report = self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", method, "--test", "test.tns")
                self.assertEqual(report["method"], method)
                self.assertEqual(report["rank"], [])
                self.assertIs(report["converged"], True)
                errors[method] = self.ok_json("evaluate", "m.lac", "test.tns")["rmse"]
                self.assertAlmostEqual(errors[method], report["test_rmse"])
                self.ok("predict", "m.lac", "test.tns", "-o", "out.tns")
                info = self.ok_json("info", "m.lac")
                self.assertEqual(info["kind"], "offsets")
                self.assertEqual(info["observed"], report["observed"])
                self.assertIn("nothing but the offsets", self.ok("info", "m.lac"))
        self.assertLess(errors["offsets"], errors["mean"])

    def test_offsets_obey_the_flag(self):
        report = self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", "offsets", "--offsets", "1,2*3")
        self.assertEqual(report["offsets"], "mode1,mode2*mode3")

    def test_complete_with_the_mean(self):
        report = self.ok_json("complete", "train.tns", "-o", "out.tns", "--method", "mean")
        self.assertGreater(report["filled"], 0)

    def test_a_tucker_rank_is_chosen_where_none_is_given(self):
        for method in ("rprecon", "geomcg", "topt"):
            with self.subTest(method):
                done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--method", method, "--test", "test.tns", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("auto: + held-out RMSE", done.stderr)
                self.assertTrue(json.loads(done.stdout)["rank"])

    def test_settings_of_other_methods_are_refused(self):
        for setting, value, method in (("lambda", "10", "als"), ("init", "random", "mean"), ("early-stop", "0", "als")):
            with self.subTest(setting):  # also where the value is the usual one
                message = self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", method, f"--{setting}", value)
                self.assertIn(f"method {method} does not take {setting}", message)
        for method in ("mean", "offsets"):
            self.assertIn("always has a mean", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", method, "--offsets", "none"))
        self.assertIn("left open", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "als", "--blend", "3"))
        self.assertIn("nothing is drawn", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--corrupt", "1"))
        self.assertIn("rank", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "mean", "--rank", "3"))
        self.assertIn(
            "parts", self.fails(2, "fit", "train.tns", "-o", "m.lac", "--method", "mean", "--parts", "pairs")
        )


class Auto(SampleTest):
    preset = ()

    def test_fit_takes_the_best_on_held_out_entries(self):
        done = self.run_lacuna("fit", "train.tns", "-o", "m.lac", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("the mean", "main effects", "parts mode1|", "halrtc", "bayescp"):
            self.assertIn(name, done.stderr)
        self.assertGreater(json.loads(done.stdout)["held_out_rmse"], 0.0)
        floor = self.ok_json("fit", "train.tns", "-o", "f.lac", "--method", "mean", "--test", "test.tns")["test_rmse"]
        self.assertLess(self.ok_json("evaluate", "m.lac", "test.tns")["rmse"], 0.5 * floor)

    def test_complete_and_tune(self):
        self.assertGreater(self.ok_json("complete", "train.tns", "-o", "out.tns", "--method", "auto",
                                        "--max-iterations", "10")["filled"], 0)
        found = self.ok_json("tune", "train.tns", "-o", "m.lac", "--method-grid", "auto", "--folds", "2", "--lambda-grid",
                             "10", "--refine", "0", "--max-iterations", "10", "--rank", "2")
        names = {row["candidate"] for row in found["rows"]}
        self.assertLessEqual({"tr-mm rank 2", "geomcg rank 2", "halrtc", "mean"}, names)

    def test_leaves_out_what_cannot_take_the_data(self):
        self.write("flat.tns", "".join(f"{i} {j} {i * j}\n" for i in range(1, 9) for j in range(1, 9) if (i + j) % 3))
        done = self.run_lacuna("fit", "flat.tns", "-o", "m.lac", "--method", "auto", "--max-iterations", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("tsvd", done.stderr)


if __name__ == "__main__":
    unittest.main()
