# SPDX-License-Identifier: MIT
"""mpirun -n P lacuna fit: ends where one process ends, says things once, fails as one.

What is computed is tested in tests/dist, where threads play the processes; here the real ones meet.
"""
import gzip
import json
import os
import random
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from support import LACUNA, TIMEOUT, SampleTest, cells, tns, truth  # noqa: E402

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_mpi_yield_when_idle": "1"}  # fmt: skip


class MpiTest(SampleTest):
    def setUp(self):
        super().setUp()
        # Noise, so that no method can fit everything: an objective of 0 has no digits to compare.
        noise = random.Random(3)
        self.write("train.tns", tns(self.train, value=lambda i, j, k: truth(i, j, k) + noise.gauss(0.0, 0.3)))

    def on(self, processes, *arguments, threads=1):
        """Runs on so many processes; returns the finished process, mpirun's own words taken off."""
        done = subprocess.run(
            ["mpirun", "-q", "--oversubscribe", "-n", str(processes), LACUNA, *map(str, arguments), "--threads", str(threads)],
            cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT, env=ENVIRONMENT,
        )  # fmt: skip
        return done

    def fit_on(self, processes, *arguments, model="p.lac"):
        done = self.on(processes, "fit", "train.tns", "-o", model, "--json", "--quiet", *arguments)
        self.assertEqual(done.returncode, 0, f"{processes} processes\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def alone(self, *arguments, model="a.lac"):
        return json.loads(self.ok("fit", "train.tns", "-o", model, "--json", "--quiet", *arguments))

    def assert_same(self, found, alone, objective=1e-10, error=1e-6):
        self.assertLess(abs(found["objective"] - alone["objective"]), objective * abs(alone["objective"]))
        if alone["test_rmse"] is not None:
            self.assertLess(abs(found["test_rmse"] - alone["test_rmse"]), error * alone["test_rmse"])
        self.assertEqual(found["observed"], alone["observed"])
        self.assertEqual(found["rank"], alone["rank"])


class Fit(MpiTest):
    preset = ()

    def test_every_number_of_processes_ends_where_one_does(self):
        flags = ("--test", "test.tns", "--method", "tr-mm", "--rank", "2", "--lambda", "0.1", "--offsets", "modes",
                 "--parts", "1|2,3 ; 2|1 ; 3|1,2~2", "--tolerance", "1e-7")  # fmt: skip
        alone = self.alone(*flags)
        for processes in (1, 2, 3, 4, 7):
            found = self.fit_on(processes, *flags, model=f"{processes}.lac")
            self.assert_same(found, alone)
            self.assertAlmostEqual(found["gap"], alone["gap"], 3)
            # The plain binary reads the model and predicts the same.
            self.ok("predict", f"{processes}.lac", "test.tns", "-o", "p.tns")
            self.ok("predict", "a.lac", "test.tns", "-o", "a.tns")
            for a, p in zip(self.path("a.tns").read_text().split("\n"), self.path("p.tns").read_text().split("\n")):
                if a:
                    self.assertAlmostEqual(float(a.split()[-1]), float(p.split()[-1]), 4)

    def test_tr_ls_and_tucker(self):
        primal = ("--method", "tr-ls", "--rank", "2", "--lambda", "1", "--parts", "full", "--early-stop", "0", "--max-iterations")
        tucker = ("--method", "rprecon", "--rank", "2", "--tolerance", "1e-9", "--max-iterations", "400")
        for flags, counts in (((*primal, "8"), (1, 2, 3, 4, 7)), (tucker, (2, 3, 7))):
            flags = (*flags, "--offsets", "mean", "--test", "test.tns")
            alone = self.alone(*flags)
            for processes in counts:
                self.assert_same(self.fit_on(processes, *flags), alone)

    DUAL = ("--method", "tr-mm", "--rank", "2", "--lambda", "0.1", "--parts", "full", "--offsets", "mean", "--tolerance", "1e-7")

    def test_other_methods_losses_and_side_information(self):
        positions = 1 + max(i for i, _, _ in self.train)
        noise = random.Random(5)
        rows = "".join(f"{i + 1},{noise.gauss(0.0, 1.0):.3f},{noise.gauss(0.0, 1.0):.3f}\n" for i in range(positions))
        self.write("side.csv", "mode1,a,b\n" + rows)
        tucker = ("--rank", "2", "--tolerance", "1e-9", "--max-iterations", "400", "--offsets", "mean")
        for flags, objective in (
            ((*self.DUAL, "--side", "mode1=side.csv"), 1e-10), ((*self.DUAL, "--loss", "huber"), 1e-8),
            (("--method", "geomcg", *tucker), 1e-10), (("--method", "topt", *tucker), 1e-10),
        ):  # fmt: skip
            with self.subTest(flags):
                flags = (*flags, "--test", "test.tns")
                self.assert_same(self.fit_on(3, *flags), self.alone(*flags), objective)

    def test_goes_on_from_a_model(self):
        self.alone(*self.DUAL[:-1], "1e-3", model="start.lac")
        flags = (*self.DUAL, "--init", "start.lac", "--test", "test.tns")
        alone = self.alone(*flags)
        for processes in (2, 3):
            found = self.fit_on(processes, *flags)
            self.assert_same(found, alone)
            self.assertEqual(found["iterations"], alone["iterations"])

    def test_history_and_page_are_written_once(self):
        alone = self.alone(*self.DUAL, "--history", "a.csv")
        found = self.fit_on(3, *self.DUAL, "--history", "p.csv", "--report", "p.html")
        self.assert_same(found, alone)
        lines = {name: self.path(name).read_text().splitlines() for name in ("a.csv", "p.csv")}
        self.assertEqual([line.split(",")[0] for line in lines["p.csv"]], [line.split(",")[0] for line in lines["a.csv"]])
        self.assertEqual(self.path("p.html").read_text().count("</html>"), 1)

    def test_a_part_without_agreeing_modes_of_a_long_mode(self):
        """Its certificate, whose matrix has rank one, is found by the first process while the others serve it."""
        noise = random.Random(6)
        self.write("train.tns", "".join(f"{i} {j} {noise.gauss(0.0, 1.0) + i % 7:.4f}\n" for i in range(1, 101)
                                        for j in range(1, 13) if noise.random() < 0.5))  # fmt: skip
        flags = ("--method", "tr-mm", "--parts", "1| ; 2|1", "--rank", "1,12", "--lambda", "1", "--offsets", "mean",
                 "--tolerance", "1e-7")  # fmt: skip
        alone = self.alone(*flags)
        for processes in (2, 4):
            found = self.fit_on(processes, *flags)
            self.assert_same(found, alone)
            self.assertAlmostEqual(found["gap"], alone["gap"], 6)

    def test_the_same_bits_every_time(self):
        flags = ("--method", "tr-mm", "--rank", "2", "--lambda", "1", "--parts", "full", "--offsets", "modes", "--no-record")  # fmt: skip
        self.fit_on(3, *flags, model="1.lac")
        self.fit_on(3, *flags, model="2.lac")
        self.assertEqual(self.path("1.lac").read_bytes(), self.path("2.lac").read_bytes())

    def test_more_processes_than_positions_and_threads_within(self):
        flags = ("--method", "tr-mm", "--rank", "2", "--lambda", "1", "--parts", "full", "--offsets", "none", "--tolerance", "1e-8")  # fmt: skip
        little = [(i, j, k) for i, j, k in cells((3, 4, 2)) if (i + j + k) % 2 == 0 or i == 0]
        self.write("train.tns", tns(little[:20]))
        alone = self.alone(*flags)
        self.assert_same(self.fit_on(7, *flags), alone)
        done = self.on(3, "fit", "train.tns", "-o", "t.lac", "--json", "--quiet", *flags, threads=2)
        self.assert_same(json.loads(done.stdout), alone)

    def test_choices_are_those_of_one_process(self):
        flags = ("--method", "tr-mm", "--offsets", "modes", "--parts", "1|2 ; 2|1", "--lambda", "1", "--test", "test.tns")
        found, alone = self.fit_on(2, *flags), self.alone(*flags)
        self.assertEqual((found["rank"], found["lambda"]), (alone["rank"], alone["lambda"]))
        self.assertLess(abs(found["test_rmse"] - alone["test_rmse"]), 1e-4 * alone["test_rmse"])

    def test_tuning_finds_the_errors_of_one_process(self):
        flags = ("tune", "train.tns", "--folds", "3", "--lambda-grid", "0.1,1", "--rank", "2", "--parts", "full",
                 "--offsets", "mean", "--test", "test.tns", "--refine", "0", "--json", "--quiet")  # fmt: skip
        alone = json.loads(self.ok(*flags, "-o", "a.lac", "--table", "a.csv"))
        for more in (("--metric", "rmse"), ("--metric", "mae", "--state", "known.jsonl")):
            done = self.on(3, *flags, *more, "-o", "p.lac", "--table", "p.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            if more[1] != "rmse":
                self.assertTrue(self.path("known.jsonl").exists())
                # All that is known is taken from there, by all processes.
                again = self.on(2, *flags, *more, "-o", "p.lac")
                self.assertEqual(json.loads(again.stdout)["rows"], found["rows"])
                continue
            self.assertEqual(found["best"]["lambda"], alone["best"]["lambda"])
            self.assertEqual(len(found["rows"]), len(alone["rows"]))
            for here, there in zip(found["rows"], alone["rows"]):
                self.assertAlmostEqual(here["mean"], there["mean"], 4)
            self.assertAlmostEqual(found["test_rmse"], alone["test_rmse"], 4)
            self.assertFalse(self.path("state").exists())
            kept = self.on(3, *flags, *more, "-o", "k.lac", "--checkpoint", "state", "--every", "0")
            self.assertEqual(json.loads(kept.stdout)["rows"], found["rows"])
            gone_on = self.on(2, *flags, *more, "-o", "k.lac", "--resume", "state")
            self.assertEqual(gone_on.returncode, 0, gone_on.stderr)
            self.assertEqual(json.loads(gone_on.stdout)["rows"], found["rows"])
            self.assertEqual(len(self.path("p.csv").read_text().splitlines()),
                             len(self.path("a.csv").read_text().splitlines()))  # fmt: skip

    def test_an_open_method_is_chosen_as_by_one_process_while_all_fits(self):
        flags = ("--test", "test.tns", "--effort", "low")
        found, alone = self.fit_on(2, *flags), self.alone(*flags)
        self.assertEqual((found["method"], found["rank"]), (alone["method"], alone["rank"]))

    def test_predict_and_evaluate(self):
        self.ok("fit", "train.tns", "-o", "a.lac", "--method", "tr-mm", "--rank", "2", "--lambda", "1", "--parts", "full",
                "--offsets", "modes", "--quiet")  # fmt: skip
        self.ok("predict", "a.lac", "test.tns", "-o", "alone.tns")
        alone = json.loads(self.ok("evaluate", "a.lac", "test.tns", "--json"))
        done = self.on(3, "predict", "a.lac", "test.tns", "-o", "three.tns")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("cells predicted"), 1)
        self.assertEqual(self.path("three.tns").read_bytes(), self.path("alone.tns").read_bytes())
        done = self.on(3, "evaluate", "a.lac", "test.tns", "--json")
        self.assertEqual(json.loads(done.stdout), alone)

    def test_auc_intervals_and_reliability_are_those_of_one_process(self):
        """Of values 0 and 1, whose fit says AUC, and of others with intervals calibrated on entries set aside."""
        noise = random.Random(4)
        def zero_or_one(i, j, k):
            return int(truth(i, j, k) + noise.gauss(0.0, 0.3) > 3.0)
        self.write("links.tns", tns(self.train, value=zero_or_one))
        self.write("held.tns", tns(self.test, value=zero_or_one))
        model = ("--method", "tr-mm", "--rank", "2", "--lambda", "0.1", "--parts", "full", "--offsets", "mean",
                 "--tolerance", "1e-7")  # fmt: skip
        fits = (("links.tns", "held.tns", (), ("--reliability", "5")),
                ("train.tns", "test.tns", ("--intervals",), ("--interval", "0.9")))  # fmt: skip
        for train, test, more, asked in fits:
            with self.subTest(train=train):
                fit = ("fit", train, "--test", test, *model, *more, "--json", "--quiet", "-o")
                alone = json.loads(self.ok(*fit, "a.lac"))
                done = self.on(3, *fit, "p.lac")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = json.loads(done.stdout)
                self.assert_same(found, alone)
                self.assertAlmostEqual(found["test_auc"] or 0.0, alone["test_auc"] or 0.0, 6)
                self.assertEqual(found["test_auc"] is None, train == "train.tns")
                evaluate = ("evaluate", "a.lac", test, "--json", *asked)
                told = self.on(3, *evaluate)
                self.assertEqual(told.returncode, 0, told.stderr)
                self.assertEqual(json.loads(told.stdout), json.loads(self.ok(*evaluate)))
                # The model of three processes says the same, its intervals included.
                of_three = json.loads(self.ok("evaluate", "p.lac", test, "--json", *asked))
                of_one = json.loads(self.ok(*evaluate))
                for figure in ("rmse", "coverage", "width"):
                    self.assertAlmostEqual(of_three[figure] or 0.0, of_one[figure] or 0.0, 6)
                if asked[0] == "--interval":
                    self.assertGreater(of_three["width"], 0.0)
                else:
                    self.assertAlmostEqual(of_three["reliability"]["error"], of_one["reliability"]["error"], 6)

    def test_rankings_are_shared(self):
        people = [f"p{i:02}" for i in range(16)]
        facts = [(h, r, t) for i, h in enumerate(people) for n, r in enumerate(("knows", "likes"))
                 for j, t in enumerate(people) if (j - i - n) % 4 == 0]  # fmt: skip
        random.Random(4).shuffle(facts)
        for name, some in (("train.tsv", facts[20:]), ("test.tsv", facts[:20])):
            self.write(name, "".join("\t".join(fact) + "\n" for fact in some))
        self.ok("fit", "train.tsv", "-o", "m.lac", "--method", "complex", "--rank", "4", "--quiet", "--max-iterations", "20")
        ranking = ("evaluate", "m.lac", "test.tsv", "--ranking", "head,tail", "--filter", "train.tsv", "--json")
        alone = json.loads(self.ok(*ranking))
        self.assertEqual(alone["queries"], 40)
        for processes in (3, 24):  # more than there are facts
            done = self.on(processes, *ranking)
            self.assertEqual(done.returncode, 0, done.stderr)
            for figure, value in json.loads(done.stdout).items():
                self.assertAlmostEqual(value, alone[figure], 12, figure)

    def test_sixty_four_processes_with_twenty_entries(self):
        lines = self.path("train.tns").read_text().splitlines(keepends=True)
        self.write("train.tns", "".join(lines[:20]))
        flags = ("--method", "tr-mm", "--rank", "1", "--lambda", "0.1", "--parts", "1|2", "--offsets", "mean",
                 "--tolerance", "1e-7")  # fmt: skip
        self.assert_same(self.fit_on(64, *flags), self.alone(*flags))

    def test_complete_fills_in_what_one_process_does(self):
        flags = ("--method", "tr-mm", "--rank", "2", "--lambda", "1", "--parts", "full", "--offsets", "modes", "--tolerance",
                 "1e-7", "--quiet")  # fmt: skip
        self.ok("complete", "train.tns", "-o", "alone.tns", *flags)
        done = self.on(3, "complete", "train.tns", "-o", "three.tns", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("cells filled"), 1)
        alone, three = (self.path(name).read_text().split() for name in ("alone.tns", "three.tns"))
        self.assertEqual(len(alone), len(three))
        for a, b in zip(alone, three):
            self.assertAlmostEqual(float(a), float(b), 5)

    def test_what_is_sent_is_what_was_predicted(self):
        done = self.on(3, "fit", "train.tns", "-o", "p.lac", "-v", "--method", "tr-mm", "--rank", "2", "--lambda", "1",
                       "--parts", "full", "--offsets", "mean")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        numbers = int(re.search(r"operator sends (\d+) numbers", done.stderr).group(1))
        sums = int(re.search(r"sums (\d+) numbers over the processes", done.stderr).group(1))
        sent, predicted = re.search(r"sums of the factors' derivatives sent ([\d.]+) bytes, predicted (\d+)", done.stderr).groups()
        self.assertEqual(float(sent), int(predicted))
        self.assertIn(int(predicted), {size * sums * 2 * 2 if sums > 64 else size * sums * 3 * 2 for size in (4, 8)})
        for precision, size in (("single", 4), ("double", 8)):
            sent, predicted = re.search(rf"applications in {precision} precision sent ([\d.]+) bytes, predicted (\d+)",
                                        done.stderr).groups()  # fmt: skip
            self.assertEqual(int(predicted), size * numbers)
            self.assertLess(abs(float(sent) - float(predicted)), 0.2 * float(predicted))


class Reading(MpiTest):
    preset = ()
    FLAGS = ("--method", "tr-mm", "--rank", "2", "--lambda", "1", "--parts", "full", "--offsets", "modes", "--tolerance",
             "1e-7")  # fmt: skip

    def test_a_table_a_folder_and_a_packed_file_are_the_same_data(self):
        entries = [line.split() for line in self.path("train.tns").read_text().splitlines()]
        self.write("train.csv", "a,b,c,value\n" + "".join(f'"x\n{i}",{j},c{k},{v}\n' for i, j, k, v in entries))
        self.path("parts").mkdir()
        for part in range(3):
            self.write(f"parts/{part}.tns", "".join(" ".join(line) + "\n" for line in entries[part::3]))
        self.path("train.tns.gz").write_bytes(gzip.compress(self.path("train.tns").read_bytes()))
        alone = self.alone(*self.FLAGS)
        for name in ("train.csv", "parts", "train.tns.gz"):
            with self.subTest(name=name):
                done = self.on(3, "fit", name, "-o", "p.lac", "--json", "--quiet", *self.FLAGS)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_same(json.loads(done.stdout), alone)

    def test_a_cell_listed_twice_is_found_wherever_it_stands(self):
        lines = self.path("train.tns").read_text().splitlines()
        first = lines[5].rsplit(" ", 1)[0]
        self.write("twice.tns", "# comment\n" + "\n".join([*lines, f"{first} 9"]) + "\n")
        found = self.on(4, "fit", "twice.tns", "-o", "p.lac", *self.FLAGS)
        alone = self.run_lacuna("fit", "twice.tns", "-o", "p.lac", *self.FLAGS)
        self.assertEqual((found.returncode, alone.returncode), (3, 3))
        self.assertIn(f"twice.tns:{len(lines) + 2}: cell", alone.stderr)
        self.assertEqual(found.stderr, alone.stderr)
        merged = ("--duplicates", "last", "--json", "--quiet", *self.FLAGS)
        found = self.on(4, "fit", "twice.tns", "-o", "p.lac", *merged)
        self.assert_same(json.loads(found.stdout), json.loads(self.ok("fit", "twice.tns", "-o", "a.lac", *merged)))


class Failure(MpiTest):
    preset = ()

    def refused(self, code, *arguments, processes=2):
        done = self.on(processes, *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_a_bad_line_is_told_once(self):
        self.write("bad.tns", "1 1 1 2.5\n1 2 1 x\n")
        message = self.refused(3, "fit", "bad.tns", "-o", "m.lac", processes=3)
        self.assertEqual(message.count("bad.tns:2:7"), 1, message)
        self.assertFalse(self.path("m.lac").exists())

    def test_of_several_bad_lines_the_first_is_told_by_all(self):
        lines = [f"{i} {i} 1 2.5\n" for i in range(1, 301)]
        lines[211] = "7 7 1\n"
        lines[290] = "7 x 1 2\n"
        self.write("bad.tns", "".join(lines))
        message = self.refused(3, "fit", "bad.tns", "-o", "m.lac", processes=4)
        self.assertEqual(message, "lacuna: bad.tns:212:6: found 3 columns, expected 4\n")

    def test_other_verbs_and_methods_refuse(self):
        self.assertIn("runs on one process", self.refused(2, "info", "train.tns"))
        message = self.refused(2, "fit", "train.tns", "-o", "m.lac", "--method", "bayescp")
        self.assertIn("bayescp does not run on several processes", message)
        self.assertIn("tr-mm", message)

    def test_no_input_is_a_pipe(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", "mean")
        os.mkfifo(self.path("pipe"))
        for arguments in (
            ("predict", "m.lac", "-", "-o", "o.tns"), ("predict", "m.lac", "pipe", "-o", "o.tns"), ("evaluate", "pipe", "test.tns"),
            ("fit", "train.tns", "--test", "pipe", "-o", "n.lac"), ("complete", "pipe", "-o", "o.tns"), ("tune", "-", "-o", "n.lac"),
        ):  # fmt: skip
            with self.subTest(arguments):
                self.assertIn("a pipe is read by one process", self.refused(2, *arguments))

    def test_a_usage_error_is_told_once(self):
        message = self.refused(2, "fit", "train.tns", "-o", "m.lac", "--rank", "0", "--method", "tr-mm")
        self.assertEqual(message.count("lacuna:"), 1, message)

    def test_without_the_module_several_processes_are_refused(self):
        done = subprocess.run([LACUNA, "info", "train.tns"], cwd=self.folder, capture_output=True, text=True,
                              timeout=TIMEOUT, env={**ENVIRONMENT, "OMPI_COMM_WORLD_SIZE": "2",
                                                    "LACUNA_LIBEXEC": str(self.folder)})  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("built without MPI", done.stderr)


class Alone(MpiTest):
    def test_without_a_launcher_no_library_of_mpi_is_loaded(self):
        done = subprocess.run([LACUNA, "info", "train.tns"], cwd=self.folder, capture_output=True, text=True,
                              timeout=TIMEOUT, env={**os.environ, "LD_DEBUG": "libs"})  # fmt: skip
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("libmpi", done.stderr)

    def test_a_launcher_that_speaks_another_protocol_is_refused(self):
        """As with srun without --mpi=pmix: each process would do all of the work alone, and write over the others' model."""
        for variable, count in (("PMI_SIZE", "2"), ("SLURM_STEP_NUM_TASKS", "4")):
            done = subprocess.run([LACUNA, "fit", "train.tns", "-o", "m.lac"], cwd=self.folder, capture_output=True, text=True,
                                  timeout=TIMEOUT, env={**ENVIRONMENT, variable: count})  # fmt: skip
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(f"started as one of {count} processes, but MPI has met 1 of them", done.stderr)
            self.assertIn("--mpi=pmix", done.stderr)
            self.assertFalse(self.path("m.lac").exists())


if __name__ == "__main__":
    unittest.main()
