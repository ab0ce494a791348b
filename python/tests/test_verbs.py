# SPDX-License-Identifier: MIT
"""The verbs of the command line."""

import numpy as np
import pytest
from conftest import EXACT, QUICK, low_rank, rmse, with_holes

import lacuna


def test_methods_and_settings_are_the_tables():
    names = [row["name"] for row in lacuna.methods()]
    assert "tr-mm" in names and len(names) == len(set(names))
    for row in lacuna.methods():
        assert row["what"] and row["assumes"]
        assert set(row["settings"]) <= {setting["keyword"] for setting in lacuna.settings()}


@pytest.mark.parametrize("method", [row["name"] for row in lacuna.methods()])
def test_every_method_fills_in_holes(method):
    order = next(row["order"] for row in lacuna.methods() if row["name"] == method)
    holes = with_holes(low_rank((8, 7, 6)[: order or 3]), 0.3)
    filled = lacuna.complete(holes, method=method, max_time=20)
    assert np.isfinite(filled).all() and (filled[~np.isnan(holes)] == holes[~np.isnan(holes)]).all()


def test_evaluate_measures(cube):
    whole, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    test = np.where(np.isnan(holes), whole, np.nan)
    found = lacuna.evaluate(completer, test)
    predicted = completer.predict()[np.isnan(holes)]
    assert found["cells"] == np.isnan(holes).sum()
    assert found["rmse"] == pytest.approx(rmse(predicted, whole[np.isnan(holes)]))
    assert found["mae"] == pytest.approx(np.abs(predicted - whole[np.isnan(holes)]).mean())
    assert found["auc"] is None


def test_evaluate_ranks_facts():
    pd = pytest.importorskip("pandas")
    people = [f"p{i}" for i in range(8)]
    facts = pd.DataFrame([(a, "knows", b) for a in people for b in people if a < b], columns=["head", "relation", "tail"])
    completer = lacuna.TensorCompleter(method="mean").fit(facts)
    test = pd.DataFrame({"head": ["p7", "new"], "relation": ["knows"] * 2, "tail": ["p0", "p1"]})
    found = lacuna.evaluate(completer, test, ranking=["head", "tail"], filter=[facts])
    assert found["queries"] == 4
    assert 0 < found["mrr"] < 1, "a model that says the same of all cells ranks at the mean of ties"


def test_split_deals_every_entry_once(cube):
    whole, _ = cube
    train, test = lacuna.split(whole, 0.7, random_state=3)
    assert (np.isnan(train) != np.isnan(test)).all()
    assert (np.where(np.isnan(train), test, train) == whole).all()
    assert (~np.isnan(train)).sum() == round(0.7 * whole.size)
    small, tiny = lacuna.split(whole, 0.2, test_fraction=0.1)
    assert (~np.isnan(small)).sum() == round(0.2 * whole.size)
    assert (~np.isnan(tiny)).sum() == round(0.1 * whole.size)


def test_tune_finds_the_rank():
    whole = low_rank((14, 13, 12), 2)
    holes = with_holes(whole + 0.05 * np.random.default_rng(2).normal(size=whole.shape), 0.6)
    seen = []
    tuned = lacuna.tune(holes, methods=["geomcg"], ranks=[1, 2], offsets=["none"], folds=3,
                        callback=lambda *found: seen.append(found))  # fmt: skip
    assert tuned.best["candidate"].startswith("geomcg rank 2")
    assert tuned.best["mean"] == min(row["mean"] for row in tuned.rows)
    assert len(tuned.best["folds"]) == 3 and len(seen) >= 4
    assert tuned.completer.rank_ == [2, 2, 2]
    assert rmse(tuned.completer.predict(), whole) < 0.1
    assert "<- best" in repr(tuned)


def test_tune_leaves_out_what_a_method_does_not_take():
    tuned = lacuna.tune(with_holes(low_rank((10, 9)), 0.3), methods=["mean", "tr-mm"], ranks=[1, 2], lambdas=[1.0, 10.0],
                        folds=2, refine=0, metric="mae", preset="paper")  # fmt: skip
    assert sorted({row["candidate"] for row in tuned.rows}) == ["mean", "tr-mm rank 1", "tr-mm rank 2"]
    assert tuned.metric == "mae"


def test_certify_bounds_the_distance_to_the_best(cube):
    _, holes = cube
    completer = lacuna.TensorCompleter(method="tr-mm", rank=9, lam=1, preset="paper").fit(holes)
    found = lacuna.certify(completer, holes)
    assert found["lower"] <= found["upper"]
    assert found["gap"] == pytest.approx(completer.gap_, abs=1e-6)
    assert found["certified"] == (found["gap"] <= 1e-3)
    assert len(found["parts"]) == 3
    with pytest.raises(ValueError, match="its cells are not those"):
        lacuna.certify(completer, np.nan_to_num(holes))


def test_report_is_a_page_that_a_notebook_shows(cube, tmp_path):
    whole, holes = cube
    completer = lacuna.TensorCompleter(method="tr-mm", rank=3, lam=10, preset="paper").fit(holes)
    page = lacuna.report(completer, train=holes, test=whole)
    assert page.html.startswith("<!") and "tr-mm" in page.html
    assert page._repr_html_().startswith("<iframe") and "&lt;" in page._repr_html_()
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html


@pytest.mark.parametrize("name", ["a.tns", "a.tns.gz", "a.npy", "a.npz", "a.mat", "a.csv"])
def test_files_keep_what_is_written_to_them(cube, tmp_path, name):
    _, holes = cube
    lacuna.write(tmp_path / name, holes)
    back = lacuna.read(tmp_path / name)
    assert back.shape == holes.shape
    np.testing.assert_array_equal(back.to_numpy(), holes)


def test_pictures(tmp_path):
    picture = (np.add.outer(np.arange(20), np.arange(30)) * 5).astype(np.uint8)
    pixels = np.stack([picture, picture // 2, picture // 3], -1) / 255.0
    lacuna.write(tmp_path / "picture.png", pixels)
    back = lacuna.read(tmp_path / "picture.png")
    assert back.shape == (20, 30, 3)
    assert np.abs(back.to_numpy() - pixels).max() < 1e-6


def test_tables_are_written_with_their_labels(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"user": ["ann", "bob", "ann"], "item": ["x", "x", "y"], "rating": [1.0, 2.5, 3.0]})
    lacuna.write(tmp_path / "table.csv", frame)
    back = lacuna.read(tmp_path / "table.csv")
    assert back.modes == ["user", "item"]
    assert back.to_pandas().values.tolist() == frame.values.tolist()


def test_read_takes_the_command_line_s_options(tmp_path):
    path = tmp_path / "ratings.txt"
    path.write_text("ann;x;1,5;2024-01-01\nbob;y;2,5;2024-01-09\n")
    tensor = lacuna.read(path, delimiter=";", header=False, columns=["1", "2", "4"], value_column="3", decimal=",",
                         bins={"4": "7d"})  # fmt: skip
    assert tensor.shape == (2, 2, 2)
    assert tensor.values.tolist() == [1.5, 2.5]
    completer = lacuna.TensorCompleter(**QUICK).fit(tensor)
    assert completer.labels_[0].tolist() == ["ann", "bob"]
