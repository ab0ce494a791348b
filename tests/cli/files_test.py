# SPDX-License-Identifier: MIT
"""Round trips through fit, predict, evaluate, info, split and convert, with indices and with labels."""
import csv
import math
import unittest

from support import CliTest, read_npy, read_tns, rmse, sample, tns, truth, write_npy

SHAPE = (12, 10, 6)


class Indices(CliTest):
    def setUp(self):
        super().setUp()
        self.train, self.test = sample(0.6)
        self.write("train.tns", tns(self.train))
        self.write("test.tns", tns(self.test))
        self.ok("fit", "train.tns", "-o", "m.lac", "--rank", "4", "--lambda", "1000")

    def test_predictions_are_near_the_truth_and_evaluate_agrees(self):
        told = self.ok_json("predict", "m.lac", "test.tns", "-o", "predicted.tns")
        predicted = read_tns(self.path("predicted.tns"))
        self.assertEqual(told["cells"], len(self.test))
        self.assertEqual(set(predicted), set(self.test))
        error = rmse((predicted[cell], truth(*cell)) for cell in self.test)
        self.assertLess(error, 0.1)
        measured = self.ok_json("evaluate", "m.lac", "test.tns")
        self.assertAlmostEqual(measured["rmse"], error, places=12)
        self.assertEqual(measured["cells"], len(self.test))
        self.assertGreater(measured["r2"], 0.9)
        self.assertLessEqual(measured["mae"], measured["rmse"])
        self.assertIsNone(measured["auc"])

    def test_cells_without_values(self):
        self.write("cells.tns", "1 1 1\n3 2 1\n")
        self.ok("predict", "m.lac", "cells.tns", "-o", "out.tns")
        self.assertEqual(list(read_tns(self.path("out.tns"))), [(0, 0, 0), (2, 1, 0)])

    def test_cells_never_seen_get_the_offset_and_are_counted(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--center", "mean")
        offset = self.ok_json("info", "m.lac")["offset"]
        self.write("cells.tns", "1 1 1\n99 99 99\n")
        told = self.ok_json("predict", "m.lac", "cells.tns", "-o", "out.csv")
        self.assertEqual((told["cold"], told["offset"]), (1, offset))
        with open(self.path("out.csv"), newline="") as file:
            last = list(csv.reader(file))[-1]
        self.assertAlmostEqual(float(last[-1]), offset)

    def test_info_of_a_model(self):
        info = self.ok_json("info", "m.lac")
        self.assertEqual((info["method"], info["shape"], info["observed"]), ("tr-mm", list(SHAPE), len(self.train)))
        self.assertEqual([part["rank"] for part in info["parts"]], [4, 4, 4])
        self.assertEqual(info["settings"]["lambda"], 1000)
        self.assertIn("tr-mm model of 12 x 10 x 6", self.ok("info", "m.lac"))

    def test_info_of_data(self):
        info = self.ok_json("info", "train.tns")
        self.assertEqual((info["format"], info["shape"], info["observed"]), ("tns", list(SHAPE), len(self.train)))
        self.assertAlmostEqual(info["density"], len(self.train) / math.prod(SHAPE))
        self.assertEqual([mode["size"] for mode in info["modes"]], list(SHAPE))
        self.assertIn("12 x 10 x 6", self.ok("info", "train.tns"))


class Info(CliTest):
    def test_counts_fibers(self):
        self.write("few.tns", "1 1 5\n2 1 6\n1 2 7\n")
        info = self.ok_json("info", "few.tns")
        self.assertEqual([mode["fibers"] for mode in info["modes"]], [2, 2])
        self.assertEqual([mode["singleton_fibers"] for mode in info["modes"]], [1, 1])
        self.assertEqual((info["min"], info["max"], info["mean"]), (5, 7, 6))

    def test_counts_positions_that_nothing_was_seen_of(self):
        self.write("few.tns", "1 1 5\n4 2 6\n")
        self.assertEqual([mode["empty_slices"] for mode in self.ok_json("info", "few.tns")["modes"]], [2, 0])


class Labels(CliTest):
    """Users, items and weeks have names; the model keeps them and predictions speak them."""

    def setUp(self):
        super().setUp()
        self.train, self.test = sample(0.6)
        self.write("train.csv", self.table(self.train))

    @staticmethod
    def names(cell):
        return [f"user {cell[0]}", f'item "{cell[1]}", new', f"week-{cell[2]}"]

    def table(self, listed, values=True):
        rows = ["user,item,week" + (",rating" if values else "")]
        for cell in listed:
            quoted = ",".join('"' + name.replace('"', '""') + '"' for name in self.names(cell))
            rows.append(quoted + (f",{truth(*cell)!r}" if values else ""))
        return "\n".join(rows) + "\n"

    def test_predictions_speak_labels(self):
        self.ok("fit", "train.csv", "-o", "m.lac", "--rank", "4", "--lambda", "1000")
        self.write("wanted.csv", self.table(self.test, values=False))
        self.ok("predict", "m.lac", "wanted.csv", "-o", "out.csv")
        with open(self.path("out.csv"), newline="") as file:
            header, *rows = list(csv.reader(file))
        self.assertEqual(header[:3], ["user", "item", "week"])
        self.assertEqual([row[:3] for row in rows], [self.names(cell) for cell in self.test])
        self.assertLess(rmse((float(row[3]), truth(*cell)) for row, cell in zip(rows, self.test)), 0.1)

    def test_columns_may_come_in_another_order(self):
        self.ok("fit", "train.csv", "-o", "m.lac")
        self.write("a.csv", "user,item,week\nuser 1,\"item \"\"2\"\", new\",week-3\n")
        self.write("b.csv", "week,user,item\nweek-3,user 1,\"item \"\"2\"\", new\"\n")
        values = []
        for name in ("a.csv", "b.csv"):
            self.assertEqual(self.ok_json("predict", "m.lac", name, "-o", "out-" + name)["cold"], 0)
            with open(self.path("out-" + name), newline="") as file:
                values.append(float(list(csv.reader(file))[-1][-1]))
        self.assertEqual(*values)

    def test_labels_never_seen_get_the_offset(self):
        self.ok("fit", "train.csv", "-o", "m.lac", "--center", "mean")
        self.write("wanted.csv", "user,item,week\nnobody,nothing,never\n")
        told = self.ok_json("predict", "m.lac", "wanted.csv", "-o", "out.csv")
        self.assertEqual((told["cells"], told["cold"]), (1, 1))
        with open(self.path("out.csv"), newline="") as file:
            row = list(csv.reader(file))[-1]
        self.assertEqual(row[:3], ["nobody", "nothing", "never"])
        self.assertAlmostEqual(float(row[3]), told["offset"])

    def test_the_first_label_never_seen_is_named(self):
        self.ok("fit", "train.csv", "-o", "m.lac", "--offsets", "none", "--rank", "2", "--lambda", "1", "--parts", "full")
        self.write("wanted.csv", "user,item,week,rating\nuser 1,stranger,week-1,0\nnobody,stranger,week-1,0\n")
        done = self.run_lacuna("predict", "m.lac", "wanted.csv", "-o", "out.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 cells are at positions without observed entries, the first at item 'stranger'", done.stderr)
        done = self.run_lacuna("evaluate", "m.lac", "wanted.csv")
        self.assertIn("the first at item 'stranger'", done.stderr)
        with open(self.path("out.csv"), newline="") as file:
            values = [float(row[3]) for row in list(csv.reader(file))[1:]]
        self.assertNotIn(0.0, values)

    def test_info_names_the_modes(self):
        modes = self.ok_json("info", "train.csv")["modes"]
        self.assertEqual([(mode["name"], mode["size"]) for mode in modes], [("user", 12), ("item", 10), ("week", 6)])
        self.assertTrue(all(mode["labelled"] for mode in modes))

    def test_lines_without_values_count_one(self):
        self.write("facts.tsv", "ann\tknows\tbob\nbob\tknows\tcid\nann\tlikes\tcid\n")
        info = self.ok_json("info", "facts.tsv")
        self.assertEqual((info["shape"], info["observed"], info["min"], info["max"]), ([2, 2, 2], 3, 1.0, 1.0))

    def test_time_stamps_are_binned(self):
        day = 86400
        lines = [f"{u},{i},{(u * 5 + i) % 5 + 1},{1_600_000_000 + (u * 10 + i) * day}" for u in range(6) for i in range(6)]
        self.write("ratings.csv", "user,item,rating,time\n" + "\n".join(lines) + "\n")
        info = self.ok_json("info", "ratings.csv", "--bin", "time=7d")
        self.assertEqual([mode["name"] for mode in info["modes"]], ["user", "item", "time"])
        self.assertEqual(info["shape"], [6, 6, 8])  # 55 days lie in 8 weeks

    def test_times_outside_the_model_are_predicted_and_named(self):
        start, week = 1_600_000_000, 7 * 86400
        lines = [f"{u},{i},{u + i},{start + i * week}" for u in range(6) for i in range(6)]
        self.write("ratings.csv", "user,item,rating,time\n" + "\n".join(lines) + "\n")
        self.ok("fit", "ratings.csv", "--bin", "time=7d", "-o", "m.lac", "--rank", "2", "--lambda", "1")
        times = [start, start - 1, start + 100 * week, 10**15]
        self.write("wanted.csv", "user,item,time\n" + "".join(f"1,0,{time}\n" for time in times))
        self.assertEqual(self.ok_json("predict", "m.lac", "wanted.csv", "-o", "out.csv")["cold"], 3)
        with open(self.path("out.csv"), newline="") as file:
            found = [int(row[2]) for row in list(csv.reader(file))[1:]]
        self.assertEqual(found, [start + (time - start) // week * week for time in times])

    def test_positions_beyond_the_labels_are_predicted(self):
        self.ok("fit", "train.csv", "-o", "m.lac", "--rank", "2", "--lambda", "1")
        self.write("wanted.tns", "1 1 1\n13 2 3\n2 11 2\n")
        self.assertEqual(self.ok_json("predict", "m.lac", "wanted.tns", "-o", "out.tns")["cold"], 2)
        self.assertEqual([cell for cell, _ in read_tns(self.path("out.tns")).items()], [(0, 0, 0), (12, 1, 2), (1, 10, 1)])


class Split(CliTest):
    def setUp(self):
        super().setUp()
        self.listed, _ = sample(0.6)
        self.write("all.tns", tns(self.listed))

    def split(self, *arguments):
        told = self.ok_json("split", "all.tns", "--train", "a.tns", "--test", "b.tns", *arguments)
        return told, read_tns(self.path("a.tns")), read_tns(self.path("b.tns"))

    def test_deals_every_entry_once(self):
        told, train, test = self.split("--fraction", "0.75")
        self.assertEqual(len(train), round(0.75 * len(self.listed)))
        self.assertFalse(set(train) & set(test))
        self.assertEqual({**train, **test}, {cell: truth(*cell) for cell in self.listed})
        self.assertEqual((told["train"], told["test"]), (len(train), len(test)))

    def test_repeats_itself_and_follows_the_seed(self):
        _, train, _ = self.split("--seed", "3")
        self.assertEqual(self.split("--seed", "3")[1], train)
        self.assertNotEqual(self.split("--seed", "4")[1], train)

    def test_test_fraction_leaves_the_rest_out(self):
        told, train, test = self.split("--fraction", "0.5", "--test-fraction", "0.2")
        self.assertEqual(len(train), round(0.5 * len(self.listed)))
        self.assertEqual(len(test), round(0.2 * len(self.listed)))

    def test_share_that_leaves_nothing(self):
        message = self.fails(2, "split", "all.tns", "--train", "a.tns", "--test", "b.tns", "--fraction", "1")
        self.assertIn("--fraction", message)
        self.assert_only("all.tns")

    def test_of_an_array_makes_sparse_files(self):
        write_npy(self.path("x.npy"), (3, 4), [float(i) for i in range(11)] + [math.nan])
        told = self.ok_json("split", "x.npy", "--train", "a.tns", "--test", "b.tns")
        self.assertEqual(told["entries"], 11)
        base = self.ok_json("info", "a.tns")["index_base"]
        both = {**read_tns(self.path("a.tns"), base), **read_tns(self.path("b.tns"), base)}
        self.assertEqual(sorted(both.values()), [float(i) for i in range(11)])


class Convert(CliTest):
    def test_there_and_back_again(self):
        listed, _ = sample(0.6)
        self.write("a.tns", tns(sorted(listed)))
        for ending in ("csv", "tsv", "tns.gz", "npy", "npz", "mat"):
            with self.subTest(ending):
                self.ok("convert", "a.tns", f"b.{ending}")
                back = ["convert", f"b.{ending}", "c.tns"]
                self.ok(*back, *(["--indices"] if ending in ("csv", "tsv") else []))
                base = self.ok_json("info", "c.tns")["index_base"]
                values = {c: v for c, v in read_tns(self.path("c.tns"), base).items() if not math.isnan(v)}
                self.assertEqual(values, {cell: truth(*cell) for cell in listed})

    def test_dense_array_has_nan_where_nothing_was_listed(self):
        self.write("a.tns", "1 1 2.5\n2 3 4.5\n")
        self.ok("convert", "a.tns", "b.npy")
        header, values = read_npy(self.path("b.npy"))
        self.assertEqual(header["shape"], (2, 3))
        self.assertEqual([values[0], values[5]], [2.5, 4.5])
        self.assertEqual(sum(math.isnan(value) for value in values), 4)


if __name__ == "__main__":
    unittest.main()
