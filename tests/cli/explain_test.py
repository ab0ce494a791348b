# SPDX-License-Identifier: MIT
"""Explanations add up to predictions, for every kind of model, and cells are asked for and refused as questions are."""
import json
import math
import subprocess
import unittest

from support import LACUNA, CliTest, read_tns, sample, tns

SHAPE = (12, 10, 6)
METHODS = {
    "tr-mm": ("--rank", "2", "--lambda", "1"),
    "tr-ls": ("--rank", "2", "--max-iterations", "8"),
    "als": ("--rank", "2", "--parts", "mode1|mode2;mode1|mode3"),
    "ffw": ("--lambda", "5"),
    "rprecon": ("--rank", "2"),
    "bayescp": ("--rank", "2"),
    "halrtc": (),
    "offsets": (),
}


def adds(listed):
    return sum(one["adds"] for one in listed)


class Explained(CliTest):
    def setUp(self):
        super().setUp()
        self.train, self.held = sample(0.5, shape=SHAPE)
        self.write("train.tns", tns(self.train))
        self.write("held.tns", tns(self.held))

    def fit(self, method, *flags):
        self.preset = ()
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", method, *METHODS[method], "--quiet", *flags)

    def predicted(self):
        self.ok("predict", "m.lac", "held.tns", "-o", "out.tns")
        return read_tns(self.path("out.tns"))


class EveryKind(Explained):
    def check(self, answer, value):
        self.assertAlmostEqual(answer["value"], value, places=9)
        self.assertAlmostEqual(adds(answer["terms"]), answer["sum"], places=9)
        self.assertAlmostEqual(answer["sum"] + answer["clip"], value, places=9)
        for term in answer["terms"]:
            if "entries" in term:
                pieces = adds(term["entries"]) + term["other_entries"]["adds"] + term["prior"]
                self.assertAlmostEqual(pieces, term["adds"], places=8)
            if "components" in term and term["kind"] != "link":
                pieces = adds(term["components"]) + term["other_components"]["adds"]
                self.assertAlmostEqual(pieces, term["adds"], places=8)

    def test_adds_up(self):
        for method in METHODS:
            self.fit(method)
            values = self.predicted()
            observed = {tuple(str(i + 1) for i in cell): value for cell, value in read_tns(self.path("train.tns")).items()}
            listed = self.held[:4]
            self.write("cells.txt", "".join(f"{i + 1} {j + 1} {k + 1}\n" for i, j, k in listed))
            for by in ("fibers", "rows", "components") if method in ("als", "ffw") else ("fibers", "components"):
                lines = self.ok("explain", "m.lac", "cells.txt", "--by", by, "--json").splitlines()
                self.assertEqual(len(lines), len(listed))
                for cell, line in zip(listed, lines):
                    answer = json.loads(line)
                    self.assertEqual(answer["cell"], {f"mode{k + 1}": str(i + 1) for k, i in enumerate(cell)})
                    self.check(answer, values[cell])
                    for term in answer["terms"]:
                        for entry in term.get("entries", ()):
                            known = observed[tuple(entry["cell"].values())]
                            if method in ("als", "ffw"):
                                self.assertAlmostEqual(entry["value"], known, places=4)
                            elif method == "tr-mm":
                                self.assertAlmostEqual(entry["value"], known, delta=0.05)
                            else:
                                self.assertIsNone(entry["value"])

    def test_rows_of_models_that_have_no_such_account_are_refused(self):
        for method in ("tr-mm", "bayescp"):
            self.fit(method)
            message = self.fails(2, "explain", "m.lac", "1,2,3", "--by", "rows")
            self.assertIn("--by: found rows, expected fibers or components", message)

    def test_entries_that_add_nothing_are_not_listed_one_by_one(self):
        lines = [f"{i + 1} {j + 1} {k + 1} 4\n" for i in range(5) for j in range(4) for k in range(3)]
        self.write("same.tns", "".join(lines))  # all alike, so that the part has nothing to say beside the mean
        self.ok("fit", "same.tns", "-o", "same.lac", "--method", "tr-mm", "--parts", "1|2", "--rank", "1", "--lambda", "1",
                "--offsets", "modes", "--quiet")
        told = self.ok("explain", "same.lac", "1,2,3")
        self.assertNotIn(" of ", told.split("part mode1|mode2", 1)[1].replace("on the fiber", "").split("\n", 1)[1], told)

    def test_of_links(self):
        facts = [(i, r, j) for r in range(3) for i in range(12) for j in range(12) if j % 4 == (i % 4 + r) % 4]
        self.write("facts.tsv", "head\trelation\ttail\n" + "".join(f"e{i}\tr{r}\te{j}\n" for i, r, j in facts))
        self.preset = ()
        self.ok("fit", "facts.tsv", "-o", "m.lac", "--method", "complex", "--rank", "4", "--max-iterations", "20",
                "--quiet")
        answer = self.ok_json("explain", "m.lac", "e1,r1,e2", "-k", "2")
        (term,) = answer["terms"]
        self.assertEqual((term["kind"], len(term["components"])), ("link", 2))
        self.assertAlmostEqual(1 / (1 + math.exp(-term["log_odds"])), answer["value"])
        pieces = term["constant"] + sum(term["biases"].values()) + adds(term["components"])
        self.assertAlmostEqual(pieces + term["other_components"]["adds"], term["log_odds"], places=4)
        self.assertIn("probability of the link", self.ok("explain", "m.lac", "e1,r1,e2"))

    def test_of_near_parts(self):
        self.preset = ()
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", "tr-mm", "--parts", "mode3|mode1~3,mode2~3;mode2|mode1~2",
                "--rank", "2", "--lambda", "1", "--quiet")
        values = self.predicted()
        cell = self.held[0]
        for by in ("fibers", "components"):
            self.check(self.ok_json("explain", "m.lac", ",".join(str(i + 1) for i in cell), "--by", by), values[cell])


