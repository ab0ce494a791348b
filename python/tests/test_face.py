# SPDX-License-Identifier: MIT
"""The estimator and the one-liner."""

import inspect
import pickle

import numpy as np
import pytest
from conftest import EXACT, QUICK, rmse

import lacuna
from lacuna import _core, _settings


def test_complete_recovers_what_is_exactly_of_low_rank(cube):
    whole, holes = cube
    filled = lacuna.complete(holes, **EXACT)
    assert rmse(filled, whole) < 1e-4
    known = ~np.isnan(holes)
    assert (filled[known] == holes[known]).all()
    assert np.isnan(holes).any(), "the data itself stays as it is"


def test_complete_chooses_by_itself_what_is_not_given(cube):
    whole, holes = cube
    filled = lacuna.complete(holes, effort="low", max_time=20)
    assert rmse(filled, whole) < 0.5 * rmse(np.where(np.isnan(holes), np.nanmean(holes), holes), whole)


def test_complete_without_holes_fits_nothing():
    whole = np.arange(12.0).reshape(3, 4)
    assert (lacuna.complete(whole, callback=lambda step: pytest.fail("a fit was made")) == whole).all()


def test_denoise_replaces_what_is_observed(cube):
    whole, holes = cube
    smooth = lacuna.complete(holes, denoise=True, method="tr-mm", rank=1, offsets="none", lam=0.1, preset="paper")
    assert smooth.shape == whole.shape
    assert (smooth[~np.isnan(holes)] != holes[~np.isnan(holes)]).all()


def test_a_fit_leaves_what_estimators_leave(cube):
    _, holes = cube
    completer = lacuna.TensorCompleter(method="tr-mm", rank=3, lam=10, preset="paper", max_iterations=30)
    assert completer.fit(holes) is completer
    assert completer.shape_ == holes.shape
    assert completer.modes_ == ["mode1", "mode2", "mode3"]
    assert completer.method_ == "tr-mm"
    assert completer.rank_ == [3, 3, 3]
    assert len(completer.parts_) == 3
    assert [factor.shape for factor in completer.factors_] == [(12, 3), (11, 3), (9, 3)]
    assert completer.mixture_.shape == (3,)
    assert completer.mixture_.sum() == pytest.approx(1.0)
    assert completer.n_iter_ == completer.history_[-1]["iteration"]
    assert 0.0 <= completer.gap_ <= 1.0
    assert isinstance(completer.converged_, bool)
    assert isinstance(completer.stop_reason_, str)
    assert completer.settings_["lam"] == 10
    assert completer.settings_["random_state"] == 1
    assert completer.train_rmse_ == pytest.approx(completer.history_[-1]["train_rmse"])


def test_a_tucker_model_is_its_core_and_factors(cube):
    _, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    rebuilt = np.einsum("xyz,ax,by,cz->abc", completer.core_, *completer.factors_)
    assert rmse(rebuilt, completer.predict()) < 1e-12


def test_the_paths_to_a_prediction_agree(cube):
    _, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    every = completer.predict()
    cells = np.argwhere(np.isnan(holes))
    assert (completer.predict(cells) == every[np.isnan(holes)]).all()
    assert (completer.predict(tuple(cells.T)) == every[np.isnan(holes)]).all()
    assert (completer.transform(holes)[np.isnan(holes)] == every[np.isnan(holes)]).all()
    assert (completer.clone().fit_transform(holes) == completer.transform(holes)).all()


def test_long_lists_are_predicted_in_blocks(cube, monkeypatch):
    _, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    whole = completer.predict()
    monkeypatch.setattr("lacuna._answers.BLOCK", 37)
    assert (completer.predict() == whole).all()


def test_score_is_r2(cube):
    whole, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    assert completer.score(whole) == pytest.approx(1.0)
    cells = np.argwhere(np.isnan(holes))
    assert completer.score(cells, whole[np.isnan(holes)]) == pytest.approx(1.0)


