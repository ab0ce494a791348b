# SPDX-License-Identifier: MIT
"""Models that lie: every verb that loads one refuses it as a damaged file, and none crashes."""
import copy
import json
import resource
import struct
import subprocess
import unittest
import zlib

from support import LACUNA, SANITIZED, TIMEOUT, SampleTest

REFUSED = 3


def unpack(data):
    """Header and the bytes behind it, without the checksum."""
    length = struct.unpack("<Q", data[8:16])[0]
    return json.loads(data[16 : 16 + length]), data[16 + length : -8]


def pack(header, arrays=b""):
    """A file whose checksum is right, whatever the header says."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-(16 + len(text)) % 64)
    body = b"LACUNA\0\x01" + struct.pack("<Q", len(text)) + text + arrays
    return body + struct.pack("<Q", zlib.crc32(body))


def plain_header(**changes):
    return {
        "kind": "offsets",
        "lacuna": "0.1.0",
        "method": "mean",
        "settings": {},
        "index_base": 1,
        "offsets": {"mean": 1.0, "effects": []},
        "observed": [0, 1],
        "modes": [{"name": "a", "size": 3}, {"name": "b", "size": 3}],
        "entries": 3,
        **changes,
    }


def fields(node, path=()):
    """The path of every value inside a header."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from fields(child, (*path, key))


def replaced(header, path, value):
    changed = copy.deepcopy(header)
    node = changed
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return changed


class Headers(SampleTest):
    def verbs(self, model):
        yield ("info", model)
        yield ("predict", model, "test.tns", "-o", "out.tns")
        yield ("evaluate", model, "test.tns")
        yield ("report", model, "-o", "page.html")
        yield ("certify", model, "train.tns")
        yield ("update", model, "train.tns", "-o", "out.lac")
        yield ("top", model, "1,?,1")
        yield ("explain", model, "1,1,1")
        yield ("fit", "train.tns", "-o", "out.lac", "--init", model)
        yield ("tune", "train.tns", "-o", "out.lac", "--init", model)
        yield ("complete", "train.tns", "-o", "out.tns", "--init", model)

    def refused(self, data):
        self.path("m.lac").write_bytes(data)
        for verb in self.verbs("m.lac"):
            told = self.fails(REFUSED, *verb)
            self.assertIn("is damaged", told)
            self.assertIn("m.lac: ", told)
        self.assert_only("m.lac", "train.tns", "test.tns")

    def test_the_plain_header_is_fine(self):
        self.path("m.lac").write_bytes(pack(plain_header()))
        self.ok("info", "m.lac")

    def test_arrays_over_each_other_take_no_memory(self):
        count = 100_000  # 800 kB that 20,000 offsets claim for themselves: 16 GB
        keys = {"name": "k", "dtype": "u8", "count": count, "offset": 0}
        effect = {"modes": [0], "ridge": 1.0, "key": keys, "value": {**keys, "dtype": "f8"}}
        header = plain_header(offsets={"mean": 1.0, "effects": [effect] * 20_000})
        self.path("m.lac").write_bytes(pack(header, struct.pack(f"<{count}Q", *range(count))))
        told = self.fails(REFUSED, "info", "m.lac")
        self.assertIn("arrays that lie over each other", told)

    def test_nested_200000_deep(self):
        deep = json.dumps(plain_header()).encode().replace(b'{}', b"[" * 200000 + b"]" * 200000)
        self.refused(pack(deep))
        deep = json.dumps(plain_header()).encode().replace(b'{}', b'{"a":' * 200000 + b"1" + b"}" * 200000)
        self.refused(pack(deep))

    def test_brackets_inside_a_string_are_no_depth(self):
        self.path("m.lac").write_bytes(pack(plain_header(settings={"note": '\\"' + "[{" * 1000})))
        self.ok("info", "m.lac")

    def test_sizes_that_no_mode_has(self):
        for size in (-3, 1e300, 0, 2.5, 2**32, 2**64, "3", None, True):
            self.refused(pack(plain_header(modes=[{"name": "a", "size": size}, {"name": "b", "size": 3}])))

    def test_the_largest_sizes_are_no_picture(self):
        modes = [{"name": name, "size": 2**32 - 2} for name in "abc"]
        self.path("m.lac").write_bytes(pack(plain_header(modes=modes, settings={"run": {"picture": True}})))
        self.ok("report", "m.lac", "-o", "page.html", "--train", "train.tns")
        self.ok("info", "m.lac")

    def test_entries_that_it_cannot_have_kept(self):
        def kept(cells, entries):
            arrays, described = b"", []
            for numbers in zip(*cells):
                described.append({"name": "index", "dtype": "u4", "count": len(numbers), "offset": len(arrays)})
                arrays += struct.pack(f"<{len(numbers)}I", *numbers).ljust(64, b"\0")
            value = {"name": "value", "dtype": "f8", "count": len(cells), "offset": len(arrays)}
            arrays += struct.pack(f"<{len(cells)}d", *[1.0] * len(cells))
            return plain_header(kept={"index": described, "value": value}, entries=entries), arrays

        self.path("m.lac").write_bytes(pack(*kept([(0, 1), (2, 2)], 2)))
        self.assertTrue(self.ok_json("info", "m.lac")["keeps_entries"])
        for cells, entries in (([(0, 1), (3, 2)], 2), ([(0, 1), (0, 1)], 2), ([(0, 1), (2, 2)], 3)):
            self.refused(pack(*kept(cells, entries)))

    def test_too_few_modes(self):
        self.refused(pack(plain_header(modes=[])))
        self.refused(pack(plain_header(modes=[{"name": "a", "size": 3}])))

    def test_index_bases(self):
        for base in (7, -1, 0.5, "1"):
            self.refused(pack(plain_header(index_base=base)))

    def test_settings_that_are_no_table(self):
        for settings in ("x", 1, None, [], {"run": "x"}, {"run": {"command": 5}}, {"run": {"picture": "yes"}}):
            self.refused(pack(plain_header(settings=settings)))

    def test_numbers_that_are_none(self):
        self.refused(pack(plain_header(entries=-1)))
        self.refused(pack(plain_header(entries=1e30)))
        self.refused(pack(plain_header(observed=[1])))
        self.refused(pack(plain_header(observed=[1, 0])))
        self.refused(pack(plain_header(offsets={"mean": None, "effects": []})))
        binning = {"origin": 2**62, "width": 2**62}
        self.refused(pack(plain_header(modes=[{"name": "a", "size": 3, "binning": binning}, {"name": "b", "size": 3}])))


    def test_a_damaged_checkpoint_is_not_gone_on_from(self):
        fit = ("fit", "train.tns", "-o", "out.lac", "--rank", "2", "--max-iterations", "3")
        self.ok(*fit, "--checkpoint", "c.lac")
        if not self.path("c.lac").exists():  # a fit that ends well may take its checkpoint away
            self.path("c.lac").write_bytes(pack(plain_header()))
        whole = self.path("c.lac").read_bytes()
        for data in (whole[:-1], whole[:40] + b"x" + whole[41:], pack(plain_header()), b"", pack(b"[" * 200000)):
            self.path("c.lac").write_bytes(data)
            self.assertIn("c.lac", self.fails(REFUSED, *fit, "--resume", "c.lac"))


