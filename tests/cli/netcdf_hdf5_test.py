# SPDX-License-Identifier: MIT
"""NetCDF and HDF5 files made by netCDF4, scipy and h5py: what is read of them, and what is kept when they are
completed."""
import math
import random
import subprocess
import time
import unittest
import warnings

import h5py
import netCDF4
import numpy as np
from scipy.io import netcdf_file

from support import LACUNA, CliTest

# Enough to fill a smooth field, in little time.
QUICK = ("--parts", "1|2~3,3~3", "--offsets", "mean", "--rank", "2", "--lambda", "100", "--max-iterations", "20")


def field(times=7, rows=12, columns=10):
    t, i, j = np.meshgrid(np.arange(times), np.arange(rows), np.arange(columns), indexing="ij")
    return 280.0 + 5.0 * np.sin(0.4 * i + 0.2 * t) + 3.0 * np.cos(0.5 * j)


def holes(shape, share=0.3, seed=1):
    deal = random.Random(seed)
    blank = np.array([deal.random() < share for _ in range(math.prod(shape))]).reshape(shape)
    blank.flat[-1] = False
    return blank


class NetCdf(CliTest):
    def climate(self, name, dtype="f4", fill=-999.0, **packing):
        """Time, latitude that descends, longitude; a second variable; attributes of all kinds."""
        self.value, self.blank = field(), holes((7, 12, 10))
        with netCDF4.Dataset(self.path(name), "w") as out:
            out.title = "a small climate"
            for axis, unit, where in (
                ("time", "hours since 1900-01-01", [0, 6, 12, 18, 30, 36, 42]),
                ("lat", "degrees_north", np.linspace(60, 38, 12)),
                ("lon", "degrees_east", 0.25 * np.arange(10)),
            ):
                out.createDimension(axis, len(where))
                out.createVariable(axis, "f8", (axis,))[:] = where
                out[axis].units = unit
            extra = out.createVariable("height", "f4", ("lat", "lon"))
            extra[:] = 7.5
            variable = out.createVariable("t2m", dtype, ("time", "lat", "lon"), fill_value=fill, zlib=True)
            variable.setncatts({"units": "K", "long_name": "temperature", **packing})
            variable[:] = np.ma.masked_array(self.value, self.blank)
        return name

    def check_completed(self, name, tolerance=1e-4):
        with netCDF4.Dataset(self.path(name)) as out:
            self.assertEqual(out.title, "a small climate")
            self.assertEqual((out["t2m"].units, out["t2m"].long_name), ("K", "temperature"))
            self.assertEqual(out["time"].units, "hours since 1900-01-01")
            self.assertEqual(list(out["time"][:]), [0, 6, 12, 18, 30, 36, 42])
            self.assertTrue(np.all(out["height"][:] == 7.5))
            filled = out["t2m"][:]
            self.assertEqual(np.ma.count_masked(filled), 0)
            error = np.asarray(filled) - self.value
            self.assertLess(np.max(np.abs(error[~self.blank])), tolerance)
            self.assertLess(np.sqrt(np.mean(error[self.blank] ** 2)), 0.6)

    def test_dimensions_give_names_positions_and_units(self):
        about = self.ok_json("info", self.climate("x.nc"))
        self.assertEqual((about["format"], about["shape"], about["missing"]), ("netcdf", [7, 12, 10], int(self.blank.sum())))
        time, lat, lon = about["modes"]
        self.assertEqual([time["name"], lat["name"], lon["name"]], ["time", "lat", "lon"])
        self.assertFalse(time["positions"]["regular"])
        self.assertEqual(time["positions"]["unit"], "hours since 1900-01-01")
        self.assertEqual((lat["positions"]["from"], lat["positions"]["to"]), (38.0, 60.0))
        self.assertTrue(lon["positions"]["regular"])
        self.assertEqual(lon["positions"]["spacing"], 0.25)

    def test_completed_in_kind(self):
        self.ok("complete", self.climate("x.nc"), "-o", "y.nc", "--parts", "time|lat~6,lon~0.75", *QUICK[2:])
        self.check_completed("y.nc")
        self.assert_only("x.nc", "y.nc")

    def test_packed_numbers(self):
        name = self.climate("x.nc", dtype="i2", fill=-32768, scale_factor=0.01, add_offset=273.15)
        about = self.ok_json("info", name)
        self.assertEqual(about["missing"], int(self.blank.sum()))
        self.assertAlmostEqual(about["mean"], float(self.value[~self.blank].mean()), delta=0.01)
        self.ok("complete", name, "-o", "y.nc", *QUICK)
        self.check_completed("y.nc", tolerance=0.0051)

    def test_classic_files(self):
        self.value, self.blank = field(), holes((7, 12, 10))
        with netcdf_file(self.path("x.nc"), "w") as out:
            out.title = "classic"
            for axis, size in zip(("time", "row", "column"), (7, 12, 10)):
                out.createDimension(axis, size)
            variable = out.createVariable("v", "d", ("time", "row", "column"))
            variable.missing_value = -1.0
            variable[:] = np.where(self.blank, -1.0, self.value)
        self.assertEqual(self.path("x.nc").read_bytes()[:4], b"CDF\x01")
        self.assertEqual(self.ok_json("info", "x.nc")["missing"], int(self.blank.sum()))
        self.ok("complete", "x.nc", "-o", "y.nc", *QUICK)
        with netcdf_file(self.path("y.nc"), mmap=False) as out:
            self.assertEqual(out.title, b"classic")
            self.assertTrue(np.array_equal(out.variables["v"][:][~self.blank], self.value[~self.blank]))
            self.assertTrue(np.all(out.variables["v"][:] > 200))

    def test_what_was_never_written_is_missing(self):
        with netCDF4.Dataset(self.path("x.nc"), "w") as out:
            out.createDimension("a", 4)
            out.createDimension("b", 5)
            out.createVariable("v", "f8", ("a", "b"))[0:3, :] = 1.5
        self.assertEqual(self.ok_json("info", "x.nc")["missing"], 5)

    def test_which_variable(self):
        with netCDF4.Dataset(self.path("x.nc"), "w") as out:
            out.createDimension("a", 4)
            out.createDimension("b", 5)
            inner = out.createGroup("deep")
            for where, name in ((out, "first"), (out, "second"), (inner, "third")):
                where.createVariable(name, "f4", ("a", "b"))[:] = len(name)
            out.createVariable("words", "S1", ("a", "b"))[:] = np.full((4, 5), b"x")
        message = self.fails(3, "info", "x.nc")
        for word in ("x.nc: found 3 arrays of 2 modes", "first (4 x 5 <f4)", "deep/third"):
            self.assertIn(word, message)
        self.assertEqual(self.ok_json("info", "x.nc", "--variable", "second")["mean"], 6.0)
        self.assertEqual(self.ok_json("info", "x.nc", "--variable", "deep/third")["mean"], 5.0)
        self.assertIn("expected numbers", self.fails(3, "info", "x.nc", "--variable", "words"))
        self.assertIn("no array 'none'", self.fails(3, "info", "x.nc", "--variable", "none"))

    def test_other_kinds_become_netcdf_and_back(self):
        self.climate("x.nc")
        self.ok("convert", "x.nc", "x.npy")
        stored = np.load(self.path("x.npy"))
        self.assertTrue(np.array_equal(np.isnan(stored), self.blank))
        self.ok("convert", "x.npy", "z.nc")
        with netCDF4.Dataset(self.path("z.nc")) as made:
            self.assertEqual(made["data"].dimensions, ("mode1", "mode2", "mode3"))
            self.assertTrue(np.array_equal(np.ma.getmaskarray(made["data"][:]), self.blank))
        self.ok("convert", "x.nc", "x.h5")
        self.ok("convert", "x.h5", "w.nc")
        with netCDF4.Dataset(self.path("w.nc")) as made:
            self.assertEqual(made["t2m"].dimensions, ("time", "lat", "lon"))
            self.assertTrue(np.allclose(made["lat"][:], np.linspace(60, 38, 12)))
            self.assertEqual(made["lat"].units, "degrees_north")

    def test_cells_at_other_positions_are_predicted_there(self):
        self.climate("x.nc")
        self.ok("fit", "x.nc", "-o", "m.lac", "--parts", "time|lat~6,lon~0.75", *QUICK[2:])
        # Every second longitude, and some between two that the model knows.
        with netCDF4.Dataset(self.path("ask.nc"), "w") as out:
            where = {"time": [0, 6, 12, 18, 30, 36, 42], "lat": np.linspace(60, 38, 12), "lon": [0.0, 0.5, 0.875, 1.0]}
            for axis, positions in where.items():
                out.createDimension(axis, len(positions))
                out.createVariable(axis, "f8", (axis,))[:] = positions
            t, i, j = np.meshgrid(np.arange(7), np.arange(12), np.array(where["lon"]) / 0.25, indexing="ij")
            truth = 280.0 + 5.0 * np.sin(0.4 * i + 0.2 * t) + 3.0 * np.cos(0.5 * j)
            out.createVariable("t2m", "f8", ("time", "lat", "lon"))[:] = truth
        told = self.ok_json("evaluate", "m.lac", "ask.nc")
        self.assertEqual(told["cold"], 0)
        self.assertLess(told["rmse"], 0.6)

    def test_dimension_variables_that_say_nothing(self):
        with netCDF4.Dataset(self.path("x.nc"), "w") as out:
            for axis, where in (("a", [1, 1, 2]), ("b", [0.0, np.nan, 1.0])):
                out.createDimension(axis, 3)
                out.createVariable(axis, "f8", (axis,))[:] = where
            out.createVariable("v", "f8", ("a", "b"))[:] = np.arange(9).reshape(3, 3)
        self.assertEqual([mode["positions"] for mode in self.ok_json("info", "x.nc")["modes"]], [None, None])
        for verb in (("info", "x.nc"), ("fit", "x.nc", "-o", "m.lac", "--method", "mean")):
            told = self.run_lacuna(*verb).stderr
            for axis in "ab":
                self.assertIn(f"note: the positions of mode '{axis}' in the file are not used", told)

    def test_damaged_files_are_refused(self):
        whole = self.path(self.climate("x.nc")).read_bytes()
        deal = random.Random(4)
        for number in range(40):
            damaged = bytearray(whole[: deal.randrange(1, len(whole))] if number % 2 else whole)
            for _ in range(20):
                damaged[deal.randrange(len(damaged))] = deal.randrange(256)
            self.path("bad.nc").write_bytes(damaged)
            done = self.run_lacuna("info", "bad.nc")
            self.assertIn(done.returncode, (0, 3, 5), done.stderr)
            if done.returncode:
                self.assertIn("bad.nc", done.stderr)

    def test_a_false_scale_is_named(self):
        name = self.climate("x.nc", dtype="i2", fill=-1, scale_factor=0.01)
        with netCDF4.Dataset(self.path(name), "a") as out:
            out["t2m"].scale_factor = 0.0
        self.assertIn("scale_factor 0", self.fails(3, "info", name))