def test_intervals_hold_about_as_often_as_they_say():
    rng = np.random.default_rng(3)
    whole = np.add.outer(rng.normal(size=60), rng.normal(size=50)) + 0.1 * rng.normal(size=(60, 50))
    train = np.where(rng.random(whole.shape) < 0.5, whole, np.nan)
    completer = lacuna.TensorCompleter(intervals=True, **QUICK).fit(train)
    unseen = np.argwhere(np.isnan(train))
    truth = whole[np.isnan(train)]
    values, low, high = completer.predict(unseen, interval=0.9)
    assert (low <= values).all() and (values <= high).all()
    assert 0.8 < ((low <= truth) & (truth <= high)).mean() <= 1.0
    assert 0.8 < lacuna.evaluate(completer, whole, interval=0.9)["coverage"] <= 1.0


def test_top_lists_the_highest_predictions(cube):
    whole, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    expected = np.argsort(-completer.predict()[3, :, 5])[:4]
    found = completer.top(mode1=3, mode3=5, n=4, seen=True)
    assert [label for label, _ in found] == expected.tolist()
    assert completer.top({"mode1": 3, "mode3": 5}, n=4, seen=True) == found


def test_top_leaves_out_what_was_seen():
    holes = np.full((4, 6), np.nan)
    holes[:, :3] = np.arange(12.0).reshape(4, 3)
    holes[1, 4] = 100.0
    completer = lacuna.TensorCompleter(method="tr-mm", rank=1, lam=1, preset="paper").fit(holes)
    assert {label for label, _ in completer.top(mode1=1)} == {3, 5}
    assert len(completer.top(mode1=1, seen=True)) == 6


def test_the_same_seed_gives_the_same_bits(cube):
    _, holes = cube
    settings = {"method": "als", "rank": 2, "random_state": 7}
    one, two = (lacuna.complete(holes, **settings) for _ in range(2))
    assert (one == two).all()
    threaded = lacuna.complete(holes, n_jobs=1, **settings)
    assert (one == threaded).all()
    lacuna.complete(holes, n_jobs=-1, **QUICK)  # all threads again


def test_clip_keeps_predictions_within(cube):
    _, holes = cube
    filled = lacuna.complete(holes, clip=(-0.5, 0.5), **EXACT)
    assert np.abs(filled[np.isnan(holes)]).max() <= 0.5


def test_init_goes_on_from_another_fit(cube, tmp_path):
    _, holes = cube
    settings = {"method": "tr-mm", "rank": 3, "lam": 10, "preset": "paper"}
    first = lacuna.TensorCompleter(**settings).fit(holes)
    again = lacuna.TensorCompleter(init=first, **settings).fit(holes)
    assert again.n_iter_ < first.n_iter_
    first.save(tmp_path / "first.lac")
    from_file = lacuna.TensorCompleter(init=str(tmp_path / "first.lac"), **settings).fit(holes)
    assert from_file.n_iter_ == again.n_iter_


def test_save_and_load_predict_the_same_bits(cube, tmp_path):
    _, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    completer.save(tmp_path / "model.lac")
    loaded = lacuna.load(tmp_path / "model.lac")
    assert (loaded.predict() == completer.predict()).all()
    assert loaded.stop_reason_ == completer.stop_reason_
    assert loaded.n_iter_ == completer.n_iter_
    assert len(loaded.history_) == len(completer.history_)


def test_what_is_known_of_a_fit_survives_a_file(cube, tmp_path):
    _, holes = cube
    for settings in ({"method": "tr-mm", "rank": 3, "lam": 1, "preset": "paper"}, {"method": "als"}):
        completer = lacuna.TensorCompleter(**settings).fit(holes)
        completer.save(tmp_path / "model.lac")
        loaded = lacuna.load(tmp_path / "model.lac")
        for name in ("gap_", "n_iter_", "converged_", "stop_reason_", "objective_", "train_rmse_", "held_out_rmse_", "held_out_auc_",
                     "held_out_mrr_", "seconds_", "choosing_seconds_"):  # fmt: skip
            assert getattr(loaded, name) == getattr(completer, name), name
    assert completer.held_out_rmse_ is not None
    assert lacuna.TensorCompleter(method="tr-mm", rank=3, lam=1, preset="paper").fit(holes).gap_ is not None


