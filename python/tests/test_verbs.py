# SPDX-License-Identifier: MIT
"""The verbs of the command line."""

import json
import subprocess

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
    if method == "complex":  # of links, which are there or not
        holes = np.where(np.isnan(holes), np.nan, np.asarray(holes > 0, dtype=float))
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


def links():
    """Ones and zeros that a model can tell apart, in part."""
    rng = np.random.default_rng(4)
    odds = 1 / (1 + np.exp(-3 * low_rank((20, 18), 2)))
    whole = (rng.random(odds.shape) < odds).astype(float)
    return whole, with_holes(whole, 0.4)


def test_evaluate_tells_whether_probabilities_hold():
    whole, holes = links()
    completer = lacuna.TensorCompleter(method="als", rank=1).fit(holes)
    test = np.where(np.isnan(holes), whole, np.nan)
    found = lacuna.evaluate(completer, test, reliability=5)
    said, truth = completer.predict()[np.isnan(holes)], whole[np.isnan(holes)]
    assert [row["low"] for row in found["reliability"]] == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8])
    assert sum(row["cells"] for row in found["reliability"]) == len(truth)
    row = found["reliability"][2]
    among = (said >= 0.4) & (said < 0.6)
    assert row["cells"] == among.sum() and row["observed"] == pytest.approx(truth[among].mean())
    assert found["calibration_error"] == pytest.approx(
        sum(row["cells"] * abs(row["predicted"] - row["observed"]) for row in found["reliability"]) / len(truth))  # fmt: skip
    assert "reliability" not in lacuna.evaluate(completer, test)
    for bins in (0, 1001, True, 2.5, "ten"):
        with pytest.raises(ValueError, match="reliability: found"):
            lacuna.evaluate(completer, test, reliability=bins)
    with pytest.raises(ValueError, match="reliability: needs values that are 0 or 1"):
        lacuna.evaluate(lacuna.TensorCompleter(**QUICK).fit(2 * holes), 2 * test, reliability=5)


def test_evaluate_in_blocks_is_evaluate(cube):
    """More cells than are predicted between two looks at Ctrl-C."""
    rng = np.random.default_rng(0)
    whole = np.add.outer(rng.normal(size=600), rng.normal(size=700)) + 0.1 * rng.normal(size=(600, 700))
    completer = lacuna.TensorCompleter(intervals=True, **QUICK).fit(with_holes(whole, 0.9))
    found = lacuna.evaluate(completer, whole, interval=0.9)
    values, low, high = completer.predict(interval=0.9)
    assert found["cells"] == whole.size
    assert found["rmse"] == pytest.approx(rmse(values, whole))
    assert found["coverage"] == pytest.approx(((low <= whole) & (whole <= high)).mean(), abs=1e-5)


def test_predictions_are_kept_elsewhere(cube):
    whole, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    free = completer.predict()
    assert (completer.predict(clip=(-0.5, 0.5)) == np.clip(free, -0.5, 0.5)).all()
    assert (completer.predict(clip="auto") == np.clip(free, *completer.observed_range_)).all()
    assert (completer.predict() == free).all() and completer.clip_ is None, "the model is as it was"
    truth = np.clip(whole, -0.5, 0.5)
    assert lacuna.evaluate(completer, truth, clip=(-0.5, 0.5))["rmse"] < lacuna.evaluate(completer, truth)["rmse"]
    with pytest.raises(ValueError, match="clip: found"):
        completer.predict(clip=(5, 1))


def test_predictions_are_rounded():
    whole = np.add.outer(np.arange(12) % 4, np.arange(9) % 3) / 2.0
    holes = with_holes(whole, 0.3)
    completer = lacuna.TensorCompleter(method="als", rank=1).fit(holes)
    rounded = completer.predict(round=True)
    assert (rounded == np.clip(np.round(2 * completer.predict()) / 2, *completer.clip_)).all()
    filled = lacuna.complete(holes, round=True, method="als", rank=1)
    assert (2 * filled == np.round(2 * filled)).all() and (filled[~np.isnan(holes)] == holes[~np.isnan(holes)]).all()
    numbers = lacuna.TensorCompleter(**QUICK).fit(holes + 0.1)
    with pytest.raises(ValueError, match="round: the values that the model was fitted on are not all whole numbers or halves"):
        numbers.predict(round=True)


