# SPDX-License-Identifier: MIT
"""TIFF pictures and ENVI cubes: made by PIL or by hand, read, completed in kind, refused when they are wrong."""
import random
import struct
import unittest

import numpy as np
from PIL import Image, TiffImagePlugin

from support import CliTest

QUICK = ("--parts", "3|1~4,2~4", "--offsets", "mean", "--rank", "2", "--lambda", "100", "--max-iterations", "20")
FLAT = ("--parts", "|1~4,2~4", "--offsets", "mean", "--lambda", "100", "--max-iterations", "20")


def scene(rows=20, columns=18, bands=5):
    i, j, b = np.meshgrid(np.arange(rows), np.arange(columns), np.arange(bands), indexing="ij")
    return 1000.0 + 300.0 * np.sin(i / 5.0) * np.cos(j / 6.0) + 100.0 * b


def holes(shape, seed=3):
    return np.random.RandomState(seed).rand(*shape) < 0.3


def tiff_bytes(array, order="<", nodata=None):
    """Bands of whole numbers of 16 bits or floats, not packed, each pixel's together, one strip for four rows."""
    rows, columns, bands = array.shape
    data = array.astype(order + array.dtype.str[1:]).tobytes()
    step = 4 * columns * bands * array.dtype.itemsize
    strips = [data[at : at + step] for at in range(0, len(data), step)]
    extra, at = b"", 8

    def later(content):
        nonlocal extra
        place = at + len(data) + len(extra)
        extra += content + b"\0" * (len(content) % 2)
        return place

    starts = [at + sum(map(len, strips[:n])) for n in range(len(strips))]
    is_float = array.dtype.kind == "f"
    tags = [
        (256, 4, 1, columns), (257, 4, 1, rows),
        (258, 3, bands, later(struct.pack(f"{order}{bands}H", *[8 * array.dtype.itemsize] * bands))),
        (259, 3, 1, 1), (262, 3, 1, 1),
        (273, 4, len(strips), later(struct.pack(f"{order}{len(strips)}I", *starts))),
        (277, 3, 1, bands), (278, 4, 1, 4),
        (279, 4, len(strips), later(struct.pack(f"{order}{len(strips)}I", *map(len, strips)))),
        (338, 3, bands - 1, later(struct.pack(f"{order}{bands - 1}H", *[0] * (bands - 1)))),
        (339, 3, bands, later(struct.pack(f"{order}{bands}H", *[3 if is_float else 1] * bands))),
        (33550, 12, 3, later(struct.pack(order + "3d", 10.0, 10.0, 0.0))),
    ]  # fmt: skip
    if nodata is not None:
        tags.append((42113, 2, len(nodata) + 1, later(nodata.encode() + b"\0")))
    entries = b""
    for tag, kind, count, value in tags:
        short = kind == 3 and count == 1
        entries += struct.pack(order + "HHI", tag, kind, count)
        entries += struct.pack(order + "HH", value, 0) if short else struct.pack(order + "I", value)
    directory = at + len(data) + len(extra)
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", directory)
    return head + data + extra + struct.pack(order + "H", len(tags)) + entries + b"\0\0\0\0"


def tags(path):
    with open(path, "rb") as file:
        directory = TiffImagePlugin.ImageFileDirectory_v2(file.read(8))
        file.seek(directory.next)
        directory.load(file)
        return dict(directory)