@pytest.mark.parametrize("settings", [
    {"method": "tr-mm", "rank": 3, "lam": 1, "preset": "paper", "max_iterations": 20, "random_state": 5},
    {"method": "tr-mm", "rank": [2, 3], "lambdas": [3.0, 4.0], "parts": "mode1|mode2 ; mode2|mode1", "offsets": "modes", "clip": (-1, 1)},
    {"method": "als", "rank": 2, "clip": "auto"}, {"method": "geomcg", "rank": [2, 2, 1], "offsets": "none"},
    {"method": "offsets", "offsets": "modes", "intervals": True}, {"method": "halrtc"}, {"method": "mean"}, {"method": "bayescp", "rank": 2},
])  # fmt: skip
def test_the_clone_of_what_was_loaded_fits_the_same(cube, tmp_path, settings):
    _, holes = cube
    completer = lacuna.TensorCompleter(**settings).fit(holes)
    completer.save(tmp_path / "model.lac")
    loaded = lacuna.load(tmp_path / "model.lac")
    assert loaded.get_params()["method"] == settings["method"]
    assert (loaded.clone().fit(holes).predict() == completer.predict()).all(), loaded.get_params()


def test_pickles_as_estimators_do(cube):
    _, holes = cube
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    copy = pickle.loads(pickle.dumps(completer))
    assert (copy.predict() == completer.predict()).all()
    assert copy.get_params() == completer.get_params()
    assert pickle.loads(pickle.dumps(lacuna.TensorCompleter(rank=4))).get_params()["rank"] == 4


def test_pickles_what_is_known_beside_the_entries(cube):
    rng = np.random.default_rng(0)
    completer = lacuna.TensorCompleter(method="als", rank=1).fit(cube[1], side={"mode1": rng.normal(size=(12, 2))})
    copied = pickle.loads(pickle.dumps(completer))
    assert (copied.predict() == completer.predict()).all()
    assert lacuna.info(copied)["side"] == lacuna.info(completer)["side"] and list(lacuna.info(copied)["side"]) == ["mode1"]


def test_params_as_scikit_learn_has_them(cube):
    _, holes = cube
    base = pytest.importorskip("sklearn.base")
    completer = lacuna.TensorCompleter(**EXACT).fit(holes)
    other = base.clone(completer)
    assert other.get_params() == completer.get_params()
    assert not hasattr(other, "rank_")
    assert other.set_params(rank=3) is other
    assert other.get_params()["rank"] == 3 and completer.get_params()["rank"] == 2
    assert repr(lacuna.TensorCompleter(rank=3)) == "TensorCompleter(rank=3)"


def test_every_setting_of_the_table_is_a_keyword():
    names = [row["name"] for row in _core.setting_fields()]
    assert len(names) > 15
    parameters = inspect.signature(lacuna.TensorCompleter).parameters
    for name in names:
        keyword = _settings.keyword_of(name)
        assert keyword in parameters
        assert keyword in lacuna.TensorCompleter().get_params()
        assert f"{keyword} : " in lacuna.TensorCompleter.__doc__
    assert [row["keyword"] for row in lacuna.settings()] == [_settings.keyword_of(name) for name in names]
    for row in lacuna.settings():
        assert row["what"] in " ".join(lacuna.TensorCompleter.__doc__.split())


def test_version_is_the_library_s():
    assert lacuna.__version__ == _core.__version__


def test_nothing_is_asked_of_what_is_not_fitted():
    completer = lacuna.TensorCompleter()
    assert not hasattr(completer, "rank_")
    for ask in (completer.predict, lambda: completer.save("nowhere"), lambda: completer.n_iter_):
        with pytest.raises(lacuna.NotFittedError, match="not fitted"):
            ask()