class Hdf5(CliTest):
    def cube(self, name, dtype=">f4", **more):
        self.value, self.blank = field().astype("f4"), holes((7, 12, 10))
        with h5py.File(self.path(name), "w") as out:
            data = out.create_dataset("run/cube", data=np.where(self.blank, np.nan, self.value).astype(dtype), **more)
            out["run"].attrs["who"] = "somebody"
            data.attrs["unit"] = "K"
            out["when"] = np.array([0.0, 1, 2, 4, 5, 6, 9])
            out["when"].attrs["units"] = "s"
            out["when"].make_scale("when")
            data.dims[0].attach_scale(out["when"])
            data.dims[1].label = "depth"
        return name

    def test_scales_and_labels(self):
        about = self.ok_json("info", self.cube("x.h5"))
        self.assertEqual((about["format"], about["shape"], about["missing"]), ("hdf5", [7, 12, 10], int(self.blank.sum())))
        when, depth, last = about["modes"]
        self.assertEqual((when["name"], when["positions"]["to"], when["positions"]["unit"]), ("when", 9.0, "s"))
        self.assertEqual((depth["name"], depth["positions"], last["name"]), ("depth", None, "mode3"))

    def test_completed_in_kind(self):
        for number, more in enumerate(({}, {"chunks": (3, 5, 5), "compression": "gzip", "shuffle": True})):
            self.cube(f"x{number}.h5", **more)
            self.ok("complete", f"x{number}.h5", "-o", f"y{number}.h5", *QUICK)
            with h5py.File(self.path(f"y{number}.h5")) as out:
                data = out["run/cube"]
                self.assertEqual((data.dtype.str, data.attrs["unit"], out["run"].attrs["who"]), (">f4", "K", "somebody"))
                self.assertEqual(data.compression, more.get("compression"))
                self.assertEqual(list(data.dims[0]["when"]), [0, 1, 2, 4, 5, 6, 9])
                self.assertTrue(np.array_equal(data[:][~self.blank], self.value[~self.blank]))
                self.assertLess(np.sqrt(np.mean((data[:] - self.value)[self.blank] ** 2)), 0.6)

    def test_whole_numbers_stay_whole(self):
        with h5py.File(self.path("x.h5"), "w") as out:
            out["d"] = np.where(holes((7, 12, 10)), -1, np.rint(field())).astype("i2")
        self.ok("complete", "x.h5", "-o", "y.h5", "--missing-value", "-1", *QUICK)
        with h5py.File(self.path("y.h5")) as out:
            self.assertEqual(out["d"].dtype.str, "<i2")
            self.assertTrue(np.all(np.abs(out["d"][:] - field()) < 3))

    def test_round_trip(self):
        self.cube("x.h5")
        self.ok("convert", "x.h5", "x.npz", "--variable", "run/cube")
        self.ok("convert", "x.npz", "z.h5")
        with h5py.File(self.path("z.h5")) as out:
            self.assertTrue(np.array_equal(np.isnan(out["cube"][:]), self.blank))
        self.ok("convert", "x.h5", "x.mat")
        self.assertEqual(self.ok_json("info", "x.mat")["shape"], [7, 12, 10])

    def test_what_is_not_an_array_of_numbers(self):
        with h5py.File(self.path("x.h5"), "w") as out:
            out["a"] = np.ones((2, 2))
            out["b"] = np.ones((2, 3))
            out["words"] = np.array([[b"x", b"y"]])
            out["line"] = np.ones(5)
        self.assertIn("found 2 arrays of 2 modes", self.fails(3, "info", "x.h5"))
        self.assertIn("string", self.fails(3, "info", "x.h5", "--variable", "words"))
        self.assertIn("1-d array", self.fails(3, "info", "x.h5", "--variable", "/line"))
        self.write("y.h5", "nothing of the kind")
        self.assertIn("y.h5", self.fails(3, "info", "y.h5"))
        self.assertIn("No such file", self.fails(3, "info", "nowhere.h5"))

    def test_numbers_of_other_files_are_not_fetched(self):
        self.path("secret.bin").write_bytes(np.arange(20.0).tobytes())
        with h5py.File(self.path("x.h5"), "w") as out:
            out.create_dataset("d", (4, 5), "f8", external=[(str(self.path("secret.bin")), 0, 160)])
        with h5py.File(self.path("x.h5")) as made:
            self.assertEqual(made["d"][3, 4], 19.0)  # the library would
        self.assertIn("x.h5", self.fails(3, "info", "x.h5"))

    def test_an_unwritten_giant_is_refused_by_its_claim(self):
        with h5py.File(self.path("x.h5"), "w") as out:
            out.create_dataset("d", (40000, 40000), "f8", chunks=(1000, 1000), compression="gzip")
        self.assertIn("claim to hold", self.fails(3, "info", "x.h5"))