def test_parts_support_and_variance_of_cells(cube):
    _, holes = cube
    completer = lacuna.TensorCompleter(method="tr-mm", rank=2, lam=1, preset="paper", clip="none").fit(holes)
    cells = np.argwhere(np.isnan(holes))[:50]
    parts = completer.predict_parts(cells)
    assert len(parts) == len(completer.parts_)
    assert completer.predict(cells) == pytest.approx(sum(parts) + completer.offset_)
    known = ~np.isnan(holes)
    i, j, k = cells[0]
    assert completer.support(cells)[0] == known[:, j, k].sum() + known[i, :, k].sum() + known[i, j, :].sum()
    assert completer.support().shape == holes.shape
    assert completer.tensor_mixture_.sum() == pytest.approx(1.0)
    assert completer.variance(cells) is None
    bayes = lacuna.TensorCompleter(method="bayescp", rank=2, max_iterations=5).fit(holes)
    assert (bayes.variance(cells) > 0).all() and bayes.predict_parts(cells) == []


def test_info_says_what_the_command_line_s_says(cube, tmp_path, program):
    _, holes = cube
    lacuna.write(tmp_path / "a.npy", holes)
    completer = lacuna.TensorCompleter(method="als", rank=2).fit(holes)
    completer.save(tmp_path / "m.lac")

    def told(name):
        return json.loads(subprocess.run([program, "info", tmp_path / name, "--json"], check=True, capture_output=True).stdout)

    data, model = told("a.npy"), told("m.lac")
    for found in (lacuna.info(holes), lacuna.info(tmp_path / "a.npy")):
        assert found == {key: data[key] for key in found} and set(data) - set(found) == {"file", "format", "index_base"}
    assert lacuna.info(holes, method="halrtc")["fit_bytes"] != data["fit_bytes"]
    for found in (lacuna.info(completer), lacuna.info(tmp_path / "m.lac")):
        assert found == {key: model[key] for key in found} and set(model) - set(found) == {"file", "format"}


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
                        found=seen.append)  # fmt: skip
    assert tuned.best["candidate"].startswith("geomcg rank 2")
    assert tuned.best["mean"] == min(row["mean"] for row in tuned.rows)
    assert len(tuned.best["folds"]) == 3 and len(seen) >= 4
    assert {fold["candidate"] for fold in seen} == {row["candidate"] for row in tuned.rows}
    assert [fold["done"] for fold in seen] == list(range(1, len(seen) + 1)) and seen[0]["of"] == 6
    best = [fold["error"] for fold in seen if fold["candidate"] == tuned.best["candidate"]]
    assert best == tuned.best["folds"], "errors as the rows have them, in the order of the folds"
    assert tuned.completer.rank_ == [2, 2, 2]
    assert rmse(tuned.completer.predict(), whole) < 0.1
    assert "<- best" in repr(tuned)


TUNED = {"methods": ["als"], "ranks": [1, 2], "folds": 2, "refine": 0}


def test_tune_ends_when_found_has_seen_enough(cube):
    seen = []
    tuned = lacuna.tune(cube[1], found=lambda fold: seen.append(fold) or True, **TUNED)
    assert len(seen) == 1 and sum(fold is not None for row in tuned.rows for fold in row["folds"]) < 4
    assert np.isfinite(tuned.completer.predict()).all()


def test_the_callback_of_tune_is_that_of_the_last_fit(cube):
    whole, holes = cube
    steps = []
    tuned = lacuna.tune(holes, callback=steps.append, test=np.where(np.isnan(holes), whole, np.nan), **TUNED)
    assert [step["iteration"] for step in steps] == [step["iteration"] for step in tuned.completer.history_]
    assert steps[-1]["test_rmse"] == tuned.completer.test_rmse_ is not None


def test_tune_gives_intervals(cube):
    tuned = lacuna.tune(cube[1], intervals=True, **TUNED)
    values, low, high = tuned.completer.predict(interval=0.8)
    assert (low <= values).all() and (values <= high).all()


def test_tune_starts_from_a_model(cube, tmp_path):
    start = lacuna.TensorCompleter(method="tr-mm", rank=2, lam=1, preset="paper").fit(cube[1])
    start.save(tmp_path / "start.lac")
    asked = {"lambdas": [1.0], "folds": 2, "refine": 0, "preset": "paper"}
    from_afar = lacuna.tune(cube[1], ranks=[2], **asked).completer.n_iter_
    for init in (start, tmp_path / "start.lac"):
        assert lacuna.tune(cube[1], init=init, **asked).completer.n_iter_ < from_afar


