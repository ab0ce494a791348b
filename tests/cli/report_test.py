# SPDX-License-Identifier: MIT
"""lacuna report and --report: the page is whole, and a real browser draws it without complaint."""
import base64
import json
import math
import re
import shutil
import struct
import subprocess
import unittest

from support import SampleTest, TIMEOUT, write_npy, write_png

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
         "--enable-logging=stderr", "--v=0", "--virtual-time-budget=3000", "--dump-dom")


class ReportTest(SampleTest):
    def page(self, name="page.html"):
        return self.path(name).read_text(encoding="utf-8")

    def data(self, name="page.html"):
        """What the page is drawn from."""
        return json.loads(re.search(r'getElementById\("page"\), (\{.*\})\);\n', self.page(name)).group(1))

    def drawn(self, name="page.html"):
        """The page's elements once a browser has run its scripts."""
        done = subprocess.run(
            [CHROMIUM, *FLAGS, f"--user-data-dir={self.path('profile')}", self.path(name).as_uri()],
            capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        complaints = [line for line in done.stderr.splitlines() if ":CONSOLE" in line or "Uncaught" in line]
        self.assertEqual(complaints, [])
        return done.stdout

    def assert_self_contained(self, name="page.html"):
        for address in re.findall(r'(?:src|href)="([^"]*)"', self.page(name)):
            self.assertTrue(address.startswith("data:"), address)


class Page(ReportTest):
    def test_tells_how_the_fit_went_and_how_good_it_is(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--rank", "3", "--intervals", "--test", "test.tns", "--seed", "4")
        self.ok("report", "m.lac", "-o", "page.html", "--test", "test.tns")
        data = self.data()
        history = data["run"]["history"]
        self.assertEqual(len(history["objective"]), len(history["seconds"]))
        self.assertEqual(len(history["test_rmse"]), len(history["iteration"]))
        self.assertEqual(sorted(set(history["iteration"])), list(range(history["iteration"][-1] + 1)))
        self.assertEqual(float(data["scores"]["test RMSE"]),
                         float(f"{self.ok_json('evaluate', 'm.lac', 'test.tns')['rmse']:.6g}"))
        self.assertEqual(data["run"]["command"],
                         "lacuna fit --preset paper train.tns -o m.lac --rank 3 --intervals --test test.tns --seed 4")
        self.assertEqual(data["run"]["seed"], 4)
        self.assertRegex(data["run"]["train"]["checksum"], "^crc32:[0-9a-f]{8}$")
        self.assertEqual([len(one["values"]) for one in data["spectra"]], [3, 3, 3])
        self.assertAlmostEqual(sum(data["mixture"]["share"]), 1.0)
        self.assertEqual([one["name"] for one in data["errors"]], ["mode1", "mode2", "mode3"])
        self.assertEqual(sum(data["histogram"]["count"]), len(self.test))
        kept = self.ok_json("evaluate", "m.lac", "test.tns", "--interval", "0.9")["coverage"]
        self.assertEqual(data["coverage"]["kept"][data["coverage"]["promised"].index(0.9)], kept)
        self.assertIn(f"hold {100 * kept:.1f} % of the test values", data["scores"]["intervals"])
        self.assertEqual(data["pictures"], [])
        self.assert_self_contained()

    def test_what_was_not_seen_stands_first(self):
        self.preset = ()
        flags = ("fit", "train.tns", "-o", "m.lac", "--method", "als", "--rank", "2", "--intervals", "--report", "page.html")
        self.ok(*flags)
        self.assertEqual(list(self.data()["scores"]), ["on unseen cells", "training RMSE", "training MAE", "training R2"])
        self.ok(*flags, "--test", "test.tns")
        self.assertEqual(list(self.data()["scores"]), ["test RMSE", "test MAE", "test R2", "intervals", "on unseen cells"])

    def test_says_what_the_choosing_found_on_held_out_entries(self):
        self.preset = ()
        told = self.ok_json("fit", "train.tns", "-o", "m.lac", "--method", "als", "--rank", "2")
        self.ok("report", "m.lac", "-o", "page.html")
        self.assertIn(f"about {told['held_out_rmse']:.4g}", self.data()["scores"]["on unseen cells"])

    def test_labels_and_bins_are_named(self):
        rows = "".join(f"{who},2024-{month:02}-15,{ord(who) + month}\n" for who in "abcd" for month in range(1, 7))
        self.write("t.csv", "who,time,value\n" + rows)
        self.ok("fit", "t.csv", "--bin", "1M", "-o", "m.lac", "--rank", "1", "--report", "page.html")
        errors = {one["name"]: one["names"] for one in self.data()["errors"]}
        self.assertEqual(errors["who"], ["a", "b", "c", "d"])
        self.assertEqual(errors["time"][:2], ["2024-01-01", "2024-02-01"])

    def test_shows_the_components(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--rank", "3")
        self.ok("report", "m.lac", "-o", "page.html")
        views = self.data()["components"]
        self.assertEqual([view["title"] for view in views],  # full parts: fibers are told apart by two modes
                         ["part mode1|mode2,mode3: mode1", "part mode2|mode1,mode3: mode2", "part mode3|mode1,mode2: mode3"])
        self.assertEqual([len(view["names"]) for view in views], [3, 3, 3])
        self.assertEqual(views[0]["kind"], "curves")  # the sample is smooth along its modes
        self.assertEqual((len(views[0]["x"]), len(views[0]["y"][0])), (12, 12))
        squares = sum(value ** 2 for value in views[0]["y"][0])
        self.assertAlmostEqual(squares, 1.0)  # singular vectors

    def test_lists_the_strongest_positions_by_label(self):
        rows = [(i, j, (3 if i == 4 else 0.1) * (1 + j)) for i in range(12) for j in range(9) if (i + 2 * j) % 5]
        self.write("labels.csv", "who,what,value\n" + "".join(f"p{i},q{j},{value}\n" for i, j, value in rows))
        for method in ("tr-mm", "als", "rprecon", "bayescp"):
            parts = ("--parts", "who|what") if method in ("tr-mm", "als") else ()
            offsets = () if method == "als" else ("--offsets", "none")
            self.ok("fit", "labels.csv", "-o", "m.lac", "--method", method, "--rank", "1", *parts, *offsets)
            self.ok("report", "m.lac", "-o", "page.html")
            views = self.data()["components"]
            self.assertEqual([view["kind"] for view in views], ["lists", "lists"], method)
            strongest = max(views[0]["lists"][0], key=lambda one: abs(one[1]))
            self.assertEqual(strongest[0], "p4", method)
            self.assertEqual(len(views[0]["lists"][0]), 10)

    def test_of_a_model_without_record_and_without_files(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", "rprecon", "--rank", "2", "--no-record")
        self.ok("report", "m.lac", "-o", "page.html")
        data = self.data()
        self.assertEqual((data["run"], data["errors"], data["coverage"]), ({}, [], None))
        self.assertEqual(len(data["spectra"]), 3)

    def test_names_cannot_break_out_of_the_page(self):
        rows = "".join(f"</script><b>{i},{j},{i + j}\n" for i in range(4) for j in range(4))
        self.write("odd.csv", "</script>,b,value\n" + rows)
        self.ok("fit", "odd.csv", "-o", "m.lac", "--rank", "1", "--report", "page.html")
        self.assertNotIn("</script><b>", self.page())
        self.assertNotRegex(self.page(), "lacunaReport.*<")
        self.assertEqual(self.data()["errors"][0]["name"], "</script>")

    def test_bad_requests(self):
        self.assertIn("No such file", self.fails(3, "report", "none.lac", "-o", "page.html"))
        self.ok("fit", "train.tns", "-o", "m.lac", "--rank", "1")
        self.fails(3, "report", "m.lac", "-o", "page.html", "--test", "none.tns")
        self.fails(6, "report", "m.lac", "-o", "no/such/folder/page.html")
        self.assertFalse(self.path("page.html").exists())


class PageOfOtherVerbs(ReportTest):
    def test_tune_shows_its_table(self):
        self.ok("tune", "train.tns", "-o", "m.lac", "--rank", "2", "--lambda-grid", "1,10", "--refine", "0",
                "--folds", "2", "--report", "page.html")
        tuning = self.data()["run"]["tuning"]
        self.assertEqual([row["lambda"] for row in tuning["rows"]], [1, 10])
        self.assertEqual(tuning["folds"], 2)

    def test_complete_shows_the_picture(self):
        write_png(self.path("in.png"), 24, 20,
                  lambda i, j: (10 * i, 10 * j, 5 * (i + j), 255 if (7 * i + 3 * j) % 5 else 0))
        self.ok("complete", "in.png", "-o", "out.png", "--report", "page.html", "--rank", "2", "--lambda", "100")
        (shown,) = self.data()["pictures"]
        self.assertEqual([image["caption"] for image in shown["images"]], ["before: what was known", "after: what the model says"])
        for image in shown["images"]:
            self.assertTrue(image["source"].startswith("data:image/png;base64,iVBOR"))
        self.assert_self_contained()

    def shape_of_first(self, title, name="page.html"):
        """Width and height of a picture, from its PNG."""
        shown = {one["title"]: one["images"][0]["source"] for one in self.data(name)["pictures"]}
        self.assertIn(title, shown)
        return struct.unpack(">II", base64.b64decode(shown[title].split(",")[1])[16:24])

    def test_frames_of_a_video_are_pictures(self):
        frames, rows, columns = 5, 24, 32
        head = f"YUV4MPEG2 W{columns} H{rows} F30:1 Ip A1:1 Cmono\n".encode()
        luma = [bytes((40 * t + 3 * i + 2 * j) % 200 for i in range(rows) for j in range(columns)) for t in range(frames)]
        self.path("v.y4m").write_bytes(head + b"".join(b"FRAME\n" + frame for frame in luma))
        write_npy(self.path("mask.npy"), (frames, rows, columns), [float((7 * n) % 5 > 0) for n in range(frames * rows * columns)])
        self.ok("complete", "v.y4m", "--mask", "mask.npy", "-o", "w.y4m", "--report", "page.html", "--method", "mean")
        self.assertEqual([one["title"] for one in self.data()["pictures"]], ["time 0", "time 2", "time 4"])
        self.assertEqual(self.shape_of_first("time 2"), (columns, rows))
        half = b"".join(b"FRAME\n" + frame + bytes([100]) * (2 * rows * columns) for frame in luma)  # in colours
        self.path("c.y4m").write_bytes(head.replace(b"Cmono", b"C444") + half)
        self.ok("complete", "c.y4m", "--mask", "mask.npy", "-o", "w.y4m", "--report", "page.html", "--method", "mean")
        self.assertEqual(self.shape_of_first("time 2"), (columns, rows))

    def test_components_of_a_picture_are_pictures(self):
        write_png(self.path("in.png"), 24, 20,
                  lambda i, j: (10 * i, 10 * j, 5 * (i + j), 255 if (7 * i + 3 * j) % 5 else 0))
        self.ok("complete", "in.png", "-o", "out.png", "--report", "page.html", "--method", "tr-mm", "--rank", "2", "--lambda", "100",
                "--parts", "channel|row~4,column~4;row|column,channel")
        views = {view["title"]: view for view in self.data()["components"]}
        pixels = next(view for title, view in views.items() if title.endswith(": row x column"))
        self.assertEqual((pixels["kind"], len(pixels["images"])), ("pictures", 2))
        self.assertTrue(pixels["images"][0]["source"].startswith("data:image/png;base64,iVBOR"))
        self.assertEqual(views["part row|column,channel: row"]["kind"], "curves")

    def test_components_of_what_is_chosen_for_a_picture(self):
        write_png(self.path("in.png"), 24, 20,
                  lambda i, j: (10 * i, 10 * j, 5 * (i + j), 255 if (7 * i + 3 * j) % 5 else 0))
        self.preset = ()
        self.ok("complete", "in.png", "-o", "out.png", "--report", "page.html")
        self.assertTrue(self.data()["components"])
        for method in ("halrtc", "edges"):
            self.ok("complete", "in.png", "-o", "out.png", "--report", "page.html", "--method", method)
            pixels, channels = self.data()["components"]
            self.assertEqual((pixels["kind"], pixels["title"]), ("pictures", "all cells: row x column"))
            self.assertEqual((channels["kind"], channels["title"]), ("lists", "all cells: channel"))

    def test_components_of_every_cell_and_of_links(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", "halrtc")
        self.ok("report", "m.lac", "-o", "page.html")
        self.assertEqual([view["title"] for view in self.data()["components"]],
                         ["all cells: mode1", "all cells: mode2", "all cells: mode3"])
        self.write("facts.tsv", "".join(f"e{i}\tr{r}\te{j}\n" for r in range(3) for i in range(12) for j in range(12)
                                        if j % 4 == (i % 4 + r) % 4))
        self.preset = ()
        self.ok("fit", "facts.tsv", "-o", "m.lac", "--method", "complex", "--rank", "4", "--max-iterations", "5", "--quiet")
        self.ok("report", "m.lac", "-o", "page.html")
        views = self.data()["components"]
        self.assertEqual([view["kind"] for view in views], ["lists"] * len(views))
        self.assertTrue(all(len(view["names"]) == 4 for view in views) and len(views) >= 2)


@unittest.skipUnless(CHROMIUM, "no Chromium: scripts/install-deps --test installs it")
class InABrowser(ReportTest):
    def test_every_plot_has_content(self):
        self.ok("tune", "train.tns", "-o", "m.lac", "--rank", "2", "--lambda-grid", "1,10", "--refine", "0",
                "--folds", "2", "--test", "test.tns", "--intervals", "--report", "page.html")
        page = self.drawn()
        plots = re.findall(r"<svg[^>]*class=\"plot\".*?</svg>", page, re.DOTALL)
        titles = [re.search(r"aria-label=\"([^\"]*)\"", plot).group(1) for plot in plots]
        self.assertEqual(titles, ["Value minus prediction", "RMSE along mode1", "RMSE along mode2", "RMSE along mode3",
                                  "Coverage", "Width", "Objective", "Relative duality gap", "RMSE", "Tuning curve",
                                  "Mixture of the parts", "Singular values", "part mode1|mode2,mode3: mode1"])
        headings = re.findall(r"<h2>(.*?)</h2>", page)
        self.assertEqual(headings, ["How good it is", "Errors on the test entries", "Intervals", "The fit", "Tuning",
                                    "The model", "Components", "Where it came from", "Data and settings"])
        lists = re.search(r'<div class="lists">(.*?)</div>', page, re.DOTALL).group(1)  # mode2, too rough for a curve
        self.assertEqual(lists.count("<table>"), 2)
        self.assertRegex(lists, r'<td>\d+</td><td class="number">-?[\d.e-]+</td>')
        for title, plot in zip(titles, plots):
            marks = len(re.findall(r"<circle|<rect[^>]*fill=", plot))
            self.assertGreaterEqual(marks, 2, title)
            self.assertNotIn("NaN", plot, title)
            self.assertEqual(len(re.findall(r'class="axis"', plot)), 2, f"{title}: a label on both axes")

    def test_names_that_open_comments_and_scripts(self):
        odd = "<!--<script>"
        rows = "".join(f"{odd}{i},{j},{i + j}\n" for i in range(4) for j in range(4))
        self.write("odd.csv", f"{odd},b,value\n" + rows)
        self.ok("fit", "odd.csv", "-o", "m.lac", "--rank", "1", "--report", "page.html")
        self.assertNotRegex(self.page(), "lacunaReport.*<")
        self.assertIn("Mixture of the parts", self.drawn())

    def test_pictures_are_drawn(self):
        write_png(self.path("in.png"), 24, 20,
                  lambda i, j: (10 * i, 10 * j, 5 * (i + j), 255 if (7 * i + 3 * j) % 5 else 0))
        self.ok("complete", "in.png", "-o", "out.png", "--report", "page.html", "--rank", "2", "--lambda", "100")
        self.assertEqual(self.drawn().count("<img src=\"data:image/png"), 2)

    def test_before_after_and_difference_stand_side_by_side(self):
        cells = [(i, j, math.sin(i / 5) + math.cos(j / 7)) for i in range(24) for j in range(20)]
        values = [v if (7 * i + 3 * j) % 5 else math.nan for i, j, v in cells]
        write_npy(self.path("train.npy"), (24, 20), values)
        write_npy(self.path("test.npy"), (24, 20), [v for _, _, v in cells])
        self.ok("fit", "train.npy", "-o", "m.lac", "--rank", "2", "--test", "test.npy", "--report", "page.html")
        page = self.drawn()
        captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
        self.assertEqual([caption.split(",")[0] for caption in captions],
                         ["before: what was known", "after: what the model says", "the truth", "difference on the test entries"])
        self.assertLess(page.index("How good it is"), page.index("<figure>"))
        self.assertLess(page.index("<figure>"), page.index("The fit</h2>"))

    def test_labels_stand_under_the_points(self):
        rows = "".join(f"{who},{month},{len(who) + month}\n" for who in ("Anna", "Bertha", "Carl") for month in range(1, 7))
        self.write("t.csv", "who,month,value\n" + rows)
        self.ok("fit", "t.csv", "-o", "m.lac", "--rank", "1", "--report", "page.html")
        plot = re.search(r'<svg[^>]*aria-label="RMSE along who".*?</svg>', self.drawn(), re.DOTALL).group(0)
        for name in ("Anna", "Bertha", "Carl"):
            self.assertIn(f">{name}</text>", plot)


if __name__ == "__main__":
    unittest.main()
