#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the seeds that fuzzing starts from: fuzz/corpus/TARGET/NAME, small files of every kind, all made up here.

  fuzz/make_corpora.py

Behind each file come as many zeros as the target has options (see fuzz/support.hpp), or the bytes that choose others.
The seeds of `model` are tests/model_files; `checkpoint` and `tune_state` begin with what they write themselves. What
fuzzing has found and was mended lies beside the seeds, named found-*, and is not touched.
"""
import gzip
import io
import lzma
import struct
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse
from PIL import Image

CORPUS = Path(__file__).resolve().parent / "corpus"
OPTION_BYTES = {"tns": 3, "sptensor": 1, "table": 14, "npy": 2, "npz": 2, "mat5": 3, "picture": 1, "text_against_npz": 2,
                "command_line": 2, "side": 4, "formats": 1}  # fmt: skip

TNS = "1 1 1 0.5\n2 3 1 -1.25e3\n# a comment\n2 1 4 nan\n3 2 2 7\n"
SPTENSOR = "sptensor\n3\n3 3 4\n3\n1 1 1 0.5\n2 3 1 -1.25\n3 2 4 7\n"
# Two lines as one block that is not compressed, without a checksum
ZSTD = b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00" + b"1 1 2\n2 2 3\n"
TABLES = {
    "labels": "user,item,value\nann,tea,1.5\nbob,milk,2\nann,milk,\n",
    "semicolons": "user;item;value\nann;tea;1,5\nbob;milk;2,25\n",
    "quotes": 'user,item,value\n"a ""b""\nc",tea,1\n"x,y",milk,N/A\n',
    "movielens": "1::1193::5::978300760\n1::661::3::978302109\n2::914::3::978301968\n",
    "triples": "ann\tknows\tbob\nbob\tlikes\ttea\n",
    "time": "user,item,time,value\na,b,2020-01-01T00:00:00Z,1\nb,b,2020-01-09,2\na,c,1577836800,3\n",
    "weights": "user,item,value,weight\na,b,1,2\nb,b,3,0.5\n",
    "mac": "user,item,value\ra,b,1\rb,c,2\r",
    "dos": "\ufeffuser,item,value\r\na,b,1\r\nb,c,2\r\n",
    "numbers": "1,1,0.5\n2,3,1.5\n3,1,2.5\n",
    "pipes": "a|b|c|1\nb|b|c|2\n",
    "zones": "user,item,time,value\na,b,2024-03-31 02:30,1\nb,b,2024-10-27 02:30:00 +0100,2\n",
}
SETTINGS = {
    "parts": ["full", "pairs", "user|item ; item|user,3 rank=2 lambda=0.5 rows=0.5 fibers=1", "1|2~8,3 smooth=1.5", "|1~2,2~3"],
    "offsets": ["none", "mean", "modes", "user,item,item*user", "1,2*3"],
    "rank": ["3", "3,4,5", "auto"], "lambda": ["0.5", "auto", "1e-3"], "lambdas": ["1,2,3"], "clip": ["auto", "none", "1,5"],
    "early-stop": ["0.1", "auto"], "tubes": ["3", "week 1"], "method": ["tr-mm", "auto"], "seed": ["1", "-1"],
}  # fmt: skip


def put(target, name, content, options=b""):
    if isinstance(content, str):
        content = content.encode()
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content + options.rjust(OPTION_BYTES.get(target, 0), b"\0"))


def text():
    put("tns", "plain", TNS)
    put("tns", "packed", gzip.compress(TNS.encode(), mtime=0))
    put("tns", "two-packed", gzip.compress(b"1 1 2\n", mtime=0) + gzip.compress(b"2 2 3\n", mtime=0))
    put("tns", "with-shape", "0 0 0 1\n8 7 6 2\n", b"\1\1")
    put("sptensor", "plain", SPTENSOR)
    for name, table in TABLES.items():
        put("table", name, table)
    put("table", "wide", "station,day,1,2,3\nnorth,2024-01-31,1.50,,3\nsouth,2024-02-01,NaN,0,-7\n", b"\1" + bytes(9))
    put("table", "wide-dates", 'who,2024-01-05,"2024-04-06",2024-07-01\r\na,1,2,\r\n"b,c",,0,5\r\n', b"\3\1" + bytes(9))
    put("table", "values", "user,item,value,weight\na,b,1,2\nb,b,,0.5\n", b"\3" + bytes(9))
    put("table", "months", "user,item,time,value\na,b,2020-01-31,1\nb,b,2020-02-01 23:59Z,2\n", b"\3\1\0" + bytes(9))
    put("tns", "packed-xz", lzma.compress(TNS.encode()))
    put("tns", "two-packed-xz", lzma.compress(b"1 1 2\n") + lzma.compress(b"2 2 3\n"))
    put("tns", "packed-zstd", ZSTD)
    put("text_against_npz", "tns", TNS)
    put("text_against_npz", "sptensor", SPTENSOR, b"\1")
    put("text_against_npz", "table", TABLES["numbers"], b"\2")


def zones():
    """Files as /usr/share/zoneinfo has them (RFC 8536): no old block, two changes, and a rule for all years to come."""
    def head(changes, types):
        return b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, changes, types, 4)

    types = struct.pack(">iBB", 3600, 0, 0) + struct.pack(">iBB", 7200, 1, 0) + b"CET\0"
    old = head(0, 1) + types[:6] + b"CET\0"
    changes = struct.pack(">2q", 0, 1_000_000_000) + b"\1\0"
    put("time_zone", "rule", old + head(2, 2) + changes + types + b"\nCET-1CEST,M3.5.0,M10.5.0/3\n")
    put("time_zone", "south", old + head(2, 2) + changes + types + b"\n<+10>-10<+11>,M10.1.0,M4.1.0/-3:30\n")
    put("time_zone", "fixed", old + head(0, 1) + types[:6] + b"CET\0\n<-03>3\n")


def arrays():
    cube = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
    cube[0, 1, 2] = np.nan
    for name, array in {
        "double": cube, "fortran": np.asfortranarray(cube), "byte": np.arange(6, dtype=np.uint8).reshape(2, 3),
        "half": cube.astype(np.float16), "big": np.nan_to_num(cube).astype(">i4"), "logical": cube > 3,
    }.items():  # fmt: skip
        with io.BytesIO() as out:
            np.save(out, array)
            put("npy", name, out.getvalue())
    coordinates = np.array([[0, 1, 1], [0, 2, 1], [0, 0, 3]])
    members = {"coords": coordinates, "data": np.array([1.0, 2.0, 3.0]), "shape": np.array([2, 3, 4])}
    for name, content in {"dense": {"x": cube}, "coo": members}.items():
        for kind, save in {"stored": np.savez, "packed": np.savez_compressed}.items():
            with io.BytesIO() as out:
                save(out, **content)
                put("npz", f"{name}-{kind}", still(out.getvalue()))
    for name, content in {
        "dense": {"x": np.nan_to_num(cube)}, "struct": {"data": {"x": cube, "y": "text"}}, "bytes": {"x": np.arange(6, dtype=np.uint8).reshape(2, 3)},
        "sparse": {"x": scipy.sparse.csc_matrix(np.array([[1.0, 0, 2], [0, 3, 0]]))}, "list": {"x": np.array([[1, 1, 5.0], [2, 3, 6]])},
        "single": {"x": np.array([[1.5, np.nan, 2], [0.1, 3, -4]], dtype=np.float32), "y": np.array([[300.0, 7.0]])},
    }.items():  # fmt: skip
        for kind in (False, True):
            with io.BytesIO() as out:
                scipy.io.savemat(out, content, do_compression=kind)
                data = b"MATLAB 5.0 MAT-file".ljust(116) + out.getvalue()[116:]  # without the date
                put("mat5", name + ("-packed" if kind else ""), data, b"\1\0" if name == "list" else b"")
                if name in ("dense", "list", "single"):
                    put("mat5_against_matio", name + ("-packed" if kind else ""), data)


def still(archive):
    """The same archive without the time at which it was made."""
    with io.BytesIO() as out:
        with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w") as new:
            for member in old.infolist():
                fixed = zipfile.ZipInfo(member.filename)
                fixed.compress_type = member.compress_type
                new.writestr(fixed, old.read(member))
        return out.getvalue()


def pictures():
    pixels = (np.arange(5 * 4 * 4) * 37 % 256).astype(np.uint8).reshape(5, 4, 4)
    for name, (array, kind) in {
        "rgba.png": (pixels, "PNG"), "rgb.png": (pixels[:, :, :3], "PNG"), "gray.png": (pixels[:, :, 0], "PNG"),
        "deep.png": (pixels[:, :, 0].astype(np.uint16) * 200, "PNG"), "one.png": (pixels[:, :, 0] > 99, "PNG"),
        "rgb.jpg": (pixels[:, :, :3], "JPEG"), "gray.jpg": (pixels[:, :, 0], "JPEG"), "rgb.bmp": (pixels[:, :, :3], "BMP"),
        "gray.bmp": (pixels[:, :, 0], "BMP"),
    }.items():  # fmt: skip
        with io.BytesIO() as out:
            Image.fromarray(array).save(out, kind)
            put("picture", name, out.getvalue())
    with io.BytesIO() as out:
        Image.fromarray(pixels[:, :, 0]).convert("P").save(out, "PNG", transparency=3)
        put("picture", "palette.png", out.getvalue())
    with io.BytesIO() as out:
        Image.fromarray(pixels[:, :, :3]).save(out, "JPEG", progressive=True)
        put("picture", "progressive.jpg", out.getvalue())
    claimed = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 58, 0, 0, 54, 40, 2147483647, -2147483647, 1, 24, 0, 0, 0, 0, 0, 0)
    put("picture", "claims.bmp", claimed + b"\0\0\0\0")


def cubes():
    put("y4m", "gray", b"YUV4MPEG2 W3 H2 Cmono\nFRAME\nabcdefFRAME Ip\nghijkl")
    put("y4m", "half", b"YUV4MPEG2 W3 H3 F25:1 Ip A1:1 C420jpeg\nFRAME\n" + bytes(range(17)))
    put("y4m", "whole", b"YUV4MPEG2 W2 H2 C444\nFRAME\n" + bytes(range(12)))
    head = "ENVI\nsamples = 2\nlines = 2\nbands = 3\nheader offset = 0\ndata type = {}\ninterleave = {}\nbyte order = 0\n{}"
    put("envi", "bytes", head.format(1, "bsq", "").encode() + b"\n%%\n" + bytes(range(12)))
    extra = "data ignore value = 7\nwavelength units = nm\nwavelength = { 400.0,\n 500, 600 }\n"
    put("envi", "shorts", head.format(2, "bil", extra).encode() + b"\n%%\n" + bytes(range(24)))
    put("envi", "doubles", head.format(5, "bip", "").encode() + b"\n%%\n" + struct.pack("<12d", *range(12)))


def side():
    put("side", "features", "user,age,town\nann,30,x\nbob,41,y|z\nzoe,NA,\n", b"\1\1\0\0")
    put("side", "graph", "ann,bob,2\nbob,zoe,1\n", b"\1\1\0\1")
    put("side", "numbers", "1 2 1\n2 3 0.5\n", b"\0\1\1\1")
    put("side", "coordinates", "user,at\nann,0\nbob,1.5\n", b"\0\0\0\2")
    put("side", "dates", "ann,2020-01-01\nbob,2020-02-01\n", b"\0\0\0\2")
    put("side", "known", "user,at\nann,0\nbob,1.5\n", b"\0\0\0\3")
    header = b'{"arrays":[2,1],"variable":"x"}'
    words = b"lacuna>1" + struct.pack("<Q", len(header)) + header + struct.pack("<3d", 1, 2, 3) + b"complete"
    put("wire", "two", words)


def command_line():
    for name, words in {
        "fit": "fit\na.tns\n-o\nm.lac\n--rank\n3\n--lambda=0.5\n--json", "tune": "tune\na.tns\n-o\nm\n--rank-grid\n1,2\n--folds\n3",
        "help": "help\nfit", "misspelt": "fti\na.tns", "predict": "predict\nm.lac\nc.csv\n-o\np.csv\n--interval\n0.9",
        "split": "split\na.tns\n--train\nt\n--test\ns\n--fraction\n0.5\n--seed\n7",
    }.items():  # fmt: skip
        put("command_line", name, words)
    config = 'train = "a.tns"\noutput = "m.lac"\nrank = [1, 2, 3]\n[fit]\nlambda = 0.5\nquiet = true\n# a comment\n'
    put("command_line", "config", config, b"\0\1")


def settings():
    for name, texts in SETTINGS.items():
        for number, words in enumerate(texts):
            put("settings", f"{name}-{number}", f"{name}={words}")
            if name in ("parts", "offsets"):
                put("settings", f"grammar-{name}-{number}", words)


def formats():
    """The option byte picks the reader: HDF5, NetCDF, TIFF, the list of a MATLAB file, or its numbers."""
    import h5py
    import netCDF4

    numbers = np.arange(24, dtype="f4").reshape(4, 3, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed"
        with h5py.File(path, "w") as out:
            out.create_dataset("grid/data", data=numbers, chunks=(2, 3, 2), compression="gzip", track_times=False)
            out["x"] = [1.0, 2.0, 4.0, 8.0]
            out["x"].make_scale("x")
            out["grid/data"].dims[0].attach_scale(out["x"])
        put("formats", "hdf5", path.read_bytes(), b"\0")
        with h5py.File(path, "w") as out:
            out.create_dataset("a", data=numbers.astype(">i2"), track_times=False)
        put("formats", "hdf5-plain", path.read_bytes(), b"\0")
        with h5py.File(path, "w", userblock_size=512) as out:  # MATLAB 7.3 puts its own header there
            out.create_dataset("A", data=numbers.astype("f8"), track_times=False).attrs["MATLAB_class"] = np.bytes_("double")
        saved = bytearray(path.read_bytes())
        saved[:128] = b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\x00\x02IM"
        put("formats", "mat73-list", bytes(saved), b"\3")
        put("formats", "mat73", bytes(saved), b"\4")
        for kind in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4"):
            with netCDF4.Dataset(path, "w", format=kind) as out:
                out.createDimension("time", None)
                out.createDimension("lat", 3)
                at = out.createVariable("lat", "f8", ("lat",))
                at.units, at[:] = "degrees_north", [60, 50, 40]
                data = out.createVariable("t", "i2", ("time", "lat"), fill_value=-999)
                data.scale_factor, data.add_offset, data[:] = 0.5, 273.0, 273.0 + np.arange(12).reshape(4, 3) / 2
            put("formats", kind.lower(), path.read_bytes(), b"\1")
    for name, pixels, words in (("gray", numbers[:, :, 0], {}), ("lzw", numbers[:, :, 0].astype("u1"), {"compression": "tiff_lzw"}),
                                ("deflate", numbers.astype("u1").repeat(2, 2)[:, :, :3], {"compression": "tiff_adobe_deflate"})):  # fmt: skip
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, "TIFF", **words)
        put("formats", f"tiff-{name}", out.getvalue(), b"\2")
    out = io.BytesIO()
    scipy.io.savemat(out, {"A": numbers[:, :, 0].astype("f8"), "b": numbers[0]}, format="4")
    put("formats", "mat4-list", out.getvalue(), b"\3")
    put("formats", "mat4", out.getvalue(), b"\4")


if __name__ == "__main__":
    text()
    zones()
    arrays()
    pictures()
    cubes()
    side()
    command_line()
    settings()
    formats()
    files = [p for p in CORPUS.rglob("*") if p.is_file()]
    print(f"{len(files)} seeds of {sum(p.stat().st_size for p in files)} bytes in {CORPUS}")
