# SPDX-License-Identifier: MIT
"""Positions along modes: from time stamps and numbers in tables, from files of coordinates, and between them."""
import math
import random
import unittest

from support import CliTest, read_tns, rmse

STATIONS = ("harbour", "hill", "airport", "park", "mill", "bridge")


def wave(station, hours):
    return 10.0 + station + (1.0 + 0.3 * station) * math.sin(hours / 9.0) + math.cos(hours / 31.0)


def stamp(hours):
    day, rest = divmod(round(hours * 60), 24 * 60)
    return f"2021-03-{day + 1:02d} {rest // 60:02d}:{rest % 60:02d}"


def times(count, seed):
    """Irregular, in hours, each once, within three weeks."""
    return sorted(random.Random(seed).sample(range(20 * 24 * 60), count))


class Waves(CliTest):
    """train.csv, at irregular times, and between.csv, at others."""

    parts = ("--parts", "station|time~40000", "--offsets", "station", "--lambda", "100", "--rank", "2")

    def setUp(self):
        super().setUp()
        minutes = times(160, 1)
        deal = random.Random(2)
        kept, new = [], []
        for at in minutes:
            (new if deal.random() < 0.2 else kept).append(at / 60.0)
        rows = [(s, h) for h in kept for s in range(6) if deal.random() < 0.6]
        deal.shuffle(rows)
        self.train = rows
        self.between = [(s, h) for h in new for s in range(6)]
        self.write("train.csv", self.table(rows))
        self.write("between.csv", self.table(self.between))

    @staticmethod
    def table(rows, name=stamp):
        lines = [f"{STATIONS[s]},{name(h)},{wave(s, h)!r}" for s, h in rows]
        return "\n".join(["station,time,value", *lines]) + "\n"

    def error_between(self, model="m.lac", cells="between.csv"):
        return self.ok_json("evaluate", model, cells)


class Order(CliTest):
    """Near relations are tried by themselves wherever there is an order."""

    preset = ()

    def held_and_test(self, train, test, *flags):
        report = self.ok_json("fit", train, "--test", test, "-o", "m.lac", "--threads", "1", *flags)
        return report["test_rmse"]

    def test_stations_that_share_no_time_stamp(self):
        draw = random.Random(5)
        kept, lost = ["station,time,value"], ["station,time,value"]
        for station in range(40):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            for minute in sorted(draw.sample(range(2880), 36)):
                value = a * math.sin(minute / 229) + b * math.cos(minute / 229)
                line = f"s{station},{stamp(minute / 60)},{value!r}"
                (lost if draw.random() < 0.2 else kept).append(line)
        self.write("kept.csv", "\n".join(kept) + "\n")
        self.write("lost.csv", "\n".join(lost) + "\n")
        self.assertLess(self.held_and_test("kept.csv", "lost.csv"), 0.05)  # 0.7 and more if all are strangers

    def test_a_smooth_picture_with_hardly_any_pixels(self):
        draw = random.Random(3)
        kept, lost = [], []
        for i in range(64):
            for j in range(64):
                to = kept if draw.random() < 0.03 else lost
                for k in range(3):
                    to.append(f"{i + 1} {j + 1} {k + 1} {math.sin(i / 13 + j / 22 + k) + 0.5 * math.cos(j / 9)!r}")
        self.write("kept.tns", "\n".join(kept) + "\n")
        self.write("lost.tns", "\n".join(lost) + "\n")
        self.assertLess(self.held_and_test("kept.tns", "lost.tns"), 0.1)  # 0.5 without neighbours

    def test_seven_dates_are_an_order(self):
        draw = random.Random(4)
        lines = ["item,date,value"]
        for item in range(40):
            slope = draw.gauss(0, 1)
            for day in range(7):
                if draw.random() < 0.5:
                    lines.append(f"i{item},2024-03-{day + 1:02d},{slope * day + 0.1 * draw.gauss(0, 1)!r}")
        self.write("few.csv", "\n".join(lines) + "\n")
        run = self.run_lacuna("fit", "few.csv", "-o", "m.lac", "--threads", "1")
        self.assertEqual(run.returncode, 0)
        self.assertIn("item|date~", run.stdout + run.stderr)