class NewFiles(CliTest):
    """Written by a program of its own; here it is not let, or not left in peace."""

    def setUp(self):
        super().setUp()
        np.save(self.path("in.npy"), field())

    def test_a_limit_on_the_size_of_files(self):
        for name in ("o.nc", "o.h5", "o.tif"):
            with self.subTest(name):
                done = subprocess.run(["bash", "-c", 'ulimit -f 1; exec "$0" convert in.npy "$1"', LACUNA, name], cwd=self.folder,
                                      capture_output=True, text=True)  # fmt: skip
                self.assertEqual(done.returncode, 6, done.stderr)
                self.assertIn("File too large", done.stderr)
                self.assertNotIn("damaged", done.stderr)
                self.assert_only("in.npy")

    def test_the_same_command_writes_the_same_bytes(self):
        for name in ("o.nc", "o.h5", "o.tif"):
            with self.subTest(name):
                self.ok("convert", "in.npy", name)
                first = self.path(name).read_bytes()
                time.sleep(1.1)  # HDF5 would note the second
                self.ok("convert", "in.npy", name)
                self.assertEqual(self.path(name).read_bytes(), first)

    def test_a_kill_leaves_nothing(self):
        np.save(self.path("in.npy"), np.random.default_rng(1).random((40, 200, 200)))
        for name in ("o.nc", "o.h5", "o.tif"):
            with self.subTest(name):
                began = time.monotonic()
                self.ok("convert", "in.npy", name)
                took = time.monotonic() - began
                whole = self.path(name).read_bytes()
                self.path(name).unlink()
                for step in range(1, 10):
                    running = subprocess.Popen([LACUNA, "convert", "in.npy", name], cwd=self.folder, stdout=subprocess.DEVNULL)
                    time.sleep(took * step / 10)
                    running.kill()
                    running.wait()
                    time.sleep(0.05)  # its helper ends with it
                    left = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.name != "in.npy"}
                    self.assertTrue(all(content == whole for content in left.values()), sorted(left))
                    for other in left:
                        self.path(other).unlink()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
