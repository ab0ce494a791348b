# SPDX-License-Identifier: MIT
"""Mistakes are exceptions with the command line's sentences; they name the argument."""

import numpy as np
import pytest
from conftest import QUICK, with_holes

import lacuna

HOLES = with_holes(np.arange(30.0).reshape(6, 5), 0.3)


@pytest.mark.parametrize(("settings", "sentence"), [
    ({"rank": 0}, "rank: found '0', expected auto, certified or numbers > 0"),
    ({"rank": [2, -1]}, "rank: found '2,-1'"),
    ({"rank": True}, "rank: found 'true'"),
    ({"lam": -1.0}, "lam: found '-1.0', expected auto or a number > 0"),
    ({"lam": float("nan")}, "lam: found 'nan'"),
    ({"method": "tr-mn"}, "method: found 'tr-mn'.*did you mean tr-mm?"),
    ({"tolerance": "low"}, "tolerance: found 'low'"),
    ({"random_state": -3}, "random_state: found '-3', expected a whole number >= 0"),
    ({"offsets": "mode9"}, "offsets: .*mode9"),
    ({"parts": "nonsense"}, "parts: "),
    ({"clip": (5, 1)}, "clip: "),
    ({"preset": "other"}, "preset: found 'other', expected paper"),
    ({"duplicates": "first"}, "duplicates: found 'first', expected error, mean, sum or last"),
    ({"n_jobs": 0}, "n_jobs: found 0"),
    ({"method": "mean", "rank": 3}, "rank"),
])  # fmt: skip
def test_settings_out_of_range(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        lacuna.TensorCompleter(**settings).fit(HOLES)


@pytest.mark.parametrize(("word", "meant"), [("rnak", "rank"), ("lambda_", "lam"), ("seed", "random_state"),
                                             ("max_iteration", "max_iterations"), ("njobs", "n_jobs")])  # fmt: skip
def test_unknown_keywords_suggest_the_nearest(word, meant):
    for call in (lacuna.TensorCompleter, lambda **k: lacuna.complete(HOLES, **k), lambda **k: lacuna.tune(HOLES, **k)):
        with pytest.raises(TypeError, match=f"no setting '{word}'; did you mean {meant}?"):
            call(**{word: 1})
    with pytest.raises(TypeError, match="did you mean missing_value?"):
        lacuna.TensorCompleter().fit(HOLES, missing_values=3)


@pytest.mark.parametrize(("data", "sentence"), [
    (np.array([1.0, 2.0]), "data: found 1 axes, expected at least 2"),
    (np.float64(3.0), "data: found numpy|data: found float64|data: found 0 axes"),
    (np.array([["a", "b"], ["c", "d"]]), "data: found an array of <U1, expected numbers"),
    (np.array([[1j, 2], [3, 4]]), "expected numbers"),
    (np.array([[1.0, "x"], [2.0, 3.0]], object), "data: found objects that are no numbers"),
    (np.full((3, 3), np.nan), "data: "),
    (np.empty((0, 3)), "data: |there is nothing|no "),
    (np.array([[1.0, np.inf], [2.0, np.nan]]), r"data: cell \(0, 1\) is infinite"),
    ((np.array([[0, 5], [0, 1]]), [1.0, 2.0], (3, 3)), "coords: found the index 5 along mode 0, expected 0 to 2"),
    ((np.array([[0, -1], [0, 1]]), [1.0, 2.0], (3, 3)), "coords: found the index -1 along mode 0"),
    ((np.array([[0.0, 1.0], [0, 1]]), [1.0, 2.0]), "coords: found no list of whole numbers"),
    ((np.array([[0, 1], [0, 1]]), [1.0], (3, 3)), "values: found"),
    ((np.array([[0, 1, 2], [0, 1, 2]]).T, [1.0, 2.0, 3.0], (3, 3)), "coords|values"),
    ((np.array([[0, 0], [1, 1]]), [1.0, 2.0], (3, 3)), r"entries 0 and 1 \(counted from 0\) are of the same cell"),
    (([0, 1],), "data: found a tuple of 1"),
])  # fmt: skip
def test_data_that_is_no_tensor(data, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        lacuna.TensorCompleter(**QUICK).fit(data)


@pytest.mark.parametrize("name", ["value", "bins", "weight"])
def test_columns_of_data_that_have_none(name):
    said = {"value": "rating", "bins": {"time": "7d"}, "weight": np.ones(HOLES.shape)}[name]
    for call in (lacuna.TensorCompleter(**QUICK).fit, lambda *a, **k: lacuna.complete(*a, **QUICK, **k), lacuna.split):
        with pytest.raises(ValueError, match=f"{name}: found one for ndarray, expected a table"):
            call(HOLES, **{name: said})


def test_weights_of_listed_cells():
    triple = ((np.array([0, 0, 1]), np.array([0, 1, 0])), np.array([1.0, 2.0, 6.0]), (2, 2))
    even = lacuna.TensorCompleter(method="mean").fit(triple).predict([[1, 1]])
    odd = lacuna.TensorCompleter(method="mean").fit(triple, weight=[1.0, 1.0, 98.0]).predict([[1, 1]])
    assert even == pytest.approx(3.0) and odd == pytest.approx(5.91)
    with pytest.raises(ValueError, match=r"weight: found an array of shape \(2,\), expected 3 numbers"):
        lacuna.TensorCompleter(method="mean").fit(triple, weight=[1.0, 1.0])


def test_things_of_no_use():
    for thing in (None, 3, object(), {"a": 1}, {1, 2}):
        with pytest.raises(TypeError, match="data: found"):
            lacuna.TensorCompleter(**QUICK).fit(thing)


def test_cells_that_are_none():
    completer = lacuna.TensorCompleter(**QUICK).fit(HOLES)
    with pytest.raises(ValueError, match=r"expected whole numbers of shape \(cells, 2\)"):
        completer.predict(np.zeros((3, 3), int))
    with pytest.raises(ValueError, match="expected whole numbers"):
        completer.predict(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="found the index -1"):
        completer.predict(np.array([[0, -1]]))
    with pytest.raises(ValueError, match="interval: the model was fitted without intervals=True"):
        completer.predict(interval=0.9)
    with pytest.raises(ValueError, match="interval: found 1.5"):
        completer.predict(interval=1.5)
    with pytest.raises(ValueError, match="found 7 positions along mode 'mode1', expected 6"):
        completer.transform(np.zeros((7, 5)))
    with pytest.raises(ValueError, match="found 3 modes, expected 2"):
        completer.transform(np.zeros((6, 5, 2)))
    with pytest.raises(TypeError, match="did you mean mode1?"):
        completer.top(mode11=1)
    with pytest.raises(ValueError, match="found every mode given, expected at least one left open"):
        completer.top(mode1=1, mode2=1)


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.csv: there is no such file"):
        lacuna.read(tmp_path / "nowhere.csv")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        lacuna.load(tmp_path / "nowhere.lac")
    bad = tmp_path / "bad.tns"
    bad.write_text("1 1 2.0\n1 x 3.0\n")
    with pytest.raises(lacuna.FormatError, match="bad.tns:2"):
        lacuna.read(bad)
    (tmp_path / "noise.lac").write_bytes(b"LACUNA" + bytes(100))
    with pytest.raises(lacuna.FormatError, match="noise.lac"):
        lacuna.load(tmp_path / "noise.lac")
    assert issubclass(lacuna.FormatError, ValueError)
    completer = lacuna.TensorCompleter(**QUICK).fit(HOLES)
    with pytest.raises(OSError, match="no/such"):
        completer.save(tmp_path / "no/such/folder.lac")
    with pytest.raises(TypeError, match="did you mean delimiter?"):
        lacuna.read(bad, delimeter=",")
    with pytest.raises(ValueError, match="format: found 'xls'"):
        lacuna.read(bad, format="xls")


@pytest.mark.parametrize(("option", "value", "kind"), [
    ("header", "yes", TypeError), ("missing_value", "x", TypeError), ("bins", "7d", ValueError), ("shape", "x", ValueError),
    ("shape", [-1], TypeError), ("columns", 3, TypeError), ("bins", {"a": "odd"}, ValueError), ("time_zone", "Nowhere/Else", ValueError),
])  # fmt: skip
def test_options_of_read_are_named(tmp_path, option, value, kind):
    lacuna.write(tmp_path / "a.csv", HOLES)
    with pytest.raises(kind, match=f"^{option}: found"):
        lacuna.read(tmp_path / "a.csv", **{option: value})


@pytest.mark.parametrize(("argument", "value"), [
    ("folds", "x"), ("folds", 1), ("folds", 2.5), ("refine", -1), ("abandon", 0.5), ("abandon", None), ("lambdas", ["x"]),
    ("lambdas", [float("nan")]),
])  # fmt: skip
def test_arguments_of_tune_are_named(argument, value):
    with pytest.raises(ValueError, match=f"^{argument}: found"):
        lacuna.tune(HOLES, methods="mean", **{argument: value})


def test_arguments_of_others_are_named():
    completer = lacuna.TensorCompleter(**QUICK).fit(HOLES)
    for call in (lacuna.evaluate, lacuna.certify, lambda one, data: lacuna.explain(one), lambda one, data: lacuna.report(one)):
        with pytest.raises(TypeError, match="completer: found int, expected a TensorCompleter"):
            call(3, HOLES)
    for call, argument, value in (
        (lambda **k: lacuna.certify(completer, HOLES, **k), "tolerance", "x"), (lambda **k: lacuna.split(HOLES, **k), "fraction", None),
        (lambda **k: lacuna.split(HOLES, **k), "fraction", "x"), (lambda **k: lacuna.split(HOLES, **k), "random_state", -1),
        (completer.predict, "interval", "x"), (lambda **k: lacuna.evaluate(completer, HOLES, **k), "interval", 2),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^{argument}: found"):
            call(**{argument: value})


def test_axes_and_cells_of_a_tensor_fit_each_other():
    axes = [lacuna.Axis("a", 2), lacuna.Axis("b", 3)]
    assert lacuna.Tensor(axes, ([0, 1], [0, 2]), [1.0, 2.0]).shape == (2, 3)
    for made, sentence in (
        (lambda: lacuna.Tensor([3, 4], ([0], [0]), [1.0]), "axes: found int"),
        (lambda: lacuna.Tensor(axes, ([0],), [1.0]), "coords: found 1"),
        (lambda: lacuna.Tensor(axes, ([0], [3]), [1.0]), "found indices from 3 to 3 along 'b', expected 0 to 2"),
        (lambda: lacuna.Tensor(axes, ([0], [0, 1]), [1.0]), "coords along 'b': found"),
        (lambda: lacuna.Tensor(axes, ([0], [0.5]), [1.0]), "expected indices"), (lambda: lacuna.Axis("a", -1), "size: found -1"),
        (lambda: lacuna.Tensor(axes, ([0], [0]), [1.0], [1.0, 2.0]), "weights: found"),
        (lambda: lacuna.Axis("a", 2, ["x"]), "labels: found"),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=sentence):
            made()


def test_memory_is_refused_before_it_is_asked_for():
    coords = np.array([[0, 3_000_000], [0, 3_000_000], [0, 3_000_000]])
    huge = (coords, np.array([1.0, 2.0]), (4_000_000,) * 3)
    with pytest.raises(MemoryError, match="needs about .*TB"):
        lacuna.complete(huge, **QUICK)
    completer = lacuna.TensorCompleter(**QUICK).fit(huge)
    with pytest.raises(MemoryError, match="predicting all 6.4e\\+19 cells needs about"):
        completer.predict()
    with pytest.raises(MemoryError, match="this fit needs about"):
        lacuna.TensorCompleter(method="halrtc").fit(huge)


def test_values_beyond_what_doubles_hold():
    with pytest.raises(ValueError, match="large|range|finite|1e\\+308"):
        lacuna.complete(np.array([[1e308, -1e308, np.nan], [-1e308, 1e308, 1e308], [1e308, np.nan, -1e308]]),
                        method="tr-mm", rank=1, preset="paper", lam=1e6)  # fmt: skip


def test_split_shares():
    with pytest.raises(ValueError, match="fraction: found 1.5"):
        lacuna.split(HOLES, 1.5)
    with pytest.raises(ValueError, match="leaves .* both need at least one"):
        lacuna.split(HOLES, 1.0)
