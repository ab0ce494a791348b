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

    def test_what_has_no_new_entries_stays_in_models_that_guess(self):
        kinds = (("--method", "tr-mm", "--preset", "paper", "--rank", "2", "--lambda", "10"),
                 ("--method", "tr-mm", "--parts", "user|item ; item|user", "--rank", "4", "--lambda", "1", "--offsets", "none"),
                 ("--method", "als", "--parts", "user|item", "--rank", "3", "--offsets", "none"),
                 ("--method", "bayescp", "--rank", "4"))
        self.write("one.csv", "user,item,week,stars\nu1,i3,w77,4\n")
        untouched = [(u, i, w) for u in (0, 2, 55, 107, 999) for i in (0, 4, 39, 888) for w in (0, 3, 66)]
        for kind in kinds:
            self.fitted(*kind, "--quiet")
            self.ok("update", "m.lac", "one.csv", "-o", "m2.lac")
            for before, after in zip(self.predicted("m.lac", untouched), self.predicted("m2.lac", untouched)):
                self.assertLessEqual(abs(after - before), 1e-12 * max(1.0, abs(before)), kind)

    def test_values_beyond_the_range_of_before_are_told_of(self):
        self.fitted(*self.fit, "--clip", "auto")
        low, high = min(self.value[c] for c in self.base), max(self.value[c] for c in self.base)
        self.write("in.csv", "user,item,week,stars\nu1,i3,w77,4\n")
        self.assertNotIn("kept to", self.ok("update", "m.lac", "in.csv", "-o", "m2.lac"))
        self.write("out.csv", "user,item,week,stars\nu1,i3,w77,30\n")
        said = self.ok("update", "m.lac", "out.csv", "-o", "m2.lac")
        self.assertIn(f"values from {low:.6g} to 30, the model had {low:.6g} to {high:.6g}: predictions of all cells are kept to", said)
        found = self.ok_json("update", "m.lac", "out.csv", "-o", "m2.lac")
        self.assertEqual((found["range"], found["range_before"]), ([low, 30.0], [low, high]))
        untouched = [(u, i, 3) for u in range(0, 108, 5) for i in range(4, ITEMS)]
        for before, after in zip(self.predicted("m.lac", untouched), self.predicted("m2.lac", untouched)):
            if low < before < high:  # what was cut may go on, all else stays
                self.assertEqual(after, before)

    def test_columns_that_are_mixed_up_are_refused(self):
        self.fitted()
        self.write("swapped.csv", "i3,u1,w0,4\n")
        message = self.fails(3, "update", "m.lac", "swapped.csv", "-o", "m2.lac")
        self.assertIn("found 'i3', a label of mode item, and no label that is known of mode user", message)
        self.write("named.csv", "user,item,week,stars\ni3,u1,w0,4\ni4,u999,w0,4\n")
        self.assertIn("--columns says which", self.fails(3, "update", "m.lac", "named.csv", "-o", "m2.lac"))
        self.write("fine.csv", "user,item,week,stars\ni3,i4,w0,4\nu1,i5,w77,4\n")  # a user may be called i3
        self.ok("update", "m.lac", "fine.csv", "-o", "m2.lac")

    def test_labels_that_are_nearly_known_are_noted(self):
        self.fitted()
        self.write("nearly.csv", "user,item,week,stars\nU1,i3,w77,4\nu2 ,i3,w77,4\nu777,i3,w77,4\n")
        done = self.run_lacuna("update", "m.lac", "nearly.csv", "-o", "m2.lac")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: the new label 'U1' of mode user differs from 'u1' in case or blanks alone", done.stderr)
        self.assertNotIn("u777", done.stderr)

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
        self.assertIn("--refit fits it again", self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac"))
        self.ok("update", "m.lac", "new.csv", "-o", "m2.lac", "--refit")
        self.ok("fit", self.table("all.csv", self.base + self.new), "-o", "full.lac", *near)
        # Values are told from what the fit leaves, and both stop at a tolerance.
        self.assertLess(abs(math.log(self.error("m2.lac") / self.error("full.lac"))), 0.01)
        self.assertLess(self.error("m2.lac"), 0.9 * self.error("m.lac"))
        self.write("late.csv", "user,item,week,stars\nu1,i1,w77,4\n")
        self.assertIn("mode week", self.fails(3, "update", "m.lac", "late.csv", "-o", "m3.lac", "--refit"))

    def test_every_kind_of_model_is_fitted_again_from_the_entries_it_keeps(self):
        for method in ("tr-ls", "ffw", "rprecon", "bayescp", "halrtc", "offsets"):
            flags = ["--method", method, "--quiet"]
            flags += ["--rank", "2", "--max-iterations", "20"] if method in ("tr-ls", "rprecon", "bayescp") else []
            self.fitted(*flags)
            if method != "bayescp":
                self.assertIn("--refit fits it again", self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac"), method)
            about = self.ok_json("info", "m.lac")
            self.assertEqual((about["updates"], about["keeps_entries"]), (method == "bayescp", True))
            self.ok("update", "m.lac", "new.csv", "-o", "m2.lac", "--refit")
            self.ok("fit", self.table("all.csv", self.base + self.new), "-o", "full.lac", *flags)
            # Lambda is chosen anew by a fit, and kept by a refit.
            self.assertLess(abs(math.log(self.error("m2.lac") / self.error("full.lac"))), 0.3 if method == "tr-ls" else 0.02, method)
            self.ok("update", "m2.lac", self.table("rest.csv", self.rest), "-o", "m3.lac", "--refit")  # it keeps them, too

    def test_a_table_of_nearly_every_cell_keeps_no_entries(self):
        cells = [(i, j, k) for i in range(6) for j in range(5) for k in range(2) if (i + j + k) % 6]
        self.write("full.tns", "".join(f"{i + 1} {j + 1} {k + 1} {value(i, j, k)}\n" for i, j, k in cells))
        self.ok("fit", "full.tns", "-o", "m.lac", "--method", "halrtc", "--quiet")
        self.write("one.tns", "1 1 1 3\n")
        message = self.fails(3, "update", "m.lac", "one.tns", "-o", "m2.lac", "--refit")
        self.assertIn("does not keep the entries it was fitted on; fit again from a file of all entries", message)

    def test_new_users_of_bayescp(self):
        self.check_new_users("--method", "bayescp", "--rank", "6", "--quiet")

    def test_models_leave_out_of_lists_what_they_were_fitted_on(self):
        user, week = self.base[0][0], self.base[0][2]
        known = {f"i{i}" for u, i, w in self.base if (u, w) == (user, week)}
        for method in ("bayescp", "rprecon", "halrtc"):
            self.fitted("--method", method, *(() if method == "halrtc" else ("--rank", "2")), "--quiet")
            listed = self.ok_json("top", "m.lac", f"user=u{user}", f"week=w{week}", "-k", str(ITEMS))
            found = {one["item"] for one in listed["top"]}
            self.assertEqual((found & known, len(found)), (set(), ITEMS - len(known)), method)

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
        self.fitted("--method", "rprecon", "--rank", "2", "--quiet")
        message = self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac")
        self.assertIn("a model of rprecon cannot be updated without fitting again", message)
        self.assertIn("--refit fits it again from the entries it keeps and the new ones", message)
        self.write("where.txt", "".join(f"w{w} {w}\n" for w in range(WEEKS)))
        self.fitted("--method", "tr-mm", "--parts", "user|week~2", "--rank", "2", "--lambda", "1", "--quiet",
                    "--coordinates", "week=where.txt")
        self.assertIn("near", self.fails(3, "update", "m.lac", "new.csv", "-o", "m2.lac"))
        self.fitted()
        self.write("other.csv", "user,film,stars\nu1,i1,4\n")
        self.assertIn("other.csv", self.fails(3, "update", "m.lac", "other.csv", "-o", "m2.lac"))
        self.write("empty.csv", "user,item,week,stars\nu1,i1,w0,\n")
        self.assertIn("empty.csv", self.fails(3, "update", "m.lac", "empty.csv", "-o", "m2.lac"))
        self.assertIn("--held-out: found '2', expected a share from 0 to 0.9",
                      self.fails(2, "update", "m.lac", "new.csv", "-o", "m2.lac", "--held-out", "2"))
        self.assertIn("would be lost", self.fails(2, "update", "m.lac", "new.csv", "-o", "m.lac"))
        self.assertFalse(self.path("m2.lac").exists())


if __name__ == "__main__":
    unittest.main()
