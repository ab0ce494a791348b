# SPDX-License-Identifier: MIT
"""Watching a fit and stopping it."""

import builtins
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import low_rank, with_holes

import lacuna

SLOW = {"method": "tr-mm", "rank": 3, "lam": 1e6, "preset": "paper", "tolerance": 0.0, "max_iterations": 1_000_000}


def run_python(script, **environment):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**os.environ, **environment})  # fmt: skip


def test_a_callback_sees_every_step(cube):
    steps = []
    completer = lacuna.TensorCompleter(method="tr-mm", rank=2, lam=10, preset="paper", callback=steps.append).fit(cube[1])
    assert [step["iteration"] for step in steps] == [step["iteration"] for step in completer.history_]
    assert steps[-1]["train_rmse"] == completer.train_rmse_
    assert steps[-1]["gap"] is not None


def test_a_callback_runs_where_the_call_was_made(cube):
    threads = set()
    lacuna.complete(cube[1], method="als", rank=1, callback=lambda step: threads.add(threading.get_ident()))
    assert threads == {threading.get_ident()}


def test_a_callback_may_stop_a_fit(cube):
    completer = lacuna.TensorCompleter(callback=lambda step: step["iteration"] >= 3, **SLOW).fit(cube[1])
    assert completer.n_iter_ == 3 and not completer.converged_
    assert np.isfinite(completer.predict()).all()


def test_what_a_callback_raises_comes_out(cube):
    def fail(step):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        lacuna.TensorCompleter(callback=fail, **SLOW).fit(cube[1])


def test_other_threads_run_meanwhile(cube):
    beats = []
    over = threading.Event()

    def beat():
        while not over.is_set():
            beats.append(time.monotonic())
            time.sleep(0.005)

    other = threading.Thread(target=beat)
    other.start()
    lacuna.TensorCompleter(max_time=0.5, **SLOW).fit(cube[1])
    over.set()
    other.join()
    assert len(beats) > 10, "the interpreter's lock was held"


def test_fits_in_several_threads_do_not_mix(cube):
    settings = {"method": "als", "rank": 2}
    expected = lacuna.complete(cube[1], **settings)
    answers = [None] * 4

    def work(i):
        answers[i] = lacuna.complete(cube[1], **settings)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((answer == expected).all() for answer in answers)


def test_ctrl_c_gives_the_best_so_far():
    child = run_python("""
        import sys, time, warnings, numpy as np, lacuna
        rng = np.random.default_rng(0)
        data = np.where(rng.random((60, 50, 40)) < 0.3, rng.normal(size=(60, 50, 40)), np.nan)
        def started(step):
            if step["iteration"] == 2:
                print("started", flush=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            completer = lacuna.TensorCompleter(method="tr-mm", rank=5, lam=1e6, preset="paper", tolerance=0.0,
                                               max_iterations=10**6, callback=started).fit(data)
        print("ended", time.time(), flush=True)
        assert any(w.category is lacuna.StoppedWarning for w in caught), caught
        assert completer.stop_reason_ == "interrupted", completer.stop_reason_
        assert not completer.converged_ and completer.n_iter_ >= 2
        assert np.isfinite(completer.predict()).all()
        print("fine", flush=True)
    """)
    assert child.stdout.readline() == "started\n", child.stderr.read()
    time.sleep(0.2)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    ended = child.stdout.readline().split()
    rest, errors = child.communicate(timeout=60)
    assert child.returncode == 0 and "fine" in rest, errors
    # A second on a machine that has nothing else to do; this one may.
    assert float(ended[1]) - sent < 1.0 + 2.0 * os.getloadavg()[0] / os.cpu_count()


def test_another_signal_s_exception_comes_out():
    child = run_python("""
        import signal, numpy as np, lacuna
        def handler(number, frame):
            raise TimeoutError("enough")
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            lacuna.complete(np.where(np.random.default_rng(0).random((40, 30, 20)) < 0.3, 1.5, np.nan), method="tr-mm",
                            rank=4, lam=1e6, preset="paper", tolerance=0.0, max_iterations=10**6)
        except TimeoutError as problem:
            print("caught", problem)
    """)
    out, errors = child.communicate(timeout=60)
    assert out == "caught enough\n", errors


def test_tune_is_stopped_by_ctrl_c():
    child = run_python("""
        import warnings, numpy as np, lacuna
        rng = np.random.default_rng(0)
        data = np.where(rng.random((40, 30, 20)) < 0.3, rng.normal(size=(40, 30, 20)), np.nan)
        warnings.simplefilter("error", lacuna.StoppedWarning)
        try:
            lacuna.tune(data, ranks=[2, 3, 4], preset="paper", folds=2, tolerance=0.0, max_iterations=10**5,
                        callback=lambda *found: print("found", flush=True))
        except (KeyboardInterrupt, lacuna.StoppedWarning):
            print("stopped")
    """)
    time.sleep(2.0)
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=120)
    assert out.endswith("stopped\n") or "KeyboardInterrupt" in errors, errors


@pytest.mark.parametrize("without", [(), ("rich",), ("rich", "tqdm")])
def test_a_bar_whatever_is_installed(cube, capfd, monkeypatch, without):
    real = builtins.__import__

    def importing(name, *rest, **more):
        if name.split(".")[0] in without:
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", importing)
    lacuna.complete(cube[1], method="tr-mm", rank=2, lam=10, preset="paper", progress=True)
    out, errors = capfd.readouterr()
    assert "objective" in out + errors


def test_a_bar_knows_limits_that_are_left_open(cube, capfd):
    for open in ("max_iterations", "tolerance"):
        lacuna.complete(cube[1], method="tr-mm", rank=2, lam=10, preset="paper", progress=True, **{open: "auto"})
    out, errors = capfd.readouterr()
    assert "objective" in out + errors


def test_notices_go_to_the_log(caplog):
    with caplog.at_level("INFO", logger="lacuna"):
        lacuna.complete(with_holes(low_rank((6, 5))), method="tr-mm", rank=50, preset="paper", lam=1.0)
    assert any("rank" in record.message for record in caplog.records)
