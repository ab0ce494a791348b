# SPDX-License-Identifier: MIT
"""Python and the command line speak of the same models and files."""

import json
import subprocess

import numpy as np
import pytest
from conftest import EXACT

import lacuna


def run(program, *words, folder):
    done = subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python_to_program_to_python_keeps_every_bit(cube, program, tmp_path):
    _, holes = cube
    completer = lacuna.TensorCompleter(method="tr-mm", rank=3, lam=10, preset="paper").fit(holes)
    completer.save(tmp_path / "model.lac")
    lacuna.write(tmp_path / "holes.npy", holes)
    run(program, "predict", "model.lac", "holes.npy", "-o", "answer.npy", folder=tmp_path)
    assert (np.load(tmp_path / "answer.npy") == completer.predict()).all()
    assert (lacuna.read(tmp_path / "answer.npy").to_numpy() == completer.predict()).all()
    assert (lacuna.load(tmp_path / "model.lac").predict() == completer.predict()).all()


@pytest.mark.parametrize("settings", [EXACT, {"method": "als", "rank": 2}, {"method": "tr-mm", "rank": 3, "lam": 10,
                                      "preset": "paper"}, {"effort": "low", "max_iterations": 5}])  # fmt: skip
def test_both_fit_the_same_model(cube, program, tmp_path, settings):
    _, holes = cube
    np.save(tmp_path / "holes.npy", holes)
    names = {"lam": "lambda"}
    flags = [word for name, value in settings.items()
             for word in (f"--{names.get(name, name).replace('_', '-')}", value)]  # fmt: skip
    run(program, "fit", "holes.npy", "-o", "model.lac", *flags, folder=tmp_path)
    theirs = lacuna.load(tmp_path / "model.lac")
    ours = lacuna.TensorCompleter(**settings).fit(holes)
    assert (ours.predict() == theirs.predict()).all()


def test_a_table_and_its_file_give_the_same_model(program, tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"user": rng.integers(0, 40, 300), "item": [f"item {n}" for n in rng.integers(0, 30, 300)],
                          "rating": rng.integers(1, 6, 300)}).drop_duplicates(["user", "item"])  # fmt: skip
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    flags = ("--method", "als", "--rank", 2)
    run(program, "fit", "ratings.csv", "-o", "model.lac", *flags, folder=tmp_path)
    ours = lacuna.TensorCompleter(method="als", rank=2).fit(frame)
    theirs = lacuna.load(tmp_path / "model.lac")
    assert theirs.modes_ == ours.modes_ and theirs.shape_ == ours.shape_
    assert (theirs.predict(frame) == ours.predict(frame)).all()
    ours.save(tmp_path / "ours.lac")
    run(program, "predict", "ours.lac", "ratings.csv", "-o", "answer.csv", folder=tmp_path)
    assert pd.read_csv(tmp_path / "answer.csv")["rating"].to_numpy() == pytest.approx(ours.predict(frame), rel=1e-15)


def test_both_split_alike(cube, program, tmp_path):
    _, holes = cube
    lacuna.write(tmp_path / "holes.npy", holes)
    run(program, "split", "holes.npy", "--train", "a.tns", "--test", "b.tns", "--seed", 5, folder=tmp_path)
    train, test = lacuna.split(holes, random_state=5)
    for name, part in (("a.tns", train), ("b.tns", test)):
        theirs = lacuna.read(tmp_path / name, shape=holes.shape)
        np.testing.assert_array_equal(theirs.to_numpy(), part)


def test_both_measure_alike(cube, program, tmp_path):
    whole, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    completer.save(tmp_path / "model.lac")
    np.save(tmp_path / "whole.npy", whole)
    theirs = json.loads(run(program, "evaluate", "model.lac", "whole.npy", "--json", folder=tmp_path))
    ours = lacuna.evaluate(completer, whole)
    assert {name: theirs[name] for name in ours} == ours


def test_the_program_s_version_is_the_package_s(program, tmp_path):
    assert lacuna.__version__ in run(program, "--version", folder=tmp_path)


def count_cube():
    """Counts with holes, of which a fit of low rank makes negative ones."""
    rng = np.random.default_rng(2)
    i, j, k = np.ogrid[:14, :12, :8]
    counts = np.maximum(0, np.round(40 * np.sin(i) * np.cos(j) + 10 * np.sin(k) + rng.normal(0, 8, (14, 12, 8))))
    return np.where(rng.random(counts.shape) < 0.5, counts, np.nan)


def test_counts_stay_where_the_program_keeps_them(program, tmp_path):
    holes = count_cube()
    np.save(tmp_path / "holes.npy", holes)
    settings = {"method": "tr-mm", "parts": "full", "offsets": "none", "rank": 3, "lam": 10, "max_iterations": 8, "early_stop": 0}
    names = {"lam": "lambda"}
    flags = [word for name, value in settings.items()
             for word in (f"--{names.get(name, name).replace('_', '-')}", value)]  # fmt: skip
    free = lacuna.TensorCompleter(**settings, clip="none").fit(holes)
    assert free.predict().min() < -1, "or there is nothing to see"
    for told in ({}, {"clip": "none"}):
        words = [word for name, value in told.items() for word in (f"--{name}", value)]
        run(program, "complete", "holes.npy", "-o", "whole.npy", "--model", "model.lac", *flags, *words, folder=tmp_path)
        run(program, "predict", "model.lac", "holes.npy", "-o", "answer.npy", folder=tmp_path)
        answer = np.load(tmp_path / "answer.npy")
        ours = lacuna.TensorCompleter(**settings, **told).fit(holes)
        assert (ours.predict() == answer).all()
        assert (lacuna.load(tmp_path / "model.lac").predict() == answer).all()
        assert (ours.transform(holes) == np.load(tmp_path / "whole.npy")).all()
        assert (lacuna.complete(holes, **settings, **told) == np.load(tmp_path / "whole.npy")).all()
        assert lacuna.explain(ours, mode1=4, mode2=0, mode3=4)["value"] == pytest.approx(answer[4, 0, 4])
        ((_, lowest),) = ours.top({"mode1": 4, "mode3": 4}, 1, lowest=True, seen=True)
        assert lowest == pytest.approx(answer[4, :, 4].min())
        if not told:
            assert (answer == np.clip(free.predict(), 0, 2 * np.nanmax(holes))).all()
