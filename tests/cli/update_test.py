# SPDX-License-Identifier: MIT
"""New entries for a model: as good as fitting again, what is not touched stays, contradictions are refused."""
import csv
import math
import random
import unittest

from support import CliTest

USERS, ITEMS, WEEKS = 120, 40, 6


def value(user, item, week):
    return (3 + 0.8 * math.sin(user) + 0.6 * math.cos(2 * item) + math.sin(1.7 * user) * math.cos(0.9 * item)
            + 0.7 * math.cos(2.3 * user) * math.sin(1.3 * item) + 0.1 * week)


class Updates(CliTest):
    preset = ()
    fit = ("--method", "als", "--parts", "user|item", "--rank", "3", "--quiet")

    def setUp(self):
        super().setUp()
        noise = random.Random(5)
        lines = [(u, i, noise.randrange(WEEKS)) for u in range(USERS) for i in range(ITEMS) if noise.random() < 0.5]
        noise.shuffle(lines)
        self.value = {c: value(*c) + noise.gauss(0, 0.1) for c in lines}
        self.base = [c for c in lines if c[0] < 108]
        late = [c for c in lines if c[0] >= 108]
        self.new, self.rest = late[: len(late) // 2], late[len(late) // 2:]

    def table(self, name, cells, values=True):
        head = "user,item,week,stars\n" if values else "user,item,week\n"
        return self.write(name, head + "".join(
            f"u{u},i{i},w{w}" + (f",{self.value[u, i, w]}" if values else "") + "\n" for u, i, w in cells))

    def predicted(self, model, cells):
        self.table("cells.csv", cells, values=False)
        self.ok("predict", model, "cells.csv", "-o", "out.csv", "--quiet")
        with open(self.path("out.csv"), newline="") as file:
            return [float(row["value"]) for row in csv.DictReader(file)]

    def error(self, model):
        self.table("rest.csv", self.rest)
        return self.ok_json("evaluate", model, "rest.csv")["rmse"]

    def fitted(self, *flags):
        self.ok("fit", self.table("base.csv", self.base), "-o", "m.lac", *(flags or self.fit))
        self.table("new.csv", self.new)

    def check_new_users(self, *flags):
        self.fitted(*flags)
        found = self.ok_json("update", "m.lac", "new.csv", "-o", "m2.lac")
        self.assertEqual((found["entries"], found["added"]), (len(self.new), {"user": 12, "item": 0, "week": 0}))
        self.ok("fit", self.table("all.csv", self.base + self.new), "-o", "full.lac", *(flags or self.fit))
        updated, refitted = self.error("m2.lac"), self.error("full.lac")
        self.assertLess(updated, 1.2 * refitted)  # 12 users of ten ratings each: the spread of such a ratio
        self.assertLess(updated, 0.5 * self.error("m.lac"))
        self.assertLess(abs(math.log(found["held_out_rmse"] / updated)), 0.4)  # it says what to expect

    def test_new_users_of_als(self):
        self.check_new_users()

    def test_new_users_of_tr_mm(self):
        self.check_new_users("--method", "tr-mm", "--parts", "user|item ; item|user", "--rank", "4", "--lambda", "1",
                             "--offsets", "user,item", "--quiet")

    def test_new_entries_of_known_users_help_them(self):
        known = sorted(c for c in self.base if c[0] < 12)
        of_user = [[c for c in known if c[0] == u] for u in range(12)]
        self.base = [c for c in self.base if c[0] >= 12] + [c for cells in of_user for c in cells[:2]]
        self.new = [c for cells in of_user for c in cells[2:-4]]
        self.rest = [c for cells in of_user for c in cells[-4:]]
        self.fitted()
        found = self.ok_json("update", "m.lac", "new.csv", "-o", "m2.lac")
        self.assertEqual(found["added"], {"user": 0, "item": 0, "week": 0})
        self.assertGreater(found["moved"], 0)
        self.assertLess(self.error("m2.lac"), 0.7 * self.error("m.lac"))

    def test_what_has_no_new_entries_stays_bit_for_bit(self):
        self.new = [c for c in self.new if c[1] < 10]  # items 10 and up have no new entry
        self.fitted()
        self.ok("update", "m.lac", "new.csv", "-o", "m2.lac")
        untouched = [(u, i, 7) for u in range(0, 108, 5) for i in range(10, ITEMS)]  # a week nobody knows
        self.assertEqual(self.predicted("m.lac", untouched), self.predicted("m2.lac", untouched))

    def test_what_has_no_new_entries_stays_up_to_rounding_in_dual_form(self):
        self.new = [c for c in self.new if c[1] < 10]
        self.fitted("--method", "tr-mm", "--parts", "user|item ; item|user", "--rank", "4", "--lambda", "1", "--offsets",
                    "user,item", "--quiet")
        self.ok("update", "m.lac", "new.csv", "-o", "m2.lac")
        untouched = [(u, i, 7) for u in range(0, 108, 5) for i in range(10, ITEMS)]
        for before, after in zip(self.predicted("m.lac", untouched), self.predicted("m2.lac", untouched)):
            self.assertLessEqual(abs(after - before), 1e-12 * max(1.0, abs(before)))  # the bound that docs/update.md states

    def test_updates_follow_each_other(self):
        self.fitted()
        half = len(self.new) // 2
        self.table("a.csv", self.new[:half])
        self.table("b.csv", self.new[half:])
        self.ok("update", "m.lac", "a.csv", "-o", "m1.lac")
        self.ok("update", "m1.lac", "b.csv", "-o", "m2.lac")
        self.ok("update", "m.lac", "new.csv", "-o", "once.lac")
        self.assertLess(self.error("m2.lac"), 1.2 * self.error("once.lac"))

    def test_refit_is_the_fit_of_all_entries(self):
        self.fitted()
        self.ok("update", "m.lac", "new.csv", "-o", "again.lac", "--refit")
        self.ok("update", "m.lac", "new.csv", "-o", "m2.lac")
        self.assertLess(self.error("again.lac"), 1.05 * self.error("m2.lac"))
        self.ok("fit", self.table("all.csv", self.base + self.new), "-o", "full.lac", *self.fit)
        self.assertLess(self.error("again.lac"), 1.05 * self.error("full.lac"))  # from the updated factors, in a fifth of the steps
        steps = self.ok_json("info", "m.lac")["settings"]["max_iterations"]
        self.assertEqual(self.ok_json("info", "again.lac")["settings"]["max_iterations"], steps)
        self.assertNotEqual(self.predicted("again.lac", self.rest), self.predicted("m2.lac", self.rest))

    def test_refit_goes_along_the_path_of_the_fit(self):
        self.fitted("--method", "tr-mm", "--parts", "user|item", "--rank", "2", "--lambda", "100", "--offsets", "user,item",
                    "--path", "2", "--max-iterations", "5", "--quiet")
        self.ok("update", "m.lac", "new.csv", "-o", "again.lac", "--refit")
        for name in ("m.lac", "again.lac"):
            self.assertEqual(self.ok_json("info", name)["settings"]["path"], [0.01, 0.1, 1])

    def test_refit_of_a_certified_rank_certifies_nothing(self):
        certified = ("--method", "tr-mm", "--parts", "full", "--rank", "certified", "--gap", "0.5", "--lambda", "0.1", "--offsets", "mean")
        self.fitted(*certified)
        self.assertEqual(self.ok_json("info", "m.lac")["settings"]["gap"], 0.5)
        self.ok("update", "m.lac", "new.csv", "-o", "again.lac", "--refit")
        self.assertNotIn("gap", self.ok_json("info", "again.lac")["settings"])

    def test_refit_of_near_parts_is_the_fit_of_all_entries(self):
        self.write("where.txt", "".join(f"w{w} {w}\n" for w in range(WEEKS)))
        near = ("--method", "tr-mm", "--parts", "user|week~2", "--rank", "2", "--lambda", "1", "--offsets", "user,item", "--quiet",
                "--coordinates", "week=where.txt", "--max-iterations", "100", "--tolerance", "1e-6")
        self.fitted(*near)
        self.assertIn("--refit does that", self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac"))
        self.ok("update", "m.lac", "new.csv", "-o", "m2.lac", "--refit")
        self.ok("fit", self.table("all.csv", self.base + self.new), "-o", "full.lac", *near)
        # Values are told from what the fit leaves, and both stop at a tolerance.
        self.assertLess(abs(math.log(self.error("m2.lac") / self.error("full.lac"))), 0.01)
        self.assertLess(self.error("m2.lac"), 0.9 * self.error("m.lac"))
        self.write("late.csv", "user,item,week,stars\nu1,i1,w77,4\n")
        self.assertIn("mode week", self.fails(3, "update", "m.lac", "late.csv", "-o", "m3.lac", "--refit"))

    def test_what_keeps_no_entries_cannot_be_refitted(self):
        self.fitted("--method", "bayescp", "--rank", "2", "--quiet")
        self.assertIn("does not keep the entries", self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac", "--refit"))

    def test_entries_that_were_fitted_on(self):
        self.fitted()
        cell = self.base[0]
        self.value[cell] = 30.0
        self.table("twice.csv", [cell])
        message = self.fails(3, "update", "m.lac", "twice.csv", "-o", "m2.lac")
        self.assertIn("--duplicates last", message)
        self.assertIn("twice.csv:2", message)
        self.assertIn("the model was fitted on cell", message)
        self.ok("update", "m.lac", "twice.csv", "-o", "m2.lac", "--duplicates", "last")
        self.assertIn(f"fitted to {len(self.base):,} entries", self.ok("info", "m2.lac"))

    def test_cells_that_are_listed_twice(self):
        self.fitted()
        one, two = self.new[:2]
        self.table("twice.csv", [one, two, one])
        for flags in ((), ("--refit",)):
            message = self.fails(3, "update", "m.lac", "twice.csv", "-o", "m2.lac", *flags)
            self.assertIn("twice.csv:4: cell ", message)
            self.assertIn("first at twice.csv:2", message)
            self.assertNotIn("fitted on", message)
        rows = self.path("twice.csv").read_text().splitlines()
        self.write("gap.csv", "\n".join([rows[0], "u1,i1,w0,", *rows[1:]]) + "\n")  # lines without a value count, too
        message = self.fails(3, "update", "m.lac", "gap.csv", "-o", "m2.lac")
        self.assertIn("gap.csv:5: cell ", message)
        self.assertIn("first at gap.csv:3", message)

    def test_too_few_entries_to_judge_by_are_said_to_be(self):
        self.fitted()
        said = "too few new entries to hold some out"
        self.table("few.csv", self.new[:20])  # of which a fifth is 4
        self.assertIn(said, self.ok("update", "m.lac", "few.csv", "-o", "m2.lac"))
        self.assertNotIn(said, self.ok("update", "m.lac", "few.csv", "-o", "m2.lac", "--held-out", "0"))
        told = self.ok("update", "m.lac", "new.csv", "-o", "m2.lac", "--held-out", "0.5")
        self.assertNotIn(said, told)
        self.assertIn("RMSE", told)

    def test_headers_that_contradict_the_modes_are_refused(self):
        self.fitted()
        rows = [(f"u{u}", f"i{i}", f"w{w}", self.value[u, i, w]) for u, i, w in self.new]
        swapped = "".join(f"{i},{u},{w},{v}\n" for u, i, w, v in rows)
        self.write("swapped.csv", "item,usr,week,stars\n" + swapped)
        message = self.fails(3, "update", "m.lac", "swapped.csv", "-o", "m2.lac")
        self.assertIn("found the header 'item, usr, week, stars' without 'user'", message)
        self.assertIn("does 'usr' stand for 'user'?", message)
        self.write("foreign.csv", "b,a,c,d\n" + swapped)
        self.assertIn("expected the names of all modes, user, item, week", self.fails(3, "update", "m.lac", "foreign.csv", "-o", "m2.lac"))
        self.assertFalse(self.path("m2.lac").exists())
        self.ok("update", "m.lac", "foreign.csv", "-o", "told.lac", "--columns", "a,b,c", "--quiet")
        self.ok("update", "m.lac", "new.csv", "-o", "m2.lac", "--quiet")
        self.assertEqual(self.path("told.lac").read_bytes(), self.path("m2.lac").read_bytes())
        self.write("lacking.csv", "user,item,stars\nu1,i1,4\n")
        for verb in (("predict", "m.lac", "lacking.csv", "-o", "out.csv"), ("evaluate", "m.lac", "lacking.csv"),
                     ("update", "m.lac", "lacking.csv", "-o", "m3.lac")):
            self.assertIn("found the header 'user, item, stars' without 'week'", self.fails(3, *verb))

    def test_what_cannot_be_updated_says_why(self):
        self.fitted("--method", "bayescp", "--rank", "2", "--quiet")
        message = self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac")
        self.assertIn("one of bayescp", message)
        self.assertIn("`lacuna fit --method als` gives a model that can be updated", message)
        self.write("where.txt", "".join(f"w{w} {w}\n" for w in range(WEEKS)))
        self.fitted("--method", "tr-mm", "--parts", "user|week~2", "--rank", "2", "--lambda", "1", "--quiet",
                    "--coordinates", "week=where.txt")
        self.assertIn("near", self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac"))
        self.fitted()
        self.write("other.csv", "user,film,stars\nu1,i1,4\n")
        self.assertIn("other.csv", self.fails(3, "update", "m.lac", "other.csv", "-o", "m2.lac"))
        self.write("empty.csv", "user,item,week,stars\nu1,i1,w0,\n")
        self.assertIn("empty.csv", self.fails(3, "update", "m.lac", "empty.csv", "-o", "m2.lac"))
        self.assertIn("would be lost", self.fails(2, "update", "m.lac", "new.csv", "-o", "m.lac"))
        self.assertFalse(self.path("m2.lac").exists())


if __name__ == "__main__":
    unittest.main()