class Answers(SampleTest):
    """Models whose checks are right, and whose numbers or names make answers that nobody can use."""

    def test_labels_that_are_no_text_are_shown_all_the_same(self):
        self.write("t.csv", "a,b,value\n" + "".join(f"u{i},label-{j},{i + j}\n" for i in range(4) for j in range(3)))
        self.ok("fit", "t.csv", "-o", "m.lac", "--method", "mean")
        header, arrays = unpack(self.path("m.lac").read_bytes())
        self.assertIn(b"label-1", arrays)
        self.path("m.lac").write_bytes(pack(header, arrays.replace(b"label-1", b"label-\xff")))
        answers = self.ok_json("top", "m.lac", "u1,?", "--observed")
        self.assertIn("label-\ufffd", json.dumps(answers, ensure_ascii=False))
        self.assertIn("label-\ufffd", self.ok_json("explain", "m.lac", "u1,label-\udcff")["cell"]["b"])

    @unittest.skipIf(SANITIZED, "a sanitizer's shadow takes all address space")
    def test_more_positions_than_memory_holds_are_told_before_it_is_taken(self):
        modes = [{"name": name, "size": 4_000_000_000} for name in "ab"]
        self.path("m.lac").write_bytes(pack(plain_header(modes=modes)))
        limit = 2 << 30
        done = subprocess.run([LACUNA, "top", "m.lac", "1,?"], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertIn("this question needs about ", done.stderr)

    def test_errors_that_are_not_finite_are_said_to_be_none(self):
        self.path("m.lac").write_bytes(pack(plain_header(offsets={"mean": 1e308, "effects": []}, observed=[0, 1e308])))
        self.write("t.tns", "".join(f"{i} {j} -{i}e307\n" for i in (1, 2, 3) for j in (1, 2, 3)))
        said = self.ok("evaluate", "m.lac", "t.tns")
        self.assertIn("MAE  not finite", said)
        self.assertNotIn("inf\n", said)
        self.assertIsNone(self.ok_json("evaluate", "m.lac", "t.tns")["mae"])

    def test_an_explanation_that_is_not_finite_is_refused(self):
        self.ok("fit", "train.tns", "-o", "m.lac", "--method", "als", "--rank", "2")
        header, arrays = unpack(self.path("m.lac").read_bytes())
        changed = bytearray(arrays)
        struct.pack_into("<d", changed, header["parts"][0]["right"]["offset"] + 8, 1e200)  # its square is no number
        self.path("m.lac").write_bytes(pack(header, bytes(changed)))
        self.assertIn("summands that are not finite", self.fails(REFUSED, "explain", "m.lac", "1,1,1"))


class Fields(SampleTest):
    """One field of a fitted model after the other becomes something else."""

    def check(self, *method):
        self.ok("fit", "train.tns", "-o", "good.lac", "--rank", "2", "--no-record", *method)
        header, arrays = unpack(self.path("good.lac").read_bytes())
        for path in fields(header):
            for value in ("x", -1, [], {}, 1e300):
                self.path("m.lac").write_bytes(pack(replaced(header, path, value), arrays))
                done = self.run_lacuna("predict", "m.lac", "test.tns", "-o", "out.tns")
                self.assertIn(done.returncode, (0, REFUSED), f"{path} {value} {done.stderr}")

    def test_a_model_of_parts(self):
        self.check("--method", "tr-mm", "--center", "mean", "--max-iterations", "3")

    def test_a_tucker_model(self):
        self.check("--method", "geomcg", "--max-iterations", "3")

    def test_an_array_that_is_not_finite(self):
        self.ok("fit", "train.tns", "-o", "good.lac", "--rank", "2", "--no-record", "--max-iterations", "3")
        header, arrays = unpack(self.path("good.lac").read_bytes())
        for number in (float("nan"), float("inf")):
            for described in (header["dual"], header["parts"][0]["factor"]):
                at = described["offset"]
                damaged = arrays[:at] + struct.pack("<d", number) + arrays[at + 8 :]
                self.path("m.lac").write_bytes(pack(header, damaged))
                self.assertIn("not finite", self.fails(REFUSED, "info", "m.lac"))


if __name__ == "__main__":
    unittest.main()