class Tables(Waves):
    def test_dates_have_positions_without_being_told(self):
        about = self.ok_json("info", "train.csv")
        station, time = about["modes"]
        self.assertIsNone(station["positions"])
        self.assertFalse(time["positions"]["regular"])
        self.assertEqual(time["positions"]["unit"], "seconds since 1970-01-01")
        first = min(h for _, h in self.train)
        self.assertEqual(time["positions"]["first_label"], stamp(first))
        self.assertEqual(time["positions"]["from"], 1614556800 + round(first * 60) * 60)
        self.assertIn("positions", self.ok("info", "train.csv"))

    def test_what_lies_between_is_predicted_between(self):
        self.ok("fit", "train.csv", "-o", "m.lac", *self.parts)
        near = self.error_between()
        self.assertEqual(near["cold"], 0)
        self.assertLess(near["rmse"], 0.25)
        self.ok("fit", "train.csv", "-o", "flat.lac", "--parts", "station|time", "--offsets", "station", "--rank", "2")
        flat = self.error_between("flat.lac")
        self.assertEqual(flat["cold"], len(self.between))
        self.assertGreater(flat["rmse"], 0.7)
        saved = self.ok_json("info", "m.lac")["modes"][1]
        self.assertEqual(saved["positions"]["first_label"], stamp(min(h for _, h in self.train)))
        self.assertIn("typically", self.ok("info", "m.lac"))

    def test_explain_and_top_know_a_moment_however_it_is_written(self):
        self.ok("fit", "train.csv", "-o", "m.lac", *self.parts)
        first = stamp(min(h for _, h in self.train))
        told = self.ok("explain", "m.lac", "station=hill", f"time={first}")
        self.assertEqual(told, self.ok("explain", "m.lac", "station=hill", f"time={first.replace(' ', 'T')}:00Z"))
        self.assertEqual(self.ok("top", "m.lac", f"time={first}"), self.ok("top", "m.lac", f"time={first.replace(' ', 'T')}"))
        new = stamp(self.between[0][1])
        for question in (("explain", "station=hill"), ("top",)):
            done = self.run_lacuna(question[0], "m.lac", *question[1:], f"time={new}")
            self.assertIn(f"found '{new}', where mode time has no entry", done.stderr)
            self.assertIn("lacuna predict", done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def test_predictions_speak_of_the_new_stamps(self):
        self.ok("fit", "train.csv", "-o", "m.lac", *self.parts)
        self.write("ask.csv", "station,time\nhill,2021-03-08 11:11:30.5\nhill,2021-03-08T11:11:30.50Z\nmill,2021-03-08 12:00\n")
        self.ok("predict", "m.lac", "ask.csv", "-o", "out.csv")
        lines = self.path("out.csv").read_text().splitlines()
        self.assertEqual(lines[0], "station,time,value")
        answers = [line.rsplit(",", 1) for line in lines[1:]]
        self.assertEqual(answers[0], answers[1])  # the same moment
        self.assertEqual(answers[2][0], "mill,2021-03-08 12:00")
        self.assertAlmostEqual(float(answers[0][1]), wave(1, 7 * 24 + 11 + 11.5 / 60 + 0.5 / 3600), delta=0.6)

    def test_a_new_stamp_that_is_none_is_refused(self):
        self.ok("fit", "train.csv", "-o", "m.lac", *self.parts)
        self.write("ask.csv", "station,time\nhill,2021-03-08 11:11\nhill,tomorrow\n")
        message = self.fails(3, "predict", "m.lac", "ask.csv", "-o", "out.csv")
        self.assertIn("ask.csv:3:6", message)
        self.assertIn("'tomorrow'", message)
        self.assertIn("time stamp", message)

    def test_the_test_file_is_measured_between_too(self):
        told = self.ok_json("fit", "train.csv", "-o", "m.lac", "--test", "between.csv", *self.parts)
        self.assertAlmostEqual(told["test_rmse"], self.error_between()["rmse"], delta=1e-9)

    def test_certify_reads_the_stamps(self):
        self.ok("fit", "train.csv", "-o", "m.lac", *self.parts)
        self.assertLess(self.ok_json("certify", "m.lac", "train.csv")["gap"], 1.0)

    def test_the_order_of_lines_changes_nothing(self):
        self.ok("fit", "train.csv", "-o", "a.lac", "--no-record", *self.parts)
        rows = self.train[:]
        random.Random(5).shuffle(rows)
        self.write("other.csv", self.table(rows))
        self.ok("fit", "other.csv", "-o", "b.lac", "--no-record", *self.parts)
        self.assertEqual(self.path("a.lac").read_bytes(), self.path("b.lac").read_bytes())

    def test_a_column_of_numbers_is_placed_when_asked(self):
        self.write("hours.csv", self.table(self.train, name=repr))
        self.write("hours-between.csv", self.table(self.between, name=repr))
        self.assertIsNone(self.ok_json("info", "hours.csv")["modes"][1]["positions"])
        self.assertFalse(self.ok_json("info", "hours.csv", "--positions", "time")["modes"][1]["positions"]["regular"])
        # The length is in the positions' unit: hours now, and nothing else differs.
        parts = ("--parts", f"station|time~{40000 / 3600!r}", *self.parts[2:])
        self.ok("fit", "hours.csv", "-o", "h.lac", "--positions", "time", *parts)
        self.ok("fit", "train.csv", "-o", "m.lac", *self.parts)
        hours = self.error_between("h.lac", "hours-between.csv")
        self.assertEqual(hours["cold"], 0)
        self.assertAlmostEqual(hours["rmse"], self.error_between()["rmse"], delta=0.01)

    def test_equal_moments_are_one_index(self):
        self.write("t.csv", "a,time,value\nx,2021-01-01,1\ny,2021-01-01 00:00,2\nx,2021-01-02T01:00+01:00,3\nx,2021-01-03,4\n")
        self.assertEqual(self.ok_json("info", "t.csv")["shape"], [2, 3])

    def test_stamps_and_other_labels_are_labels(self):
        self.write("t.csv", "a,time,value\nx,2021-01-01,1\ny,never,2\nx,2021-01-02,3\n")
        self.assertIsNone(self.ok_json("info", "t.csv")["modes"][1]["positions"])

    def test_positions_that_are_none(self):
        self.write("t.csv", "a,depth,value\nx,1.5,1\ny,deep,2\n")
        self.assertIn("t.csv:3:3", self.fails(3, "info", "t.csv", "--positions", "depth"))
        self.write("t.csv", "a,depth,value\nx,1.5,1\ny,inf,2\n")
        self.assertIn("finite", self.fails(3, "info", "t.csv", "--positions", "depth"))
        self.assertIn("twice", self.fails(2, "info", "t.csv", "--positions", "depth", "--bin", "depth=1d"))
        self.assertIn("mode and the value", self.fails(2, "info", "t.csv", "--positions", "value", "--value-column", "value"))
        self.write("t.tns", "1 1 1\n2 2 3\n")
        self.assertIn("expected a table", self.fails(2, "info", "t.tns", "--positions", "1"))

    def test_near_along_labels_is_refused(self):
        message = self.fails(2, "fit", "train.csv", "-o", "m.lac", "--parts", "time|station~3")
        self.assertIn("labels of station lie nowhere", message)
        self.assertIn("the coordinates of station, or its labels where those are numbers or time stamps", message)
        self.assertIn("give --coordinates station=FILE or --positions station", message)
        message = self.fails(2, "fit", "train.csv", "-o", "m.lac", "--parts", "time|station~x")
        self.assertIn("give --coordinates station=FILE", message)
        self.assertNotIn("--positions", self.fails(2, "fit", "train.csv", "-o", "m.lac", "--parts", "station|time~x"))

    def test_lengths_are_positive(self):
        for length in ("0", "-3", "nan", "x"):
            self.assertIn("length > 0", self.fails(2, "fit", "train.csv", "-o", "m.lac", "--parts", f"station|time~{length}"))


class Chosen(Waves):
    preset = ()

    def test_time_is_found_to_be_ordered_and_used(self):
        done = self.run_lacuna("fit", "train.csv", "-o", "m.lac", "-v")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("neighbours are alike along time", done.stderr)
        near = [part for part in self.ok_json("info", "m.lac")["parts"] if part["near"]]
        self.assertTrue(near, self.ok("info", "m.lac"))
        self.assertGreater(near[0]["near"][0]["length"], 600)  # seconds
        self.assertLess(self.error_between()["rmse"], 0.5)

    def test_labels_are_never_taken_for_ordered(self):
        self.write("labels.csv", self.table(self.train, name=lambda h: f"time{h:012.3f}"))
        done = self.run_lacuna("fit", "labels.csv", "-o", "m.lac", "-v")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("neighbours are alike", done.stderr)

    def test_neighbours_are_by_position_and_not_by_label(self):
        # Names in an order that says nothing, positions in a file of their own.
        hours = sorted({h for _, h in self.train})
        names = [f"t{i:04d}" for i in range(len(hours))]
        random.Random(9).shuffle(names)
        called = dict(zip(hours, names))
        self.write("named.csv", self.table(self.train, name=called.get))
        self.write("when.csv", "name,when\n" + "".join(f"{called[h]},{h!r}\n" for h in hours))
        done = self.run_lacuna("fit", "named.csv", "-o", "m.lac", "-v", "--coordinates", "time=when.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("neighbours are alike along time", done.stderr)


def tensor(i, x):
    return math.sin(x / 3.0) * (1 + i) + i


class Files(CliTest):
    """--coordinates on a file of indices, 5 x 30; positions are irregular and in no order."""

    fit = ("fit", "d.tns", "-o", "m.lac", "--parts", "1|2~4", "--offsets", "1", "--rank", "2", "--lambda", "100")

    def setUp(self):
        super().setUp()
        deal = random.Random(3)
        self.position = [0.7 * i + 0.3 * deal.random() for i in range(30)]
        deal.shuffle(self.position)
        cells = [(i, j) for i in range(5) for j in range(30)]
        deal.shuffle(cells)
        blank = deal.sample(range(29), 8)  # lost as a whole: only their neighbours tell
        self.kept = [(i, j) for i, j in cells if j not in blank]
        self.lost = [(i, j) for i, j in cells if j in blank]
        self.write("d.tns", self.entries(self.kept))
        self.write("lost.tns", self.entries(self.lost))
        self.write("x.txt", "".join(f"{x!r}\n" for x in self.position))

    def entries(self, cells):
        return "".join(f"{i + 1} {j + 1} {tensor(i, self.position[j])!r}\n" for i, j in cells)

    def test_positions_count(self):
        self.ok(*self.fit, "--coordinates", "2=x.txt")
        placed = self.ok_json("evaluate", "m.lac", "lost.tns")["rmse"]
        self.ok(*self.fit)
        self.assertLess(placed, 0.5 * self.ok_json("evaluate", "m.lac", "lost.tns")["rmse"])

    def test_by_index_with_a_header_is_the_same(self):
        lines = [f"{j + 1};{x!r}" for j, x in enumerate(self.position)]
        random.Random(1).shuffle(lines)
        self.write("x.csv", "\n".join(["index;position", *lines]) + "\n")
        self.ok(*self.fit, "--no-record", "--coordinates", "mode2=x.txt")
        first = self.path("m.lac").read_bytes()
        self.ok(*self.fit, "--no-record", "--coordinates", "mode2=x.csv")
        self.assertEqual(first, self.path("m.lac").read_bytes())

    def test_complete_and_tune_take_them(self):
        self.ok("complete", "d.tns", "-o", "out.tns", "--coordinates", "2=x.txt", "--parts", "1|2~4", "--offsets", "1", "--lambda", "100")
        out = read_tns(self.path("out.tns"))
        self.assertLess(rmse((out[i, j], tensor(i, self.position[j])) for i, j in self.lost), 0.6)
        told = self.ok_json("tune", "d.tns", "-o", "t.lac", "--coordinates", "2=x.txt", "--parts-grid", "1|2~4", "1|2~0.1",
                            "--lambda-grid", "100", "--rank-grid", "2", "--folds", "3")  # fmt: skip
        self.assertIn("parts 1|2~4", told["best"]["candidate"])

    def test_a_position_between_for_a_new_index(self):
        self.ok(*self.fit, "--coordinates", "2=x.txt")
        where = sum(sorted(self.position)[14:16]) / 2
        self.write("new.tns", "".join(f"{i + 1} 31 {tensor(i, where)!r}\n" for i in range(5)))
        self.assertEqual(self.ok_json("evaluate", "m.lac", "new.tns")["cold"], 5)
        self.write("more.csv", f"31,{where!r}\n")
        told = self.ok_json("evaluate", "m.lac", "new.tns", "--coordinates", "2=more.csv")
        self.assertEqual(told["cold"], 0)
        self.assertLess(told["rmse"], 0.3)
        self.write("more.csv", f"31,{where!r}\n2,77\n")
        message = self.fails(3, "evaluate", "m.lac", "new.tns", "--coordinates", "2=more.csv")
        self.assertIn("more.csv:2", message)
        self.assertIn("as in the model", message)

    def refused(self, text, *words, code=3, mode="2", data="d.tns"):
        self.write("bad.txt", text)
        message = self.fails(code, "fit", data, "-o", "m.lac", "--coordinates", f"{mode}=bad.txt")
        for word in words:
            self.assertIn(word, message)

    def test_what_is_wrong_is_named(self):
        good = [repr(x) for x in self.position]
        self.refused("\n".join(good[:-1]), "bad.txt:29: found 29 positions up to this last line, expected 30")
        self.refused("\n".join([*good[:4], "nan", *good[5:]]), "bad.txt:5", "'nan'", "finite number")
        self.refused("\n".join([*good[:4], "inf", *good[5:]]), "bad.txt:5", "'inf'")
        self.refused("\n".join([*good[:4], "far", *good[5:]]), "bad.txt:5", "'far'", "time stamp")
        self.refused("\n".join([*good[:7], good[2], *good[8:]]), "bad.txt:8", "the index 3 (line 3)", "same place")
        self.refused("", "bad.txt", "expected positions")
        self.refused("1,2,3\n2,3,4\n", "bad.txt:1", "found 3 columns")
        two = [f"{j + 1} {x}" for j, x in enumerate(good)]
        self.refused("\n".join(two[1:]), "bad.txt", "no position of the index 1")
        self.refused("\n".join([*two, "3 9"]), "bad.txt:31", "the index 3 a second time", "line 3")
        self.refused("\n".join(["zero 5", "x 7", *two]), "bad.txt:1", "'zero'", "index of mode")
        self.refused("\n".join(good), "no mode 'time'", "mode1, mode2", code=2, mode="time")
        message = self.fails(3, *self.fit, "--coordinates", "2=nowhere.txt")
        self.assertIn("nowhere.txt", message)
        self.assertIn("MODE=FILE", self.fails(2, *self.fit, "--coordinates", "x.txt"))
        self.assertIn("twice", self.fails(2, *self.fit, "--coordinates", "2=x.txt", "--coordinates", "mode2=x.txt"))

    def test_labels_that_do_not_match_are_named(self):
        self.write("t.csv", "who,what,value\nann,book,3\nbob,film,4\nann,film,2\n")
        self.refused("ann,1\nbook,2\nfilm,3\n", "bad.txt:2: found 'book'", "no position of 'bob'", "label of mode 'who'", mode="who", data="t.csv")
        self.refused("ann,1\n\n", "bad.txt:1: found no position of 'bob' up to this last line", mode="who", data="t.csv")
        self.refused("1\n2\n", "bad.txt:1: found a position without a label", "two columns", "'who' has labels", mode="who", data="t.csv")
        self.refused("ann,1\nbob,1\n", "bad.txt:2", "'ann' (line 1)", mode="who", data="t.csv")
        self.write("good.txt", "zoe,9\nann,1\nbob,2.5\n")  # of more than there are
        self.assertEqual(self.ok_json("info", "t.csv", "--coordinates", "who=good.txt")["modes"][0]["positions"]["to"], 2.5)

    def test_what_is_out_of_order_or_about_others_is_noted(self):
        def notes(data, mode):
            done = self.run_lacuna("fit", data, "-o", "m.lac", "--method", "mean", "--coordinates", f"{mode}=x.txt")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = [line for line in done.stderr.splitlines() if "x.txt" in line]
            looked = self.run_lacuna("info", data, "--coordinates", f"{mode}=x.txt")
            self.assertEqual(looked.stderr.splitlines(), told)
            return told

        after = next(j for j in range(30) if self.position[j + 1] < self.position[j])
        self.assertRegex(notes("d.tns", 2)[0], rf"note: x.txt:{after + 2}: the position .* comes after .*'mode2'")
        for turn in (1, -1):
            self.write("x.txt", "".join(f"{x!r}\n" for x in sorted(self.position)[::turn]))
            self.assertEqual(notes("d.tns", 2), [])
        self.write("x.txt", "".join(f"{x}\n" for x in range(35)))
        self.assertEqual(notes("d.tns", 2), ["note: x.txt:31: the positions from here on lie beyond the index 30, the last "
                                             "that has an entry: mode 'mode2' gets 35 indices"])
        self.write("t.csv", "who,what,value\nann,book,3\nbob,film,4\nann,film,2\n")
        self.write("x.txt", "ann,1\nzoe,9\nbob,2.5\n")
        self.assertIn("x.txt:2: 'zoe'", notes("t.csv", "who")[0])

    def test_near_parts_that_are_given_leave_the_method_open(self):
        # als, which has no near parts, is then not among the candidates.
        self.ok("fit", "d.tns", "-o", "open.lac", "--parts", "1|2~3", "--effort", "low")
        self.assertIn(self.ok_json("info", "open.lac")["method"], ("tr-mm", "tr-ls", "mean", "offsets"))

    def test_an_output_is_never_a_file_of_coordinates(self):
        message = self.fails(2, "fit", "d.tns", "-o", "x.txt", "--coordinates", "2=x.txt")
        self.assertIn("x.txt", message)


if __name__ == "__main__":
    unittest.main()
