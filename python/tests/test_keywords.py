# SPDX-License-Identifier: MIT
"""Keywords are what editors, help() and type checkers know of the functions that take them."""

import inspect
import subprocess
import sys

import pytest

import lacuna
from lacuna import _settings, _sources


@pytest.mark.parametrize("function", [lacuna.complete, lacuna.tune, lacuna.info])
def test_every_keyword_is_in_the_signature_and_the_docstring(function):
    parameters = inspect.signature(function).parameters
    assert not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    for name, default in _settings.defaults().items():
        assert name in parameters, name
        if name not in ("parts", "offsets"):  # lists of them in tune
            assert parameters[name].default is default
        assert f"\n{name} : " in function.__doc__ or function is lacuna.info
    for name in _sources.Reading.__dataclass_fields__:
        assert parameters[name].default is None
    for row in lacuna.settings() if function is not lacuna.info else ():
        assert row["what"] in " ".join(function.__doc__.split())


def test_keywords_about_data_are_told_to_type_checkers():
    assert set(_sources.Readings.__annotations__) == set(_sources.Reading.__dataclass_fields__)


USER = '''
import numpy as np
import lacuna

holes = np.eye(4)
lacuna.complete(holes, rank=3, lam=0.5, method="als", clip=(0, 5), parts=["mode1|mode2"], random_state=np.int64(3))
lacuna.TensorCompleter(rank=[2, 3], lam=np.float32(1), tolerance=1e-3, intervals=True, callback=print, max_iterations=None)
tuned: lacuna.Tuned = lacuna.tune(holes, methods=["als"], ranks=[1, 2], max_time=5, bins={"time": "7d"}, found=lambda fold: None)
lacuna.TensorCompleter(init=tuned.completer).fit(holes, modes=["a", "b"], value=None, missing_value=0).partial_fit(holes, refit=True)
lacuna.evaluate(tuned.completer, holes, missing_value=-1.0)
lacuna.write("file", holes, modes=["a", "b"], across="none")
'''
WRONG = '''
import lacuna

lacuna.complete([], rnak=3)
lacuna.complete([], rank={"a": 1})
lacuna.tune([], rnak=3)
lacuna.TensorCompleter(lam=[None])
lacuna.TensorCompleter(max_iterations=2.5)
lacuna.TensorCompleter().fit([], vlaue="x")
lacuna.TensorCompleter().fit([], modes=3)
lacuna.split([], vlaue="x")
lacuna.TensorCompleter(callback=3)
'''


def checked(tmp_path, text):
    """The lines that a type checker complains about."""
    (tmp_path / "user.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", tmp_path / "cache", "user.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    return [int(line.split(":")[1]) for line in said.splitlines() if line.startswith("user.py:") and " error:" in line], said


def test_type_checkers_know_keywords(tmp_path):
    pytest.importorskip("mypy")
    lines, said = checked(tmp_path, USER)
    assert not lines and "Success" in said, said
    lines, said = checked(tmp_path, WRONG)
    assert sorted(set(lines)) == [number for number, line in enumerate(WRONG.split("\n"), 1) if line.startswith("lacuna.")], said
