# SPDX-License-Identifier: MIT
"""Links as a user meets them: a file of facts, nothing said, a model that ranks; probabilities and their reliability."""
import random
import unittest

from support import CliTest

PEOPLE, GROUPS = 24, 4
RELATIONS = ("knows", "likes", "pays")


def facts():
    """Whoever is of one group is linked to all of another one, which the relation says."""
    names = [f"p{i:02}" for i in range(PEOPLE)]
    return [
        (names[h], RELATIONS[r], names[t])
        for r in range(len(RELATIONS))
        for h in range(PEOPLE)
        for t in range(PEOPLE)
        if t % GROUPS == (h + r + 1) % GROUPS
    ]


class LinksTest(CliTest):
    preset = ()

    def setUp(self):
        super().setUp()
        dice = random.Random(4)
        self.train, self.test = [], []
        for fact in facts():
            (self.test if dice.random() < 0.15 else self.train).append(fact)
        for name, lines in (("train.tsv", self.train), ("test.tsv", self.test)):
            self.write(name, "".join("\t".join(fact) + "\n" for fact in lines))

    def ranking(self, model):
        return self.ok_json("evaluate", model, "test.tsv", "--ranking", "head,tail", "--filter", "train.tsv")

    def test_nothing_said_on_facts(self):
        done = self.run_lacuna("fit", "train.tsv", "-o", "m.lac", "--test", "test.tsv", "--json", "--effort", "low")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("head and tail are one set", done.stderr)
        self.assertIn(f"{len(self.train)} facts", done.stderr)
        self.assertIn("held-out MRR", done.stderr)
        self.assertIn("complex, rank", done.stderr)
        found = self.ranking("m.lac")
        self.assertEqual(found["queries"], 2 * len(self.test))
        self.assertGreater(found["mrr"], 0.9)

    def test_the_fit_says_what_rankings_to_expect(self):
        report = self.ok_json("fit", "train.tsv", "-o", "m.lac", "--method", "complex", "--rank", "8", "--test", "test.tsv",
                              "--report", "page.html")
        self.assertGreater(report["held_out_mrr"], 0.6)
        self.assertAlmostEqual(report["test_mrr"], self.ranking("m.lac")["mrr"], places=9)
        kept = self.ok_json("info", "m.lac")["settings"]["run"]
        self.assertEqual((kept["held_out_mrr"], kept["history"]["test_mrr"][-1]), (report["held_out_mrr"], report["test_mrr"]))
        page = self.path("page.html").read_text()
        self.assertIn(f"a filtered MRR of about {report['held_out_mrr']:.4f}", page)
        self.assertIn(f'"test MRR":"{report["test_mrr"]:.4f}, filtered"', page)
        self.assertNotIn("an RMSE of about", page)  # over ones alone
        self.assertNotIn('"test RMSE"', page)
        self.assertIn("filtered MRR of about", self.ok("fit", "train.tsv", "-o", "m.lac", "--method", "complex", "--rank", "8"))
        held = f"{PEOPLE} entities and {len(RELATIONS)} relations of 8 complex numbers each"
        self.assertIn(held, self.ok("info", "m.lac"))

    def test_a_file_of_facts_is_told_to_be_ranked(self):
        self.ok("fit", "train.tsv", "-o", "m.lac", "--method", "complex", "--rank", "2", "--max-iterations", "2")
        self.assertIn("; facts are ranked: --ranking head,tail", self.fails(3, "evaluate", "m.lac", "test.tsv"))

    def test_complete_tells_how_likely_each_other_cell_is(self):
        done = self.run_lacuna("complete", "train.tsv", "-o", "whole.tsv", "--model", "m.lac", "--method", "complex", "--rank", "8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{len(self.train)} facts", done.stderr)
        rows = [line.split("\t") for line in self.path("whole.tsv").read_text().splitlines()]
        self.assertEqual(len(rows), PEOPLE * len(RELATIONS) * PEOPLE)
        likely = {tuple(row[:3]): float(row[3]) for row in rows}
        self.assertEqual({likely[fact] for fact in self.train}, {1.0})
        true, false = set(facts()), [p for cell, p in likely.items() if cell not in set(facts())]
        self.assertGreater(sum(likely[fact] for fact in self.test) / len(self.test), 0.5)
        self.assertLess(sum(false) / len(false), 0.2)
        self.assertGreater(self.ranking("m.lac")["mrr"], 0.6)
        self.assertEqual(len(true), len(self.train) + len(self.test))

    def test_complete_writes_values_also_where_all_are_1(self):
        self.write("named.csv", "who,does,whom\na,likes,b\nb,likes,c\nc,pays,a\n")
        self.ok("complete", "named.csv", "-o", "whole.csv", "--header", "yes", "--method", "mean", "--negatives", "0", "--quiet")
        lines = self.path("whole.csv").read_text().splitlines()
        self.assertEqual(lines[:2], ["who,does,whom,value", "a,likes,b,1"])
        self.assertTrue(all(line.count(",") == 3 for line in lines))

    def test_the_logistic_loss_needs_nothing_else(self):
        report = self.ok_json("fit", "train.tsv", "-o", "m.lac", "--loss", "logistic", "--rank", "8", "--penalty", "0.005")
        self.assertEqual(report["method"], "complex")
        self.assertGreater(self.ranking("m.lac")["mrr"], 0.9)
        said = self.fails(2, "fit", "train.tsv", "-o", "m.lac", "--loss", "logistic", "--rank", "8", "--negatives", "0")
        self.assertIn("let negatives be drawn", said)

    def test_zeros_are_drawn_for_methods_that_learn_from_values(self):
        flags = ("fit", "train.tsv", "--method", "als", "--rank", "6", "--parts", "full", "--offsets", "mean")
        self.ok(*flags, "-o", "drawn.lac")
        self.ok(*flags, "-o", "told.lac", "--negatives", "5", "--corrupt", "head,tail")
        self.ok(*flags, "-o", "ones.lac", "--negatives", "0")
        for model in ("drawn.lac", "told.lac"):
            self.assertGreater(self.ranking(model)["mrr"], 2 * self.ranking("ones.lac")["mrr"])

    def test_ones_in_a_sparse_file_are_facts_and_an_array_of_ones_is_not(self):
        people = {name: i + 1 for i, name in enumerate(sorted({fact[0] for fact in facts()}))}
        few = [fact for fact in self.train if fact[1] == "knows"][::2]
        self.write("few.tns", "".join(f"{people[h]} 1 {people[t]} 1\n" for h, _, t in few) + "200 3 200 1\n")
        done = self.run_lacuna("fit", "few.tns", "-o", "m.lac", "--effort", "low")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("facts", done.stderr)
        self.write("full.tns", "".join(f"{i} {j} {k} 1\n" for i in (1, 2, 3) for j in (1, 2, 3) for k in (1, 2)))
        done = self.run_lacuna("fit", "full.tns", "-o", "m.lac", "--effort", "low")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("facts", done.stderr)

    def test_reliability(self):
        dice = random.Random(5)
        names = sorted({fact[0] for fact in facts()})
        true = set(facts())
        lines = []
        for fact in self.test:
            other = (dice.choice(names), fact[1], fact[2])
            lines += [(*fact, "1")] + ([(*other, "0")] if other not in true else [])
        self.write("both.tsv", "head\trelation\ttail\tvalue\n" + "".join("\t".join(line) + "\n" for line in lines))
        self.ok("fit", "train.tsv", "-o", "m.lac", "--method", "complex", "--rank", "8", "--penalty", "0.02")
        table = self.ok_json("evaluate", "m.lac", "both.tsv", "--reliability", "5")["reliability"]
        self.assertEqual(len(table["bins"]), 5)
        self.assertEqual(sum(row["cells"] for row in table["bins"]), len(lines))
        for row in table["bins"]:
            self.assertTrue(row["cells"] == 0 or row["low"] <= row["predicted"] <= row["high"])
        self.assertLess(table["error"], 0.15)
        self.assertIn("mean difference", self.ok("evaluate", "m.lac", "both.tsv", "--reliability", "5"))
        self.write("half.tsv", "head\trelation\ttail\tvalue\np01\tknows\tp02\t0.5\n")
        self.assertIn("0 or 1", self.fails(2, "evaluate", "m.lac", "half.tsv", "--reliability", "5"))

    def test_same(self):
        self.write("mixed.tsv", "".join(f"{h}\t{r}\tx{t}\n" for h, r, t in self.train))
        done = self.run_lacuna("fit", "mixed.tsv", "-o", "m.lac", "--method", "complex", "--rank", "4", "--penalty", "0.02")
        self.assertNotIn("one set", done.stderr)
        info = self.ok_json("fit", "train.tsv", "-o", "m.lac", "--method", "complex", "--rank", "4", "--penalty", "0.02",
                            "--same", "none")
        self.assertEqual(info["shape"], [PEOPLE, len(RELATIONS), PEOPLE])
        said = self.fails(2, "fit", "train.tsv", "-o", "m.lac", "--same", "head,nobody")
        self.assertIn("nobody", said)


if __name__ == "__main__":
    unittest.main()
