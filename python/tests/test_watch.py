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
from lacuna import _progress

SLOW = {"method": "tr-mm", "rank": 3, "lam": 1e6, "preset": "paper", "tolerance": 0.0, "max_iterations": 1_000_000}


def run_python(script, **environment):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**os.environ, **environment})  # fmt: skip


def bound():
    """A second on a machine that has nothing else to do; this one may."""
    return 1.0 + 2.0 * os.getloadavg()[0] / os.cpu_count()


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
    assert float(ended[1]) - sent < bound()


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
        import time, warnings, numpy as np, lacuna
        rng = np.random.default_rng(0)
        data = np.where(rng.random((40, 30, 20)) < 0.3, rng.normal(size=(40, 30, 20)), np.nan)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tuned = lacuna.tune(data, ranks=[1, 2, 3, 4], lambdas=[1.0, 1e6], preset="paper", folds=2, tolerance=0.0,
                                max_iterations=1000, found=lambda fold: print("found", flush=True))
        print("ended", time.time(), flush=True)
        assert any(w.category is lacuna.StoppedWarning for w in caught), caught
        assert tuned.best in tuned.rows
        print("fine", flush=True)
    """)
    assert child.stdout.readline() == "found\n", child.stderr.read()
    sent = time.time()
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=120)
    ended = [line.split() for line in out.splitlines() if line.startswith("ended")]
    assert child.returncode == 0 and out.endswith("fine\n"), errors
    assert float(ended[0][1]) - sent < bound()


@pytest.fixture
def ctrl_c(monkeypatch):
    """Has Ctrl-C come a moment after a function of the library has begun: ctrl_c("rank")."""
    came = []

    def handler(number, frame):
        came.append(time.monotonic())
        raise KeyboardInterrupt

    def at(name):
        real = getattr(lacuna._core, name)

        def watched(*given):
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            try:
                return real(*given)
            finally:  # too late it would end whatever comes next
                signal.setitimer(signal.ITIMER_REAL, 0)

        monkeypatch.setattr(lacuna._core, name, watched)
        return came

    before = signal.signal(signal.SIGALRM, handler)
    yield at
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_ranking_that_is_stopped_is_none(ctrl_c):
    """What it has until then is of some facts, and looks like what all of them give."""
    rng = np.random.default_rng(0)
    facts = (rng.integers(0, 4000, (2, 40000)), np.ones(40000), (4000, 4000))
    completer = lacuna.TensorCompleter(method="als", rank=8, max_iterations=1, duplicates="last", negatives=0).fit(facts)
    came = ctrl_c("rank")
    with pytest.raises(KeyboardInterrupt, match="evaluate was stopped by Ctrl-C"):
        lacuna.evaluate(completer, facts, ranking="mode1,mode2")
    assert time.monotonic() - came[0] < bound()


def test_an_evaluation_that_is_stopped_is_none(ctrl_c):
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(2000, 3000))
    completer = lacuna.TensorCompleter(method="als", rank=8, max_iterations=1, offsets="mean").fit(np.where(whole > 2, whole, np.nan))
    came = ctrl_c("evaluate")
    with pytest.raises(KeyboardInterrupt, match="evaluate was stopped by Ctrl-C"):
        lacuna.evaluate(completer, whole)
    assert time.monotonic() - came[0] < bound()


@pytest.mark.parametrize("refit", [False, True])
def test_ctrl_c_throws_no_update_away(ctrl_c, refit):
    rng = np.random.default_rng(0)
    completer = lacuna.TensorCompleter(method="als", rank=4, max_iterations=2).fit(with_holes(rng.normal(size=(100, 80, 10)), 0.5))
    ctrl_c("update")
    new = (rng.integers(0, 10, (3, 2000)) + np.array([[100], [80], [0]]), rng.normal(size=2000), (110, 90, 10))
    with pytest.warns(lacuna.StoppedWarning, match="Ctrl-C came while entries were taken up; all of them are"):
        completer.partial_fit(new, duplicates="last", refit=refit)
    assert completer.shape_ == (110, 90, 10) and np.isfinite(completer.predict()).all()


WITHOUT = pytest.mark.parametrize("without", [(), ("rich",), ("rich", "tqdm")])


def hide(monkeypatch, names):
    """Libraries that are not installed."""
    real = builtins.__import__

    def importing(name, *rest, **more):
        if name.split(".")[0] in names:
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", importing)


@WITHOUT
def test_a_bar_whatever_is_installed(cube, capfd, monkeypatch, without):
    hide(monkeypatch, without)
    lacuna.complete(cube[1], method="tr-mm", rank=2, lam=10, preset="paper", progress=True)
    out, errors = capfd.readouterr()
    assert "objective" in out + errors


@WITHOUT
def test_a_bar_moves_while_settings_are_chosen(capfd, monkeypatch, without):
    hide(monkeypatch, without)
    shown = []
    for kind in (_progress._RichBar, _progress._TqdmBar, _progress._PlainBar):
        def show(bar, share, text, real=kind.show):
            shown.append((share, text))
            real(bar, share, text)

        monkeypatch.setattr(kind, "show", show)
    holes = with_holes(np.random.default_rng(0).normal(size=(160, 120, 20)), 0.5)
    lacuna.complete(holes, progress=True, max_time=2, effort="high")
    choosing = [(share, text) for share, text in shown if text.startswith("choosing")]
    assert len(choosing) > 5 and choosing[-1][0] > choosing[0][0] == pytest.approx(0, abs=0.1)
    shares = [share for share, _ in shown]
    assert shares == sorted(shares), "it never goes back"
    shown.clear()
    lacuna.complete(holes, progress=True, effort="low", method="als")
    assert shown[0] == (None, "choosing  0.0 s"), "without a limit nobody knows how far along it is"


@WITHOUT
def test_a_bar_of_folds(cube, capfd, monkeypatch, without):
    hide(monkeypatch, without)
    lacuna.tune(cube[1], methods=["offsets"], offsets=["mean", "modes"], folds=2, refine=0, progress=True)
    out, errors = capfd.readouterr()
    assert "fold 4 of 4  offsets offsets modes" in out + errors


def test_a_bar_in_a_notebook():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cell = nbformat.v4.new_code_cell("""
        import numpy as np, lacuna
        holes = np.where(np.eye(20) > 0, np.nan, np.add.outer(np.arange(20.0), np.arange(20.0)))
        filled = lacuna.complete(holes, method="als", rank=1, progress=True)
    """.replace("\n        ", "\n"))
    book = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(book, timeout=120).execute()
    assert [output.output_type for output in cell.outputs] == ["display_data"], cell.outputs
    shown = cell.outputs[0]["data"]
    assert "objective" in shown["text/plain"] and "<progress" in shown["text/html"] and "value=" in shown["text/html"]


def test_a_bar_knows_limits_that_are_left_open(cube, capfd):
    for open in ("max_iterations", "tolerance"):
        lacuna.complete(cube[1], method="tr-mm", rank=2, lam=10, preset="paper", progress=True, **{open: "auto"})
    out, errors = capfd.readouterr()
    assert "objective" in out + errors


def test_notices_go_to_the_log(caplog):
    with caplog.at_level("INFO", logger="lacuna"):
        lacuna.complete(with_holes(low_rank((6, 5))), method="tr-mm", rank=50, preset="paper", lam=1.0)
    assert any("rank" in record.message for record in caplog.records)