class Tiff(CliTest):
    def test_bands_with_a_word_for_missing(self):
        value, blank = np.rint(scene()), holes((20, 18, 5))
        for order in "<>":
            stored = np.where(blank, 65535, value).astype(order + "u2")
            self.path("x.tif").write_bytes(tiff_bytes(stored.astype("u2"), order, nodata="65535"))
            about = self.ok_json("info", "x.tif")
            self.assertEqual((about["format"], about["shape"], about["missing"]), ("tiff", [20, 18, 5], int(blank.sum())))
            self.assertEqual([mode["name"] for mode in about["modes"]], ["row", "column", "band"])
            self.ok("complete", "x.tif", "-o", "y.tif", *QUICK)
            self.ok("convert", "y.tif", "y.npy")
            out = np.load(self.path("y.npy"))
            self.assertTrue(np.array_equal(out[~blank], value[~blank]))
            self.assertLess(np.sqrt(np.mean((out - value)[blank] ** 2)), 30)
            kept = tags(self.path("y.tif"))  # what else was in it
            self.assertEqual((kept[33550], kept[42113]), ((10.0, 10.0, 0.0), "65535"))

    def test_floats_with_nan(self):
        value, blank = scene().astype("f4"), holes((20, 18, 5))
        self.path("x.tiff").write_bytes(tiff_bytes(np.where(blank, np.nan, value).astype("f4")))
        self.assertEqual(self.ok_json("info", "x.tiff")["missing"], int(blank.sum()))
        self.ok("complete", "x.tiff", "-o", "y.tiff", *QUICK)
        self.ok("convert", "y.tiff", "y.npy")
        self.assertTrue(np.array_equal(np.load(self.path("y.npy"))[~blank], value[~blank]))

    def test_pictures_of_pil(self):
        gray = scene()[:, :, 0]
        cases = {
            "L": (gray / 6).astype("u1"),
            "I;16": gray.astype("u2"),
            "F": gray.astype("f4"),
            "RGB": (scene()[:, :, :3] / 7).astype("u1"),
        }
        for mode, array in cases.items():
            for packing in ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"):
                with self.subTest(mode=mode, packing=packing):
                    Image.fromarray(array).save(self.path("x.tif"), compression=packing)
                    self.ok("convert", "x.tif", "x.npy")
                    out = np.load(self.path("x.npy"))
                    self.assertEqual(out.dtype, array.dtype)
                    self.assertTrue(np.array_equal(out, array))
                    # With a mask: the rest keeps its bits, whatever the packing.
                    blank = holes(array.shape[:2])
                    np.save(self.path("mask.npy"), ~blank)
                    parts = QUICK if array.ndim == 3 else FLAT
                    self.ok("complete", "x.tif", "--mask", "mask.npy", "-o", "y.tif", *parts)
                    with Image.open(self.path("y.tif")) as made:
                        self.assertEqual(made.info["compression"], packing)
                        self.assertTrue(np.array_equal(np.asarray(made)[~blank], array[~blank]))

    def test_transparent_pixels_are_missing(self):
        colours = (scene()[:, :, :3] / 7).astype("u1")
        blank = holes((20, 18))
        alpha = np.where(blank, 0, 255).astype("u1")[:, :, None]
        Image.fromarray(np.concatenate([colours, alpha], axis=2)).save(self.path("x.tif"))
        about = self.ok_json("info", "x.tif")
        self.assertEqual((about["shape"], about["missing"]), ([20, 18, 3], 3 * int(blank.sum())))
        self.ok("complete", "x.tif", "-o", "y.tif", *QUICK)
        with Image.open(self.path("y.tif")) as made:
            out = np.asarray(made)
        self.assertTrue(np.all(out[:, :, 3] == 255))
        self.assertTrue(np.array_equal(out[:, :, :3][~blank], colours[~blank]))

    def test_pages(self):
        pages = [(scene()[:, :, 0] / 7 + n).astype("u1") for n in range(4)]
        first, *rest = map(Image.fromarray, pages)
        first.save(self.path("x.tif"), save_all=True, append_images=rest)
        about = self.ok_json("info", "x.tif")
        self.assertEqual((about["shape"], about["modes"][0]["name"]), ([4, 20, 18], "page"))
        self.ok("convert", "x.tif", "x.npy")
        self.assertTrue(np.array_equal(np.load(self.path("x.npy")), np.stack(pages)))
        self.ok("convert", "x.tif", "z.tif")
        with Image.open(self.path("z.tif")) as made:
            self.assertEqual(made.n_frames, 4)

    def test_arrays_become_tiff(self):
        np.save(self.path("x.npy"), scene().astype("f4"))
        self.ok("convert", "x.npy", "x.tif")
        self.ok("convert", "x.tif", "back.npy")
        self.assertTrue(np.array_equal(np.load(self.path("back.npy")), scene().astype("f4")))
        np.save(self.path("five.npy"), np.zeros((2, 2, 2, 2, 2)))
        self.assertIn("row x column", self.fails(6, "convert", "five.npy", "five.tif"))

    def test_what_cannot_be_read(self):
        Image.fromarray((scene()[:, :, 0] / 7).astype("u1")).convert("P").save(self.path("p.tif"))
        self.assertIn("palette", self.fails(3, "info", "p.tif"))
        Image.fromarray(scene()[:, :, 0] > 1000).save(self.path("b.tif"))
        self.assertIn("1 bits", self.fails(3, "info", "b.tif"))
        self.write("x.tif", "II*\0 and then nothing")
        self.assertIn("x.tif", self.fails(3, "info", "x.tif"))

    def test_damaged_files_are_refused(self):
        whole = tiff_bytes(scene().astype("u2"), nodata="0")
        Image.fromarray((scene()[:, :, :3] / 7).astype("u1")).save(self.path("c.tif"), compression="tiff_lzw")
        deal = random.Random(4)
        for number in range(40):
            damaged = bytearray(whole if number % 2 else self.path("c.tif").read_bytes())
            for _ in range(12):
                damaged[deal.randrange(len(damaged) // 2, len(damaged))] = deal.randrange(256)
            self.path("bad.tif").write_bytes(damaged)
            done = self.run_lacuna("info", "bad.tif")
            self.assertIn(done.returncode, (0, 3, 5), done.stderr)

    def test_a_giant_in_a_few_bytes_is_refused(self):
        picture = bytearray(tiff_bytes(scene(8, 8, 2).astype("u2")))
        for tag in (256, 257):
            at = picture.rindex(struct.pack("<HHI", tag, 4, 1))
            picture[at + 8 : at + 12] = struct.pack("<I", 60000)
        self.path("x.tif").write_bytes(picture)
        self.assertIn("x.tif", self.fails(3, "info", "x.tif"))


TYPES = {1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8", 12: "u2", 13: "u4", 14: "i8", 15: "u8"}
ORDER = {"bsq": (2, 0, 1), "bil": (0, 2, 1), "bip": (0, 1, 2)}


class Envi(CliTest):
    wavelengths = [450.5, 520, 610, 700, 890]

    def cube(self, name, value, number=4, interleave="bsq", big=False, offset=0, extra=""):
        order = ">" if big else "<"
        raw = value.transpose(ORDER[interleave]).astype(order + TYPES[number]).tobytes()
        self.path(name).write_bytes(b"\7" * offset + raw)
        rows, columns, bands = value.shape
        self.write(
            name.rsplit(".", 1)[0] + ".hdr",
            f"ENVI\ndescription = {{\n  a cube, made by hand}}\nsamples = {columns}\nlines   = {rows}\nbands   = {bands}\n"
            f"header offset = {offset}\nfile type = ENVI Standard\ndata type = {number}\ninterleave = {interleave.upper()}\n"
            f"byte order = {int(big)}\nwavelength units = Nanometers\nwavelength = {{\n 450.5, 520, 610,\n 700, 890}}\n"
            f"map info = {{UTM, 1, 1, 500000, 4000000, 10, 10}}\n{extra}",
        )  # fmt: skip

    def test_every_layout(self):
        value = np.rint(scene() / 10)
        for interleave in ORDER:
            for number in TYPES:
                for big in (False, True):
                    with self.subTest(interleave=interleave, number=number, big=big):
                        self.cube("c.img", value, number, interleave, big, offset=16 * big)
                        self.ok("convert", "c.hdr", "c.npy")
                        self.assertTrue(np.array_equal(np.load(self.path("c.npy")), value))

    def test_wavelengths_are_positions(self):
        self.cube("c.dat", scene())
        band = self.ok_json("info", "c.hdr")["modes"][2]
        self.assertEqual(band["name"], "band")
        self.assertEqual((band["positions"]["from"], band["positions"]["to"]), (450.5, 890))
        self.assertEqual(band["positions"]["unit"], "Nanometers")
        self.assertNotIn("comes after", self.run_lacuna("fit", "c.hdr", "-o", "m.lac", "--method", "mean").stderr)
        header = self.path("c.hdr").read_text()
        self.write("c.hdr", header.replace("520, 610", "610, 520"))
        told = self.run_lacuna("fit", "c.hdr", "-o", "m.lac", "--method", "mean").stderr
        self.assertIn("the position 520 of mode 'band' comes after 610", told)

    def test_completed_in_kind(self):
        value, blank = np.rint(scene()), holes((20, 18, 5))
        for interleave in ORDER:
            stored = np.where(blank, -1, value)
            self.cube("c.img", stored, 2, interleave, big=True, extra="data ignore value = -1\n")
            self.assertEqual(self.ok_json("info", "c.img")["missing"], int(blank.sum()))
            self.ok("complete", "c.hdr", "-o", "d.hdr", *QUICK)
            text = self.path("d.hdr").read_text()
            for kept in ("a cube, made by hand", "map info = {UTM, 1, 1, 500000, 4000000, 10, 10}", "byte order = 1",
                         f"interleave = {interleave}", "data type = 2", "450.5, 520", "data ignore value = -1"):  # fmt: skip
                self.assertIn(kept, text)
            shape = [(20, 18, 5)[k] for k in ORDER[interleave]]
            out = np.frombuffer(self.path("d.img").read_bytes(), ">i2").reshape(shape)
            out = out.transpose(np.argsort(ORDER[interleave]))
            self.assertTrue(np.array_equal(out[~blank], value[~blank]))
            self.assertLess(np.sqrt(np.mean((out - value)[blank] ** 2)), 30)

    def test_other_arrays_become_cubes(self):
        np.save(self.path("x.npy"), scene())
        self.ok("convert", "x.npy", "x.bip")
        self.ok("convert", "x.hdr", "y.npy")
        self.assertTrue(np.array_equal(np.load(self.path("y.npy")), scene()))

    def test_a_cube_is_not_written_over_itself(self):
        self.cube("c.img", scene())
        before = self.path("c.img").read_bytes()
        self.assertIn("is also what is read", self.fails(2, "convert", "c.hdr", "c.img"))
        self.assertEqual(before, self.path("c.img").read_bytes())

    def refused(self, find, replacement, *words):
        self.cube("c.img", scene())
        text = self.path("c.hdr").read_text()
        self.assertIn(find, text)
        self.write("c.hdr", text.replace(find, replacement))
        message = self.fails(3, "info", "c.hdr")
        for word in words:
            self.assertIn(word, message)

    def test_what_is_wrong_is_named(self):
        self.refused("ENVI\n", "nothing\n", "c.hdr:1", "'ENVI'")
        self.refused("samples = 18", "samples = many", "c.hdr:4", "'many'", "whole number")
        self.refused("samples = 18\n", "", "c.hdr", "no 'samples'")
        self.refused("samples = 18", "samples = 19", "c.img", "7200 bytes", "7600")
        self.refused("samples = 18", "samples = 4000000000", "c.img", "as the header says")
        self.refused("data type = 4", "data type = 6", "c.hdr:9", "6")
        self.refused("BSQ", "BSX", "c.hdr:10", "bsq, bil or bip")
        self.refused("byte order = 0", "byte order = 2", "c.hdr:11")
        self.refused("700, 890", "700", "c.hdr:13", "4 wavelengths", "5")
        self.refused("700, 890", "700, 700", "c.hdr:13", "700 twice")
        self.refused("700, 890", "700, x", "c.hdr:13", "'x'")
        self.refused("10, 10}", "10, 10", "c.hdr:16", "'{' without")
        self.refused("bands   = 5", "bands 5", "c.hdr:6", "key = value")
        self.path("c.img").unlink()
        self.assertIn("no file of numbers", self.fails(3, "info", "c.hdr"))
        self.path("c.bil").write_bytes(b"1234")
        self.path("c.hdr").unlink()
        self.assertIn("no header", self.fails(3, "info", "c.bil"))


if __name__ == "__main__":
    TiffImagePlugin.WRITE_LIBTIFF = False
    unittest.main()
