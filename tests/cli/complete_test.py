# SPDX-License-Identifier: MIT
"""complete: holes are filled, what was there stays as it was."""
import math
import unittest

from support import CliTest, cells, read_npy, read_tns, rmse, sample, tns, truth, write_npy, write_png

SHAPE = (12, 10, 6)
FIT = ("--rank", "4", "--lambda", "1000")


class Arrays(CliTest):
    def setUp(self):
        super().setUp()
        kept = set(sample(0.6)[0])
        self.values = [truth(*cell) if cell in kept else math.nan for cell in cells()]
        write_npy(self.path("holes.npy"), SHAPE, self.values)

    def test_holes_are_filled_and_observed_cells_kept_bit_for_bit(self):
        told = self.ok_json("complete", "holes.npy", "-o", "whole.npy", *FIT)
        header, whole = read_npy(self.path("whole.npy"))
        self.assertEqual((header["descr"], header["shape"]), ("<f8", SHAPE))
        self.assertEqual(told["filled"], sum(map(math.isnan, self.values)))
        self.assertFalse(any(map(math.isnan, whole)))
        for was, now in zip(self.values, whole):
            if not math.isnan(was):
                self.assertEqual(was, now)
        lost = [(now, truth(*c)) for c, was, now in zip(cells(), self.values, whole) if math.isnan(was)]
        self.assertLess(rmse(lost), 0.1)

    def test_denoise_replaces_observed_cells_too(self):
        self.ok("complete", "holes.npy", "-o", "whole.npy", "--denoise", "--rank", "2", "--lambda", "0.1")
        _, whole = read_npy(self.path("whole.npy"))
        changed = sum(was != now for was, now in zip(self.values, whole) if not math.isnan(was))
        self.assertGreater(changed, len(self.values) // 2)

    def test_says_what_to_expect_and_how_long_it_took(self):
        said = self.ok("complete", "holes.npy", "-o", "whole.npy", "--effort", "low")
        self.assertRegex(said, r"on unseen cells expect an RMSE of about [0-9.e-]+; choosing took [0-9.]+ s, fitting [0-9.]+ s")
        write_npy(self.path("bits.npy"), SHAPE, [v if math.isnan(v) else float(v > 3.0) for v in self.values])
        told = self.ok_json("complete", "bits.npy", "-o", "whole.npy", "--effort", "low")
        self.assertGreater(told["held_out_auc"], 0.5)
        self.assertIsNone(told["held_out_mrr"])

    def test_no_number_need_be_given(self):
        told = self.ok_json("complete", "holes.npy", "-o", "whole.npy")
        _, whole = read_npy(self.path("whole.npy"))
        lost = [(now, truth(*c)) for c, was, now in zip(cells(), self.values, whole) if math.isnan(was)]
        self.assertEqual(told["filled"], len(lost))
        self.assertLess(rmse(lost), 0.05)

    def test_the_applications_of_the_operator_are_told(self):
        paper = ("--preset", "paper", *FIT)
        told = self.ok_json("complete", "holes.npy", "-o", "whole.npy", *paper)
        self.assertGreater(told["operator_applications"], 0)
        self.assertEqual(told["choosing_applications"], 0)
        said = f"{told['operator_applications']:,} applications of the operator\n"
        self.assertTrue(self.ok("complete", "holes.npy", "-o", "whole.npy", "-v", *paper).endswith(said))
        self.assertIn(said, self.ok("fit", "holes.npy", "-o", "m.lac", "-v", *FIT))
        self.assertNotIn("applications", self.ok("fit", "holes.npy", "-o", "m.lac", *FIT))
        self.assertRegex(self.ok("complete", "holes.npy", "-o", "whole.npy", "-v"), r"\d applications of the operator to fit, [\d,]+ to choose\n")

    def test_json_is_of_one_shape(self):
        told = self.ok_json("complete", "holes.npy", "-o", "whole.npy", *FIT)
        nothing = self.ok_json("complete", "whole.npy", "-o", "again.npy", *FIT)
        self.assertEqual(list(nothing), list(told))
        self.assertEqual((nothing["filled"], nothing["held_out_rmse"], nothing["seconds"]), (0, None, 0.0))

    def test_model_may_be_kept(self):
        self.ok("complete", "holes.npy", "-o", "whole.npy", "--model", "m.lac", *FIT)
        self.assertEqual(self.ok_json("info", "m.lac")["shape"], list(SHAPE))
        self.assert_only("holes.npy", "whole.npy", "m.lac")

    def test_not_onto_itself(self):
        before = self.path("holes.npy").read_bytes()
        self.fails(2, "complete", "holes.npy", "-o", "holes.npy", *FIT)
        self.assertEqual(self.path("holes.npy").read_bytes(), before)

    def test_mask_says_what_is_observed(self):
        write_npy(self.path("full.npy"), SHAPE, [truth(*cell) for cell in cells()])
        write_npy(self.path("mask.npy"), SHAPE, [0.0 if math.isnan(value) else 1.0 for value in self.values])
        self.ok("complete", "holes.npy", "-o", "a.npy", *FIT)
        self.ok("complete", "full.npy", "-o", "b.npy", "--mask", "mask.npy", *FIT)
        self.assertEqual(read_npy(self.path("a.npy"))[1], read_npy(self.path("b.npy"))[1])
        told = self.ok_json("complete", "full.npy", "-o", "c.npy", "--mask", "mask.npy", "--invert-mask", *FIT)
        self.assertEqual(told["filled"], sum(not math.isnan(value) for value in self.values))


class Sparse(CliTest):
    def test_cells_that_are_not_listed_are_filled(self):
        kept, lost = sample(0.6)
        self.write("holes.tns", tns(kept))
        self.ok("complete", "holes.tns", "-o", "whole.tns", *FIT)
        whole = read_tns(self.path("whole.tns"))
        self.assertEqual(len(whole), math.prod(SHAPE))
        for cell in kept:
            self.assertEqual(whole[cell], truth(*cell))
        self.assertLess(rmse((whole[cell], truth(*cell)) for cell in lost), 0.1)

    def test_too_many_cells_to_list(self):
        self.write("huge.tns", "1 1 1 2.0\n4000000 4000000 4000000 3.0\n")
        message = self.fails(5, "complete", "huge.tns", "-o", "whole.tns")
        self.assertIn("predict", message)
        self.assert_only("huge.tns")


class Pictures(CliTest):
    SIDE = 24

    @staticmethod
    def colour(i, j):
        return [round(128 + 100 * math.sin(0.2 * i + 0.5 * c) * math.cos(0.15 * j)) for c in range(3)]

    def setUp(self):
        super().setUp()
        self.kept = {(i, j) for i, j, _ in sample(0.5, shape=(self.SIDE, self.SIDE, 1))[0]}

        def pixel(i, j):
            return [*self.colour(i, j), 255] if (i, j) in self.kept else [0, 0, 0, 0]

        write_png(self.path("holes.png"), self.SIDE, self.SIDE, pixel)

    def pixels(self, name):
        self.ok("convert", name, "pixels.npy")
        header, values = read_npy(self.path("pixels.npy"))
        self.assertEqual(header["shape"], (self.SIDE, self.SIDE, 3))
        scale = 255 if header["descr"].startswith("<f") else 1
        return [round(scale * value) for value in values]

    def test_transparent_pixels_are_filled_and_the_others_kept(self):
        told = self.ok_json("complete", "holes.png", "-o", "whole.png", "--rank", "3", "--lambdas", "1000,1000,0.01")
        self.assertEqual(told["filled"], 3 * (self.SIDE**2 - len(self.kept)))
        values = self.pixels("whole.png")
        lost = []
        for i in range(self.SIDE):
            for j in range(self.SIDE):
                at = (i * self.SIDE + j) * 3
                if (i, j) in self.kept:
                    self.assertEqual(values[at : at + 3], self.colour(i, j))
                else:
                    lost += zip(values[at : at + 3], self.colour(i, j))
        self.assertLess(rmse(lost), 20)

    def test_rows_and_columns_are_known_to_be_ordered(self):
        """However few pixels lie side by side."""
        kept = {(i, j) for i, j, _ in sample(0.03, shape=(self.SIDE, self.SIDE, 1))[0]}
        write_png(self.path("few.png"), self.SIDE, self.SIDE,
                  lambda i, j: [*self.colour(i, j), 255] if (i, j) in kept else [0, 0, 0, 0])  # fmt: skip
        done = self.run_lacuna("complete", "few.png", "-o", "whole.png")
        self.assertRegex(done.stderr, "channel\\|row~[0-9.]+,column~")

    def test_mask_picture(self):
        write_png(self.path("full.png"), self.SIDE, self.SIDE, lambda i, j: [*self.colour(i, j), 255])
        write_png(
            self.path("mask.png"), self.SIDE, self.SIDE,
            lambda i, j: [255, 255, 255, 255] if (i, j) in self.kept else [0, 0, 0, 255],
        )  # fmt: skip
        self.ok("complete", "holes.png", "-o", "a.png")
        self.ok("complete", "full.png", "-o", "b.png", "--mask", "mask.png")
        self.assertEqual(self.pixels("a.png"), self.pixels("b.png"))


if __name__ == "__main__":
    unittest.main()