class Asked(Explained):
    def test_words_a_row_a_file_and_a_stream_are_the_same(self):
        self.fit("tr-mm")
        answer = self.ok("explain", "m.lac", "mode1=3", "mode3=2", "mode2=7")
        self.assertTrue(answer.startswith("mode1=3 mode2=7 mode3=2: "), answer)
        self.assertEqual(self.ok("explain", "m.lac", "3,7,2"), answer)
        self.write("cells.csv", "mode3,mode1,mode2\n2,3,7\n2,3,7\n")
        self.assertEqual(self.ok("explain", "m.lac", "cells.csv"), answer + "\n" + answer)
        self.assertEqual(self.ok("explain", "m.lac", "3,7,2", "--threads", "1"), answer)
        self.assertEqual(self.ok("explain", "m.lac", "3,7,2", "-o", "answer.txt"), "")
        self.assertEqual(self.path("answer.txt").read_text(), answer)
        streamed = subprocess.run([LACUNA, "explain", "m.lac", "-"], cwd=self.folder, input="3 7 2\n", text=True,
                                  capture_output=True, check=True)
        self.assertEqual(streamed.stdout, answer)

    def test_count_interval_and_clip(self):
        self.fit("tr-mm", "--intervals")
        answer = self.ok_json("explain", "m.lac", "3,7,2", "-k", "1")
        self.assertLess(answer["low"], answer["value"])
        self.assertLess(answer["value"], answer["high"])
        for term in answer["terms"]:
            self.assertLessEqual(len(term.get("entries", ())), 1)
        self.assertIn("with probability 0.5", self.ok("explain", "m.lac", "3,7,2", "--interval", "0.5"))
        self.assertNotIn("low", self.ok_json("explain", "m.lac", "3,7,2", "--interval", "0"))
        high = answer["value"] + 1
        clipped = self.ok_json("explain", "m.lac", "3,7,2", "--clip", f"{high},{high + 1}")
        self.assertEqual(clipped["value"], high)
        self.assertAlmostEqual(clipped["clip"], 1)
        self.assertIn("clip: ", self.ok("explain", "m.lac", "3,7,2", "--clip", f"{high},{high + 1}"))

    def test_cells_that_nothing_is_known_of(self):
        self.fit("als")
        answer = self.ok_json("explain", "m.lac", "mode1=*", "mode2=7", "mode3=2")
        self.assertIsNone(answer["cell"]["mode1"])
        self.assertFalse(any(term["known"] for term in answer["terms"] if term["kind"] == "part"))

    def test_nonsense_is_refused(self):
        self.fit("offsets")
        for words, message in ((("mode9=1", "mode1=1"), "expected a mode"), (("77,1,1",), "1 to 12"),
                               (("mode1=1", "mode2=2"), "no position of mode mode3"), (("1,2",), "no position of mode mode3"),
                               (("1,2,?",), "no position of mode mode3"), (("1,2,3,4",), "at most 3"),
                               (("mode1=1", "mode1=2"), "twice"), (("1,2,3", "-k", "-1"), "--count"),
                               (("1,2,3", "--by", "row"), "--by: found 'row', expected fibers, rows, components; did you mean rows?"), (("1,2,3", "--interval", "0.9"), "--intervals"),
                               ((), "cell")):
            self.assertIn(message, self.fails(2, "explain", "m.lac", *words, "-o", "x.txt"), words)
        self.write("bad.txt", "3 1 2\n3 1 99\n")
        self.assertIn("bad.txt:2:5", self.fails(3, "explain", "m.lac", "bad.txt", "-o", "x.txt"))
        self.write("short.txt", "3 1\n")
        self.assertIn("short.txt:1", self.fails(3, "explain", "m.lac", "short.txt", "-o", "x.txt"))
        self.assertIn("none.txt", self.fails(3, "explain", "m.lac", "none.txt", "-o", "x.txt"))
        self.assertIn("train.tns", self.fails(3, "explain", "train.tns", "1,1,1"))
        self.assertIn("would be lost", self.fails(2, "explain", "m.lac", "1,1,1", "-o", "m.lac"))
        self.fails(6, "explain", "m.lac", "1,1,1", "-o", "no/such/x.txt")
        self.assertFalse(self.path("x.txt").exists())


if __name__ == "__main__":
    unittest.main()
