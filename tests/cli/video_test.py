# SPDX-License-Identifier: MIT
"""Videos: y4m read, completed and written, others by way of ffmpeg."""
import os
import shutil
import subprocess
import unittest

import numpy as np

from support import LACUNA, CliTest

PARTS = ("--parts", "time|row~3,column~3,channel", "--offsets", "mean", "--rank", "2", "--lambda", "100", "--max-iterations", "15")
SHARES = {"420jpeg": (2, 2), "422": (1, 2), "411": (1, 4), "444": (1, 1)}


def frames(count, rows, columns):
    t, i, j = np.meshgrid(np.arange(count), np.arange(rows), np.arange(columns), indexing="ij")
    return (120 + 80 * np.sin(0.3 * i + 0.2 * t) * np.cos(0.25 * j)).astype("u1")


def y4m(luma, space, colours=()):
    count, rows, columns = luma.shape
    out = f"YUV4MPEG2 W{columns} H{rows} F30:1 Ip A1:1 C{space} XCOMMENT=kept\n".encode()
    for t in range(count):
        out += b"FRAME\n" + luma[t].tobytes() + b"".join(plane[t].tobytes() for plane in colours)
    return out


def read_planes(data, space, count, rows, columns):
    head, rest = data.split(b"\n", 1)
    a, b = SHARES.get(space, (1, 1))
    shapes = [(rows, columns)] + ([] if space == "mono" else [((rows + a - 1) // a, (columns + b - 1) // b)] * 2)
    planes = [[] for _ in shapes]
    for _ in range(count):
        mark, rest = rest.split(b"\n", 1)
        assert mark == b"FRAME"
        for plane, shape in zip(planes, shapes):
            size = shape[0] * shape[1]
            plane.append(np.frombuffer(rest[:size], "u1").reshape(shape))
            rest = rest[size:]
    assert not rest
    return head.decode(), [np.stack(plane) for plane in planes]


class Y4m(CliTest):
    shape = (6, 19, 15)  # odd: the last row and column of colours stand for one pixel only

    def video(self, space, name="v.y4m"):
        luma = frames(*self.shape)
        colours = []
        if space != "mono":
            a, b = SHARES[space]
            small = frames(self.shape[0], (19 + a - 1) // a, (15 + b - 1) // b)
            colours = [small, 255 - small]
        self.path(name).write_bytes(y4m(luma, space, colours))
        return [luma, *colours]

    def test_every_colour_space_comes_back(self):
        for space in ("mono", *SHARES):
            with self.subTest(space):
                planes = self.video(space)
                about = self.ok_json("info", "v.y4m")
                self.assertEqual(about["shape"], list(self.shape) + ([] if space == "mono" else [3]))
                self.assertEqual([mode["name"] for mode in about["modes"]][:3], ["time", "row", "column"])
                self.assertEqual(about["format"], "video")
                self.ok("convert", "v.y4m", "w.y4m")
                self.assertEqual(self.path("v.y4m").read_bytes(), self.path("w.y4m").read_bytes())
                self.ok("convert", "v.y4m", "v.npy")
                out = np.load(self.path("v.npy"))
                luma = out if space == "mono" else out[..., 0]
                self.assertTrue(np.array_equal(np.rint(luma * (1 if out.dtype == np.uint8 else 255)), planes[0]))

    def test_completed_with_a_mask(self):
        planes = self.video("420jpeg")
        blank = np.random.RandomState(1).rand(*self.shape) < 0.3
        np.save(self.path("mask.npy"), ~blank)
        self.ok("complete", "v.y4m", "--mask", "mask.npy", "-o", "w.y4m", *PARTS)
        head, out = read_planes(self.path("w.y4m").read_bytes(), "420jpeg", *self.shape)
        self.assertEqual(head, "YUV4MPEG2 W15 H19 F30:1 Ip A1:1 C420jpeg XCOMMENT=kept")
        self.assertTrue(np.array_equal(out[0][~blank], planes[0][~blank]))
        error = out[0].astype(float) - planes[0]
        self.assertLess(np.sqrt(np.mean(error[blank] ** 2)), 15)

    def test_one_mask_for_all_frames(self):
        self.video("mono")
        mask = np.ones(self.shape[1:], bool)
        mask[3:7, 4:9] = False
        np.save(self.path("logo.npy"), mask)
        self.assertEqual(self.ok_json("info", "v.y4m", "--mask", "logo.npy")["missing"], 6 * 20)

    def test_arrays_become_videos(self):
        luma = frames(*self.shape)
        np.save(self.path("a.npy"), luma)
        self.ok("convert", "a.npy", "a.y4m")
        _, planes = read_planes(self.path("a.y4m").read_bytes(), "mono", *self.shape)
        self.assertTrue(np.array_equal(planes[0], luma))
        np.save(self.path("two.npy"), luma[0])
        self.assertIn("time x row x column", self.fails(6, "convert", "two.npy", "two.y4m"))
        np.save(self.path("holes.npy"), np.where(luma > 150, np.nan, luma / 255.0))
        self.assertIn("no value", self.fails(6, "convert", "holes.npy", "holes.y4m"))

    def test_what_is_wrong_is_named(self):
        good = y4m(frames(2, 4, 4), "mono")
        cases = {
            "YUV4MPEG2": good.replace(b"YUV4", b"YUV5"),
            "frame 2": good[:-3],
            "FRAME": good.replace(b"FRAME", b"FROME"),
            "'W0'": good.replace(b"W4", b"W0"),
            "size from 1": good.replace(b"H4", b"H99999999"),
            "C420": good.replace(b"Cmono", b"C420p10"),
            "interlaced": good.replace(b"Ip", b"It"),
            "no frame": good[: good.index(b"FRAME")],
            "no width": good.replace(b"W4 ", b""),
        }
        for word, content in cases.items():
            with self.subTest(word):
                self.path("bad.y4m").write_bytes(content)
                message = self.fails(3, "info", "bad.y4m")
                self.assertIn("bad.y4m", message)
                self.assertIn(word, message)

    def test_a_giant_frame_in_a_small_file(self):
        self.path("bad.y4m").write_bytes(b"YUV4MPEG2 W60000 H60000 Cmono\nFRAME\nxyz")
        done = self.run_lacuna("info", "bad.y4m")
        self.assertIn(done.returncode, (3, 5))


class OtherVideos(CliTest):
    def test_without_ffmpeg_it_says_so(self):
        self.write("v.mp4", "who knows")
        done = subprocess.run([LACUNA, "info", "v.mp4"], cwd=self.folder, env={"PATH": str(self.folder)}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no program ffmpeg", done.stderr)
        self.path("a.y4m").write_bytes(y4m(frames(2, 4, 4), "mono"))
        done = subprocess.run([LACUNA, "convert", "a.y4m", "a.mkv"], cwd=self.folder, env={"PATH": str(self.folder)}, capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, 6)
        self.assertIn("no program ffmpeg", done.stderr)
        self.assertFalse(self.path("a.mkv").exists())

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_through_ffmpeg_and_back(self):
        self.path("a.y4m").write_bytes(y4m(frames(8, 32, 48), "420jpeg", [frames(8, 16, 24)] * 2))
        self.ok("convert", "a.y4m", "a.mkv")
        about = self.ok_json("info", "a.mkv")
        self.assertEqual((about["format"], about["shape"]), ("video", [8, 32, 48, 3]))
        self.ok("convert", "a.mkv", "b.npy")
        out = np.load(self.path("b.npy"))
        out = out if out.dtype == np.uint8 else out * 255
        self.assertLess(np.mean(np.abs(out[..., 0].astype(float) - frames(8, 32, 48))), 8)
        self.write("bad.mp4", "not a video")
        self.assertIn("no video that ffmpeg can read", self.fails(3, "info", "bad.mp4"))
        # A list of other files is no video, whatever it is called.
        self.write("list.mkv", "ffconcat version 1.0\nfile 'a.mkv'\n")
        self.assertIn("no video that ffmpeg can read", self.fails(3, "info", "list.mkv"))

    def test_ffmpeg_is_told_to_read_that_file_only(self):
        self.write("ffmpeg", f"#!/bin/sh\necho \"$@\" >'{self.path('words')}'\nexit 1\n")
        os.chmod(self.path("ffmpeg"), 0o755)
        self.write("x.mkv", "nothing")
        subprocess.run([LACUNA, "info", "x.mkv"], cwd=self.folder, env={**os.environ, "PATH": str(self.folder)},
                       capture_output=True, timeout=60)
        words = self.path("words").read_text().split()
        input_at = words.index("-i")
        self.assertEqual(words[words.index("-protocol_whitelist") + 1], "file")
        kinds = words[words.index("-format_whitelist") + 1].split(",")
        self.assertLess(words.index("-format_whitelist"), input_at)
        self.assertFalse({"concat", "hls", "dash", "image2", "tty", "rtsp", "sdp", "lavfi"} & set(kinds))

    def test_a_fake_ffmpeg_that_fails_halfway_leaves_nothing(self):
        self.write("ffmpeg", "#!/bin/sh\nhead -c 50 >/dev/null\nexit 1\n")
        os.chmod(self.path("ffmpeg"), 0o755)
        self.path("a.y4m").write_bytes(y4m(frames(2, 4, 4), "mono"))
        environment = {"PATH": f"{self.folder}:/usr/bin:/bin"}
        done = subprocess.run([LACUNA, "convert", "a.y4m", "a.avi"], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assert_only("ffmpeg", "a.y4m")


if __name__ == "__main__":
    unittest.main()
