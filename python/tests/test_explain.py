# SPDX-License-Identifier: MIT
"""What predictions rest on, what blends are made of, and tables that the command line reads by flags."""

import json
import subprocess

import numpy as np
import pytest

import lacuna


def close(ours, theirs):
    """The same account, but for labels as text and components counted from 1."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name in theirs:
            if name == "component":
                assert ",".join(str(one + 1) for one in ours[name]) == theirs[name]
            else:
                close(ours[name], theirs[name])
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs):
            close(mine, other)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)
    elif isinstance(theirs, str):
        assert str(ours) == theirs
    else:
        assert ours == theirs


@pytest.fixture(scope="module")
def ratings():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    users, films = rng.integers(0, 30, 500), rng.integers(0, 12, 500)
    frame = pandas.DataFrame({"user": [f"u{i}" for i in users], "film": [f"f{i}" for i in films],
                              "stars": np.round(3 + np.sin(users) * np.cos(films) + 0.3 * rng.normal(size=500), 2)})
    return frame.drop_duplicates(["user", "film"])  # fmt: skip


@pytest.mark.parametrize("method, by", [("tr-mm", "fibers"), ("als", "rows"), ("als", "components"), ("rprecon", "fibers"),
                                        ("bayescp", "fibers"), ("halrtc", "fibers")])  # fmt: skip
def test_explain_agrees_with_the_program(ratings, program, tmp_path, method, by):
    kind = {"parts": "user|film", "lam": 2.0} if method == "tr-mm" else {}
    kind |= {"rank": 2} if method in ("tr-mm", "als", "rprecon") else {}
    completer = lacuna.TensorCompleter(method=method, offsets="user,film" if method != "halrtc" else "mean", **kind)
    completer.fit(ratings, value="stars")
    completer.save(tmp_path / "model.lac")
    done = subprocess.run([program, "explain", "model.lac", "user=u5", "film=f3", "-k", "3", "--by", by, "--json"],
                          cwd=tmp_path, capture_output=True, text=True, check=True)  # fmt: skip
    ours = lacuna.explain(completer, user="u5", film="f3", by=by, count=3)
    close(ours, json.loads(done.stdout))
    assert ours["value"] == pytest.approx(sum(term["adds"] for term in ours["terms"]) + ours["clip"])
    assert ours["value"] == pytest.approx(completer.predict([np.array([completer.labels_[0].tolist().index("u5")]),
                                                            np.array([completer.labels_[1].tolist().index("f3")])])[0])


def test_explain_answers_lists_and_unseen_positions(ratings):
    completer = lacuna.TensorCompleter(method="als", rank=2, offsets="user,film", intervals=True).fit(ratings, value="stars")
    several = lacuna.explain(completer, user=["u1", "u2"], film="f3")
    assert [one["cell"] for one in several] == [{"user": "u1", "film": "f3"}, {"user": "u2", "film": "f3"}]
    unseen = lacuna.explain(completer, {"user": None, "film": "f3"}, interval=0.8)
    assert unseen["cell"]["user"] is None and unseen["low"] < unseen["value"] < unseen["high"]


@pytest.mark.parametrize("question, sentence", [
    ({"user": "u1"}, "found no film"),
    ({"user": "nobody", "film": "f1"}, "found 'nobody', expected a label of mode 'user'"),
    ({"usr": "u1", "film": "f1"}, "did you mean user"),
    ({"user": "u1", "film": "f1", "by": "columns"}, "by: found 'columns', expected fibers, rows or components"),
    ({"user": "u1", "film": "f1", "count": -1}, "count: found -1"),
    ({"user": "u1", "film": "f1", "interval": 0.9}, "fitted without intervals=True"),
    ({"user": ["u1", "u2"], "film": ["f1", "f2", "f3"]}, "expected lists of the same length"),
])  # fmt: skip
def test_explain_refuses_clearly(ratings, question, sentence):
    completer = lacuna.TensorCompleter(method="als", rank=1).fit(ratings, value="stars")
    with pytest.raises((ValueError, TypeError), match=sentence):
        lacuna.explain(completer, **question)


def noisy_ratings(seed):
    rng = np.random.default_rng(seed)
    a, b, c = (rng.normal(size=(n, 3)) for n in (30, 25, 8))
    score = (a[:, None, None, 0] + b[None, :, None, 0] + 0.3 * c[None, None, :, 0]
             + 0.5 * np.einsum("ir,jr->ij", a[:, 1:], b[:, 1:])[:, :, None]
             + 0.4 * np.einsum("ir,kr->ik", a[:, 1:], c[:, 1:])[:, None, :] + 0.6 * rng.normal(size=(30, 25, 8)))  # fmt: skip
    return np.where(rng.random(score.shape) < 0.3, np.clip(np.round(3 + score), 1, 5), np.nan)


def test_a_blend_is_told_member_by_member():
    for seed in range(20):  # which data are blended for is not ours to say
        completer = lacuna.TensorCompleter(effort="low", blend=3, clip="none").fit(noisy_ratings(seed))
        if completer.method_ == "blend":
            break
    members = completer.members_
    assert len(members) > 1 and completer.weights_.sum() == pytest.approx(1.0)
    mean = sum(weight * member.predict() for weight, member in zip(completer.weights_, members))
    assert np.allclose(mean, completer.predict(), atol=1e-6)
    for name in ("rank_", "parts_", "factors_", "mixture_", "spectra_", "core_"):
        assert len(getattr(completer, name)) == len(members)
    for factors, member in zip(completer.factors_, members):
        assert len(factors) == len(member.factors_)
        assert all(np.array_equal(one, other) for one, other in zip(factors, member.factors_))
    terms = lacuna.explain(completer, mode1=0, mode2=0, mode3=0)["terms"]
    assert {term["member"] for term in terms if "member" in term} == {member.method_ for member in members}


def test_a_model_alone_has_no_members(cube):
    completer = lacuna.TensorCompleter(method="als", rank=1).fit(cube[1])
    assert completer.members_ == [] and len(completer.weights_) == 0


def test_wide_tables_and_several_values(tmp_path):
    (tmp_path / "wide.csv").write_text("station,6h,12h\nnorth,1.5,2\nsouth,,4\n")
    tensor = lacuna.read(tmp_path / "wide.csv", wide="hour", header=True)
    assert tensor.modes == ["station", "hour"] and tensor.labels[1].tolist() == ["6h", "12h"]
    assert np.array_equal(tensor.to_numpy(), [[1.5, 2.0], [np.nan, 4.0]], equal_nan=True)
    assert lacuna.read(tmp_path / "wide.csv", wide=True).modes == ["station", "column"]
    (tmp_path / "long.csv").write_text("site,day,temperature,humidity\na,1,20,60\nb,1,18,\na,2,21,61\n")
    tensor = lacuna.read(tmp_path / "long.csv", values=["temperature", "humidity"])
    assert tensor.modes == ["site", "day", "variable"] and set(tensor.labels[2]) == {"temperature", "humidity"}
    assert lacuna.complete(tensor, method="offsets", offsets="modes").to_numpy().shape == (2, 2, 2)


def test_time_zones(tmp_path):
    (tmp_path / "t.csv").write_text("site,time,value\na,2023-07-31T23:30Z,1\nb,2023-07-15T12:00Z,2\n")
    assert lacuna.read(tmp_path / "t.csv", bins={"time": "1M"}).shape == (2, 1)
    assert lacuna.read(tmp_path / "t.csv", bins={"time": "1M"}, time_zone="Europe/Berlin").shape == (2, 2)  # August there
    with pytest.raises(ValueError, match="time_zone: found the time zone 'Europe/Berln'.*did you mean Europe/Berlin"):
        lacuna.read(tmp_path / "t.csv", time_zone="Europe/Berln")