def test_tune_refuses_what_it_does_not_do(cube):
    for setting in ({"negatives": 3}, {"corrupt": "mode1"}):
        with pytest.raises(ValueError, match=f"{next(iter(setting))}: found .*, expected None"):
            lacuna.tune(cube[1], **TUNED, **setting)


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


def test_a_report_shows_pictures_of_what_looks_like_one():
    whole = np.clip(low_rank((20, 18)) / 4 + 0.5, 0, 1)
    holes = with_holes(whole, 0.4)
    completer = lacuna.TensorCompleter(method="als", rank=1).fit(holes)
    page = lacuna.report(completer, train=holes, test=whole).html
    assert page.count("data:image/png;base64") == 4, "before, after, truth, difference"
    assert "data:image/png" not in lacuna.report(completer, train=holes, picture=False).html
    small = lacuna.TensorCompleter(method="als", rank=1).fit(holes[:15])
    assert "data:image/png" not in lacuna.report(small, train=holes[:15]).html
    assert "data:image/png" in lacuna.report(small, train=holes[:15], picture=True).html
    links = (np.nonzero(~np.isnan(holes)), holes[~np.isnan(holes)], holes.shape)
    assert "data:image/png" not in lacuna.report(lacuna.TensorCompleter(**QUICK).fit(links)).html


@pytest.mark.parametrize("name", ["a.tns", "a.tns.gz", "a.npy", "a.npz", "a.mat", "a.csv"])
def test_files_keep_what_is_written_to_them(cube, tmp_path, name):
    _, holes = cube
    lacuna.write(tmp_path / name, holes)
    back = lacuna.read(tmp_path / name)
    assert back.shape == holes.shape
    np.testing.assert_array_equal(back.to_numpy(), holes)


def test_files_are_written_in_a_format_that_is_asked_for(cube, tmp_path):
    _, holes = cube
    lacuna.write(tmp_path / "cube.dat", holes, format="npy")
    np.testing.assert_array_equal(np.load(tmp_path / "cube.dat"), holes)
    with pytest.raises(ValueError, match="format: found 'xls'"):
        lacuna.write(tmp_path / "cube.dat", holes, format="xls")


def test_tables_are_laid_across(tmp_path):
    pd = pytest.importorskip("pandas")
    long = pd.DataFrame({"site": ["a", "a", "b"], "hour": ["h1", "h2", "h1"], "value": [1.0, 2.0, 3.0]})
    lacuna.write(tmp_path / "wide.csv", long, across="hour")
    assert (tmp_path / "wide.csv").read_text().splitlines() == ["site,h1,h2", "a,1,2", "b,3,"]
    wide = lacuna.read(tmp_path / "wide.csv", wide="hour")
    lacuna.write(tmp_path / "long.csv", wide, across="none")
    assert "a,h2,2" in (tmp_path / "long.csv").read_text()
    with pytest.raises(ValueError, match="across: found 'hours', expected none, site, hour; did you mean hour?"):
        lacuna.write(tmp_path / "wide.csv", long, across="hours")


@pytest.mark.parametrize("name", ["table.csv", "numbers.npy", "zero.tns", "picture.png"])
def test_what_was_read_is_written_as_it_was(tmp_path, program, name):
    """And completed to the file that the command line makes of it."""
    source = tmp_path / name
    if name == "table.csv":
        source.write_text("user;stars;film\nann;1;x\nbob;2;x\nann;3;y\nbob;;y\n")
    elif name == "numbers.npy":
        np.save(source, np.asfortranarray(with_holes(low_rank((8, 7)), 0.3).astype(np.float32)))
    elif name == "zero.tns":
        source.write_text("0 0 1\n1 1 2\n2 0 3\n0 1 4\n")
    else:
        lacuna.write(source, (np.add.outer(np.arange(20), np.arange(30)) * 5).astype(np.uint8) / 255.0)
    options = {"value_column": "stars"} if name == "table.csv" else {}
    again = tmp_path / f"again-{name}"
    lacuna.write(again, lacuna.read(source, **options))
    assert again.read_bytes() == source.read_bytes()
    if name == "picture.png":
        return
    flags = ["--value-column", "stars"] if options else []
    subprocess.run([program, "complete", source, "-o", tmp_path / f"cli-{name}", "--method", "offsets", "--offsets", "modes", *flags],
                   check=True, capture_output=True)  # fmt: skip
    lacuna.write(again, lacuna.complete(lacuna.read(source, **options), **QUICK))
    assert again.read_bytes() == (tmp_path / f"cli-{name}").read_bytes()


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
