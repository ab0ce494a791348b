# SPDX-License-Identifier: MIT
"""Fits that are stopped and go on end with the bits of those that were never stopped."""

import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import lacuna

SETTINGS = {"method": "tr-mm", "rank": 2, "lam": 20, "preset": "paper", "tolerance": 1e-9, "max_iterations": 30}


def test_a_fit_that_was_stopped_goes_on_with_the_same_bits(cube, tmp_path):
    whole = lacuna.TensorCompleter(**SETTINGS).fit(cube[1]).predict()
    state = tmp_path / "state"
    for steps in (1, 3, 7):
        stopped = lacuna.TensorCompleter(callback=lambda step: step["iteration"] >= steps, **SETTINGS)
        stopped.fit(cube[1], checkpoint=state)
        assert stopped.n_iter_ == steps and state.exists()
        resumed = lacuna.TensorCompleter(**SETTINGS).fit(cube[1], resume=state)
        assert resumed.n_iter_ > steps and np.array_equal(resumed.predict(), whole)


def test_one_file_serves_to_begin_and_to_go_on(cube, tmp_path):
    both = {"checkpoint": tmp_path / "state", "resume": tmp_path / "state", "every": 0}
    first = lacuna.complete(cube[1], **both, **SETTINGS)
    assert (tmp_path / "state").exists()
    assert np.array_equal(lacuna.complete(cube[1], **both, **SETTINGS), first)
    assert np.array_equal(lacuna.complete(cube[1], **SETTINGS), first)


def test_what_is_fitted_and_transformed_at_once_goes_on(cube, tmp_path):
    state = tmp_path / "state"
    whole = lacuna.TensorCompleter(**SETTINGS).fit_transform(cube[1], checkpoint=state, every=0, test=cube[0])
    assert state.exists()
    again = lacuna.TensorCompleter(**SETTINGS).fit_transform(cube[1], resume=state, test=cube[0])
    assert np.array_equal(again, whole)
    assert np.array_equal(lacuna.complete(cube[1], test=cube[0], **SETTINGS), whole)


def test_tuning_goes_on(cube, tmp_path):
    asked = {"methods": ["tr-mm"], "ranks": [1, 2], "lambdas": [1.0, 10.0], "folds": 2, "refine": 0, "preset": "paper",
             "max_iterations": 5}  # fmt: skip
    whole = lacuna.tune(cube[1], **asked)
    state = tmp_path / "state"
    seen = []

    def enough(fold):
        seen.append(fold)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(lacuna.StoppedWarning):
        stopped = lacuna.tune(cube[1], found=enough, checkpoint=state, **asked)
    known = [(row["candidate"], row["lam"], fold) for row in stopped.rows for fold in row["folds"] if fold is not None]
    assert len(known) >= 3 and stopped.best in stopped.rows
    params = stopped.completer.get_params()
    assert params["lam"] == stopped.best["lam"] and f"rank {params['rank']}" in stopped.best["candidate"]
    with pytest.raises(lacuna.NotFittedError):
        stopped.completer.predict()
    assert np.isfinite(stopped.completer.fit(cube[1]).predict()).all()
    resumed = lacuna.tune(cube[1], resume=state, **asked)
    assert [row["folds"] for row in resumed.rows] == [row["folds"] for row in whole.rows]
    assert np.array_equal(resumed.completer.predict(), whole.completer.predict())


def test_ctrl_c_leaves_a_checkpoint(tmp_path):
    script = """
        import warnings, numpy as np, lacuna
        warnings.simplefilter("ignore", lacuna.StoppedWarning)
        holes = np.random.default_rng(3).normal(size=(20, 15, 10))
        holes[holes > 0.3] = np.nan
        completer = lacuna.TensorCompleter(method="tr-mm", rank=3, lam=1e6, preset="paper", tolerance=0.0,
            max_iterations=1000000, callback=lambda step: print("step", flush=True) if step["iteration"] == 1 else None)
        completer.fit(holes, checkpoint="state", every="1h")
    """
    running = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, cwd=tmp_path, text=True)
    assert running.stdout.readline() == "step\n"
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 0 and (tmp_path / "state").exists()


def test_what_does_not_fit_is_refused_by_name(cube, tmp_path):
    state = tmp_path / "state"
    lacuna.TensorCompleter(**SETTINGS).fit(cube[1], checkpoint=state, every=0)
    with pytest.raises(lacuna.FormatError, match="another rank: found '3', expected '2'"):
        lacuna.TensorCompleter(**{**SETTINGS, "rank": 3}).fit(cube[1], resume=state)
    with pytest.raises(lacuna.FormatError, match="made from other data"):
        lacuna.TensorCompleter(**SETTINGS).fit(cube[1] + 1.0, resume=state)
    state.write_bytes(state.read_bytes()[:100])
    with pytest.raises(lacuna.FormatError, match="state"):
        lacuna.TensorCompleter(**SETTINGS).fit(cube[1], resume=state)
    with pytest.raises(FileNotFoundError):
        lacuna.TensorCompleter(**SETTINGS).fit(cube[1], resume=tmp_path / "nothing")
    with pytest.raises(OSError, match="folder"):
        lacuna.TensorCompleter(**SETTINGS).fit(cube[1], checkpoint=tmp_path / "no" / "state")
    for every in ("soon", -1, None, True, float("nan")):
        with pytest.raises(ValueError, match="every"):
            lacuna.TensorCompleter(**SETTINGS).fit(cube[1], checkpoint=tmp_path / "new", every=every)
